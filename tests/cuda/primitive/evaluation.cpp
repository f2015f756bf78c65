// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/primitive/evaluation.hpp>

#include "array.hpp"

using weft::Cuda;
using weft::Tensor;

TEST_CASE("a kept value is found again, and computed where another was kept since [gpu]") {
  test::Random r(7);
  const auto a = r.array<float>({333});
  const auto b = r.array<float>({333});
  const auto x = a.on(Cuda{});
  const auto y = b.on(Cuda{});
  const Tensor<float, Cuda> sum = exp(x) + exp(y) + exp(x) + exp(x);
  const auto hx = a.on(weft::Cpu{});
  const auto hy = b.on(weft::Cpu{});
  CHECK(allclose(sum.to(weft::Cpu{}), Tensor<float>(3 * exp(hx) + exp(hy)), {1e-5, 1e-6}));
  const Tensor<float, Cuda> shifted =
      exp(x(weft::slice(1, 333))) * exp(x(weft::slice(0, 332))) / exp(x(weft::slice(1, 333)));
  CHECK(
      allclose(shifted.to(weft::Cpu{}), Tensor<float>(exp(hx(weft::slice(0, 332)))), {1e-5, 1e-6}));
}
