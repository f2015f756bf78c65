// math::simd: pow, cbrt, sqrt and rsqrt of float and double for the CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <math.h>

#include "weft/core/math/exponential.hpp"
#include "weft/core/math/logarithm.hpp"

namespace weft::math::simd {

namespace detail {

/// All ones where a == b, for integers below 2^31 (2^63).
template <class U>
WEFT_INLINE U equal(U a, U b) {
  return below(a ^ b, U(1));
}

/// All ones where v >= 0 is an integer.
template <class T>
WEFT_INLINE Bits<T> is_integer(T v) {
  constexpr T whole = sizeof(T) == 4 ? T(0x1p23F) : T(0x1p52);  // from here on all numbers are
  const T rounded = (v + whole) - whole;
  return ~below(to_bits(v), to_bits(whole)) | equal(to_bits(rounded), to_bits(v));
}

/// What |x|^y, computed as `power`, is for x and y of any sign, and where it is 1 by definition;
/// the square is exact to the last digit.
template <class T>
WEFT_INLINE T signed_power(T x, T y, T power) {
  using U = Bits<T>;
  constexpr U one = Format<T>::bias << Format<T>::mantissa;
  constexpr U infinity = Format<T>::infinity;
  const U ax = magnitude_bits(x);
  const U ay = magnitude_bits(y);
  const U whole = is_integer(from_bits(ay));
  const U odd = whole & ~is_integer(T(0.5) * from_bits(ay));
  const U sign = sign_bit(x) & odd;
  const U finite = below(ax, infinity) & ~below(ax, U(1));
  const U bad = negative(x) & finite & ~whole;  // a root of a negative number
  const U unit = below(ay, U(1)) | (equal(ax, one) & (~negative(x) | equal(ay, infinity)));
  const U value = (to_bits(power) ^ sign) | (bad & Format<T>::nan);
  const U square = ~negative(y) & equal(ay, to_bits(T(2)));
  return from_bits(select(unit, one, select(square, to_bits(x * x), value)));
}

/// A sum of two numbers, the second one below the rounding of the first.
struct Sum {
  double high;
  double low;
};

/// log2(x) for positive, finite x, to 2^-65: as fdlibm's e_pow.c, with products of halves of the
/// digits, which are exact.
WEFT_INLINE Sum log2_sum(double x) {
  const auto [e, f] = split_any(x);
  const double d = 2 + f;
  const double s = f / d;
  const double s_high = upper_half(s);
  const double d_high = upper_half(d);
  const double d_low = f - (d_high - 2);
  const double s_low = ((f - s_high * d_high) - s_high * d_low) / d;
  const double z = s * s;
  const double p = polynomial(z, 0x1.3333333333333p-1, 0x1.b6db6db6db7b4p-2, 0x1.555555552fbe9p-2,
                              0x1.1745d19c24038p-2, 0x1.d89d60902e498p-3, 0x1.99a534f6a73d5p-3,
                              0x1.679ca27b6a926p-3, 0x1.682ccc3939ab8p-3);
  const double rest = mul_add(z * z, p, s_low * (s_high + s));
  const double z_high = s_high * s_high;
  const double t_high = upper_half(3 + z_high + rest);
  const double t_low = rest - ((t_high - 3) - z_high);
  const double u = s_high * t_high;
  const double v = mul_add(s_low, t_high, t_low * s);
  const double high = upper_half(u + v);
  const double low = v - (high - u);
  constexpr double factor_high = 0x1.ec709d8p-1;  // 2 / (3 ln2)
  constexpr double factor_low = 0x1.0e80ff5d27f05p-27;
  const double product = factor_high * high;
  const double small = mul_add(factor_low, high, low * (factor_high + factor_low));
  const double sum = upper_half((product + small) + e);
  return {sum, small - ((sum - e) - product)};
}

/// 2^(t + low) for any t.
WEFT_INLINE double exp2_sum(double t, double low) {
  const double clamped = clamp_magnitude<to_bits(1100.0)>(t);
  const double rounder = Format<double>::round + twice_bias<double>;
  const double shifted = clamped + rounder;
  const double part = clamped - (shifted - rounder);
  const double r_high = upper_half(part);
  constexpr double ln2_high = 0x1.62e42f8p-1;
  constexpr double ln2_low = 0x1.be8e7bcd5e4f2p-27;
  const double main = r_high * ln2_high;
  const double rest = mul_add((part - r_high) + low, ln2_high + ln2_low, r_high * ln2_low);
  const double r = main + rest;
  const double lost = (main - r) + rest;
  return scale(1 + (r + mul_add(r * r, exp_rest(r), lost)), to_bits(shifted));
}

}  // namespace detail

/// x^y with the special values of C's pow. The float's is computed in double.
WEFT_INLINE float pow(float x, float y) {
  using namespace detail;
  const double base = static_cast<double>(magnitude(x));
  const auto [e, f] = split(base, std::uint64_t(0));
  const double s = f / (2 + f);
  const double z = s * s;
  const double logarithm = mul_add(
      e, 0.69314718055994530942,
      s * polynomial(z, 2.0, 0x1.5555555555558p-1, 0x1.9999999995269p-2, 0x1.2492492dfeac5p-2,
                     0x1.c71c62d46f402p-3, 0x1.7462b985e21b3p-3, 0x1.39fdbf20a2ed7p-3));
  const double t = static_cast<double>(y) * log_or_special(base, logarithm);
  const auto [bits, r, lost] =
      reduce_exp(clamp_magnitude<to_bits(150.0)>(t), double(Format<double>::bias));
  // One degree more than float needs, so that integer powers are exact.
  const double p = polynomial(r, 0x1.0000000b9129bp-1, 0x1.5555555a78ed4p-3, 0x1.5554e9063586ep-5,
                              0x1.1110e0f238322p-7, 0x1.6d43246b523b4p-10, 0x1.a124f19fe89acp-13);
  const double power = power_of_two<double>(bits) * (1 + mul_add(r * r, p, r));
  return signed_power(x, y, static_cast<float>(power));
}

WEFT_INLINE double pow(double x, double y) {
  using namespace detail;
  const double base = magnitude(x);
  const Sum logarithm = log2_sum(base);
  const std::uint64_t usual =
      below(to_bits(base), Format<double>::infinity) & ~below(to_bits(base), std::uint64_t(1));
  // Beyond these bounds the result is 0, 1 or infinity, as it is at them.
  const double factor = clamp_magnitude<to_bits(0x1p70)>(y);
  const double y_high = upper_half(factor);
  const double high = y_high * logarithm.high;
  const double low = mul_add(factor - y_high, logarithm.high, factor * logarithm.low);
  const double t = high + low;
  const double lost =
      from_bits(to_bits((high - t) + low) & below(magnitude_bits(t), to_bits(1100.0)));
  const double special = y * log_or_special(base, 0.0);
  const double power = exp2_sum(select(usual, t, special), from_bits(to_bits(lost) & usual));
  return signed_power(x, y, power);
}

/// The third root: of 1 / x first, by 4th and 3rd order steps from a third of the exponent, since
/// these need no division.
template <class T>
WEFT_INLINE T cbrt(T x) {
  using namespace detail;
  using U = Bits<T>;
  constexpr T up = sizeof(T) == 4 ? T(0x1p24F) : T(0x1p54);
  constexpr T down = sizeof(T) == 4 ? T(0x1p-8F) : T(0x1p-18);
  const U bits = magnitude_bits(x);
  const U subnormal = below(bits, U(1) << Format<T>::mantissa);
  const T a = select(subnormal, from_bits(bits) * up, from_bits(bits));
  U start;
  if constexpr (sizeof(T) == 4) {
    start = U(0x54A2FA8C) - to_bits(a) / 3;
  } else {
    start = (U(0x553EF0FF) - (((to_bits(a) >> 32) * U(0x55555556)) >> 32)) << 32;
  }
  T y = from_bits(start);
  T h = 1 - a * y * y * y;
  y = mul_add(y * h, polynomial(h, T(1) / 3, T(2) / 9, T(14) / 81), y);
  h = 1 - a * y * y * y;
  y = mul_add(y * h, polynomial(h, T(1) / 3, T(2) / 9), y);
  const T root = a * y * y;
  const T half_error = T(0.5) * a - root * root * (T(0.5) * root);  // no cube above a
  const T refined = mul_add(half_error, y * y * (T(2) / 3), root);
  const T scaled = refined * select(subnormal, down, T(1));
  const U high = ~below(bits, Format<T>::infinity);
  return with_sign_of(from_bits(select(high, bits, to_bits(scaled))), x);
}

/// The C library's sqrt may set errno, which keeps compilers from vectorising it. Called through a
/// pointer to a function without side effects, it becomes the processor's instruction.
WEFT_INLINE float sqrt(float x) {
  float (*root)(float) __attribute__((const));
  root = reinterpret_cast<decltype(root)>(static_cast<float (*)(float)>(&::sqrtf));
  return root(x);
}
WEFT_INLINE double sqrt(double x) {
  double (*root)(double) __attribute__((const));
  root = reinterpret_cast<decltype(root)>(static_cast<double (*)(double)>(&::sqrt));
  return root(x);
}

/// The length of (x, y). The float's is computed in double, whose squares do not overflow.
WEFT_INLINE float hypot(float x, float y) {
  using namespace detail;
  const double a = static_cast<double>(x);
  const double b = static_cast<double>(y);
  const auto length = static_cast<float>(simd::sqrt(a * a + b * b));
  const std::uint32_t infinite = equal(magnitude_bits(x), Format<float>::infinity) |
                                 equal(magnitude_bits(y), Format<float>::infinity);
  return from_bits(select(infinite, Format<float>::infinity, to_bits(length)));
}
WEFT_INLINE double hypot(double x, double y) {
  using namespace detail;
  const std::uint64_t a = magnitude_bits(x);
  const std::uint64_t b = magnitude_bits(y);
  const std::uint64_t most = select(below(a, b), b, a);
  const std::uint64_t small = below(most, to_bits(0x1p-400));
  const std::uint64_t large = below(to_bits(0x1p+500), most);
  constexpr std::uint64_t one = to_bits(1.0);
  constexpr std::uint64_t step = to_bits(0x1p600) - one;  // of the exponent
  const std::uint64_t up = (small & step) - (large & step);
  const double factor = from_bits(one + up);
  const double back = from_bits(one - up);
  const double u = from_bits(a) * factor;
  const double v = from_bits(b) * factor;
  const double length = simd::sqrt(mul_add(u, u, v * v)) * back;
  const std::uint64_t infinite =
      equal(a, Format<double>::infinity) | equal(b, Format<double>::infinity);
  return from_bits(select(infinite, Format<double>::infinity, to_bits(length)));
}

template <class T>
WEFT_INLINE T rsqrt(T x) {
  return 1 / sqrt(x);
}

}  // namespace weft::math::simd
