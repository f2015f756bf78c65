// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/elementwise/scatter.hpp>

#include "test.hpp"

using weft::Cuda;

TEST_CASE("[gpu] a scatter waits for the streams that its operands were written on") {
  const std::int64_t n = 1 << 22;
  const auto x = weft::zeros({16}, Cuda{});
  const weft::cuda::Stream side;
  weft::Tensor<float, Cuda> values;
  {
    const weft::cuda::StreamGuard guard(side);
    values = weft::zeros({n}, Cuda{});
    for (int i = 0; i < 20; ++i) values += 1;
  }
  put_add(x, weft::arange<int>(n, Cuda{}) % 16, values);
  {
    const weft::cuda::StreamGuard guard(side);
    CHECK(x(3).item() == 20.0F * n / 16);
  }
}

TEST_CASE("[gpu] a gather waits for the stream that its tensor was written on") {
  const std::int64_t n = 1 << 22;
  const weft::cuda::Stream side;
  weft::Tensor<float, Cuda> x;
  {
    const weft::cuda::StreamGuard guard(side);
    x = weft::zeros({n}, Cuda{});
    for (int i = 0; i < 20; ++i) x += 1;
  }
  CHECK(sum(take(x, weft::arange<std::int64_t>(n, Cuda{}))).item() == 20.0F * n);
}
