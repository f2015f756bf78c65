// math::simd: log, log2, log10 and log1p of float and double for the CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/bits.hpp"

namespace weft::math::simd {

namespace detail {

/// x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)].
template <class T>
struct Mantissa {
  T e;
  T f;
};

/// The integer `n`, |n| < 2^20, as T; SSE2 and AVX2 convert no 64-bit integers.
template <class T>
WEFT_INLINE T small_integer(Bits<T> n) {
  const Bits<T> base = to_bits(Format<T>::round);
  return from_bits(static_cast<Bits<T>>(n + base)) - Format<T>::round;
}

/// For positive normal x; `exponent` is subtracted from e.
template <class T>
WEFT_INLINE Mantissa<T> split(T x, Bits<T> exponent) {
  using U = Bits<T>;
  constexpr U root_half = sizeof(T) == 4 ? U(0x3F3504F3) : static_cast<U>(0x3FE6A09E667F3BCD);
  const U bits = to_bits(x);
  const U above = bits - root_half + (Format<T>::bias << Format<T>::mantissa);
  const U e = (above >> Format<T>::mantissa) - Format<T>::bias;
  const T one_plus_f = from_bits(static_cast<U>(bits - (e << Format<T>::mantissa)));
  return {small_integer<T>(e - exponent), one_plus_f - 1};
}

/// The same for any positive x.
template <class T>
WEFT_INLINE Mantissa<T> split_any(T x) {
  using U = Bits<T>;
  constexpr T up = sizeof(T) == 4 ? T(0x1p23F) : T(0x1p52);
  const U subnormal = below(to_bits(x), U(1) << Format<T>::mantissa);
  return split(select(subnormal, x * up, x), subnormal & static_cast<U>(Format<T>::mantissa));
}

/// log(1 + f) - f + f^2 / 2 for 1 + f in [sqrt(1/2), sqrt(2)]; `half_square` is f^2 / 2. In double
/// by s = f / (2 + f), as in fdlibm's e_log.c.
template <class T>
WEFT_INLINE T log_rest(T f, T half_square) {
  if constexpr (sizeof(T) == 4) {
    return f * f * f *
           polynomial(f, 0x1.555554p-2F, -0x1.0000cep-2F, 0x1.999f14p-3F, -0x1.54d03ep-3F,
                      0x1.231ce6p-3F, -0x1.0a33eap-3F, 0x1.02814ep-3F, -0x1.43b246p-4F);
  } else {
    const T s = f / (2 + f);
    const T z = s * s;
    const T p = polynomial(z, 0x1.5555555555558p-1, 0x1.9999999995269p-2, 0x1.2492492dfeac5p-2,
                           0x1.c71c62d46f402p-3, 0x1.7462b985e21b3p-3, 0x1.39fdbf20a2ed7p-3,
                           0x1.2b6012eff436fp-3);
    return s * mul_add(z, p, half_square);
  }
}

/// y where 0 < x < infinity; else x's logarithm: -infinity of 0, infinity of infinity, and NaN.
template <class T>
WEFT_INLINE T log_or_special(T x, T y) {
  using U = Bits<T>;
  constexpr U infinity = Format<T>::infinity;
  const U bits = to_bits(x);
  const U zero = below(magnitude_bits(x), U(1));
  const U under = ~negative(x);                                      // not negative
  const U high = under & ~below(bits & ~Format<T>::sign, infinity);  // infinity and NaN
  const U usual = under & ~zero & ~high;
  const U other =
      (zero & (infinity | Format<T>::sign)) | (high & bits) | (~(zero | high) & Format<T>::nan);
  return from_bits(select(usual, to_bits(y), other));
}

template <class T>
WEFT_INLINE T log_of(T e, T f) {
  constexpr T ln2_high = sizeof(T) == 4 ? T(0.693359375F) : T(0x1.62e42feep-1);
  constexpr T ln2_low = sizeof(T) == 4 ? T(-2.12194440e-4F) : T(0x1.a39ef35793c76p-33);
  const T half_square = T(0.5) * f * f;
  const T rest = mul_add(e, ln2_low, log_rest(f, half_square));
  return mul_add(e, ln2_high, f - (half_square - rest));
}

/// e unit + log(1 + f) factor: the logarithm to another base; the constants in two parts. As in
/// fdlibm's e_log2.c, f - f^2 / 2 is cut to half its digits, so that its product is exact.
template <class T>
WEFT_INLINE T log_to_base(T x, T unit, T unit_low, T factor, T factor_low) {
  const auto [e, f] = split_any(x);
  const T half_square = T(0.5) * f * f;
  const T high = upper_half(f - half_square);
  const T low = ((f - high) - half_square) + log_rest(f, half_square);
  const T product = high * factor;
  const T whole = e * unit;
  const T sum = whole + product;
  const T lost = (whole - sum) + product;
  const T small = mul_add(low, factor, mul_add(low + high, factor_low, e * unit_low));
  return log_or_special(x, sum + (lost + small));
}

}  // namespace detail

template <class T>
WEFT_INLINE T log(T x) {
  const auto [e, f] = detail::split_any(x);
  return detail::log_or_special(x, detail::log_of(e, f));
}

template <class T>
WEFT_INLINE T log2(T x) {
  if constexpr (sizeof(T) == 4) {
    return detail::log_to_base(x, 1.0F, 0.0F, 0x1.714p+0F, 0x1.47652cp-12F);
  } else {
    return detail::log_to_base(x, 1.0, 0.0, 0x1.715476p+0, 0x1.4ae0bf85ddf44p-26);
  }
}

template <class T>
WEFT_INLINE T log10(T x) {
  if constexpr (sizeof(T) == 4) {
    return detail::log_to_base(x, 0x1.344p-2F, 0x1.3509f8p-18F, 0x1.bcap-2F, 0x1.7b1526p-14F);
  } else {
    return detail::log_to_base(x, 0x1.34413509f6p-2, 0x1.9fef311f12b36p-42, 0x1.bcb7b1p-2,
                               0x1.49b9438ca9aaep-28);
  }
}

/// log(1 + x); the rounding error of 1 + x is added after the exponent is removed.
template <class T>
WEFT_INLINE T log1p(T x) {
  using namespace detail;
  using U = Bits<T>;
  const T u = 1 + x;
  const T back = u - x;
  const T lost = (x - (u - back)) + (1 - back);
  auto [e, f] = split(u, U(0));
  const U minus_e = to_bits(Format<T>::round) - to_bits(e + Format<T>::round);
  const U four_over = (minus_e + Format<T>::bias + 2) << Format<T>::mantissa;  // 4 / 2^e
  f += lost * (from_bits(four_over) * T(0.25));
  return with_sign_of(log_or_special(u, log_of(e, f)), x);
}

}  // namespace weft::math::simd
