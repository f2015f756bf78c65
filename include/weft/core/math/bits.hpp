// math::simd: the parts of functions that compilers vectorise: bits, masks, polynomials.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "weft/core/config.hpp"

/// The elementary functions of float and double for the CPU, in a form that g++ and clang vectorise
/// at -O3 without -ffast-math. They have no branches, no calls and no tables (but sin, cos and tan
/// of double for large angles); what depends on a condition is chosen by integer masks, since
/// comparisons of floating-point numbers may trap, which keeps a compiler from computing both
/// sides. A function's value does not depend on the position in an array: loops over vectors and
/// their remainders compile from one text, in which each product that is added is a mul_add. They
/// rely on rounding to nearest and on IEEE 754, so elementary.hpp does not use them under
/// -ffast-math.
namespace weft::math::simd {

namespace detail {

/// The layout of T, and the unsigned integer of its size.
template <class T>
struct Format;
template <>
struct Format<float> {
  using Bits = std::uint32_t;
  using Int = std::int32_t;
  static constexpr int mantissa = 23;
  static constexpr Bits bias = 127;
  static constexpr Bits infinity = 0x7F800000;
  static constexpr Bits sign = 0x80000000;
  static constexpr Bits nan = 0x7FC00000;
  static constexpr Bits upper = 0xFFFFF000;  // so many bits that a product of two fits the mantissa
  static constexpr float round = 0x1.8p23F;
};
template <>
struct Format<double> {
  using Bits = std::uint64_t;
  using Int = std::int64_t;
  static constexpr int mantissa = 52;
  static constexpr Bits bias = 1023;
  static constexpr Bits infinity = 0x7FF0000000000000;
  static constexpr Bits sign = 0x8000000000000000;
  static constexpr Bits nan = 0x7FF8000000000000;
  static constexpr Bits upper = 0xFFFFFFFFF8000000;
  static constexpr double round = 0x1.8p52;
};
template <class T>
using Bits = typename Format<T>::Bits;

template <class T>
WEFT_INLINE constexpr Bits<T> to_bits(T x) {
  return __builtin_bit_cast(Bits<T>, x);
}
WEFT_INLINE float from_bits(std::uint32_t bits) { return __builtin_bit_cast(float, bits); }
WEFT_INLINE double from_bits(std::uint64_t bits) { return __builtin_bit_cast(double, bits); }

/// All ones where a < b as signed integers, else zero; with 64 bits a - b must not overflow,
/// since SSE2 cannot compare those. No ?: here, which g++ might turn into branches.
WEFT_INLINE std::uint32_t below(std::uint32_t a, std::uint32_t b) {
  return 0 -
         static_cast<std::uint32_t>(static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b));
}
WEFT_INLINE std::uint64_t below(std::uint64_t a, std::uint64_t b) { return 0 - ((a - b) >> 63); }

template <class U>
WEFT_INLINE U select(U mask, U a, U b) {
  return (a & mask) | (b & ~mask);
}
WEFT_INLINE float select(std::uint32_t mask, float a, float b) {
  return from_bits(select(mask, to_bits(a), to_bits(b)));
}
WEFT_INLINE double select(std::uint64_t mask, double a, double b) {
  return from_bits(select(mask, to_bits(a), to_bits(b)));
}

template <class T>
WEFT_INLINE Bits<T> magnitude_bits(T x) {
  return to_bits(x) & ~Format<T>::sign;
}
template <class T>
WEFT_INLINE Bits<T> sign_bit(T x) {
  return to_bits(x) & Format<T>::sign;
}
template <class T>
WEFT_INLINE T magnitude(T x) {
  return from_bits(magnitude_bits(x));
}
/// Zero's sign, and that of other numbers, which must not have one, is that of `sign`.
template <class T>
WEFT_INLINE T with_sign_of(T x, T sign) {
  return from_bits(to_bits(x) | sign_bit(sign));
}
/// All ones for negative x and -0.
WEFT_INLINE std::uint32_t negative(float x) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(to_bits(x)) >> 31);
}
WEFT_INLINE std::uint64_t negative(double x) { return 0 - (to_bits(x) >> 63); }
/// The upper half of x's digits: its square, and its product with another one, are exact.
template <class T>
WEFT_INLINE T upper_half(T x) {
  return from_bits(to_bits(x) & Format<T>::upper);
}

