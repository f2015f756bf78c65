// math: the logarithm of the gamma function and its first derivatives.
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

/// The derivative of digamma; infinity at its poles, 0 and the negative integers.
template <std::floating_point T>
WEFT_HD T trigamma(T x) {
  T sign = 1;
  T sum = 0;
  if (x <= 0) {  // trigamma(x) = (pi / sin(pi x))^2 - trigamma(1 - x)
    const T fraction = x - std::rint(x);
    if (fraction == 0) return infinity<T>;
    const T cosecant = pi<T> / std::sin(pi<T> * fraction);
    sum = cosecant * cosecant;
    sign = -1;
    x = 1 - x;
  }
  for (; x < 10; x += 1) sum += sign / (x * x);  // trigamma(x) = trigamma(x + 1) + 1 / x^2
  const T s = 1 / (x * x);
  const T series =
      s *
      (T(1) / 6 -
       s * (T(1) / 30 -
            s * (T(1) / 42 -
                 s * (T(1) / 30 - s * (T(5) / 66 - s * (T(691) / 2730 -
                                                        s * (T(7) / 6 - s * (T(3617) / 510))))))));
  return sum + sign * ((1 + series) / x + T(0.5) * s);
}

/// The derivative of trigamma; -+infinity at +-0, NaN at the other poles.
template <std::floating_point T>
WEFT_HD T tetragamma(T x) {
  T sum = 0;
  T sign = -1;
  if (x <= 0) {  // the derivative of trigamma(x) = (pi / sin(pi x))^2 - trigamma(1 - x)
    const T fraction = x - std::rint(x);
    if (fraction == 0) return x == 0 ? std::copysign(infinity<T>, -x) : nan<T>;
    const T sine = std::sin(pi<T> * fraction);
    const T cosine = std::cos(pi<T> * fraction);
    sum = -2 * pi<T> * pi<T> * pi<T> * cosine / (sine * sine * sine);
    x = 1 - x;
  }
  for (; x < 10; x += 1) sum += sign * 2 / (x * x * x);
  const T s = 1 / (x * x);
  const T series =
      s *
      (T(0.5) -
       s * (T(1) / 6 -
            s * (T(1) / 6 -
                 s * (T(3) / 10 - s * (T(5) / 6 - s * (T(691) / 210 -
                                                       s * (T(35) / 2 - s * (T(3617) / 30))))))));
  return sum + sign * s * (1 + 1 / x + series);
}

