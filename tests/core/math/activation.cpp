// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/activation.hpp>

#include <cmath>

#include "reference.hpp"
#include "test.hpp"

namespace math = weft::math;

namespace {
using Long = long double;

template <class T, class F, class R>
test::Worst worst(F f, R reference, double low, double high) {
  test::Worst worst;
  test::Numbers numbers;
  for (int i = 0; i < 20000; ++i) {
    const auto x = static_cast<T>(numbers.uniform(low, high));
    worst(test::ulps(f(x), reference(static_cast<Long>(x))), static_cast<double>(x));
  }
  return worst;
}

/// The worst of |error| / max(1, |x|), in epsilons.
template <class T, class F, class R>
double absolute(F f, R reference, double low, double high) {
  double worst = 0;
  test::Numbers numbers;
  for (int i = 0; i < 20000; ++i) {
    const auto x = static_cast<T>(numbers.uniform(low, high));
    const Long error = std::fabs(static_cast<Long>(f(x)) - reference(static_cast<Long>(x)));
    worst = std::max(worst, static_cast<double>(error / std::max(Long(1), std::fabs(Long(x)))));
  }
  return worst / static_cast<double>(std::numeric_limits<T>::epsilon());
}

const auto sigmoid = [](Long x) { return 1 / (1 + std::exp(-x)); };
const auto gelu = [](Long x) { return x * std::erfc(-x / std::sqrt(2.0L)) / 2; };
const auto gelu_tanh = [](Long x) {
  return x * sigmoid(2 * std::sqrt(2 / std::acos(-1.0L)) * (x + 0.044715L * x * x * x));
};
const auto mish = [](Long x) { return x * std::tanh(std::log1p(std::exp(x))); };
}  // namespace

TEST_CASE_TEMPLATE("sigmoid is within 4 ulp, down to the smallest numbers", T, float, double) {
  const auto f = [](T x) { return math::sigmoid(x); };
  CHECK(worst<T>(f, sigmoid, -103, 100).error <= 4);
  CHECK(worst<T>(f, sigmoid, sizeof(T) == 4 ? -103 : -744, 20).error <= 4);
  CHECK(worst<T>(f, sigmoid, -1, 1).error <= 4);
  CHECK(math::sigmoid(-math::infinity<T>) == 0);
  CHECK(math::sigmoid(math::infinity<T>) == 1);
  CHECK(std::isnan(math::sigmoid(math::nan<T>)));
}

TEST_CASE_TEMPLATE("softplus, silu, mish and gelu lose no digits near 0 and in between", T, float,
                   double) {
  // clang-format off
  CHECK(worst<T>([](T x) { return math::softplus(x); },  [](Long x) { return std::log1p(std::exp(x)); }, -80, 20).error <= 4);
  CHECK(worst<T>([](T x) { return math::silu(x); },      [](Long x) { return x * sigmoid(x); },          -80, 80).error <= 5);
  CHECK(worst<T>([](T x) { return math::mish(x); },      mish,                                           -40, 90).error <= 8);
  CHECK(worst<T>([](T x) { return math::gelu(x); },      gelu,                                            -1, 50).error <= 6);
  CHECK(worst<T>([](T x) { return math::gelu_tanh(x); }, gelu_tanh,                                       -1, 50).error <= 6);
  // clang-format on
}

TEST_CASE_TEMPLATE("gelu's negative tail is right to within an epsilon of x", T, float, double) {
  CHECK(absolute<T>([](T x) { return math::gelu(x); }, gelu, -40, 0) <= 1);
  CHECK(absolute<T>([](T x) { return math::gelu_tanh(x); }, gelu_tanh, -40, 0) <= 1);
  CHECK(math::gelu(T(-60)) == 0);
  CHECK(math::gelu_tanh(T(-1e9)) == 0);
  CHECK(math::gelu_tanh(T(1e30)) == T(1e30));
}

TEST_CASE_TEMPLATE("large arguments do not overflow", T, float, double) {
  CHECK(math::softplus(T(1e30)) == T(1e30));
  CHECK(math::softplus(T(-1e30)) == 0);
  CHECK(math::mish(T(1e30)) == T(1e30));
  CHECK(math::silu(T(1e30)) == T(1e30));
  CHECK(math::silu(T(-1e30)) == 0);
  CHECK(math::elu(T(-1e30), T(2)) == -2);
  CHECK(math::softplus(T(21)) == 21);
  CHECK(math::softplus(T(2), T(3)) == doctest::Approx(std::log1p(std::exp(6.0)) / 3));
}

TEST_CASE_TEMPLATE("piecewise functions at their kinks, and NaN", T, float, double) {
  CHECK(math::relu(T(-2)) == 0);
  CHECK(math::relu(T(2)) == 2);
  CHECK(!std::signbit(math::relu(T(-0.0))));
  CHECK(std::isnan(math::relu(math::nan<T>)));
  CHECK(math::leaky_relu(T(-2), T(0.5)) == -1);
  CHECK(math::hardswish(T(-3)) == 0);
  CHECK(math::hardswish(T(3)) == 3);
  CHECK(math::hardswish(T(-1)) == doctest::Approx(-1.0 / 3));
  CHECK(math::hardsigmoid(T(-3)) == 0);
  CHECK(math::hardsigmoid(T(3)) == 1);
  CHECK(math::hardsigmoid(T(0)) == T(0.5));
  CHECK(std::isnan(math::hardswish(math::nan<T>)));
  CHECK(std::isnan(math::mish(math::nan<T>)));
  CHECK(std::isnan(math::elu(math::nan<T>, T(1))));
  CHECK(std::isnan(math::softplus(math::nan<T>)));
}

TEST_CASE_TEMPLATE("the side that an activation does not choose may overflow", T, float, double) {
  const T inf = std::numeric_limits<T>::infinity();
  for (const T x : {T(21), T(1000), std::numeric_limits<T>::max(), inf}) {
    CHECK(weft::math::softplus(x) == x);
    CHECK(weft::math::softplus_derivative(x) == 1);
    CHECK(weft::math::mish(x) == x);
    CHECK(weft::math::mish_derivative(x) == 1);
    CHECK(weft::math::elu(x, T(1)) == x);
  }
  CHECK(weft::math::softplus(-inf) == 0);
  CHECK(weft::math::elu(-inf, T(2)) == -2);
  CHECK(std::isnan(weft::math::softplus(std::numeric_limits<T>::quiet_NaN())));
}
