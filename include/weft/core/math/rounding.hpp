// math::simd: floor, ceil and trunc of float and double for the CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/bits.hpp"

namespace weft::math::simd {

namespace detail {

/// |x| and the integer that it is rounded down to. The processor's instruction reports inexact
/// results, which keeps g++ from using it in vectors.
template <class T>
struct Whole {
  T a;
  T down;
};
template <class T>
WEFT_INLINE Whole<T> round_down(T x) {
  constexpr T whole = sizeof(T) == 4 ? T(0x1p23F) : T(0x1p52);  // from here on all numbers are
  const T a = magnitude(x);
  const T nearest = (a + whole) - whole;
  const Bits<T> above = below(to_bits(a), to_bits(nearest));
  const T down = nearest - from_bits(above & to_bits(T(1)));
  return {a, select(below(to_bits(a), to_bits(whole)), down, a)};
}
}  // namespace detail

template <class T>
WEFT_INLINE T trunc(T x) {
  return detail::with_sign_of(detail::round_down(x).down, x);
}
template <class T>
WEFT_INLINE T floor(T x) {
  using namespace detail;
  const auto [a, down] = round_down(x);
  const Bits<T> more = negative(x) & below(to_bits(down), to_bits(a));
  return with_sign_of(down + from_bits(more & to_bits(T(1))), x);
}
template <class T>
WEFT_INLINE T ceil(T x) {
  return -simd::floor(-x);
}

}  // namespace weft::math::simd
