// SPDX-License-Identifier: Apache-2.0
#include "weft/ops/elementwise/activation.hpp"

#include <limits>

#include "gradients.hpp"

using namespace weft;

namespace {
using Reference = double (*)(double);

/// The operation's values and slopes at points around its kinks.
template <class D, class F>
void check(const char* name, const F& f, Reference value, Reference slope) {
  CAPTURE(name);
  const std::vector<double> points{-50, -3,   -1.5, -1, -0.5, -0.25, 0, 0.125,
                                   0.5, 0.75, 1,    2,  5.5,  6,     7, 60};
  const Var x = parameter(tensor(points).to(D{}));
  const Var y = f(x);
  sum(y).eval().backward();
  const auto values = y.detach().to_vector();
  const auto slopes = x.grad().to_vector();
  for (std::size_t i = 0; i < points.size(); ++i) {
    CAPTURE(points[i]);
    CHECK(values[i] == doctest::Approx(value(points[i])).epsilon(1e-13));
    CHECK(slopes[i] == doctest::Approx(slope(points[i])).epsilon(1e-13));
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(Var(f(Var(full<double>({}, nan, D{})))).item()));
}

constexpr double alpha = 1.6732632423543772848170429916717;
constexpr double scale = 1.0507009873554804934193349852946;
double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }
}  // namespace

TEST_CASE_TEMPLATE("activation functions and their slopes, at the kinks too", D, TEST_DEVICES) {
  check<D>(
      "relu6", [](const auto& x) { return relu6(x); },
      [](double x) { return std::min(std::max(x, 0.0), 6.0); },
      [](double x) { return x > 0 && x < 6 ? 1.0 : 0.0; });
  check<D>(
      "hardtanh", [](const auto& x) { return hardtanh(x, -0.5, 2); },
      [](double x) { return std::min(std::max(x, -0.5), 2.0); },
      [](double x) { return x > -0.5 && x < 2 ? 1.0 : 0.0; });
  check<D>(
      "selu", [](const auto& x) { return selu(x); },
      [](double x) { return x > 0 ? scale * x : scale * alpha * std::expm1(x); },
      [](double x) { return x > 0 ? scale : scale * alpha * std::exp(x); });
  check<D>(
      "celu", [](const auto& x) { return celu(x, 2); },
      [](double x) { return x > 0 ? x : 2 * std::expm1(x / 2); },
      [](double x) { return x > 0 ? 1 : std::exp(x / 2); });
  check<D>(
      "softsign", [](const auto& x) { return softsign(x); },
      [](double x) { return x / (1 + std::abs(x)); },
      [](double x) { return 1 / ((1 + std::abs(x)) * (1 + std::abs(x))); });
  check<D>(
      "logsigmoid", [](const auto& x) { return logsigmoid(x); },
      [](double x) { return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x)); },
      [](double x) { return sigmoid_of(-x); });
  check<D>(
      "threshold", [](const auto& x) { return threshold(x, 0.5, -3); },
      [](double x) { return x > 0.5 ? x : -3; }, [](double x) { return x > 0.5 ? 1.0 : 0.0; });
  check<D>(
      "softshrink", [](const auto& x) { return softshrink(x); },
      [](double x) { return x > 0.5    ? x - 0.5
                            : x < -0.5 ? x + 0.5
                                       : 0; },
      [](double x) { return std::abs(x) > 0.5 ? 1.0 : 0.0; });
  check<D>(
      "hardshrink", [](const auto& x) { return hardshrink(x); },
      [](double x) { return std::abs(x) > 0.5 ? x : 0; },
      [](double x) { return std::abs(x) > 0.5 ? 1.0 : 0.0; });
  check<D>(
      "tanhshrink", [](const auto& x) { return tanhshrink(x); },
      [](double x) { return x - std::tanh(x); },
      [](double x) { return std::tanh(x) * std::tanh(x); });
}

TEST_CASE_TEMPLATE("activation functions of 16 bits compute in float", D, TEST_DEVICES) {
  const Tensor x = tensor({-2.0F, 0.25F, 3.0F}).to(D{});
  const Tensor y = selu(cast<weft::half>(x)) + softsign(cast<weft::half>(x));
  CHECK(allclose(cast<float>(y), selu(x) + softsign(x), {1e-3, 1e-3}));
}

TEST_CASE("activation functions refuse what has no meaning") {
  const Tensor x = ones({2});
  CHECK(hardtanh(x, 1, 1).eval().to_vector()[0] == 1);
  CHECK_SAYS("[hardtanh] low 2 and high 1", hardtanh(x, 2, 1));
  CHECK_SAYS("[celu] alpha 0", celu(x, 0));
  CHECK_SAYS("[softshrink] lambda -1", softshrink(x, -1));
}
