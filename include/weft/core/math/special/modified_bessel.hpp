// math: the modified Bessel functions of orders 0 and 1, plain and scaled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/special/polynomial.hpp"

namespace weft::math::special {

/// I0(x) for |x| <= 8, and what I1(x) is x / 2 times of: power series in x^2 / 4.
WEFT_HD inline double i0_small(double x) {
  // clang-format off
  return polynomial(0.25 * x * x,
      0x1p+0, 0x1p+0, 0x1p-2, 0x1.c71c71c71c71cp-6, 0x1.c71c71c71c71cp-10, 0x1.23456789abcdfp-14,
      0x1.02e85c0898b71p-19, 0x1.522a43f65486ap-25, 0x1.522a43f65486ap-31, 0x1.0b313289be0b9p-37,
      0x1.5601885e63e5dp-44, 0x1.69ca9cf3b7f54p-51, 0x1.4197a7f5154bcp-58, 0x1.e725594ee52e9p-66,
      0x1.3e22d70ef3b5fp-73, 0x1.69f7da8510bcdp-81, 0x1.69f7da8510bcdp-89, 0x1.40a2dc2460523p-97,
      0x1.faaf2fa1c79e5p-106, 0x1.674f8e46c208cp-114, 0x1.cbeaf38dc529fp-123,
      0x1.0afb53e9cec0bp-131, 0x1.1a6d4e307528fp-140, 0x1.1159d2b18fe1fp-149);
  // clang-format on
}
WEFT_HD inline double i1_small(double x) {
  // clang-format off
  return 0.5 * x * polynomial(0.25 * x * x,
      0x1p+0, 0x1p-1, 0x1.5555555555555p-4, 0x1.c71c71c71c71cp-8, 0x1.6c16c16c16c17p-12,
      0x1.845c8a0ce5129p-17, 0x1.27e4fb7789f5cp-22, 0x1.522a43f65486ap-28, 0x1.2c9758daf5cdp-34,
      0x1.ab81ea75fcdf4p-41, 0x1.f17697cf1cf13p-48, 0x1.e2637bef9ff1ap-55, 0x1.8bce58901a35ep-62,
      0x1.165e7c2d153f3p-69, 0x1.53585cdcbfb1p-77, 0x1.69f7da8510bcdp-85, 0x1.54ad09e6a6575p-93,
      0x1.1d028acb00491p-101, 0x1.aaae78f4066a6p-110, 0x1.1f72d8389b3a3p-118,
      0x1.5e69de22df5cep-127, 0x1.84564b82a1184p-136, 0x1.88f11edf3ed4cp-145,
      0x1.6c77c3976a829p-154);
  // clang-format on
}
/// exp(-x) I0(x) and exp(-x) I1(x) for x > 8.
WEFT_HD inline double i0e_large(double x) {
  // clang-format off
  return polynomial(16 / x - 1,
      0x1.9bd428ad249a5p-2, 0x1.b87969bb93b75p-9, 0x1.1daa72b5e650cp-13, 0x1.75e5ee71edd14p-17,
      0x1.8e513a1d5e52bp-20, 0x1.3f49a6bcfc2d9p-22, 0x1.7d0f75812d9bcp-24, 0x1.51ced7b713adcp-25,
      0x1.7224b1828e507p-26, 0x1.03896efb09a41p-27, -0x1.ce768f00b5374p-28,
      -0x1.cc90f59ec1228p-27, -0x1.77cc956faaa2fp-28, 0x1.0317d4c7b215ap-27,
      0x1.047454ffcb608p-27, -0x1.df1549cddfaf8p-29, -0x1.a9411c5b0ad08p-28,
      0x1.9bbbfe31d81e9p-30, 0x1.0ab5ef575d285p-28, -0x1.31c908a5dd531p-31,
      -0x1.e8fd992032bedp-30, 0x1.42a55974d41b8p-33, 0x1.1ce14787c5bdep-31,
      -0x1.52109c25bd9ecp-36, -0x1.36e52c10032d7p-34) / std::sqrt(x);
  // clang-format on
}
WEFT_HD inline double i1e_large(double x) {
  // clang-format off
  return polynomial(16 / x - 1,
      0x1.8ebe783a8403p-2, -0x1.3f796198ee628p-7, -0x1.cbc54df1ece76p-13, -0x1.f89c23066d278p-17,
      -0x1.ec8e101744487p-20, -0x1.76137e6905189p-22, -0x1.ad8db6e1fecbbp-24,
      -0x1.727a73a8063a8p-25, -0x1.9180f82a1d429p-26, -0x1.21895bb7ba33fp-27,
      0x1.cd81846fb3ff1p-28, 0x1.e20e7d69649cap-27, 0x1.9f203cf2783b7p-28, -0x1.0630cddd4e099p-27,
      -0x1.1465ce7d29637p-27, 0x1.d4345a69bfc3p-29, 0x1.bdc8daed57db9p-28, -0x1.858c7591014bdp-30,
      -0x1.162964d5f91dbp-28, 0x1.1aee882806184p-31, 0x1.fce6b32270b52p-30,
      -0x1.272ae05110368p-33, -0x1.2839623e2341cp-31, 0x1.33e83e12ca3b4p-36, 0x1.432b0a4121172p-34) / std::sqrt(x);
  // clang-format on
}

WEFT_HD inline double i0e(double x) {
  const double a = std::fabs(x);
  return a <= 8 ? i0_small(x) * std::exp(-a) : i0e_large(a);
}
WEFT_HD inline double i1e(double x) {
  const double a = std::fabs(x);
  return a <= 8 ? i1_small(x) * std::exp(-a) : std::copysign(i1e_large(a), x);
}
/// y exp(a), where exp(a) alone may overflow.
WEFT_HD inline double times_exp(double y, double a) {
  const double half = std::exp(0.5 * a);
  return a < 700 ? y * std::exp(a) : y * half * half;
}
WEFT_HD inline double i0(double x) {
  const double a = std::fabs(x);
  return a <= 8 ? i0_small(x) : is_inf(a) ? a : times_exp(i0e_large(a), a);
}
WEFT_HD inline double i1(double x) {
  const double a = std::fabs(x);
  return a <= 8 ? i1_small(x) : is_inf(a) ? x : std::copysign(times_exp(i1e_large(a), a), x);
}

/// K0(x) and K1(x) for x <= 1 (DLMF 10.31.1 and 10.31.2).
WEFT_HD inline double k_small(int order, double x) {
  const double t = 0.25 * x * x;
  const double log_half = std::log(0.5 * x) + 0.57721566490153286061;
  double harmonic = 0;
  double term = 1;
  double sum = order;
  for (int k = 1; k < 14; ++k) {
    harmonic += 1.0 / k;
    term *= t / (k * (k + order));
    sum += term * (order == 0 ? harmonic : 2 * harmonic + 1.0 / (k + 1));
  }
  if (order == 0) return sum - log_half * i0_small(x);
  return 1 / x + log_half * i1_small(x) - 0.25 * x * sum;
}

/// exp(x) K(x) for x > 1: the integral of exp(-x (cosh t - 1)) cosh(n t), by the trapezoidal rule,
/// whose error is exp(x - pi^2 / step) or less; for large x the asymptotic series (DLMF 10.40.2).
WEFT_HD inline double ke_large(int order, double x) {
  if (x >= 30) {
    double term = 1;
    double sum = 1;
    for (int k = 1; k < 30 && std::fabs(term) > 1e-17; ++k) {
      const double odd = 2 * k - 1;
      term *= (4 * order - odd * odd) / (8 * k * x);
      sum += term;
    }
    return std::sqrt(0.5 * pi<double> / x) * sum;
  }
  const double step = std::fmin(0.2, 0.65 / std::sqrt(x));
  double sum = 0.5;
  for (int k = 1; k < 64; ++k) {
    const double growth = std::expm1(0.5 * k * step);
    const double half = growth + growth / (1 + growth);  // 2 sinh(t / 2)
    const double less = 0.5 * half * half;               // cosh t - 1
    if (x * less > 42) break;
    sum += std::exp(-x * less) * (order == 0 ? 1 : 1 + less);
  }
  return step * sum;
}

[[gnu::noinline]] WEFT_HD inline double ke(int order, double x) {
  if (!(x > 0)) return x == 0 ? infinity<double> : nan<double>;
  return x <= 1 ? k_small(order, x) * std::exp(x) : ke_large(order, x);
}
[[gnu::noinline]] WEFT_HD inline double k(int order, double x) {
  if (!(x > 0)) return x == 0 ? infinity<double> : nan<double>;
  return x <= 1 ? k_small(order, x) : ke_large(order, x) * std::exp(-x);
}

}  // namespace weft::math::special

