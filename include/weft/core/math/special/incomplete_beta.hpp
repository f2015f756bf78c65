// math: the incomplete beta function, regularised.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/special/divergence.hpp"
#include "weft/core/math/special/gamma_function.hpp"

namespace weft::math::special {

/// x^a y^b / beta(a, b) for y = 1 - x with rounding error `y_lost`: for large a and b by Loader's
/// saddle-point form of the binomial probability.
[[gnu::noinline]] WEFT_HD inline double binomial_term(double a, double b, double x, double y,
                                                      double y_lost) {
  const double s = a + b;
  if (a >= 10 && b >= 10) {
    const double distance = math::kl_div(a, s * x) + math::kl_div(b, s * y);
    const double rest = stirling_rest(s) - stirling_rest(a) - stirling_rest(b);
    return std::sqrt(a / s * b / (2 * pi<double>)) * std::exp(rest - distance);
  }
  if (s <= 170) {
    return std::pow(x, a) * std::pow(y, b) * (1 + b * y_lost / y) / beta(a, b);
  }
  if (a >= b) return std::pow(x, a) * (std::pow(y, b) * std::exp(-lbeta(a, b)));
  return std::exp(b * std::log1p(-x)) * (std::pow(x, a) * std::exp(-lbeta(a, b)));
}

/// The continued fraction DLMF 8.17.22, evaluated as by Lentz.
WEFT_HD inline double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  double c = 1;
  double d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::fabs(d) < tiny ? tiny : d);
  double value = d;
  for (int m = 1; m < 5000; ++m) {
    const double n = a + 2 * m;
    const double even = m * (b - m) * x / ((n - 1) * n);
    d = 1 + even * d;
    d = 1 / (std::fabs(d) < tiny ? tiny : d);
    c = 1 + even / c;
    if (std::fabs(c) < tiny) c = tiny;
    value *= c * d;
    const double odd = -(a + m) * (a + b + m) * x / (n * (n + 1));
    d = 1 + odd * d;
    d = 1 / (std::fabs(d) < tiny ? tiny : d);
    c = 1 + odd / c;
    if (std::fabs(c) < tiny) c = tiny;
    value *= c * d;
    if (std::fabs(c * d - 1) < 1e-16) break;
  }
  return value;
}

[[gnu::noinline]] WEFT_HD inline double betainc(double a, double b, double x) {
  if (!(a > 0 && b > 0 && x >= 0 && x <= 1) || is_inf(a) || is_inf(b)) return nan<double>;
  if (x == 0 || x == 1) return x;
  const double y = 1 - x;
  const double y_lost = (1 - y) - x;
  if (x > (a + 1) / (a + b + 2)) {
    return 1 - binomial_term(b, a, y, x, 0) * beta_fraction(b, a, y) / b;
  }
  return binomial_term(a, b, x, y, y_lost) * beta_fraction(a, b, x) / a;
}

}  // namespace weft::math::special

namespace weft::math {

/// The integral of t^(a - 1) (1 - t)^(b - 1) from 0 to x over beta(a, b).
template <std::floating_point T>
WEFT_HD T betainc(T a, T b, T x) {
  return static_cast<T>(
      special::betainc(static_cast<double>(a), static_cast<double>(b), static_cast<double>(x)));
}
/// Its derivative by x.
template <std::floating_point T>
WEFT_HD T betainc_slope(T a, T b, T x) {
  const auto at = static_cast<double>(x);
  const double y = 1 - at;
  if (at == 0 || y == 0) {
    const T power = at == 0 ? a : b;
    return power == 1 ? (at == 0 ? b : a) : power < 1 ? infinity<T> : T(0);
  }
  return static_cast<T>(
      special::binomial_term(static_cast<double>(a), static_cast<double>(b), at, y, (1 - y) - at) /
      (at * y));
}

}  // namespace weft::math
