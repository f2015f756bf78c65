// math: the Bessel functions of the first and second kind, of orders 0 and 1.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <math.h>

#include "weft/core/math/special/polynomial.hpp"

namespace weft::math {

// POSIX's functions, which CUDA has under the same names; their errors are small relative to the
// amplitude, not to a value near a zero.
/// The Bessel function of the first kind of order 0.
template <std::floating_point T>
WEFT_HD T j0(T x) {
  return static_cast<T>(::j0(static_cast<double>(x)));
}
/// The Bessel function of the first kind of order 1.
template <std::floating_point T>
WEFT_HD T j1(T x) {
  return static_cast<T>(::j1(static_cast<double>(x)));
}
/// The Bessel function of the second kind of order 0; -infinity at 0, NaN for negative x.
template <std::floating_point T>
WEFT_HD T y0(T x) {
  if (!(x > 0)) return x == 0 ? -infinity<T> : nan<T>;
  return static_cast<T>(::y0(static_cast<double>(x)));
}
/// The Bessel function of the second kind of order 1; -infinity at 0, NaN for negative x.
template <std::floating_point T>
WEFT_HD T y1(T x) {
  if (!(x > 0)) return x == 0 ? -infinity<T> : nan<T>;
  return static_cast<T>(::y1(static_cast<double>(x)));
}

}  // namespace weft::math
