// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/elementwise/for_half.hpp>

#include <cmath>
#include <type_traits>
#include <vector>

#include "gradients.hpp"
#include "test.hpp"

using namespace weft;

namespace {

/// The largest error of f over all numbers of T, in units of T's last place: half a unit is
/// rounding. The smallest values may be 0: silu's are where sigmoid is no normal float.
template <class T, class D, class F, class Exact>
double worst(const F& f, const Exact& exact) {
  std::vector<T> points;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const T x = T::from_bits(static_cast<std::uint16_t>(bits));
    if (std::isfinite(static_cast<float>(x))) points.push_back(x);
  }
  const auto n = static_cast<std::int64_t>(points.size());
  const auto values = f(tensor<T>(points).reshape({n}).to(D{})).eval().to(Cpu{}).to_vector();
  constexpr int digits = std::is_same_v<T, weft::half> ? 10 : 7;
  const double least = std::is_same_v<T, weft::half> ? 0x1p-14 : 0x1p-119;
  double most = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double value = exact(static_cast<double>(static_cast<float>(points[i])));
    const double size = std::fabs(value);
    if (size < least || size > 65504) continue;
    const double unit = std::ldexp(1.0, std::ilogb(size) - digits);
    const double error = std::fabs(static_cast<double>(static_cast<float>(values[i])) - value);
    most = error / unit > most ? error / unit : most;
  }
  return most;
}

template <class T, class D>
void check_all() {
  constexpr double bound = 0.75;
  const auto sigmoid_of = [](double x) { return 1 / (1 + std::exp(-x)); };
  CHECK(worst<T, D>([](const auto& x) { return sigmoid(x); }, sigmoid_of) < bound);
  CHECK(worst<T, D>([](const auto& x) { return silu(x); },
                    [&](double x) { return x * sigmoid_of(x); }) < bound);
  CHECK(worst<T, D>([](const auto& x) { return tanh(x); }, [](double x) { return std::tanh(x); }) <
        bound);
  CHECK(worst<T, D>([](const auto& x) { return gelu(x); },
                    [](double x) { return x * std::erfc(-x / std::sqrt(2.0)) / 2; }) < bound);
  CHECK(worst<T, D>([](const auto& x) { return gelu(x, approximate::tanh); },
                    [&](double x) {
                      return x * sigmoid_of(2 * std::sqrt(2 / std::acos(-1.0)) *
                                            (x + 0.044715 * x * x * x));
                    }) < bound);
  CHECK(worst<T, D>([](const auto& x) { return softplus(x); },
                    [](double x) { return x > 20 ? x : std::log1p(std::exp(x)); }) < bound);
  for (const float y : {0.8F, -1.3F, 5.0F, -6.0F, 300.0F}) {
    CAPTURE(y);
    CHECK(worst<T, D>([&](const auto& x) { return pow(x, y); },
                      [&](double x) { return std::pow(x, double{y}); }) < bound);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("activations of 16-bit types are within 3/4 of a unit of all their numbers", D,
                   TEST_DEVICES) {
  check_all<weft::half, D>();
  check_all<weft::bfloat16, D>();
}

TEST_CASE("only results of 16 bits on a GPU have another form") {
  using detail::program_op;
  CHECK(std::is_same_v<program_op<op::tanh, weft::half, Cuda>, op::for_half<op::tanh>>);
  CHECK(std::is_same_v<program_op<op::tanh, weft::bfloat16, CudaAt<1>>, op::for_half<op::tanh>>);
  CHECK(std::is_same_v<program_op<op::tanh, float, Cuda>, op::tanh>);
  CHECK(std::is_same_v<program_op<op::tanh, weft::half, Cpu>, op::tanh>);
  CHECK(std::is_same_v<program_op<op::exp, weft::half, Cuda>, op::exp>);
  CHECK(std::is_same_v<program_op<op::pow, weft::half, Cuda>, op::for_half<op::pow>>);
}

TEST_CASE_TEMPLATE("the other form has the operation's parameters and derivatives", D,
                   TEST_DEVICES) {
  const auto x = (arange<weft::half>(9, D{}) * 0.5F - 2.F).eval();
  const auto wide = cast<float>(x).eval();
  const auto close = [](const auto& a, const auto& b) {
    return allclose(cast<float>(a), b, {.rtol = 1e-3, .atol = 1e-3});
  };
  CHECK(close(softplus(x, 3, 4), softplus(wide, 3, 4)));
  CHECK(close(sigmoid(x - mean(x)) * tanh(x), sigmoid(wide - mean(wide)) * tanh(wide)));
  auto leaf = parameter(x);
  sum(tanh(leaf) * sigmoid(leaf)).backward();
  auto exact = parameter(wide);
  sum(tanh(exact) * sigmoid(exact)).backward();
  CHECK(close(leaf.grad(), exact.grad()));
}
