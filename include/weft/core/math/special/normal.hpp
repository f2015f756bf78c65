// math: the normal distribution, the inverses of erf and erfc.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/special/polynomial.hpp"

namespace weft::math::special {

/// erfinv(x) / x, nearly, for w = -log(1 - x^2) below 6.25.
WEFT_HD inline double erfinv_slope(double w) {
  // clang-format off
  return polynomial(w / 3.125 - 1,
      0x1.a755e7c99ae86p+0, 0x1.8040ca365d4abp-1, -0x1.e2b1952e871b9p-5, -0x1.725873c11e5edp-6,
      0x1.23c5dd3ca7972p-6, -0x1.0f54b4cb76cc2p-8, -0x1.4d73dc031bc96p-10, 0x1.45c388f2911cp-10,
      -0x1.142c963cb7a3p-12, -0x1.1b49249326e92p-13, 0x1.8215af1f68301p-14, 0x1.a7ce1e86e577cp-20,
      -0x1.6ddbddafd776p-17);
  // clang-format on
}

/// The y at which erfc(y) = q, nearly, for s = sqrt(-log(q (2 - q))) from 2.5 to 28.
WEFT_HD inline double erfcinv_start(double s) {
  // clang-format off
  if (s < 6) {
    return polynomial((s - 4.25) / 1.75,
      0x1.05e6fcf3b6452p+2, 0x1.c4786a91266b9p+0, 0x1.1db6e96be6e5ep-9, -0x1.a9442c6434f04p-9,
      0x1.fe4a5f89bd45dp-10, -0x1.f177816b23253p-11, 0x1.b1a69289b1925p-12,
      -0x1.54fcde0f60c37p-13, 0x1.f711b4e262437p-15, -0x1.0df8716f47221p-16,
      -0x1.db49a8f0e1f0fp-17, 0x1.67bb115df63d4p-16, -0x1.0738c9d7319f7p-17);
  }
  return polynomial((s - 17) / 11,
      0x1.0eb8d231d1982p+4, 0x1.610c1aeb6705ap+3, -0x1.eda6df34b33a5p-7, 0x1.d2ff84f276767p-8,
      -0x1.b58ddd7cc81dap-9, 0x1.76b7d5c485aa3p-10, -0x1.2aa71e2458b9fp-11, 0x1.11f35d4482969p-11,
      -0x1.f24baa673e4b5p-13, -0x1.8e40fa6b27d53p-11, 0x1.1fcfffac13f85p-11,
      0x1.7ff8d7c37ca5bp-11, -0x1.fe742140867bep-12, -0x1.bd9e1bb8768b1p-12, 0x1.32a60040f1383p-12);
  // clang-format on
}

/// erfcinv for 0 < q < 1/2, by one step of Halley's method.
[[gnu::noinline]] WEFT_HD inline double erfcinv_small(double q) {
  const double w = -std::log(q * (2 - q));
  double y = w < 6.25 ? (1 - q) * erfinv_slope(w) : erfcinv_start(std::sqrt(w));
  if (q < 1e-280) {  // erfc loses digits before it is 0: its logarithm does not
    for (int step = 0; step < 2; ++step) {
      const double u = 1 / (y * y);
      const double series = polynomial(u, -0.5, 0.75, -1.875, 6.5625, -29.53125);
      const double log_erfc = -y * y - std::log(y * std::sqrt(pi<double>)) + std::log1p(u * series);
      y += (log_erfc - std::log(q)) / (2 * y + 1 / y);
    }
    return y;
  }
  const double u = (math::erfc(y) - q) / (two_over_sqrt_pi<double> * std::exp(-y * y));
  return y + u / (1 - y * u);
}

WEFT_HD inline double erfinv(double x) {
  const double a = std::fabs(x);
  if (!(a <= 1)) return nan<double>;
  if (a == 1) return std::copysign(infinity<double>, x);
  if (a > 0.5) return std::copysign(erfcinv_small(1 - a), x);
  const double y = x * erfinv_slope(-std::log1p(-x * x));
  const double u = (math::erf(y) - x) / (two_over_sqrt_pi<double> * std::exp(-y * y));
  return y - u / (1 + y * u);
}

WEFT_HD inline double erfcinv(double q) {
  if (!(q >= 0 && q <= 2)) return nan<double>;
  if (q == 0 || q == 2) return q == 0 ? infinity<double> : -infinity<double>;
  if (q < 0.5) return erfcinv_small(q);
  return q > 1.5 ? -erfcinv_small(2 - q) : erfinv(1 - q);
}

/// What rounding x / sqrt(2) loses is given back by erfc's derivative: x^2 times as much.
WEFT_HD inline double ndtr(double x) {
  const double t = -x * inv_sqrt2<double>;
  const double value = 0.5 * math::erfc(t);
  if (!(std::fabs(x) < 40)) return value;
  const double lost = std::fma(-x, inv_sqrt2<double>, -t) + x * 4.8336466567264567e-17;
  return value - 0.5 * two_over_sqrt_pi<double> * std::exp(-t * t) * lost;
}

/// exp(x^2) erfc(x), with the square's rounding given back; for large x by the asymptotic series.
WEFT_HD inline double erfcx(double x) {
  if (x < -26.7) return infinity<double>;
  if (x > 26) {
    const double u = 1 / (x * x);
    const double series = polynomial(u, 1, -0.5, 0.75, -1.875, 6.5625, -29.53125, 162.421875);
    return series / (x * std::sqrt(pi<double>));
  }
  const double square = x * x;
  const double lost = std::fma(x, x, -square);
  return std::exp(square) * (1 + lost) * math::erfc(x);
}

[[gnu::noinline]] WEFT_HD inline double log_ndtr(double x) {
  if (x > -1) return std::log1p(-ndtr(-x));
  if (!(x < -25)) return std::log(ndtr(x));
  constexpr double half_log_2pi = 0.91893853320467274178;
  const double u = 1 / (x * x);
  return -0.5 * x * x - half_log_2pi - std::log(-x) +
         std::log1p(u * polynomial(u, -1, 3, -15, 105, -945));
}

}  // namespace weft::math::special

namespace weft::math {

/// The number whose erf is x, for |x| <= 1.
template <std::floating_point T>
WEFT_HD T erfinv(T x) {
  return static_cast<T>(special::erfinv(static_cast<double>(x)));
}
/// The number whose erfc is x, for x from 0 to 2.
template <std::floating_point T>
WEFT_HD T erfcinv(T x) {
  return static_cast<T>(special::erfcinv(static_cast<double>(x)));
}
/// exp(x^2) erfc(x), also where erfc underflows.
template <std::floating_point T>
WEFT_HD T erfcx(T x) {
  return static_cast<T>(special::erfcx(static_cast<double>(x)));
}
/// The normal distribution's cumulative probability of x.
template <std::floating_point T>
WEFT_HD T ndtr(T x) {
  return static_cast<T>(special::ndtr(static_cast<double>(x)));
}
/// Its logarithm, also where ndtr underflows.
template <std::floating_point T>
WEFT_HD T log_ndtr(T x) {
  return static_cast<T>(special::log_ndtr(static_cast<double>(x)));
}
/// The number whose ndtr is x: the normal distribution's quantile.
template <std::floating_point T>
WEFT_HD T ndtri(T x) {
  return static_cast<T>((0 - special::erfcinv(2 * static_cast<double>(x))) / inv_sqrt2<double>);
}

}  // namespace weft::math
