// math::simd: sin, cos, tan and atan of float and double for the CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "weft/core/math/bits.hpp"
#include "weft/core/math/two_over_pi.hpp"

namespace weft::math::simd {

namespace detail {

/// x = n pi / 2 + r with |r| <= pi / 4; n modulo 4 in the low bits.
struct Quadrant {
  std::uint32_t n;
  float r;
};

/// From the digits of 2 / pi that decide.
WEFT_INLINE Quadrant reduce_angle(float x, double high, double low) {
  const double xd = static_cast<double>(x);
  const double turns = xd * high;
  const double rest = xd * low;
  const double shifted = (turns + rest) + Format<double>::round;
  const double fraction = (turns - (shifted - Format<double>::round)) + rest;
  return {static_cast<std::uint32_t>(to_bits(shifted)),
          static_cast<float>(fraction * 1.57079632679489661923)};
}
/// For any x, as Payne and Hanek: x times the digits of 2 / pi that do not make whole turns.
WEFT_INLINE Quadrant reduce_angle(float x) {
  const std::uint32_t row = (magnitude_bits(x) >> 23) - (127 + 25);
  const auto i = static_cast<std::int64_t>(row & ~below(row, 0U));
  return reduce_angle(x, two_over_pi_high[i], two_over_pi_low[i]);
}
/// The same for |x| below 2^26, without looking up the digits.
WEFT_INLINE Quadrant reduce_near(float x) {
  return reduce_angle(x, two_over_pi_high[0], two_over_pi_low[0]);
}

WEFT_INLINE float sin_of(float r, float z) {
  const float p = polynomial(z, -0x1.555552p-3F, 0x1.110c28p-7F, -0x1.9ac96cp-13F);
  return with_sign_of(mul_add(r * z, p, r), r);
}
WEFT_INLINE float cos_of(float z) {
  const float p = polynomial(z, 0x1.555554p-5F, -0x1.6c12d2p-10F, 0x1.9bd864p-16F);
  return mul_add(z * z, p, mul_add(-0.5F, z, 1.0F));
}

/// The sine of r + n pi / 2.
WEFT_INLINE float sin_in(Quadrant angle, std::uint32_t n) {
  const float z = angle.r * angle.r;
  const std::uint32_t odd = 0 - (n & 1);
  const float value = select(odd, cos_of(z), sin_of(angle.r, z));
  return from_bits(to_bits(value) ^ ((n & 2) << 30));
}

WEFT_INLINE float tan_in(Quadrant angle) {
  const float z = angle.r * angle.r;
  const float s = sin_of(angle.r, z);
  const float c = cos_of(z);
  const std::uint32_t odd = 0 - (angle.n & 1);
  const float ratio = select(odd, c, s) / select(odd, s, c);
  return from_bits(to_bits(ratio) ^ (odd & 0x80000000));
}

}  // namespace detail

WEFT_INLINE float sin(float x) {
  const detail::Quadrant angle = detail::reduce_angle(x);
  return detail::sin_in(angle, angle.n);
}
WEFT_INLINE float cos(float x) {
  const detail::Quadrant angle = detail::reduce_angle(x);
  return detail::sin_in(angle, angle.n + 1);
}
WEFT_INLINE float tan(float x) { return detail::tan_in(detail::reduce_angle(x)); }

/// All ones where |x| < 2^26 and where x is NaN: there near_sin, near_cos and near_tan give the
/// same bits as sin, cos and tan, sooner.
WEFT_INLINE std::uint64_t is_near_angle(float x) {
  return 0 - static_cast<std::uint64_t>(detail::near_or_nan(x, 0x1p26F) & 1);
}
WEFT_INLINE float near_sin(float x) {
  const detail::Quadrant angle = detail::reduce_near(x);
  return detail::sin_in(angle, angle.n);
}
WEFT_INLINE float near_cos(float x) {
  const detail::Quadrant angle = detail::reduce_near(x);
  return detail::sin_in(angle, angle.n + 1);
}
WEFT_INLINE float near_tan(float x) { return detail::tan_in(detail::reduce_near(x)); }

namespace detail {

/// r + rest = x - n pi / 2.
struct FineAngle {
  std::uint64_t n;
  double r;
  double rest;
};

/// a - b, rounded, and the rounding error: Knuth's two-sum.
WEFT_INLINE double difference(double a, double b, double& error) {
  const double whole = a - b;
  const double part = whole - a;
  error = (a - (whole - part)) - (b + part);
  return whole;
}

/// For |x| up to near_angle, as Cody and Waite: pi / 2 in three parts of 33 digits, whose products
/// with n are exact, and the rest.
WEFT_INLINE FineAngle reduce_near(double x) {
  const double shifted = mul_add(x, 0x1.45f306dc9c883p-1, Format<double>::round);
  const double n = shifted - Format<double>::round;
  double error, error_below;
  const double first = x - n * 0x1.921fb544p+0;
  const double second = difference(first, n * 0x1.0b4611a6p-34, error);
  const double third = difference(second, n * 0x1.3198a2ep-69, error_below);
  const double below = mul_add(-n, 0x1.b839a252049c1p-104, error + error_below);
  const double r = with_sign_of(magnitude(third + below), third);  // -0's too
  return {to_bits(shifted), r, (third - r) + below};
}

/// sin(r + rest) and cos(r + rest), with the polynomials of fdlibm's k_sin.c and k_cos.c.
WEFT_INLINE double sin_of(double r, double rest) {
  const double z = r * r;
  const double p = polynomial(z, -1.66666666666666324348e-01, 8.33333333332248946124e-03,
                              -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                              -2.50507602534068634195e-08, 1.58969099521155010221e-10);
  const double small = mul_add(-0.5 * z, rest, rest);
  return with_sign_of(magnitude(r + mul_add(r * z, p, small)), r);
}
WEFT_INLINE double cos_of(double r, double rest) {
  const double z = r * r;
  const double p = polynomial(z, 4.16666666666666019037e-02, -1.38888888888741095749e-03,
                              2.48015872894767294178e-05, -2.75573143513906633035e-07,
                              2.08757232129817482790e-09, -1.13596475577881948265e-11);
  const double half = 0.5 * z;
  const double most = 1.0 - half;
  return most + mul_add(z * z, p, mul_add(-r, rest, (1.0 - most) - half));
}

/// The sine of r + rest + n pi / 2.
WEFT_INLINE double sin_in(FineAngle angle, std::uint64_t n) {
  const std::uint64_t odd = 0 - (n & 1);
  const double value = select(odd, cos_of(angle.r, angle.rest), sin_of(angle.r, angle.rest));
  return from_bits(to_bits(value) ^ ((n & 2) << 62));
}

}  // namespace detail

/// Up to here sin, cos and tan of double vectorise. To reduce any double without branches takes as
/// long as a call of the C library.
inline constexpr double near_angle = 0x1p20;
/// All ones where |x| < near_angle and where x is NaN.
WEFT_INLINE std::uint64_t is_near_angle(double x) { return detail::near_or_nan(x, near_angle); }

WEFT_INLINE double near_sin(double x) {
  const detail::FineAngle angle = detail::reduce_near(x);
  return detail::sin_in(angle, angle.n);
}
WEFT_INLINE double near_cos(double x) {
  const detail::FineAngle angle = detail::reduce_near(x);
  return detail::sin_in(angle, angle.n + 1);
}
WEFT_INLINE double near_tan(double x) {
  using namespace detail;
  const FineAngle angle = reduce_near(x);
  const double s = sin_of(angle.r, angle.rest);
  const double c = cos_of(angle.r, angle.rest);
  const std::uint64_t odd = 0 - (angle.n & 1);
  const double ratio = select(odd, c, s) / select(odd, s, c);
  return from_bits(to_bits(ratio) ^ (odd & Format<double>::sign));
}

/// Further away these are the C library's. Loops check many elements at once.
WEFT_INLINE double sin(double x) { return is_near_angle(x) != 0 ? near_sin(x) : std::sin(x); }
WEFT_INLINE double cos(double x) { return is_near_angle(x) != 0 ? near_cos(x) : std::cos(x); }
WEFT_INLINE double tan(double x) { return is_near_angle(x) != 0 ? near_tan(x) : std::tan(x); }

namespace detail {

/// t's arctangent, for |t| up to tan(pi / 8), plus so many quarters of pi.
template <class T>
WEFT_INLINE T turned(T t, T quarters) {
  const T z = t * t;
  T p;
  T quarter_low;
  if constexpr (sizeof(T) == 4) {
    p = polynomial(z, -0x1.555554p-2F, 0x1.99973p-3F, -0x1.24202ep-3F, 0x1.b80f88p-4F,
                   -0x1.08432cp-4F);
    quarter_low = -0x1.777a5cp-26F;
  } else {
    p = polynomial(z, -0x1.5555555555555p-2, 0x1.999999999934ap-3, -0x1.24924924360cbp-3,
                   0x1.c71c7185314cbp-4, -0x1.745d0b26b83e7p-4, 0x1.3b1262d95579ep-4,
                   -0x1.10fa75382537fp-4, 0x1.dfe61e80903d2p-5, -0x1.a098bb6ba4941p-5,
                   0x1.41603647c7a7cp-5, -0x1.3a2b7a07caea9p-6);
    quarter_low = 0x1.1a62633145c07p-55;
  }
  const T rest = mul_add(t * z, p, quarters * quarter_low);
  return mul_add(quarters, T(0.78539816339744830962), t + rest);
}

}  // namespace detail

/// With u = |x|: atan(u), pi / 4 + atan((u - 1) / (u + 1)), or pi / 2 + atan(-1 / u), so that the
/// polynomial's argument is below tan(pi / 8).
template <class T>
WEFT_INLINE T atan(T x) {
  using namespace detail;
  const T u = magnitude(x);
  const Bits<T> past_eighth = below(to_bits(T(0.41421356237309504880)), to_bits(u));
  const Bits<T> past_3_eighths = below(to_bits(T(2.41421356237309504880)), to_bits(u));
  const T numerator = select(past_3_eighths, T(-1), select(past_eighth, u - 1, u));
  const T denominator = select(past_3_eighths, u, select(past_eighth, u + 1, T(1)));
  const T quarters = select(past_3_eighths, T(2), select(past_eighth, T(1), T(0)));
  return with_sign_of(turned(numerator / denominator, quarters), x);
}

}  // namespace weft::math::simd
