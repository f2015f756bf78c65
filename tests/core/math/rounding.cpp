// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/rounding.hpp>

#include "sweep.hpp"

namespace simd = weft::math::simd;

TEST_CASE("floor, ceil and trunc are exact, with the sign of what they round") {
  // clang-format off
  test::check_function("floor", [](auto x) { return simd::floor(x); }, [](auto x) { return std::floor(x); }, 0);
  test::check_function("ceil", [](auto x) { return simd::ceil(x); }, [](auto x) { return std::ceil(x); }, 0);
  test::check_function("trunc", [](auto x) { return simd::trunc(x); }, [](auto x) { return std::trunc(x); }, 0);
  // clang-format on
}

TEST_CASE_TEMPLATE("numbers next to integers, up to those without a fraction", T, float, double) {
  const T whole = sizeof(T) == 4 ? T(0x1p23F) : T(0x1p52);
  int wrong = 0;
  for (T base = T(0.25); base <= 4 * whole; base *= 2) {
    for (const T middle : {base, base + 1, base + T(0.5), whole - base}) {
      for (const T x : {std::nextafter(middle, T(0)), middle, std::nextafter(middle, 4 * middle)}) {
        for (const T y : {x, -x}) {
          if (simd::floor(y) != std::floor(y)) ++wrong;
          if (simd::ceil(y) != std::ceil(y)) ++wrong;
          if (simd::trunc(y) != std::trunc(y)) ++wrong;
          if (std::signbit(simd::ceil(y)) != std::signbit(y)) ++wrong;
        }
      }
    }
  }
  CHECK(wrong == 0);
}
