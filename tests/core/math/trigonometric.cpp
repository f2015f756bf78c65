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
