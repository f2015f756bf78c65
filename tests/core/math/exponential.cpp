// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/exponential.hpp>

#include "sweep.hpp"

namespace simd = weft::math::simd;

TEST_CASE("exponentials: errors, special values, the same bits at every position") {
  // clang-format off
  test::check_function("exp", [](auto x) { return simd::exp(x); }, [](auto x) { return std::exp(x); }, 2);
  test::check_function("exp2", [](auto x) { return simd::exp2(x); }, [](auto x) { return std::exp2(x); }, 2);
  test::check_function("expm1", [](auto x) { return simd::expm1(x); }, [](auto x) { return std::expm1(x); }, 1.5);
  // clang-format on
}
