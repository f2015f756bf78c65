// math: parts of numbers and divisions: floor_divide, gcd, signbit, heaviside, frexp, bit counts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/elementary.hpp"

namespace weft::math {

/// floor_divide(x, y) from rest = mod(x, y).
template <std::floating_point T>
WEFT_HD WEFT_INLINE constexpr T floor_divide_from(T x, T y, T rest) {
  const T ratio = x / y;
  const T whole = (x - rest) / y;
  const T quotient = choose((rest != 0) & ((y < 0) != (rest < 0)), whole - 1, whole);
  const T down = floor(quotient);
  const T nearest = choose(quotient - down > T(0.5), down + 1, down);
  return choose(y == 0, ratio, choose(quotient == 0, std::copysign(T(0), ratio), nearest));
}
/// The quotient rounded down, which goes with remainder(x, y) as in Python; integers: x / 0 is 0.
template <class T>
WEFT_HD constexpr T floor_divide(T x, T y) {
  if constexpr (is_integer<T>) {
    const T quotient = div(x, y);
    return mod(x, y) != 0 && is_negative(x) != is_negative(y) ? sub(quotient, T(1)) : quotient;
  } else {
    return floor_divide_from(x, y, static_cast<T>(std::fmod(x, y)));
  }
}
/// The quotient rounded toward zero; integers: x / 0 is 0.
template <class T>
WEFT_HD constexpr T trunc_divide(T x, T y) {
  if constexpr (is_integer<T>) {
    return div(x, y);
  } else {
    return trunc(static_cast<T>(x / y));
  }
}

/// The greatest common divisor, not negative; gcd(0, 0) is 0.
template <std::integral T>
WEFT_HD constexpr T gcd(T x, T y) {
  while (y != 0) {
    const T rest = mod(x, y);
    x = y;
    y = rest;
  }
  return abs(x);
}
/// The least common multiple, not negative; 0 if one is 0.
template <std::integral T>
WEFT_HD constexpr T lcm(T x, T y) {
  return x == 0 || y == 0 ? T(0) : abs(mul(div(x, gcd(x, y)), y));
}

/// Whether the sign is minus, also for -0 and NaN.
template <class T>
WEFT_HD bool signbit(T x) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::copysign(T(1), x) < 0;
  } else {
    return is_negative(x);
  }
}
/// 0 for negative x, y at 0, 1 for positive x; NaN stays NaN.
template <class T>
WEFT_HD constexpr T heaviside(T x, T y) {
  return is_nan(x) ? x : is_negative(x) ? T(0) : x == 0 ? y : T(1);
}
/// How many bits of |x| are 1.
template <std::integral T>
WEFT_HD constexpr std::uint8_t bit_count(T x) {
  auto bits = static_cast<std::make_unsigned_t<T>>(abs(x));
  std::uint8_t count = 0;
  for (; bits != 0; bits = static_cast<decltype(bits)>(bits & (bits - 1))) ++count;
  return count;
}

/// x 2^n, rounded once.
template <std::floating_point T>
WEFT_HD T ldexp(T x, long long n) {
  const long long limit = 5000;  // beyond every exponent there is
  return std::ldexp(x, static_cast<int>(n > limit ? limit : n < -limit ? -limit : n));
}
/// The fraction in [1/2, 1) that gives x times a power of two; 0, infinities and NaN unchanged.
template <std::floating_point T>
WEFT_HD T frexp_fraction(T x) {
  int exponent = 0;
  return std::frexp(x, &exponent);
}
/// The exponent of that power; 0 for 0, infinities and NaN.
template <std::floating_point T>
WEFT_HD int frexp_exponent(T x) {
  int exponent = 0;
  if (x - x != 0) return 0;
  std::frexp(x, &exponent);
  return exponent;
}

}  // namespace weft::math
