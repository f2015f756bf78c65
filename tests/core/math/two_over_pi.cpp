// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/two_over_pi.hpp>

#include <cmath>

#include "test.hpp"

namespace detail = weft::math::simd::detail;

TEST_CASE("the digits are those of 2 / pi, less a multiple of what is left out") {
  const long double whole = 2 / std::acos(-1.0L);
  for (int i = 0; i < 40; ++i) {
    const long double both = static_cast<long double>(detail::two_over_pi_high[i]) +
                             static_cast<long double>(detail::two_over_pi_low[i]);
    const long double turns = std::ldexp(whole - both, i);
    CHECK(std::fabs(turns - std::round(turns)) < std::ldexp(1.0L, i - 63));
    CHECK(both < std::ldexp(1.0L, -i));
  }
}

TEST_CASE("element i + 1 is element i with one digit less or the same one") {
  for (int i = 0; i < 103; ++i) {
    const double digit = detail::two_over_pi_high[i] - detail::two_over_pi_high[i + 1];
    const double half = std::ldexp(1.0, -i - 1);
    const bool same = std::fabs(digit) < std::ldexp(half, -26);
    const bool less = std::fabs(digit - half) < std::ldexp(half, -26);
    CHECK((same || less));
  }
}
