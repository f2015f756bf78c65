// math: sums and differences of exponentials, entropies and divergences, logit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/special/polynomial.hpp"

namespace weft::math {

/// log(exp(x) + exp(y)) without overflow.
template <std::floating_point T>
WEFT_HD T logaddexp(T x, T y) {
  const T sum = maximum(x, y) + log1p(exp(-abs(x - y)));
  return choose(x == y, x + ln2<T>, sum);  // infinities too
}
/// log2(2^x + 2^y) without overflow.
template <std::floating_point T>
WEFT_HD T logaddexp2(T x, T y) {
  const T sum = maximum(x, y) + log1p(exp2(-abs(x - y))) * log2e<T>;
  return choose(x == y, x + 1, sum);
}
/// log(exp(x) - exp(y)) for x >= y; NaN for others.
template <std::floating_point T>
WEFT_HD T logsubexp(T x, T y) {
  if (x == y) return -infinity<T>;
  const T distance = y - x;
  if (!(distance < 0)) return nan<T>;
  return x + (distance > -ln2<T> ? log(-expm1(distance)) : log1p(-exp(distance)));
}

/// log(x / (1 - x)), exact where it is small.
template <std::floating_point T>
WEFT_HD T logit(T x) {
#if defined(__CUDA_ARCH__)
  return x > T(0.25) && x < T(0.75) ? log1p((2 * x - 1) / (1 - x)) : log(x / (1 - x));
#else
  const T near_half = log1p((2 * x - 1) / (1 - x));
  return choose((x > T(0.25)) & (x < T(0.75)), near_half, log(x / (1 - x)));
#endif
}
/// x * log1p(y), and 0 where x is 0, unless y is NaN.
template <std::floating_point T>
WEFT_HD T xlog1py(T x, T y) {
  return choose((x == 0) & !is_nan(y), T(0), x * log1p(y));
}

/// -x log(x), 0 at 0, -infinity for negative x.
template <std::floating_point T>
WEFT_HD T entr(T x) {
  return choose(x == 0, T(0), choose(x < 0, -infinity<T>, -x * log(x)));
}
/// x log(x / y); 0 where x is 0 and y >= 0, infinity outside of the domain.
template <std::floating_point T>
WEFT_HD T rel_entr(T x, T y) {
  if (is_nan(x) || is_nan(y)) return nan<T>;
  if (x == 0 && y >= 0) return 0;
  if (!(x > 0 && y > 0)) return infinity<T>;
  if (x < 2 * y && y < 2 * x) return x * log1p((x - y) / y);  // x - y is exact
  const T ratio = x / y;
  return x * (ratio > 0 && !is_inf(ratio) ? log(ratio) : log(x) - log(y));
}
/// x log(x / y) - x + y, never negative; y where x is 0 and y >= 0, infinity outside of the domain.
/// Where x is near y by a series in (x - y) / (x + y), as Loader (2000).
template <std::floating_point T>
WEFT_HD T kl_div(T x, T y) {
  if (is_nan(x) || is_nan(y)) return nan<T>;
  if (x == 0 && y >= 0) return y;
  if (!(x > 0 && y > 0)) return infinity<T>;
  const T v = (x - y) / (x + y);
  if (abs(v) >= T(0.4)) return rel_entr(x, y) - x + y;
  T sum = 0;
  T power = v * v * v;
  for (int n = 3; n < 48 && power * power > 0; n += 2) {
    sum += power / static_cast<T>(n);
    power *= v * v;
  }
  return (x - y) * v + 2 * x * sum;
}

/// The length of (x, y, z) without overflow or underflow: numbers far from 1 are scaled by a power
/// of two before they are squared.
template <std::floating_point T>
WEFT_HD T hypot3(T x, T y, T z) {
  constexpr bool is_double = sizeof(T) == 8;
  const T largest = fmax(abs(x), fmax(abs(y), abs(z)));
  if (is_inf(largest)) return infinity<T>;
  T scale = 1;
  T back = 1;
  if (largest > T(is_double ? 0x1p500 : 0x1p60)) {
    scale = T(is_double ? 0x1p-600 : 0x1p-70);
    back = T(is_double ? 0x1p600 : 0x1p70);
  } else if (largest < T(is_double ? 0x1p-450 : 0x1p-50)) {
    scale = T(is_double ? 0x1p700 : 0x1p100);
    back = T(is_double ? 0x1p-700 : 0x1p-100);
  }
  const T a = x * scale;
  const T b = y * scale;
  const T c = z * scale;
  return std::sqrt(a * a + b * b + c * c) * back;
}

}  // namespace weft::math
