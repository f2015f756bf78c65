// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/elementary.hpp>

#include <cmath>

#include "reference.hpp"
#include "test.hpp"

namespace math = weft::math;

namespace {

/// The worst error of f over numbers in [low, high], half of them uniform, half by magnitude.
template <class T, class F, class R>
test::Worst worst(F f, R reference, double low, double high) {
  test::Worst worst;
  test::Numbers numbers;
  for (int i = 0; i < 20000; ++i) {
    auto x = static_cast<T>(numbers.uniform(low, high));
    if (i % 2 == 1) {
      x = static_cast<T>(
          std::ldexp(numbers.uniform(-2, 2), static_cast<int>(numbers.bits() % 120) - 100));
      if (!(x >= T(low) && x <= T(high))) continue;
    }
    worst(test::ulps(f(x), reference(static_cast<long double>(x))), static_cast<double>(x));
  }
  return worst;
}

template <class F, class R>
void within_4_ulp(const char* name, F f, R reference, double low, double high, double double_high) {
  const test::Worst single = worst<float>(f, reference, low, high);
  CHECK_MESSAGE(single.error <= 4, name, " of the float ", single.at);
  const double double_low = low == -high ? -double_high : low;
  const test::Worst twice = worst<double>(f, reference, double_low, double_high);
  CHECK_MESSAGE(twice.error <= 4, name, " of the double ", twice.at);
}

}  // namespace

TEST_CASE("within 4 ulp of the exact value") {
  // clang-format off
  within_4_ulp("exp",   [](auto x) { return math::exp(x); },   [](auto x) { return std::exp(x); },      -104,  89, 710);
  within_4_ulp("exp2",  [](auto x) { return math::exp2(x); },  [](auto x) { return std::exp2(x); },     -150, 128, 1024);
  within_4_ulp("expm1", [](auto x) { return math::expm1(x); }, [](auto x) { return std::expm1(x); },     -90,  89, 710);
  within_4_ulp("log",   [](auto x) { return math::log(x); },   [](auto x) { return std::log(x); },         0, 3e38, 1e300);
  within_4_ulp("log2",  [](auto x) { return math::log2(x); },  [](auto x) { return std::log2(x); },        0, 3e38, 1e300);
  within_4_ulp("log10", [](auto x) { return math::log10(x); }, [](auto x) { return std::log10(x); },       0, 3e38, 1e300);
  within_4_ulp("log near 1", [](auto x) { return math::log(x); }, [](auto x) { return std::log(x); },    0.5,    2, 2);
  within_4_ulp("log1p", [](auto x) { return math::log1p(x); }, [](auto x) { return std::log1p(x); }, -0.9999, 1e30, 1e30);
  within_4_ulp("sqrt",  [](auto x) { return math::sqrt(x); },  [](auto x) { return std::sqrt(x); },        0, 3e38, 1e300);
  within_4_ulp("rsqrt", [](auto x) { return math::rsqrt(x); }, [](auto x) { return 1 / std::sqrt(x); }, 1e-30, 3e38, 1e300);
  within_4_ulp("cbrt",  [](auto x) { return math::cbrt(x); },  [](auto x) { return std::cbrt(x); },    -3e38, 3e38, 1e300);
  within_4_ulp("sin",   [](auto x) { return math::sin(x); },   [](auto x) { return std::sin(x); },     -1000, 1000, 1e6);
  within_4_ulp("cos",   [](auto x) { return math::cos(x); },   [](auto x) { return std::cos(x); },     -1000, 1000, 1e6);
  within_4_ulp("tan",   [](auto x) { return math::tan(x); },   [](auto x) { return std::tan(x); },     -1000, 1000, 1e6);
  within_4_ulp("asin",  [](auto x) { return math::asin(x); },  [](auto x) { return std::asin(x); },       -1,    1, 1);
  within_4_ulp("acos",  [](auto x) { return math::acos(x); },  [](auto x) { return std::acos(x); },       -1,    1, 1);
  within_4_ulp("atan",  [](auto x) { return math::atan(x); },  [](auto x) { return std::atan(x); },     -100,  100, 1e6);
  within_4_ulp("sinh",  [](auto x) { return math::sinh(x); },  [](auto x) { return std::sinh(x); },      -89,   89, 710);
  within_4_ulp("cosh",  [](auto x) { return math::cosh(x); },  [](auto x) { return std::cosh(x); },      -89,   89, 710);
  within_4_ulp("tanh",  [](auto x) { return math::tanh(x); },  [](auto x) { return std::tanh(x); },      -10,   10, 20);
  within_4_ulp("asinh", [](auto x) { return math::asinh(x); }, [](auto x) { return std::asinh(x); },   -1000, 1000, 1e6);
  within_4_ulp("acosh", [](auto x) { return math::acosh(x); }, [](auto x) { return std::acosh(x); },       1, 1000, 1e6);
  within_4_ulp("atanh", [](auto x) { return math::atanh(x); }, [](auto x) { return std::atanh(x); },      -1,    1, 1);
  within_4_ulp("erf",   [](auto x) { return math::erf(x); },   [](auto x) { return std::erf(x); },        -4,    4, 6);
  within_4_ulp("erfc",  [](auto x) { return math::erfc(x); },  [](auto x) { return std::erfc(x); },      -10,   10, 26);
  // clang-format on
}

