// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/rows/hoist.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "test.hpp"

using weft::Cuda;

namespace {

__global__ void divide(const float* x, const float* y, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) out[i] = weft::cuda::Quotient(y[i]).value(x[i]);
}

struct Row {
  template <int>
  __device__ float reduced() const {
    return 4;
  }
};

using Sum = weft::Reduced<0, float>;
using Root = weft::Apply<weft::op::sqrt, Sum>;
using X = weft::Arg<1, float>;

struct Inputs {
  template <int>
  __device__ float get() const {
    return 3;
  }
};

__global__ void evaluate(float* out) {
  const weft::Apply<weft::op::mul, X, Root> product{};
  const auto hoisted = weft::cuda::hoist(product, Row{});
  using Hoisted = std::remove_const_t<decltype(hoisted)>;
  static_assert(std::is_same_v<Hoisted, weft::Apply<weft::op::mul, X, weft::Constant<float>>>);
  *out = hoisted(Inputs{});
}

}  // namespace

TEST_CASE("what reads no operand is a number for each row") {
  static_assert(!weft::cuda::reads_operands<Root>);
  static_assert(weft::cuda::reads_operands<weft::Apply<weft::op::mul, X, Root>>);
}

TEST_CASE("a hoisted part has its value [gpu]") {
  const auto out = weft::zeros({1}, Cuda{});
  evaluate<<<1, 1, 0, weft::cuda::current_stream().handle()>>>(out.data());
  CHECK(out.item() == 6);
}

TEST_CASE("division by a common divisor rounds as the operator [gpu]") {
  std::vector<float> numbers = {0.0F,     -0.0F,   1.0F,    -1.0F,    3.0F,   0.1F,  1e-20F,
                                1e20F,    -7e37F,  3e38F,   1e-38F,   1e-42F, -5.0F, 123.456F,
                                0x1p-60F, 0x1p60F, 0x1p61F, 0x1p-61F, 2e-45F, 1.5e9F};
  numbers.push_back(std::numeric_limits<float>::infinity());
  numbers.push_back(-std::numeric_limits<float>::infinity());
  numbers.push_back(std::numeric_limits<float>::quiet_NaN());
  unsigned seed = 1;
  for (int i = 0; i < 500; ++i) {
    seed = seed * 1664525U + 1013904223U;
    numbers.push_back(std::ldexp(static_cast<float>(seed >> 8), static_cast<int>(seed % 60) - 54));
  }
  std::vector<float> x;
  std::vector<float> y;
  for (float a : numbers) {
    for (float b : numbers) {
      x.push_back(a);
      y.push_back(b);
    }
  }
  const auto n = static_cast<std::int64_t>(x.size());
  const auto a = weft::borrow(x.data(), {n}).to(Cuda{});
  const auto b = weft::borrow(y.data(), {n}).to(Cuda{});
  const auto out = weft::empty({n}, Cuda{});
  divide<<<static_cast<unsigned>((n + 255) / 256), 256, 0, weft::cuda::current_stream().handle()>>>(
      a.data(), b.data(), out.data(), static_cast<int>(n));
  const std::vector<float> found = out.to_vector();
  int different = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const float expected = x[i] / y[i];
    const bool ordinary = std::abs(x[i]) >= 0x1p-100F && std::abs(x[i]) <= 0x1p100F &&
                          (std::abs(expected) >= 1.2e-38F || expected == 0);
    const float unit = std::nextafter(std::abs(expected), INFINITY) - std::abs(expected);
    const bool same =
        found[i] == expected || (expected != expected && found[i] != found[i]) ||
        (!ordinary && std::abs(found[i] - expected) <=
                          2 * unit + std::abs(expected) * (0x1p-148F / std::abs(x[i])));
    if (!same && ++different < 5) {
      CAPTURE(x[i]);
      CAPTURE(y[i]);
      CHECK(found[i] == expected);
    }
  }
  CHECK(different == 0);
}
