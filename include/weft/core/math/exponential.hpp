// math::simd: exp, exp2 and expm1 of float and double for the CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/bits.hpp"

namespace weft::math::simd {

namespace detail {

/// x = k ln2 + r for |x| below 2^11, with |r + low| <= ln2 / 2; k + offset in the low bits.
template <class T>
struct Reduced {
  Bits<T> bits;
  T r;
  T lost;  // what r lacks
};

/// As Cody and Waite: ln2 in two parts; the first ends in enough zeros for its product with k to be
/// exact.
template <class T>
WEFT_INLINE Reduced<T> reduce_exp(T x, T offset, T low = 0) {
  constexpr bool single = sizeof(T) == 4;
  constexpr T ln2_high = single ? T(0.693359375F) : T(0x1.62e42feep-1);
  constexpr T ln2_low = single ? T(-2.12194440e-4F) : T(0x1.a39ef35793c76p-33);
  const T rounder = Format<T>::round + offset;
  const T shifted = mul_add(x + low, T(1.44269504088896340736), rounder);
  const T k = shifted - rounder;
  const T most = mul_add(k, -ln2_high, x);
  const T r = mul_add(k, -ln2_low, most);
  return {to_bits(shifted), r, mul_add(k, -ln2_low, most - r)};
}

/// 2^n for n + bias in the low bits, from 1 to twice the bias.
template <class T>
WEFT_INLINE T power_of_two(Bits<T> bits) {
  return from_bits(static_cast<Bits<T>>(bits << Format<T>::mantissa));
}

/// y * 2^k for k + 2 bias in the low bits: by two factors, so that the result may overflow, or
/// underflow gradually.
template <class T>
WEFT_INLINE T scale(T y, Bits<T> bits) {
  const Bits<T> half = bits >> 1;
  return y * power_of_two<T>(half) * power_of_two<T>(bits - half);
}
template <class T>
inline constexpr T twice_bias = T(2 * Format<T>::bias);

/// (e^r - 1 - r) / r^2 for |r| <= ln2 / 2
template <class T>
WEFT_INLINE T exp_rest(T r) {
  if constexpr (sizeof(T) == 4) {
    return polynomial(r, 0x1p-1F, 0x1.5554dcp-3F, 0x1.55551ap-5F, 0x1.120b6ep-7F, 0x1.6d110ap-10F);
  } else {
    return polynomial(r, 0x1p-1, 0x1.5555555555557p-3, 0x1.5555555555556p-5, 0x1.11111111100dcp-7,
                      0x1.6c16c16c162d4p-10, 0x1.a01a01abe7fe1p-13, 0x1.a01a01a6d889cp-16,
                      0x1.71de0231960ebp-19, 0x1.27e4db646b17ep-22, 0x1.af4de97ca4194p-26,
                      0x1.1f730349868cep-29);
  }
}

/// e^r for |r| <= ln2 / 2
template <class T>
WEFT_INLINE T exp_near(T r) {
  return mul_add(r, mul_add(r, exp_rest(r), T(1)), T(1));
}

/// y * e^(x + low) for x and low within the limits.
template <class T>
WEFT_INLINE T times_exp(T y, T x, T low) {
  const Reduced<T> reduced = reduce_exp(x, twice_bias<T>, low);
  const T r = reduced.r + low;
  const T rest = mul_add(r * r, exp_rest(r), (reduced.r - r) + low);
  return scale(mul_add(y, r + rest, y), reduced.bits);
}

/// For e^-x with this x, both of scale()'s factors are 0. Processors take a hundred cycles for a
/// product that is too small for a normal number; masked scores, at -1e9 or -inf, have none.
template <class T>
inline constexpr T exp_limit = sizeof(T) == 4 ? T(176) : T(1418);

}  // namespace detail

template <class T>
WEFT_INLINE T exp(T x) {
  using namespace detail;
  const Reduced<T> reduced = reduce_exp(clamp_magnitude<to_bits(exp_limit<T>)>(x), twice_bias<T>);
  return scale(exp_near(reduced.r), reduced.bits);
}

template <class T>
WEFT_INLINE T exp2(T x) {
  using namespace detail;
  const T clamped = clamp_magnitude<to_bits(sizeof(T) == 4 ? T(254) : T(2046))>(x);
  const T rounder = Format<T>::round + twice_bias<T>;
  const T shifted = clamped + rounder;
  const T r = clamped - (shifted - rounder);
  T slope;
  if constexpr (sizeof(T) == 4) {
    slope = polynomial(r, 0x1.62e43p-1F, 0x1.ebfbep-3F, 0x1.c6af6cp-5F, 0x1.3b2a52p-7F,
                       0x1.5f08b8p-10F, 0x1.4413a4p-13F);
  } else {
    slope = polynomial(r, 0x1.62e42fefa39efp-1, 0x1.ebfbdff82c58fp-3, 0x1.c6b08d704a0c6p-5,
                       0x1.3b2ab6fba4e79p-7, 0x1.5d87fe78a3f8cp-10, 0x1.430912f86b7d4p-13,
                       0x1.ffcbfc6dad6adp-17, 0x1.62c02242bb0bdp-20, 0x1.b524ebc089f66p-24,
                       0x1.e4cf10d1896bep-28, 0x1.e9ec3d7558475p-32, 0x1.c4a2aaa2b01d9p-36);
  }
  return scale(mul_add(r, slope, T(1)), to_bits(shifted));
}

/// e^x - 1 as 2 (2^(k-1) (e^r - 1) + (2^(k-1) - 1/2)), where nothing overflows too early; the
/// rounding error of the sum of r's part and the constant is added to the small rest.
template <class T>
WEFT_INLINE T expm1(T x) {
  using namespace detail;
  constexpr T limit = sizeof(T) == 4 ? T(89) : T(710);
  const Reduced<T> reduced = reduce_exp(clamp_magnitude<to_bits(limit)>(x), twice_bias<T> - T(1));
  const T r = reduced.r;
  const T half = scale(T(1), reduced.bits);
  const T start = half - T(0.5);
  const T part = half * r;
  const T sum = start + part;
  const T back = sum - start;
  const T lost = (start - (sum - back)) + (part - back);
  const T rest = mul_add(r * r, exp_rest(r), reduced.lost);
  return with_sign_of(2 * (sum + mul_add(half, rest, lost)), x);
}

}  // namespace weft::math::simd
