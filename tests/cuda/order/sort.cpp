// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/order/sort.hpp>

#include "test.hpp"

static_assert(weft::detail::can_sort<weft::Cuda>());

// What is sorted is in tests/ops/order/sort.cpp: CUB's kernels are slow to compile.
TEST_CASE("more elements than can be sorted at once [gpu]") {
  const auto x = weft::full({1}, std::int8_t{1}, weft::Cuda{}).expand({1, std::int64_t{1} << 31});
  CHECK_SAYS("expected below 2^31",
             weft::Sorter<weft::Cuda>::sort(x, false, 1, weft::Tensor<std::int8_t, weft::Cuda>(),
                                            weft::Tensor<std::int64_t, weft::Cuda>()));
}