namespace weft::math {

/// The modified Bessel function of the first kind of order 0.
template <std::floating_point T>
WEFT_HD T i0(T x) {
  return static_cast<T>(special::i0(static_cast<double>(x)));
}
/// exp(-|x|) i0(x)
template <std::floating_point T>
WEFT_HD T i0e(T x) {
  return static_cast<T>(special::i0e(static_cast<double>(x)));
}
/// The modified Bessel function of the first kind of order 1.
template <std::floating_point T>
WEFT_HD T i1(T x) {
  return static_cast<T>(special::i1(static_cast<double>(x)));
}
/// exp(-|x|) i1(x)
template <std::floating_point T>
WEFT_HD T i1e(T x) {
  return static_cast<T>(special::i1e(static_cast<double>(x)));
}
/// The modified Bessel function of the second kind of order 0; infinity at 0, NaN for negative x.
template <std::floating_point T>
WEFT_HD T k0(T x) {
  return static_cast<T>(special::k(0, static_cast<double>(x)));
}
/// exp(x) k0(x)
template <std::floating_point T>
WEFT_HD T k0e(T x) {
  return static_cast<T>(special::ke(0, static_cast<double>(x)));
}
/// The modified Bessel function of the second kind of order 1; infinity at 0, NaN for negative x.
template <std::floating_point T>
WEFT_HD T k1(T x) {
  return static_cast<T>(special::k(1, static_cast<double>(x)));
}
/// exp(x) k1(x)
template <std::floating_point T>
WEFT_HD T k1e(T x) {
  return static_cast<T>(special::ke(1, static_cast<double>(x)));
}

}  // namespace weft::math
