// math::simd: asin, acos, atan2, asinh, acosh and atanh of float and double for the CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/logarithm.hpp"
#include "weft/core/math/power.hpp"
#include "weft/core/math/trigonometric.hpp"

namespace weft::math::simd {

namespace detail {

/// pi / 2 in two parts.
template <class T>
inline constexpr T half_pi = T(1.57079632679489661923);
template <class T>
inline constexpr T half_pi_low = sizeof(T) == 4 ? T(-0x1.777a5cp-25F) : T(0x1.1a62633145c07p-54);

/// asin(|x|), or where `far` is all ones, from |x| = 1/2 on, asin(sqrt((1 - |x|) / 2)): half of
/// acos(|x|). With fdlibm's functions, e_asin.c; NaN where |x| > 1.
template <class T>
struct Arcsine {
  Bits<T> far;
  T value;
  T z;     // the square of the argument,
  T root;  // the argument, and
  T rest;  // what the value is more
};
template <class T>
WEFT_INLINE Arcsine<T> arcsine(T x) {
  const T a = magnitude(x);
  const Bits<T> far = ~below(to_bits(a), to_bits(T(0.5)));
  const T z = select(far, T(0.5) - T(0.5) * a, a * a);
  const T s = select(far, simd::sqrt(z), a);
  T p, q;
  if constexpr (sizeof(T) == 4) {
    p = polynomial(z, 1.6666586697e-01F, -4.2743422091e-02F, -8.6563630030e-03F);
    q = polynomial(z, 1.0F, -7.0662963390e-01F);
  } else {
    p = polynomial(z, 1.66666666666666657415e-01, -3.25565818622400915405e-01,
                   2.01212532134862925881e-01, -4.00555345006794114027e-02,
                   7.91534994289814532176e-04, 3.47933107596021167570e-05);
    q = polynomial(z, 1.0, -2.40339491173441421878e+00, 2.02094576023350569471e+00,
                   -6.88283971605453293030e-01, 7.70381505559019352791e-02);
  }
  const T ratio = p / q;
  return {far, mul_add(s * z, ratio, s), z, s, s * z * ratio};
}

/// Where `big` is all ones, 1 + x rounds to x.
template <class T>
WEFT_INLINE Bits<T> is_big(T a) {
  return ~below(to_bits(a), to_bits(sizeof(T) == 4 ? T(0x1p25F) : T(0x1p54)));
}
/// log1p(small), or where `big` is all ones log(2 a), which does not overflow.
template <class T>
WEFT_INLINE T log1p_or_twice(Bits<T> big, T a, T small) {
  constexpr T ln2 = T(0.69314718055994530942);
  return simd::log1p(select(big, a, small)) + from_bits(big & to_bits(ln2));
}

}  // namespace detail

template <class T>
WEFT_INLINE T asin(T x) {
  using namespace detail;
  const Arcsine<T> a = arcsine(x);
  T far = half_pi<T> - (2 * a.value - half_pi_low<T>);
  if constexpr (sizeof(T) == 8) {  // without what rounding the root costs
    const T w = from_bits(to_bits(a.root) & ~Bits<T>{0xffffffff});
    const T c = (a.z - w * w) / (a.root + w + T(0x1p-1000));
    constexpr T quarter = half_pi<T> / 2;
    far = quarter - ((2 * a.rest - (half_pi_low<T> - 2 * c)) - (quarter - 2 * w));
  }
  return with_sign_of(select(a.far, far, a.value), x);
}

template <class T>
WEFT_INLINE T acos(T x) {
  using namespace detail;
  const Arcsine<T> a = arcsine(x);
  const T v = a.value;
  const T near = half_pi<T> - (from_bits(to_bits(v) ^ sign_bit(x)) - half_pi_low<T>);
  const T left = 2 * half_pi<T> - (2 * v - 2 * half_pi_low<T>);
  return select(a.far, select(negative(x), left, 2 * v), near);
}

/// The angle of (x, y): as atan of y / x, whose numerator and denominator are scaled so that
/// neither overflows nor loses digits.
template <class T>
WEFT_INLINE T atan2(T y, T x) {
  using namespace detail;
  using U = Bits<T>;
  constexpr bool single = sizeof(T) == 4;
  constexpr U infinity = Format<T>::infinity;
  const U ux = magnitude_bits(x);
  const U uy = magnitude_bits(y);
  const U y_less = below(uy, ux);
  const U most = select(y_less, ux, uy);
  const U least = select(y_less, uy, ux);
  const U small = below(most, to_bits(single ? T(0x1p-60F) : T(0x1p-500)));
  const U large = ~below(most, to_bits(single ? T(0x1p120F) : T(0x1p1000)));
  const T factor = select(small, single ? T(0x1p80F) : T(0x1p600), select(large, T(0.25), T(1)));
  // Both infinite: as both 1. Both zero: as (1, 0).
  const U infinite = equal(least, infinity) & equal(most, infinity);
  const U zero = below(most, U(1));
  const T a = select(infinite, T(1), from_bits(uy) * factor);
  const T b = select(infinite | zero, T(1), from_bits(ux) * factor);
  const U past_eighth = below(to_bits(b * T(0.41421356237309504880)), to_bits(a));
  const U past_3_eighths = below(to_bits(b * T(2.41421356237309504880)), to_bits(a));
  const T numerator = select(past_3_eighths, -b, select(past_eighth, a - b, a));
  const T denominator = select(past_3_eighths, a, select(past_eighth, a + b, b));
  const T quarters = select(past_3_eighths, T(2), select(past_eighth, T(1), T(0)));
  const U left = negative(x);
  const T t = from_bits(to_bits(numerator / denominator) ^ (left & Format<T>::sign));
  const T angle = turned(t, select(left, 4 - quarters, quarters));
  const U nan = below(infinity, most);
  return from_bits(((to_bits(angle) & ~Format<T>::sign) | (nan & Format<T>::nan)) | sign_bit(y));
}

template <class T>
WEFT_INLINE T asinh(T x) {
  using namespace detail;
  const T a = magnitude(x);
  const T square = a * a;
  const T small = a + square / (1 + simd::sqrt(1 + square));
  return with_sign_of(log1p_or_twice(is_big(a), a, small), x);
}

template <class T>
WEFT_INLINE T acosh(T x) {
  using namespace detail;
  const T t = x - 1;
  const T small = t + simd::sqrt(t * (t + 2));
  const Bits<T> left = negative(x);
  return from_bits(to_bits(log1p_or_twice(is_big(magnitude(x)), x, small)) |
                   (left & Format<T>::nan));
}

template <class T>
WEFT_INLINE T atanh(T x) {
  using namespace detail;
  const T a = magnitude(x);
  return with_sign_of(T(0.5) * simd::log1p((a + a) / (1 - a)), x);
}

}  // namespace weft::math::simd
