// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/inverse.hpp>

#include "sweep.hpp"

namespace simd = weft::math::simd;

TEST_CASE("inverse functions: errors, special values, the same bits at every position") {
  // clang-format off
  test::check_function("asin", [](auto x) { return simd::asin(x); }, [](auto x) { return std::asin(x); }, 3);
  test::check_function("acos", [](auto x) { return simd::acos(x); }, [](auto x) { return std::acos(x); }, 3);
  test::check_function("asinh", [](auto x) { return simd::asinh(x); }, [](auto x) { return std::asinh(x); }, 3);
  test::check_function("acosh", [](auto x) { return simd::acosh(x); }, [](auto x) { return std::acosh(x); }, 3);
  test::check_function("atanh", [](auto x) { return simd::atanh(x); }, [](auto x) { return std::atanh(x); }, 3);
  // clang-format on
}

TEST_CASE_TEMPLATE("inverse functions at the ends and the bends of their domains", T, float,
                   double) {
  test::Numbers numbers;
  test::Worst of_asin, of_acos, of_asinh, of_acosh, of_atanh;
  for (int i = 0; i < 40000; ++i) {
    const auto small = static_cast<T>(std::exp2(numbers.uniform(-24, -1)));
    const auto large = static_cast<T>(std::exp2(numbers.uniform(0, sizeof(T) == 4 ? 127 : 1023)));
    for (const T x : {1 - small, small - 1, T(0.5) + small / 2, small}) {
      const auto exact = static_cast<long double>(x);
      of_asin(test::ulps(simd::asin(x), std::asin(exact)), static_cast<double>(x));
      of_acos(test::ulps(simd::acos(x), std::acos(exact)), static_cast<double>(x));
      of_atanh(test::ulps(simd::atanh(x), std::atanh(exact)), static_cast<double>(x));
    }
    for (const T x : {1 + small, large}) {
      const auto exact = static_cast<long double>(x);
      of_asinh(test::ulps(simd::asinh(-x), std::asinh(-exact)), static_cast<double>(x));
      of_acosh(test::ulps(simd::acosh(x), std::acosh(exact)), static_cast<double>(x));
    }
  }
  CHECK_MESSAGE(of_asin.error <= 3, of_asin.at);
  CHECK_MESSAGE(of_acos.error <= 3, of_acos.at);
  CHECK_MESSAGE(of_asinh.error <= 3, of_asinh.at);
  CHECK_MESSAGE(of_acosh.error <= 3, of_acosh.at);
  CHECK_MESSAGE(of_atanh.error <= 3, of_atanh.at);
}

TEST_CASE_TEMPLATE("atan2: special values, all quadrants, numbers near the ends", T, float,
                   double) {
  std::vector<T> numbers = test::special_numbers<T>();
  for (int k = 1; k < 9; ++k) {
    numbers.push_back(static_cast<T>(k) * std::numeric_limits<T>::denorm_min());
    numbers.push_back(std::numeric_limits<T>::max() / static_cast<T>(k));
  }
  for (const T y : numbers) {
    for (const T x : numbers) {
      const long double expected =
          std::atan2(static_cast<long double>(y), static_cast<long double>(x));
      const T got = simd::atan2(y, x);
      INFO(y, " and ", x, " give ", got);
      CHECK(test::ulps(got, expected) <= 2);
      if (expected == 0) CHECK(std::signbit(got) == std::signbit(expected));
    }
  }
  test::Numbers random;
  test::Worst worst;
  for (int i = 0; i < 60000; ++i) {
    const double turn = random.uniform(-3.2, 3.2);
    const double length = std::exp2(random.uniform(-1, 1) * (sizeof(T) == 4 ? 120 : 1000));
    const auto y = static_cast<T>(length * std::sin(turn));
    const auto x = static_cast<T>(length * std::cos(turn));
    const long double exact = std::atan2(static_cast<long double>(y), static_cast<long double>(x));
    worst(test::ulps(simd::atan2(y, x), exact), static_cast<double>(y), static_cast<double>(x));
  }
  CHECK_MESSAGE(worst.error <= 2, worst.at, " and ", worst.also);
}