namespace detail {
/// digamma on [1, 2] by a polynomial times the distance to the root in it, and by its recurrence up
/// to 10; beyond that by its asymptotic series.
WEFT_HD inline double digamma_above_1(double x) {
  if (x < 10) {
    // clang-format off
    constexpr double c[] = {
      0x1.e6f0cbb873616p-1, -0x1.b1cb63005ee96p-3, 0x1.eca189b8e6f6bp-5, -0x1.2feeeb98a7e3bp-6,
      0x1.8512e59039755p-8, -0x1.fb44202998421p-10, 0x1.4de9aa171d4f1p-11, -0x1.b9f8b150319bep-13,
      0x1.2564719b647f6p-14, -0x1.8635590c51b36p-16, 0x1.03c0a66a51d79p-17,
      -0x1.5a080a0c910c7p-19, 0x1.cd21ec3822247p-21, -0x1.33509143e91d9p-22,
      0x1.99ad0ee9dc8efp-24, -0x1.114473f891255p-25, 0x1.6c54ff0d1eadcp-27,
      -0x1.e180e42b99c3fp-29, 0x1.40fe975bfeb32p-30, -0x1.cd69c63d3128dp-32,
      0x1.339b353c4e40cp-33, -0x1.e41a00b3ac2a3p-36, 0x1.42bb9b1ed47b3p-37, -0x1.6011fd68d65bp-37,
      0x1.d56d3c442d62ap-39};
    // clang-format on
    double shift = 0;
    for (; x >= 2; shift += 1 / x) x -= 1;  // digamma(x + 1) = digamma(x) + 1 / x
    double p = 0;
    for (int i = 24; i >= 0; --i) p = p * (2 * x - 3) + c[i];
    return ((x - 0x1.762d86356be3fp+0) - 0x1.b86a722197829p-54) * p + shift;
  }
  const double s = 1 / (x * x);
  const double series =
      s * (1.0 / 12 - s * (1.0 / 120 -
                           s * (1.0 / 252 -
                                s * (1.0 / 240 - s * (1.0 / 132 - s * (691.0 / 32760 - s / 12))))));
  return std::log(x) - 0.5 / x - series;
}

/// The root of digamma between -n and 1 - n, in two parts.
WEFT_HD inline void digamma_root(int n, double& high, double& low) {
  // clang-format off
  constexpr double roots[][2] = {
      {-0x1.02172b05ee26p-1, -0x1.2cd704405bff6p-57}, {-0x1.92d0cbc289d4ap+0,
      -0x1.2262d144a30e4p-56}, {-0x1.4e2c19f679e5ap+1, 0x1.c7b999bd14f47p-54},
      {-0x1.d1514b041b2a8p+1, 0x1.f71449c2a5446p-55}, {-0x1.29cea5c1ccbdp+2,
      -0x1.25e92119a56a9p-52}, {-0x1.6ab2ca18e6ce3p+2, -0x1.da7ecae62c5bdp-59},
      {-0x1.ab6b34398a4ffp+2, 0x1.9027e5b26e237p-52}, {-0x1.ec04b952a5368p+2,
      -0x1.37a62af51caacp-53}, {-0x1.1643b3352a3f5p+3, -0x1.7ad951453a497p-52},
      {-0x1.367c4b1f635e4p+3, -0x1.776d89f6e195p-52}, {-0x1.56ae014434848p+3,
      -0x1.6a6ede6ee3df8p-51}, {-0x1.76da2d93df103p+3, 0x1.efa7c6ac12c96p-51},
      {-0x1.9701cf864ba95p+3, -0x1.11f3c0c1a3c48p-51}, {-0x1.b725a99120b77p+3,
      0x1.05099936de9a6p-51}, {-0x1.d74652d341c14p+3, -0x1.51bec0981dfc3p-55},
      {-0x1.f76442d8ce088p+3, 0x1.e69f83449d24p-54}, {-0x1.0bbfecd60fcd2p+4,
      -0x1.5b03d79730b5p-50}, {-0x1.1bccb2c0db753p+4, -0x1.277b1b18b6e89p-51},
      {-0x1.2bd89365e9bbcp+4, 0x1.bf2dff73ec7d7p-51}};
  // clang-format on
  high = roots[n - 1][0];
  low = roots[n - 1][1];
}

/// trigamma(whole + fraction) for negative whole numbers; the fraction has more digits than the
/// sum.
WEFT_HD inline double trigamma_beside(double whole, double fraction) {
  const double cosecant = pi<double> / std::sin(pi<double> * fraction);
  return cosecant * cosecant - trigamma(1 - whole - fraction);
}

[[gnu::noinline]] WEFT_HD inline double digamma_wide(double x) {
  if (x >= 1 || is_nan(x)) return digamma_above_1(x);
  if (x > 0) return digamma_above_1(x + 1) - 1 / x;
  if (x == 0) return std::copysign(infinity<double>, -x);
  const double fraction = x - std::rint(x);
  if (!(std::fabs(fraction) > 0)) return nan<double>;
  if (x > -19) {
    double high = 0;
    double low = 0;
    digamma_root(-static_cast<int>(std::floor(x)), high, low);
    const double distance = (x - high) - low;
    // Near a root, digamma as the integral of its slope, by Gauss's rule.
    if (std::fabs(distance) < 0.05) {
      constexpr double nodes[] = {0, 0x1.9f95df119fd62p-2, 0x1.7ba9f9be3a1d6p-1,
                                  0x1.e5f178e7c6229p-1};
      constexpr double weights[] = {0x1.abfd7e03c2fa6p-2, 0x1.86fe74ee32b3dp-2,
                                    0x1.1e6b1713d8644p-2, 0x1.092f69f826d57p-3};
      const double whole = std::floor(x);
      const double half = distance / 2;
      const double middle = (high - whole) + (low + half);
      double slope = weights[0] * trigamma_beside(whole, middle);
      for (int i = 1; i < 4; ++i) {
        slope += weights[i] * (trigamma_beside(whole, middle - half * nodes[i]) +
                               trigamma_beside(whole, middle + half * nodes[i]));
      }
      return half * slope;
    }
  }
  return digamma_above_1(1 - x) - pi<double> / std::tan(pi<double> * fraction);
}
}  // namespace detail

/// The derivative of lgamma; NaN at its poles, the negative integers, and -+infinity at +-0. Float
/// is computed in double, which alone has digits left near the negative roots; near those below -19
/// the error is up to 1e-15 * log(-x).
template <std::floating_point T>
WEFT_HD T digamma(T x) {
  return static_cast<T>(detail::digamma_wide(static_cast<double>(x)));
}

}  // namespace weft::math
