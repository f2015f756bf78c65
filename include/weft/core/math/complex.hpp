// math: the elementary functions of complex numbers, with the usual branch cuts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "weft/core/math/elementary.hpp"

namespace weft::math {

template <class T>
WEFT_HD T abs(complex<T> z) {
  return std::hypot(z.re, z.im);
}
/// The angle from the positive real axis, in (-pi, pi].
template <class T>
WEFT_HD T arg(complex<T> z) {
  return std::atan2(z.im, z.re);
}
template <class T>
WEFT_HD constexpr complex<T> conj(complex<T> z) {
  return {z.re, -z.im};
}
/// z / |z|, and 0 for 0.
template <class T>
WEFT_HD complex<T> sign(complex<T> z) {
  const T r = abs(z);
  return r == 0 ? complex<T>(0) : z / r;
}

template <class T>
WEFT_HD complex<T> exp(complex<T> z) {
  const T r = exp(z.re);
  return z.im == 0 ? complex<T>(r, z.im) : complex<T>(r * cos(z.im), r * sin(z.im));
}
template <class T>
WEFT_HD complex<T> exp2(complex<T> z) {
  return exp(z * ln2<T>);
}
/// exp(z) - 1; the real part as expm1(x) cos(y) - 2 sin^2(y / 2), which does not cancel.
template <class T>
WEFT_HD complex<T> expm1(complex<T> z) {
  const T s = sin(z.im / 2);
  return {expm1(z.re) * cos(z.im) - 2 * s * s, exp(z.re) * sin(z.im)};
}

template <class T>
WEFT_HD complex<T> log(complex<T> z) {
  const T r = abs(z);
  if (r > T(0.5) && r < 2) {  // near the unit circle the logarithm of r would lose all digits
    const T x = std::fabs(z.re) > std::fabs(z.im) ? std::fabs(z.re) : std::fabs(z.im);
    const T y = std::fabs(z.re) > std::fabs(z.im) ? std::fabs(z.im) : std::fabs(z.re);
    return {log1p((x - 1) * (x + 1) + y * y) / 2, arg(z)};
  }
  return {log(r), arg(z)};
}
template <class T>
WEFT_HD complex<T> log2(complex<T> z) {
  return log(z) / ln2<T>;
}
template <class T>
WEFT_HD complex<T> log10(complex<T> z) {
  return log(z) / ln10<T>;
}
template <class T>
WEFT_HD complex<T> log1p(complex<T> z) {
  const T x = z.re;
  const T y = z.im;
  if (std::fabs(x) < T(0.5) && std::fabs(y) < T(0.5)) {
    return {log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x)};
  }
  return log(complex<T>(1 + x, y));
}

template <class T>
WEFT_HD complex<T> sqrt(complex<T> z) {
  const T x = std::fabs(z.re);
  const T y = std::fabs(z.im);
  if (x == 0 && y == 0) return {T(0), z.im};
  if (is_inf(z.im)) return {y, z.im};
  // Scaled by a power of four, so that neither |z| overflows nor x + |z| underflows.
  constexpr T big = highest<T> / 4;
  constexpr T small = sizeof(T) == 4 ? T(0x1p-100F) : T(0x1p-960);
  constexpr T unit = sizeof(T) == 4 ? T(0x1p26) : T(0x1p54);
  const bool down = x > big || y > big;
  const bool up = x < small && y < small;
  const T scale = down ? T(0.0625) : up ? unit * unit : T(1);
  const T unscale = down ? T(4) : up ? 1 / unit : T(1);
  const T u = std::sqrt((x * scale + std::hypot(x * scale, y * scale)) / 2);
  const T larger = u * unscale;
  const T smaller = y * scale / (2 * u) * unscale;
  return z.re >= 0 ? complex<T>(larger, std::copysign(smaller, z.im))
                   : complex<T>(smaller, std::copysign(larger, z.im));
}
template <class T>
WEFT_HD complex<T> rsqrt(complex<T> z) {
  return T(1) / sqrt(z);
}

