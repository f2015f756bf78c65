// math::simd: remainders of numbers whose quotient is not large, without a call or a branch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/bits.hpp"

namespace weft::math::simd {

namespace detail {
/// near_mod takes quotients below this: their products with a divisor (of double: with half of its
/// digits) are exact in double.
template <class T>
inline constexpr T near_quotient = sizeof(T) == 4 ? T(0x1p28) : T(0x1p23);
/// Above this the product of a rounded quotient and the divisor may overflow.
template <class T>
inline constexpr T near_dividend = sizeof(T) == 4 ? T(0x1.fffffep127F) : T(0x1p1022);

/// a minus the integer nearest to a / b times b, for near quotients exact.
WEFT_INLINE double less_whole(float a, float b) {
  const double x = static_cast<double>(a);
  const double y = static_cast<double>(b);
  const double q = (x / y + Format<double>::round) - Format<double>::round;
  return mul_add(-q, y, x);
}
WEFT_INLINE double less_whole(double a, double b) {
  const double q = (a / b + Format<double>::round) - Format<double>::round;
  const double high = upper_half(b);
  return mul_add(-q, b - high, mul_add(-q, high, a));
}
}  // namespace detail

/// All ones where near_mod(x, y) is x's remainder.
template <class T>
WEFT_INLINE std::uint64_t is_near_quotient(T x, T y) {
  const T a = detail::magnitude(x);
  const T b = detail::magnitude(y);
  const bool large = (a >= detail::near_quotient<T> * b) | (a > detail::near_dividend<T>);
  const bool far = large & (b > 0) & (a < __builtin_inf());
  return static_cast<std::uint64_t>(far) - 1;
}

/// x's remainder on division by y with the sign of x, as std::fmod and exact as that, where
/// is_near_quotient(x, y).
template <class T>
WEFT_INLINE T near_mod(T x, T y) {
  using namespace detail;
  const T a = magnitude(x);
  const T b = magnitude(y);
  double r = less_whole(a, b);
  const std::uint64_t below_zero = 0 - (to_bits(r) >> 63);
  r += from_bits(to_bits(static_cast<double>(b)) & below_zero);
  const bool whole = (b == static_cast<T>(__builtin_inf())) & (a < b);  // x / infinity is 0
  const Bits<T> keeps = Bits<T>{0} - static_cast<Bits<T>>(whole);
  return with_sign_of(select(keeps, a, static_cast<T>(r)), x);
}

}  // namespace weft::math::simd
