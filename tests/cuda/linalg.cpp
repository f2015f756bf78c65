// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/linalg.hpp>

#include "test.hpp"
#include "weft/linalg.hpp"

TEST_CASE("[gpu] linear algebra on a stream of its own") {
  const weft::cuda::Stream stream(weft::Cuda{});
  const auto x = weft::tensor<float>({{2, 0}, {0, 4}}, weft::Cuda{});
  const weft::cuda::StreamGuard guard(stream);
  CHECK(inv(x).to_vector() == std::vector<float>{0.5, 0, 0, 0.25});
}
