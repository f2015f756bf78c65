// math: the special functions of Dual numbers that derivatives are made of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/dual.hpp"
#include "weft/core/math/special/bessel.hpp"
#include "weft/core/math/special/incomplete_beta.hpp"
#include "weft/core/math/special/incomplete_gamma.hpp"
#include "weft/core/math/special/modified_bessel.hpp"
#include "weft/core/math/special/zeta.hpp"

namespace weft::math {

// clang-format off
template <class T> WEFT_HD Dual<T> tetragamma(Dual<T> x) { return follow(x, tetragamma(x.value), polygamma(3, x.value)); }
template <class T> WEFT_HD Dual<T> polygamma(int n, Dual<T> x) { return follow(x, polygamma(n, x.value), polygamma(n + 1, x.value)); }
template <class T> WEFT_HD Dual<T> j0(Dual<T> x)  { return follow(x, j0(x.value), -j1(x.value)); }
template <class T> WEFT_HD Dual<T> j1(Dual<T> x)  { const T y = j1(x.value); return follow(x, y, x.value == 0 ? T(0.5) : j0(x.value) - y / x.value); }
template <class T> WEFT_HD Dual<T> y0(Dual<T> x)  { return follow(x, y0(x.value), -y1(x.value)); }
template <class T> WEFT_HD Dual<T> y1(Dual<T> x)  { const T y = y1(x.value); return follow(x, y, y0(x.value) - y / x.value); }
template <class T> WEFT_HD Dual<T> i0(Dual<T> x)  { return follow(x, i0(x.value), i1(x.value)); }
template <class T> WEFT_HD Dual<T> i0e(Dual<T> x) { const T y = i0e(x.value); return follow(x, y, i1e(x.value) - sign(x.value) * y); }
template <class T> WEFT_HD Dual<T> i1(Dual<T> x)  { const T y = i1(x.value); return follow(x, y, x.value == 0 ? T(0.5) : i0(x.value) - y / x.value); }
template <class T> WEFT_HD Dual<T> i1e(Dual<T> x) { const T y = i1e(x.value); return follow(x, y, x.value == 0 ? T(0.5) : i0e(x.value) - y * (sign(x.value) + 1 / x.value)); }
template <class T> WEFT_HD Dual<T> k0(Dual<T> x)  { return follow(x, k0(x.value), -k1(x.value)); }
template <class T> WEFT_HD Dual<T> k0e(Dual<T> x) { const T y = k0e(x.value); return follow(x, y, y - k1e(x.value)); }
template <class T> WEFT_HD Dual<T> k1(Dual<T> x)  { const T y = k1(x.value); return follow(x, y, -k0(x.value) - y / x.value); }
template <class T> WEFT_HD Dual<T> k1e(Dual<T> x) { const T y = k1e(x.value); return follow(x, y, y - k0e(x.value) - y / x.value); }
// clang-format on

// Parameters of these have no derivative.
template <class T>
WEFT_HD Dual<T> zeta(Dual<T> x, Dual<T> q) {
  return follow(q, zeta(x.value, q.value), -x.value * zeta(x.value + 1, q.value));
}
template <class T>
WEFT_HD Dual<T> gammainc_slope(Dual<T> a, Dual<T> x) {
  const T y = gammainc_slope(a.value, x.value);
  return follow(x, y, y * ((a.value - 1) / x.value - 1));
}
template <class T>
WEFT_HD Dual<T> betainc_slope(Dual<T> a, Dual<T> b, Dual<T> x) {
  const T y = betainc_slope(a.value, b.value, x.value);
  return follow(x, y, y * ((a.value - 1) / x.value - (b.value - 1) / (1 - x.value)));
}

}  // namespace weft::math
