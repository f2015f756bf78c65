// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/trigonometric.hpp>

#include "sweep.hpp"

namespace simd = weft::math::simd;

TEST_CASE("angles: errors, special values, the same bits at every position") {
  // clang-format off
  test::check_function("sin", [](auto x) { return simd::sin(x); }, [](auto x) { return std::sin(x); }, 2);
  test::check_function("cos", [](auto x) { return simd::cos(x); }, [](auto x) { return std::cos(x); }, 2);
  test::check_function("tan", [](auto x) { return simd::tan(x); }, [](auto x) { return std::tan(x); }, 4);
  test::check_function("atan", [](auto x) { return simd::atan(x); }, [](auto x) { return std::atan(x); }, 2);
  // clang-format on
}

TEST_CASE("floats beyond the digits of pi are reduced by as many as it takes") {
  CHECK(simd::sin(3e38F) == static_cast<float>(std::sin(static_cast<double>(3e38F))));
  CHECK(
      simd::cos(16367173.0F * 0x1p72F) ==
      static_cast<float>(std::cos(16367173.0 * 0x1p72)));  // the float next to a multiple of pi / 2
}

TEST_CASE("doubles near and next to multiples of pi / 2, up to where vectors reduce them") {
  test::Numbers numbers;
  test::Worst of_sin, of_cos, of_tan;
  for (int i = 0; i < 300000; ++i) {
    double x = numbers.uniform(-simd::near_angle, simd::near_angle);
    if (i % 2 == 0) {
      const double turns = std::rint(x * 0.63661977236758134308);
      x = static_cast<double>(static_cast<long double>(turns) * 1.57079632679489661923132L);
    }
    const auto exact = static_cast<long double>(x);
    of_sin(test::ulps(simd::near_sin(x), std::sin(exact)), x);
    of_cos(test::ulps(simd::near_cos(x), std::cos(exact)), x);
    of_tan(test::ulps(simd::near_tan(x), std::tan(exact)), x);
  }
  CHECK(of_sin.error <= 1);
  CHECK(of_cos.error <= 1);
  CHECK(of_tan.error <= 3);
}