/// Limits are template arguments, since g++ turns ?: with others into branches instead of a
/// minimum.
template <std::uint32_t Limit>
WEFT_INLINE std::uint32_t at_most(std::uint32_t a) {
  return a < Limit ? a : Limit;
}
template <std::int32_t Limit>
WEFT_INLINE std::uint32_t at_most_signed(std::uint32_t a) {
  const auto b = static_cast<std::int32_t>(a);
  return static_cast<std::uint32_t>(b < Limit ? b : Limit);
}

/// Added to a float's bits, turns NaN's into small or negative integers, which a limit does not
/// change.
inline constexpr std::uint32_t past_nan = 0x007FFFFF;

/// |x|, at most the number whose bits are `Limit`; NaN stays NaN.
template <std::uint32_t Limit>
WEFT_INLINE float limited_magnitude(float x) {
  constexpr auto top = static_cast<std::int32_t>(Limit + past_nan);
  return from_bits(at_most_signed<top>(magnitude_bits(x) + past_nan) - past_nan);
}
/// The same with the sign of x.
template <std::uint32_t Limit>
WEFT_INLINE float clamp_magnitude(float x) {
  constexpr std::uint32_t top = Limit + past_nan;
  const std::uint32_t bits = at_most_signed<static_cast<std::int32_t>(top)>(to_bits(x) + past_nan);
  return from_bits(at_most<(top | Format<float>::sign)>(bits) - past_nan);
}
/// All ones where |x| < limit and where x is NaN.
WEFT_INLINE std::uint32_t near_or_nan(float x, float limit) {
  return below(magnitude_bits(x) + past_nan, to_bits(limit) + past_nan);
}
WEFT_INLINE std::uint64_t near_or_nan(double x, double limit) {
  const std::uint64_t bits = magnitude_bits(x);
  return 0 - (((bits - to_bits(limit)) | (Format<double>::infinity - bits)) >> 63);
}
/// |x|, at most the limit, for NaN too.
template <std::uint32_t Limit>
WEFT_INLINE float magnitude_at_most(float x) {
  return from_bits(at_most_signed<static_cast<std::int32_t>(Limit)>(magnitude_bits(x)));
}
template <std::uint64_t Limit>
WEFT_INLINE double magnitude_at_most(double x) {
  const std::uint64_t past = magnitude_bits(x) - Limit;
  return from_bits(Limit + (past & (0 - (past >> 63))));
}

template <std::uint64_t Limit>
WEFT_INLINE double clamp_magnitude(double x) {
  using F = Format<double>;
  const std::uint64_t past = magnitude_bits(x) - (Limit + 1);
  const std::uint64_t beyond = 0 - ((~past & (past - (F::infinity - Limit))) >> 63);
  return from_bits((to_bits(x) & ~(beyond & ~F::sign)) | (beyond & Limit));
}
template <std::uint64_t Limit>
WEFT_INLINE double limited_magnitude(double x) {
  return magnitude(clamp_magnitude<Limit>(x));
}

/// x * y + z, rounded once if the instruction set can. Without __FMA__ it is still one instruction
/// in a function whose target attribute has it.
template <class T>
WEFT_INLINE T mul_add(T x, T y, T z) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  if constexpr (sizeof(T) == 4) {
    return __builtin_fmaf(x, y, z);
  } else {
    return __builtin_fma(x, y, z);
  }
#else
  return x * y + z;
#endif
}

/// c0 + x (c1 + x (c2 + ...))
template <class T>
WEFT_INLINE T polynomial(T, T c0) {
  return c0;
}
template <class T, class... Cs>
WEFT_INLINE T polynomial(T x, T c0, Cs... cs) {
  return mul_add(x, polynomial(x, cs...), c0);
}

}  // namespace detail

/// -1, 0 or 1; NaN stays NaN.
template <class T>
WEFT_INLINE T sign(T x) {
  using namespace detail;
  using F = Format<T>;
  const Bits<T> a = magnitude_bits(x);
  const Bits<T> one = sign_bit(x) | F::bias << F::mantissa;
  const Bits<T> nan = below(F::infinity, a);
  return from_bits(select(nan, to_bits(x), one & ~below(a, Bits<T>(1))));
}

}  // namespace weft::math::simd