template <class T>
WEFT_HD complex<T> sinh(complex<T> z) {
  return {sinh(z.re) * cos(z.im), cosh(z.re) * sin(z.im)};
}
template <class T>
WEFT_HD complex<T> cosh(complex<T> z) {
  return {cosh(z.re) * cos(z.im), sinh(z.re) * sin(z.im)};
}
/// Kahan's form, which neither overflows nor cancels.
template <class T>
WEFT_HD complex<T> tanh(complex<T> z) {
  constexpr T far = sizeof(T) == 4 ? T(11) : T(22);  // from here on |tanh| rounds to 1
  if (std::fabs(z.re) > far) {
    const T e = exp(-std::fabs(z.re));
    return {std::copysign(T(1), z.re), 4 * sin(z.im) * cos(z.im) * e * e};
  }
  const T t = tan(z.im);
  const T s = sinh(z.re);
  const T b = 1 + t * t;
  const T r = std::sqrt(1 + s * s);
  if (is_inf(t)) return {r / s, 1 / t};
  const T d = 1 + b * s * s;
  return {b * r * s / d, t / d};
}

/// Kahan's inverse functions ("Much ado about nothing's sign bit"), exact in sign on the cuts.
template <class T>
WEFT_HD complex<T> asin(complex<T> z) {
  const complex<T> p = sqrt(T(1) + z);
  const complex<T> m = sqrt(complex<T>(1 - z.re, -z.im));
  return {std::atan2(z.re, p.re * m.re - p.im * m.im), asinh(m.re * p.im - m.im * p.re)};
}
template <class T>
WEFT_HD complex<T> acos(complex<T> z) {
  const complex<T> p = sqrt(T(1) + z);
  const complex<T> m = sqrt(complex<T>(1 - z.re, -z.im));
  return {2 * std::atan2(m.re, p.re), asinh(p.re * m.im - p.im * m.re)};
}
template <class T>
WEFT_HD complex<T> acosh(complex<T> z) {
  const complex<T> p = sqrt(z + T(1));
  const complex<T> m = sqrt(z - T(1));
  return {asinh(m.re * p.re + m.im * p.im), 2 * std::atan2(m.im, p.re)};
}
template <class T>
WEFT_HD complex<T> atanh(complex<T> z) {
  const T x = z.re;
  const T y = z.im;
  const T angle = std::atan2(2 * y, (1 - x) * (1 + x) - y * y) / 2;
  const T ax = std::fabs(x);
  const T part = log1p(4 * ax / ((1 - ax) * (1 - ax) + y * y)) / 4;
  return {std::copysign(part, x), angle};
}

template <class T>
WEFT_HD constexpr complex<T> times_i(complex<T> z) {
  return {-z.im, z.re};
}
template <class T>
WEFT_HD constexpr complex<T> over_i(complex<T> z) {
  return {z.im, -z.re};
}
template <class T>
WEFT_HD complex<T> sin(complex<T> z) {
  return over_i(sinh(times_i(z)));
}
template <class T>
WEFT_HD complex<T> cos(complex<T> z) {
  return cosh(times_i(z));
}
template <class T>
WEFT_HD complex<T> tan(complex<T> z) {
  return over_i(tanh(times_i(z)));
}
template <class T>
WEFT_HD complex<T> asinh(complex<T> z) {
  return over_i(asin(times_i(z)));
}
template <class T>
WEFT_HD complex<T> atan(complex<T> z) {
  return over_i(atanh(times_i(z)));
}

/// exp(n log(z)); 0 to a power is 0, and any number to the power 0 is 1.
template <class T>
WEFT_HD complex<T> pow(complex<T> z, complex<T> n) {
  if (n.im == 0 && n.re == 0) return complex<T>(1);
  if (n.im == 0 && n.re == 2) return z * z;
  if (z.re == 0 && z.im == 0 && n.re > 0) return complex<T>(0);
  return exp(n * log(z));
}

template <class T>
WEFT_HD complex<T> pow_derivative_x(complex<T> z, complex<T> n) {
  return n == T(0) ? complex<T>(0) : n * pow(z, n - T(1));
}
template <class T>
WEFT_HD complex<T> pow_derivative_y(complex<T> z, complex<T> n, complex<T> value) {
  return z == T(0) && n.re >= 0 ? complex<T>(0) : value * log(z);
}

template <class T>
WEFT_HD complex<T> sigmoid(complex<T> z) {
  return T(1) / (T(1) + exp(-z));
}

}  // namespace weft::math
