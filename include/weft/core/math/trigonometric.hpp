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

/// For any x, as Payne and Hanek: x times the digits of 2 / pi from which on x's turns are not
/// whole.
WEFT_INLINE Quadrant reduce_angle(float x) {
  const std::uint32_t row = (magnitude_bits(x) >> 23) - (127 + 25);
  const auto i = static_cast<std::int64_t>(row & ~below(row, 0U));
  const double xd = static_cast<double>(x);
  const double turns = xd * two_over_pi_high[i];
  const double rest = xd * two_over_pi_low[i];
  const double shifted = (turns + rest) + Format<double>::round;
  const double fraction = (turns - (shifted - Format<double>::round)) + rest;
  return {static_cast<std::uint32_t>(to_bits(shifted)),
          static_cast<float>(fraction * 1.57079632679489661923)};
}

WEFT_INLINE float sin_of(float r, float z) {
  return mul_add(r * z, polynomial(z, -0x1.555552p-3F, 0x1.110c28p-7F, -0x1.9ac96cp-13F), r);
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

}  // namespace detail

WEFT_INLINE float sin(float x) {
  const detail::Quadrant angle = detail::reduce_angle(x);
  return detail::sin_in(angle, angle.n);
}

WEFT_INLINE float cos(float x) {
  const detail::Quadrant angle = detail::reduce_angle(x);
  return detail::sin_in(angle, angle.n + 1);
}

WEFT_INLINE float tan(float x) {
  using namespace detail;
  const auto [n, r] = reduce_angle(x);
  const float z = r * r;
  const float s = sin_of(r, z);
  const float c = cos_of(z);
  const std::uint32_t odd = 0 - (n & 1);
  const float ratio = select(odd, c, s) / select(odd, s, c);
  return from_bits(to_bits(ratio) ^ (odd & 0x80000000));
}

/// Those of double are the C library's, which are not vectorised.
WEFT_INLINE double sin(double x) { return std::sin(x); }
WEFT_INLINE double cos(double x) { return std::cos(x); }
WEFT_INLINE double tan(double x) { return std::tan(x); }

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
  const T t = numerator / denominator;
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
  const T quarters = select(past_3_eighths, T(2), select(past_eighth, T(1), T(0)));
  const T rest = mul_add(t * z, p, quarters * quarter_low);
  return with_sign_of(mul_add(quarters, T(0.78539816339744830962), t + rest), x);
}

}  // namespace weft::math::simd
