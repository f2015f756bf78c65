// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/gamma.hpp>

#include <cmath>

#include "reference.hpp"
#include "test.hpp"

namespace math = weft::math;

TEST_CASE_TEMPLATE("lgamma is within 4 ulp, or 4 epsilon near its zeros", T, float, double) {
  test::Numbers numbers;
  test::Worst worst;
  for (int i = 0; i < 50000; ++i) {
    const auto x = static_cast<T>(i % 2 == 0 ? numbers.uniform(-20, 100) : numbers.uniform(0, 3));
    const long double expected = std::lgamma(static_cast<long double>(x));
    const T got = math::lgamma(x);
    const double absolute = static_cast<double>(std::fabs(got - expected)) /
                            static_cast<double>(std::numeric_limits<T>::epsilon());
    worst(std::min(test::ulps(got, expected), absolute), x);
  }
  CHECK_MESSAGE(worst.error <= 4, "at ", worst.at);
  CHECK(math::lgamma(T(-3)) == std::numeric_limits<T>::infinity());
  CHECK(math::lgamma(T(1)) == 0);
  CHECK(math::lgamma(T(2)) == 0);
}

TEST_CASE_TEMPLATE("digamma is the slope of lgamma", T, float, double) {
  const double tolerance = sizeof(T) == 4 ? 4e-6 : 1e-9;
  const auto lgamma = [](long double x) { return std::lgamma(x); };
  for (double x :
       {-10.3, -2.5, -0.7, -0.1, 0.1, 0.5, 1.0, 1.4616321, 2.0, 3.7, 9.99, 10.0, 50.0, 1e4}) {
    const auto at = static_cast<T>(x);
    const auto expected = static_cast<double>(test::slope(lgamma, at));
    const double error = std::fabs(static_cast<double>(math::digamma(at)) - expected);
    CHECK_MESSAGE(error <= tolerance * std::max(1.0, std::fabs(expected)), "at ", x);
  }
  CHECK(math::digamma(T(0)) == -std::numeric_limits<T>::infinity());
  CHECK(math::digamma(T(-0.0)) == std::numeric_limits<T>::infinity());
  CHECK(std::isnan(math::digamma(T(-2))));
  CHECK(math::digamma(T(1)) == doctest::Approx(-0.57721566490153286));
}

TEST_CASE_TEMPLATE("trigamma is the slope of digamma", T, float, double) {
  const double tolerance = sizeof(T) == 4 ? 1e-5 : 1e-7;
  for (double x : {-10.3, -2.5, -0.7, -0.1, 0.1, 0.5, 1.0, 1.4616321, 2.0, 3.7, 9.99, 10.0, 50.0}) {
    const double step = 1e-5;
    const double slope = (math::digamma(x + step) - math::digamma(x - step)) / (2 * step);
    const double found = static_cast<double>(math::trigamma(static_cast<T>(x)));
    CHECK_MESSAGE(std::fabs(found - slope) <= tolerance * std::max(1.0, slope), "at ", x);
  }
  const double pi = 3.14159265358979323846;
  CHECK(math::trigamma(T(1)) == doctest::Approx(pi * pi / 6));
  CHECK(math::trigamma(T(0.5)) == doctest::Approx(pi * pi / 2));
  CHECK(math::trigamma(T(1e4)) == doctest::Approx(1.00005e-4));
  CHECK(math::trigamma(T(0)) == std::numeric_limits<T>::infinity());
  CHECK(math::trigamma(T(-2)) == std::numeric_limits<T>::infinity());
}
