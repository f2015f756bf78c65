// math: the gamma function, beta and its logarithm.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/gamma.hpp"
#include "weft/core/math/special/polynomial.hpp"

namespace weft::math::special {

/// log(gamma(x)) - ((x - 1/2) log(x) - x + log(2 pi) / 2) for x >= 10, by Stirling's series.
WEFT_HD inline double stirling_rest(double x) {
  const double w = 1 / x;
  // clang-format off
  return w * polynomial(w * w,
      0x1.5555555555555p-4, -0x1.6c16c16c16c17p-9, 0x1.a01a01a01a01ap-11, -0x1.3813813813814p-11,
      0x1.b951e2b18ff23p-11, -0x1.f6ab0d9993c7dp-10, 0x1.a41a41a41a41ap-8, -0x1.e4286cb0f5398p-6,
      0x1.6fe96381e068p-3, -0x1.6476701181f3ap+0);
  // clang-format on
}

/// For x from 12 to 171.
WEFT_HD inline double gamma_of_large(double x) {
  constexpr double sqrt_2pi = 2.50662827463100050242;
  const double rest = sqrt_2pi * std::exp(stirling_rest(x));
  if (x < 140) return std::pow(x, x - 0.5) * std::exp(-x) * rest;
  const double half_power = std::pow(x, 0.5 * x - 0.25);  // the whole one may overflow
  return half_power * std::exp(-x) * half_power * rest;
}

/// For x > 0 below 12: gamma on [1, 2] times the numbers below x, with the products' errors.
WEFT_HD inline double gamma_of_small(double x) {
  double product = 1;
  double lost = 0;
  double divisor = 1;
  for (; x >= 2;) {
    x -= 1;
    const double next = product * x;
    lost = lost * x + std::fma(product, x, -next);
    product = next;
  }
  if (x < 1) {
    divisor = x;
    x += 1;
  }
  // clang-format off
  const double value = polynomial(2 * x - 3,
      0x1.c5bf891b4ef6bp-1, 0x1.08ea88ee561b2p-6, 0x1.a8c4dba620d62p-4, -0x1.b77ac1ca2ebc4p-7,
      0x1.283bd374ea14p-7, -0x1.3d88cfe504937p-9, 0x1.e022b74492dadp-11, -0x1.374fd5cd6a141p-12,
      0x1.a752c64df56b9p-14, -0x1.1a2c293acbda4p-15, 0x1.7991ee81016cfp-17,
      -0x1.f7fc6d20efc03p-19, 0x1.504cc8c4c0843p-20, -0x1.c09fa693cbfc4p-22,
      0x1.2b52a6fbf3048p-23, -0x1.8f2be63625a54p-25, 0x1.084be8db95414p-26,
      -0x1.606b57e7334acp-28, 0x1.f4d423febd85dp-30, -0x1.4de4bab1d6d22p-31,
      0x1.192c9a82f15fdp-33, -0x1.76e75bc4d1b5ap-35, 0x1.76e8b52b8ad09p-35, -0x1.f3e1335b1f73ap-37);
  // clang-format on
  return (value * product + value * lost) / divisor;
}

[[gnu::noinline]] WEFT_HD inline double gamma(double x) {
  if (x == 0) return std::copysign(infinity<double>, x);
  if (x < 0) {
    if (x == std::floor(x)) return nan<double>;
    if (x < -190) return 0;
    double y = -x;  // gamma(x) gamma(-x) = -pi / (x sin(pi x))
    double value = pi<double> / (y * sinpi(x));
    for (; y > 165; value /= y) y -= 1;
    return value / (y < 12 ? gamma_of_small(y) : gamma_of_large(y));
  }
  if (!(x < 12)) return x > 172 ? infinity<double> : is_nan(x) ? x : gamma_of_large(x);
  return gamma_of_small(x);
}

/// log(gamma(b) / gamma(a + b)) for b >= 10.
WEFT_HD inline double log_gamma_quotient(double a, double b) {
  const double s = a + b;
  return (b - 0.5) * std::log1p(-a / s) - a * std::log(s) + a + stirling_rest(b) - stirling_rest(s);
}

WEFT_HD inline double lbeta(double a, double b);

[[gnu::noinline]] WEFT_HD inline double beta(double a, double b) {
  if (a < b) return beta(b, a);
  const double s = a + b;
  if (b > 0 && s > 170) return std::exp(lbeta(a, b));
  if (s <= 0 && s == std::floor(s) && a != std::floor(a)) return 0;  // a pole of the divisor
  const double back = s - a;
  const double lost = (a - (s - back)) + (b - back);  // of the sum's rounding
  const double quotient = gamma(a) / gamma(s);
  return quotient * gamma(b) * (lost == 0 ? 1 : 1 - math::digamma(s) * lost);
}

/// log|beta(a, b)|
[[gnu::noinline]] WEFT_HD inline double lbeta(double a, double b) {
  if (a < b) return lbeta(b, a);
  if (!(b > 0) || a + b <= 170) return std::log(std::fabs(beta(a, b)));
  if (b < 10) return math::lgamma(b) + log_gamma_quotient(b, a);
  const double s = a + b;
  constexpr double log_2pi = 1.83787706640934548356;
  return 0.5 * (log_2pi + std::log(s / a) - std::log(b)) + a * std::log1p(-b / s) +
         b * std::log(b / s) + (stirling_rest(a) + stirling_rest(b) - stirling_rest(s));
}

}  // namespace weft::math::special

namespace weft::math {

/// The gamma function; NaN at negative integers, and +-infinity at +-0.
template <std::floating_point T>
WEFT_HD T gamma(T x) {
  return static_cast<T>(special::gamma(static_cast<double>(x)));
}
/// gamma(x) gamma(y) / gamma(x + y)
template <std::floating_point T>
WEFT_HD T beta(T x, T y) {
  return static_cast<T>(special::beta(static_cast<double>(x), static_cast<double>(y)));
}
/// log|beta(x, y)|
template <std::floating_point T>
WEFT_HD T lbeta(T x, T y) {
  return static_cast<T>(special::lbeta(static_cast<double>(x), static_cast<double>(y)));
}

}  // namespace weft::math
