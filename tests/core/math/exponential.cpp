// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/exponential.hpp>

#include <cfenv>

#include "sweep.hpp"

namespace simd = weft::math::simd;

TEST_CASE("exponentials: errors, special values, the same bits at every position") {
  // clang-format off
  test::check_function("exp", [](auto x) { return simd::exp(x); }, [](auto x) { return std::exp(x); }, 2);
  test::check_function("exp2", [](auto x) { return simd::exp2(x); }, [](auto x) { return std::exp2(x); }, 2);
  test::check_function("expm1", [](auto x) { return simd::expm1(x); }, [](auto x) { return std::expm1(x); }, 1.5);
  // clang-format on
}

TEST_CASE_TEMPLATE("exponentials of far numbers are 0 or infinite", T, float, double) {
  for (int i = sizeof(T) == 4 ? 104 : 746; i < 3000; ++i) {
    CHECK(simd::exp(T(-i)) == 0);
    CHECK(simd::exp(T(i)) == std::numeric_limits<T>::infinity());
  }
  for (int i = sizeof(T) == 4 ? 151 : 1076; i < 4000; ++i) {
    CHECK(simd::exp2(T(-i)) == 0);
    CHECK(simd::exp2(T(i)) == std::numeric_limits<T>::infinity());
  }
}

TEST_CASE_TEMPLATE("masked scores compute no subnormal number, which is slow", T, float, double) {
  volatile T scores[] = {T(-1e4), T(-1e9), std::numeric_limits<T>::lowest(),
                         -std::numeric_limits<T>::infinity()};
  for (const T x : scores) {
    std::feclearexcept(FE_UNDERFLOW);
    volatile const T both = simd::exp(x) + simd::exp2(x);
    CHECK(both == 0);
    CHECK(!std::fetestexcept(FE_UNDERFLOW));
  }
}
