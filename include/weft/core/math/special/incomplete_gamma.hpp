// math: the incomplete gamma functions, regularised.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/special/divergence.hpp"
#include "weft/core/math/special/gamma_function.hpp"

namespace weft::math::special {

/// x^a exp(-x) / gamma(a + 1): for large a as Loader's Poisson probability, which does not cancel.
[[gnu::noinline]] WEFT_HD inline double poisson_term(double a, double x) {
  if (a < 10) return std::pow(x, a) * std::exp(-x) / gamma(a + 1);
  return std::exp(-math::kl_div(a, x) - stirling_rest(a)) / std::sqrt(2 * pi<double> * a);
}

/// log(gamma(1 + a)) for |a| < 1/2, with all digits where it is small.
WEFT_HD inline double lgamma1p(double a) {
  if (std::fabs(a) >= 0.25) return math::lgamma(1 + a);
  constexpr double one_less_euler = 0.42278433509846713939;
  // clang-format off
  return -std::log1p(a) + a * (one_less_euler + a * polynomial(a,
      0x1.4a34cc4a60fa6p-2, -0x1.13e001a557607p-4, 0x1.51322ac7d8483p-6, -0x1.e404fc218f5f2p-8,
      0x1.7add6eadb6c3p-9, -0x1.38ac5c2bf8e08p-10, 0x1.0b36af86396e9p-11, -0x1.d3fd4c76d2fc8p-13,
      0x1.a127b0f17d65ap-14, -0x1.78de5bd7c81efp-15, 0x1.580dcee66eb02p-16,
      -0x1.3cbc963ce2243p-17, 0x1.2597a39f34aacp-18, -0x1.11b2eb7679541p-19,
      0x1.0064cdeb22f0fp-20, -0x1.e2600d93cfd2fp-22, 0x1.c76bbb3f07a4dp-23, -0x1.af5a6cbbf8a97p-24));
  // clang-format on
}

/// Temme's uniform expansion for large a (DLMF 8.12): the lower function, or the upper one.
WEFT_HD inline double incomplete_gamma_near(double a, double x, bool upper) {
  const double square = math::kl_div(a, x) / a;  // eta^2 / 2
  const double eta = std::copysign(std::sqrt(2 * square), x - a);
  // clang-format off
  const double c0 = polynomial(eta,
      -0x1.5555555555555p-2, 0x1.5555555555555p-4, -0x1.e573ac901e574p-7, 0x1.2f684bda12f68p-10,
      0x1.71de3a556c734p-12, -0x1.76e06fec7273bp-13, 0x1.48c5892f7cd83p-15,
      -0x1.255370652afc1p-19, -0x1.f1b22f594c6b5p-20, 0x1.bd6d21e4b4109p-21,
      -0x1.7b5f9a2d0465cp-23, 0x1.ccf5ceb7f0d9fp-28, 0x1.6097d55c37c1cp-27,
      -0x1.2d2197c7a2faap-28, 0x1.f6e66d24d5c8ap-31);
  const double c1 = polynomial(eta,
      -0x1.e573ac901e574p-10, -0x1.c71c71c71c71cp-9, 0x1.5ac056b015acp-9, -0x1.0394f6f09e723p-10,
      0x1.af83440e53dbcp-13, -0x1.af83440e53dbcp-22, -0x1.2fa4ae89e5afp-16, 0x1.00a9cabd6b83ep-17,
      -0x1.b0bdfcc629cbap-20, 0x1.3f59230a8357cp-28, 0x1.280f2cde3f847p-23,
      -0x1.ee23d0cba8aeep-25, 0x1.9aa7a30de114cp-27);
  const double c2 = polynomial(eta,
      0x1.0ee643b990ee6p-8, -0x1.5f7268edab4c8p-9, 0x1.948b0fcd6e9ep-11, 0x1.0db20a88f4696p-19,
      -0x1.c253efaa1a932p-14, 0x1.bbf43daf4fe53p-15, -0x1.ac2d05890f2c3p-17,
      0x1.26154ae39151dp-25, 0x1.7058929663937p-20, -0x1.522cb05171911p-21, 0x1.32ac81c15d3d7p-23);
  const double c3 = polynomial(eta,
      0x1.547d93b34e2b6p-11, 0x1.e13ce465fa859p-13, -0x1.ebfb188b7cap-12, 0x1.18b9b5bf2d984p-12,
      -0x1.3d2a3a29b5d9dp-14, -0x1.0152a1871f27ap-22, 0x1.73df462204ef4p-17,
      -0x1.7cd6f27b3f02p-18, 0x1.7e0201539310ep-20);
  const double c4 = polynomial(eta,
      -0x1.c3e0b02da7bf9p-11, 0x1.9b0ff6874f2c4p-11, -0x1.3999a85a4237ap-12,
      -0x1.88f2ae1def9dp-20, 0x1.16908b48ce058p-14, -0x1.4ce3fd902bcadp-15, 0x1.7db4c02846e81p-17);
  const double c5 = polynomial(eta,
      -0x1.6128ac5a4fa71p-12, -0x1.247604839c038p-14, 0x1.22be87360ef1fp-12,
      -0x1.a2042c5148e27p-13);
  // clang-format on
  const double rest = std::exp(-a * square) / std::sqrt(2 * pi<double> * a) *
                      polynomial(1 / a, c0, c1, c2, c3, c4, c5);
  const double t = eta * std::sqrt(a / 2);
  return upper ? 0.5 * math::erfc(t) + rest : 0.5 * math::erfc(-t) - rest;
}

/// The lower function by its power series.
WEFT_HD inline double incomplete_gamma_series(double a, double x) {
  double sum = 1;
  double term = 1;
  for (double n = a + 1; term > sum * 1e-17; n += 1) {
    term *= x / n;
    sum += term;
  }
  return sum * poisson_term(a, x);
}

/// The upper function by its continued fraction (DLMF 8.9.2), evaluated as by Lentz.
WEFT_HD inline double incomplete_gamma_fraction(double a, double x) {
  double b = x + 1 - a;
  double c = 1e300;
  double d = 1 / b;
  double value = d;
  for (int n = 1; n < 5000; ++n) {
    const double factor = -n * (n - a);
    b += 2;
    d = 1 / (factor * d + b);
    c = b + factor / c;
    const double change = c * d;
    value *= change;
    if (std::fabs(change - 1) < 1e-16) break;
  }
  return value * a * poisson_term(a, x);
}

/// The upper function of small x, where the lower one may be nearly 1.
WEFT_HD inline double incomplete_gamma_complement(double a, double x) {
  double sum = 0;
  double term = 1;
  for (int n = 1; n < 60; ++n) {
    term *= -x / n;
    sum += term / (a + n);
    if (std::fabs(term) < 1e-17 * std::fabs(sum)) break;
  }
  const double power = a * std::log(x) - (a < 0.5 ? lgamma1p(a) : math::lgamma(1 + a));
  return -std::expm1(power) - a * std::exp(power) * sum;
}

/// gammainc, or gammaincc for `upper`.
[[gnu::noinline]] WEFT_HD inline double incomplete_gamma(double a, double x, bool upper) {
  if (!(a >= 0 && x >= 0) || (a == 0 && x == 0) || (is_inf(a) && is_inf(x))) return nan<double>;
  if (a == 0 || is_inf(x)) return upper ? 0 : 1;
  if (x == 0 || is_inf(a)) return upper ? 1 : 0;
  if (a >= 200 && std::fabs(x - a) <= 0.3 * a) return incomplete_gamma_near(a, x, upper);
  if (upper && x <= 1.1 && (x <= 0.5 ? -0.4 / std::log(x) >= a : x * 1.1 >= a)) {
    return incomplete_gamma_complement(a, x);
  }
  if (x < 1.1 || x < a) {
    const double lower = incomplete_gamma_series(a, x);
    return upper ? 1 - lower : lower;
  }
  const double above = incomplete_gamma_fraction(a, x);
  return upper ? above : 1 - above;
}

}  // namespace weft::math::special

namespace weft::math {

/// The lower incomplete gamma function over gamma(a), from 0 at x = 0 to 1.
template <std::floating_point T>
WEFT_HD T gammainc(T a, T x) {
  return static_cast<T>(
      special::incomplete_gamma(static_cast<double>(a), static_cast<double>(x), false));
}
/// The upper one, 1 - gammainc(a, x), also where that is small.
template <std::floating_point T>
WEFT_HD T gammaincc(T a, T x) {
  return static_cast<T>(
      special::incomplete_gamma(static_cast<double>(a), static_cast<double>(x), true));
}
/// The derivative of gammainc by x: x^(a - 1) exp(-x) / gamma(a).
template <std::floating_point T>
WEFT_HD T gammainc_slope(T a, T x) {
  const auto wide = static_cast<double>(a);
  const auto at = static_cast<double>(x);
  if (at == 0) return wide == 1 ? T(1) : wide < 1 ? infinity<T> : T(0);
  return static_cast<T>(special::poisson_term(wide, at) * wide / at);
}

}  // namespace weft::math
