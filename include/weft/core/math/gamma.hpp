// math: the logarithm of the gamma function and its first two derivatives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <concepts>

#include "weft/core/math/elementary.hpp"

namespace weft::math {

/// log|gamma(x)|; unlike C's, it does not write the global `signgam`.
template <std::floating_point T>
WEFT_HD T lgamma(T x) {
#if defined(__CUDA_ARCH__) || !defined(__GLIBC__)
  return std::lgamma(x);
#else
  int sign;
  return static_cast<T>(::lgamma_r(static_cast<double>(x), &sign));
#endif
}

/// The derivative of lgamma; NaN at its poles, the negative integers, and -+infinity at +-0.
template <std::floating_point T>
WEFT_HD T digamma(T x) {
  if (x == 0) return std::copysign(infinity<T>, -x);
  T reflection = 0;
  if (x < 0) {
    const T fraction = x - std::floor(x);
    if (fraction == 0) return nan<T>;
    reflection = -pi<T> / std::tan(pi<T> * fraction);  // digamma(x) = digamma(1 - x) - pi cot(pi x)
    x = 1 - x;
  }
  T shift = 0;
  for (; x < 10; x += 1) shift -= 1 / x;  // digamma(x) = digamma(x + 1) - 1 / x
  const T s = 1 / (x * x);
  const T series =
      s * (T(1) / 12 -
           s * (T(1) / 120 -
                s * (T(1) / 252 - s * (T(1) / 240 - s * (T(1) / 132 - s * (T(691) / 32760))))));
  return std::log(x) - T(0.5) / x - series + shift + reflection;
}

/// The derivative of digamma; infinity at its poles, 0 and the negative integers.
template <std::floating_point T>
WEFT_HD T trigamma(T x) {
  T sign = 1;
  T sum = 0;
  if (x <= 0) {  // trigamma(x) = (pi / sin(pi x))^2 - trigamma(1 - x)
    const T fraction = x - std::floor(x);
    if (fraction == 0) return infinity<T>;
    const T cosecant = pi<T> / std::sin(pi<T> * fraction);
    sum = cosecant * cosecant;
    sign = -1;
    x = 1 - x;
  }
  for (; x < 10; x += 1) sum += sign / (x * x);  // trigamma(x) = trigamma(x + 1) + 1 / x^2
  const T s = 1 / (x * x);
  const T series =
      s * (T(1) / 6 - s * (T(1) / 30 - s * (T(1) / 42 - s * (T(1) / 30 - s * (T(5) / 66)))));
  return sum + sign * ((1 + series) / x + T(0.5) * s);
}

}  // namespace weft::math
