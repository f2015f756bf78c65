// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/power.hpp>

#include "sweep.hpp"

namespace simd = weft::math::simd;

TEST_CASE("roots: errors, special values, the same bits at every position") {
  // clang-format off
  test::check_function("cbrt", [](auto x) { return simd::cbrt(x); }, [](auto x) { return std::cbrt(x); }, 2);
  test::check_function("sqrt", [](auto x) { return simd::sqrt(x); }, [](auto x) { return std::sqrt(x); }, 0.5);
  // clang-format on
}

TEST_CASE("rsqrt: errors, special values, the same bits at every position") {
  const auto reference = [](auto x) { return 1 / std::sqrt(x); };
  test::check_function(
      "rsqrt", [](auto x) { return simd::rsqrt(x); }, reference, 2);
}

TEST_CASE_TEMPLATE("pow has the special values of C's", T, float, double) {
  std::vector<T> numbers = test::special_numbers<T>();
  for (const double x : {3., -3., -0.5, 1.5, -7., 16777215., -16777217., 9007199254740991., 1e10}) {
    numbers.push_back(static_cast<T>(x));
  }
  for (const T x : numbers) {
    for (const T y : numbers) {
      const long double expected =
          std::pow(static_cast<long double>(x), static_cast<long double>(y));
      const T got = simd::pow(x, y);
      INFO(x, " to the power ", y, " gives ", got);
      CHECK(test::ulps(got, expected) <= 4);
      if (expected == 0) CHECK(std::signbit(got) == std::signbit(expected));
    }
  }
}

TEST_CASE_TEMPLATE("pow within 4 ulp up to the largest and smallest results", T, float, double) {
  test::Numbers numbers;
  test::Worst worst;
  const double limit = sizeof(T) == 4 ? 150 : 1080;
  for (int i = 0; i < 60000; ++i) {
    const double range = i % 4 == 0 ? limit : i % 4 == 1 ? 5 : i % 4 == 2 ? 1e-3 : 0.5;
    const auto x = static_cast<T>(std::exp2(numbers.uniform(-range, range)));
    const double power = numbers.uniform(-1, 1) * limit / std::log2(static_cast<double>(x));
    const auto y = static_cast<T>(i % 8 < 4 ? power : numbers.uniform(-30, 30));
    const long double exact = std::pow(static_cast<long double>(x), static_cast<long double>(y));
    worst(test::ulps(simd::pow(x, y), exact), static_cast<double>(x), static_cast<double>(y));
  }
  CHECK_MESSAGE(worst.error <= 4, worst.at, " to the power ", worst.also);
  CHECK(simd::pow(T(1.1F), T(2)) == T(1.1F) * T(1.1F));
}

TEST_CASE("integers to the power of integers are exact as long as floats are") {
  int wrong = 0;
  for (int x = -40; x <= 400; ++x) {
    for (int y = 0; y <= 24; ++y) {
      double expected = 1;
      for (int k = 0; k < y; ++k) expected *= x;
      if (std::fabs(expected) > 0x1p24) break;
      wrong += simd::pow(static_cast<float>(x), static_cast<float>(y)) != expected;
      wrong += simd::pow(double(x), double(y)) != expected;
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE_TEMPLATE("pow has the same bits at every position", T, float, double) {
  CHECK(test::differences_by_position<T>([](T x) { return simd::pow(x, T(1.7)); }) == 0);
  CHECK(test::differences_by_position<T>([](T x) { return simd::pow(T(1.3), x); }) == 0);
}

TEST_CASE_TEMPLATE("hypot: special values, no overflow, no underflow", T, float, double) {
  std::vector<T> numbers = test::special_numbers<T>();
  test::Numbers random;
  for (int i = 0; i < 300; ++i) {
    numbers.push_back(static_cast<T>(std::exp2(
        random.uniform(-1, 1) * (sizeof(T) == 4 ? 148 : 1070) - (sizeof(T) == 4 ? 21 : 50))));
  }
  for (const T x : numbers) {
    for (const T y : numbers) {
      const long double exact =
          std::hypot(static_cast<long double>(x), static_cast<long double>(y));
      const T got = simd::hypot(x, y);
      if (test::ulps(got, exact) <= 1.5) continue;
      INFO(x, " and ", y, " give ", got);
      CHECK(test::ulps(got, exact) <= 1.5);
    }
  }
}
