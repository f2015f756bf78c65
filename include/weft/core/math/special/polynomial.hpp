// math::special: a polynomial by Horner's rule, and functions of numbers in double.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/elementary.hpp"

/// The special functions in double, which their float forms round. They have branches and loops;
/// the long ones are not inlined, since a kernel would hold a copy for each way through memory.
namespace weft::math::special {

/// c0 + x (c1 + x (c2 + ...))
WEFT_HD constexpr double polynomial(double, double c0) { return c0; }
template <class... Cs>
WEFT_HD constexpr double polynomial(double x, double c0, Cs... cs) {
  return c0 + x * polynomial(x, cs...);
}

/// sin(pi x), exact at whole and half numbers.
WEFT_HD inline double sinpi(double x) {
  const double turn = x - 2 * std::rint(x / 2);
  const double halves = std::rint(2 * turn);
  const double rest = pi<double> * (turn - halves / 2);
  const int quadrant = static_cast<int>(halves) & 3;
#if defined(__CUDA_ARCH__) || defined(__FAST_MATH__)
  const double y = quadrant % 2 == 0 ? std::sin(rest) : std::cos(rest);
  return quadrant >= 2 ? -y : y;
#else
  const double y = choose(quadrant % 2 == 0, simd::near_sin(rest), simd::near_cos(rest));
  return choose(quadrant >= 2, -y, y);
#endif
}

}  // namespace weft::math::special

namespace weft::math {

/// sin(pi x) / (pi x), and 1 at 0.
template <std::floating_point T>
WEFT_HD T sinc(T x) {
  const auto wide = static_cast<double>(x);
  const T value = static_cast<T>(special::sinpi(wide) / (pi<double> * wide));
  return choose(x == 0, T(1), choose(is_inf(x), T(0), value));
}

}  // namespace weft::math
