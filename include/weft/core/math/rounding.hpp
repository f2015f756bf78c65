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
/// The same, or one more where `up` is all ones and |x| is no integer.
template <class T>
WEFT_INLINE T round_up_where(Bits<T> up, Whole<T> x, T sign) {
  const Bits<T> more = up & below(to_bits(x.down), to_bits(x.a));
  return with_sign_of(x.down + from_bits(more & to_bits(T(1))), sign);
}

}  // namespace detail

template <class T>
WEFT_INLINE T trunc(T x) {
  return detail::with_sign_of(detail::round_down(x).down, x);
}
template <class T>
WEFT_INLINE T floor(T x) {
  return detail::round_up_where(detail::negative(x), detail::round_down(x), x);
}
template <class T>
WEFT_INLINE T ceil(T x) {
  return detail::round_up_where(~detail::negative(x), detail::round_down(x), x);
}

}  // namespace weft::math::simd
