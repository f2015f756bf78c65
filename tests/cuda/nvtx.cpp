// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/nvtx.hpp>

#include <cstdlib>

#include "test.hpp"

TEST_CASE("ranges nest whether or not a tool listens") {
  CHECK(weft::cuda::detail::nvtx_at_start ==
        (weft::detail::environment_flag("WEFT_NVTX") || std::getenv("NVTX_INJECTION64_PATH")));
  weft::cuda::name_kernels();
  CHECK(weft::cuda::detail::launch_observer == &weft::cuda::detail::nvtx_observer);
  const auto name = weft::detail::name_of<decltype(weft::ones({1}) + weft::ones({1}))>();
  for (int i = 0; i < 3; ++i) { const weft::cuda::detail::ObservedLaunch scope(name); }
  CHECK(weft::cuda::detail::nvtx_name(name) == weft::cuda::detail::nvtx_name(name));
  weft::cuda::name_kernels(false);
  CHECK(weft::cuda::detail::launch_observer == nullptr);
}

TEST_CASE("kernels run inside ranges [gpu]") {
  weft::cuda::name_kernels();
  CHECK((weft::ones({100}, weft::Cuda{}) + 1).eval().to_vector()[99] == 2);
  weft::cuda::name_kernels(false);
}