TEST_CASE_TEMPLATE("functions of two numbers within 4 ulp", T, float, double) {
  test::Numbers numbers;
  test::Worst pow, atan2, hypot, xlogy;
  for (int i = 0; i < 20000; ++i) {
    const auto x = static_cast<T>(numbers.uniform(0, 8));
    const auto y = static_cast<T>(numbers.uniform(-30, 30));
    const long double lx = x;
    const long double ly = y;
    pow(test::ulps(math::pow(x, y), std::pow(lx, ly)), x, y);
    atan2(test::ulps(math::atan2(y, x), std::atan2(ly, lx)), x, y);
    hypot(test::ulps(math::hypot(x, y), std::hypot(lx, ly)), x, y);
    xlogy(test::ulps(math::xlogy(y, x), ly * std::log(lx)), x, y);
  }
  CHECK(pow.error <= 4);
  CHECK(atan2.error <= 4);
  CHECK(hypot.error <= 4);
  CHECK(xlogy.error <= 4);
}

TEST_CASE_TEMPLATE("special values", T, float, double) {
  const T inf = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  CHECK(math::exp(-inf) == 0);
  CHECK(math::exp(inf) == inf);
  CHECK(math::log(T(0)) == -inf);
  CHECK(std::isnan(math::log(T(-1))));
  CHECK(std::isnan(math::sqrt(T(-1))));
  CHECK(math::rsqrt(T(0)) == inf);
  CHECK(math::rsqrt(inf) == 0);
  CHECK(math::tanh(-inf) == -1);
  CHECK(math::pow(nan, T(0)) == 1);
  CHECK(math::pow(T(0), T(0)) == 1);
  CHECK(math::pow(T(-8), T(2)) == 64);
  CHECK(std::isnan(math::pow(T(-8), T(1) / 3)));
  CHECK(std::signbit(math::atan2(T(-0.0), T(1))));
  CHECK(math::fdim(T(3), T(5)) == 0);
  CHECK(std::isnan(math::fdim(nan, T(5))));
}

TEST_CASE_TEMPLATE("round takes halves to even, frac keeps the sign", T, float, double) {
  CHECK(math::round(T(0.5)) == 0);
  CHECK(math::round(T(1.5)) == 2);
  CHECK(math::round(T(2.5)) == 2);
  CHECK(std::signbit(math::round(T(-0.4))));
  CHECK(math::trunc(T(-1.75)) == -1);
  CHECK(math::frac(T(-1.75)) == T(-0.75));
  CHECK(math::floor(7) == 7);
}

TEST_CASE_TEMPLATE("xlogy is 0 where x is, lerp is exact at both ends", T, float, double) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  CHECK(math::xlogy(T(0), T(0)) == 0);
  CHECK(math::xlogy(T(0), T(-1)) == 0);
  CHECK(std::isnan(math::xlogy(T(0), nan)));
  CHECK(std::isnan(math::xlogy(nan, T(0))));
  const T a = T(1) / 3;
  const T b = T(1e9) / 7;
  CHECK(math::lerp(a, b, T(0)) == a);
  CHECK(math::lerp(a, b, T(1)) == b);
  CHECK(math::lerp(T(2), T(4), T(0.25)) == T(2.5));
}

TEST_CASE("fma: one rounding for floats, wrapping for integers") {
  CHECK(math::fma(1 + 0x1p-30, 1 - 0x1p-30, -1.0) == -0x1p-60);
  CHECK(math::fma(std::int8_t{100}, std::int8_t{3}, std::int8_t{1}) == 45);
}

TEST_CASE_TEMPLATE("derivatives of pow are 0 where a factor of 0 meets an infinite one", T, float,
                   double) {
  const T nan = std::numeric_limits<T>::quiet_NaN();
  CHECK(math::pow_derivative_x(T(0), T(0)) == 0);
  CHECK(math::pow_derivative_x(nan, T(0)) == 0);
  CHECK(math::pow_derivative_x(T(3), T(2)) == 6);
  CHECK(std::isnan(math::pow_derivative_x(T(3), nan)));
  CHECK(math::pow_derivative_y(T(0), T(2), T(0)) == 0);
  CHECK(math::pow_derivative_y(T(0), T(-0.0), T(1)) == 0);
  CHECK(math::pow_derivative_y(T(1), T(5), T(1)) == 0);
  CHECK(std::isnan(math::pow_derivative_y(T(0), nan, nan)));
  CHECK(math::pow_derivative_y(T(0), T(-1), std::numeric_limits<T>::infinity()) ==
        -std::numeric_limits<T>::infinity());
}
