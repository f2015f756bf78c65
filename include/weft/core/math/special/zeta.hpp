// math: Hurwitz's zeta function and the derivatives of digamma.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/special/gamma_function.hpp"

namespace weft::math::special {

/// The sum of (q + n)^-x by Euler and Maclaurin's formula (DLMF 25.11.5); for negative q and
/// integer x, by its terms.
[[gnu::noinline]] WEFT_HD inline double zeta(double x, double q) {
  if (x == 1) return infinity<double>;
  if (!(x > 1) || is_nan(q)) return nan<double>;
  if (q <= 0 && q == std::floor(q)) return infinity<double>;
  if (q < 0 && x != std::floor(x)) return nan<double>;
  if (is_inf(q)) return 0;
  double sum = 0;
  double last = infinity<double>;
  for (int n = 0; n < 9 || q < 9; ++n, q += 1) {
    last = std::pow(q, -x);
    sum += last;
    if (q > 0 && std::fabs(last) < 1e-17 * std::fabs(sum)) return sum;
  }
  const double power = std::pow(q, -x);
  sum += power * (q / (x - 1) + 0.5);
  const double over = 1 / (q * q);
  double rising = x / q * power;
  double k = x;
  // clang-format off
  constexpr double terms[] = {
      0x1.5555555555555p-4, -0x1.6c16c16c16c17p-10, 0x1.1566abc011567p-15, -0x1.bbd779334ef0bp-21,
      0x1.66a8f2bf70ebep-26, -0x1.22805d644267fp-31, 0x1.d6db2c4e09162p-37,
      -0x1.7da4e1f79955cp-42, 0x1.355871d652e9ep-47, -0x1.f57d968caacf1p-53,
      0x1.967e1f09c376fp-58, -0x1.497d9033a2b5cp-63};
  // clang-format on
  for (const double b : terms) {
    const double term = b * rising;
    sum += term;
    if (std::fabs(term) < 1e-17 * std::fabs(sum)) break;
    rising *= (k + 1) * (k + 2) * over;
    k += 2;
  }
  return sum;
}

WEFT_HD inline double polygamma(int n, double x) {
  if (n == 0) return math::digamma(x);
  const double value = gamma(n + 1.0) * zeta(n + 1.0, x);
  return n % 2 == 0 ? -value : value;
}

}  // namespace weft::math::special

namespace weft::math {

/// Hurwitz's zeta function, the sum of (q + n)^-x over n = 0, 1, ...; x > 1, NaN below.
template <std::floating_point T>
WEFT_HD T zeta(T x, T q) {
  return static_cast<T>(special::zeta(static_cast<double>(x), static_cast<double>(q)));
}
/// The derivative number n of digamma, n >= 0.
template <std::floating_point T>
WEFT_HD T polygamma(int n, T x) {
  return static_cast<T>(special::polygamma(n, static_cast<double>(x)));
}

}  // namespace weft::math
