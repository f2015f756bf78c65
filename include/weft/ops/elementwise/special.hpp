// The special functions as operations: one line each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/special/dual.hpp"
#include "weft/core/math/special/normal.hpp"
#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/elementwise/unary.hpp"

// clang-format off
//         name       domain    value                 derivative (y is the value)
WEFT_UNARY(gamma,     Floating, math::gamma(x),       y * math::digamma(x))
WEFT_UNARY(trigamma,  Floating, math::trigamma(x),    math::tetragamma(x))
WEFT_UNARY(expit,     Floating, math::sigmoid(x),     y * (T(1) - y))
WEFT_UNARY(logit,     Floating, math::logit(x),       T(1) / (x * (T(1) - x)))
WEFT_UNARY(entr,      Floating, math::entr(x),        -math::log(x) - T(1))
WEFT_UNARY(sinc,      Floating, math::sinc(x),        x == 0 ? T(0) : (math::cos(math::pi<T> * x) - y) / x)

WEFT_UNARY(erfinv,    Floating, math::erfinv(x),      T(0.88622692545275801365) * math::exp(y * y))
WEFT_UNARY(erfcinv,   Floating, math::erfcinv(x),     T(-0.88622692545275801365) * math::exp(y * y))
WEFT_UNARY(erfcx,     Floating, math::erfcx(x),       T(2) * x * y - math::two_over_sqrt_pi<T>)
WEFT_UNARY(ndtr,      Floating, math::ndtr(x),        math::inv_sqrt_2pi<T> * math::exp(T(-0.5) * x * x))
WEFT_UNARY(log_ndtr,  Floating, math::log_ndtr(x),    math::inv_sqrt_2pi<T> * math::exp(T(-0.5) * x * x - y))
WEFT_UNARY(ndtri,     Floating, math::ndtri(x),       math::exp(T(0.5) * y * y) / math::inv_sqrt_2pi<T>)

WEFT_UNARY(j0,        Floating, math::j0(x),          -math::j1(x))
WEFT_UNARY(j1,        Floating, math::j1(x),          x == 0 ? T(0.5) : math::j0(x) - y / x)
WEFT_UNARY(y0,        Floating, math::y0(x),          -math::y1(x))
WEFT_UNARY(y1,        Floating, math::y1(x),          math::y0(x) - y / x)
WEFT_UNARY(i0,        Floating, math::i0(x),          math::i1(x))
WEFT_UNARY(i0e,       Floating, math::i0e(x),         math::i1e(x) - math::sign(x) * y)
WEFT_UNARY(i1,        Floating, math::i1(x),          x == 0 ? T(0.5) : math::i0(x) - y / x)
WEFT_UNARY(i1e,       Floating, math::i1e(x),         x == 0 ? T(0.5) : math::i0e(x) - y * (math::sign(x) + T(1) / x))
WEFT_UNARY(k0,        Floating, math::k0(x),          -math::k1(x))
WEFT_UNARY(k0e,       Floating, math::k0e(x),         y - math::k1e(x))
WEFT_UNARY(k1,        Floating, math::k1(x),          -math::k0(x) - y / x)
WEFT_UNARY(k1e,       Floating, math::k1e(x),         y - math::k0e(x) - y / x)

//          name      domain    value                    derivatives (z is the value)
WEFT_BINARY(beta,      Floating, math::beta(x, y),       z * (math::digamma(x) - math::digamma(x + y)), z * (math::digamma(y) - math::digamma(x + y)))
WEFT_BINARY(lbeta,     Floating, math::lbeta(x, y),      math::digamma(x) - math::digamma(x + y), math::digamma(y) - math::digamma(x + y))
WEFT_BINARY(gammainc,  Floating, math::gammainc(x, y),   none, math::gammainc_slope(x, y))
WEFT_BINARY(gammaincc, Floating, math::gammaincc(x, y),  none, -math::gammainc_slope(x, y))
WEFT_BINARY(zeta,      Floating, math::zeta(x, y),       none, -x * math::zeta(x + T(1), y))
WEFT_BINARY(rel_entr,  Floating, math::rel_entr(x, y),   math::log(x / y) + T(1), -x / y)
WEFT_BINARY(kl_terms,  Floating, math::kl_div(x, y),     math::log(x / y), T(1) - x / y)
WEFT_BINARY(xlog1py,   Floating, math::xlog1py(x, y),    x == 0 && y <= -1 ? T(0) : math::log1p(y), x / (T(1) + y))

//           name     domain    value                     derivatives (v is the value)
WEFT_TERNARY(betainc, Floating, math::betainc(x, y, z),   none, none, math::betainc_slope(x, y, z))
WEFT_TERNARY(hypot3,  Floating, math::hypot3(x, y, z),    v == 0 ? T(0) : x / v, v == 0 ? T(0) : y / v, v == 0 ? T(0) : z / v)
// clang-format on

namespace weft {

namespace op {
/// The derivative number n of digamma.
struct polygamma {
  using domain = Floating;
  static constexpr const char* text = "polygamma";
  static constexpr int arity = 1;
  int n = 0;

  template <class T>
  WEFT_HD constexpr T value(T x) const {
    return math::polygamma(n, x);
  }
  template <int, class T, class Y>
  WEFT_HD constexpr T derivative(T x, Y) const {
    return math::polygamma(n + 1, x);
  }
};
}  // namespace op

template <ExpressionLike X>
auto polygamma(int n, X&& x) {
  if (n < 0) fail<ValueError>("polygamma", "n = ", n, ", expected at least 0");
  return lift(op::polygamma{n}, static_cast<X&&>(x));
}
/// hypot3 as C++'s std::hypot of three numbers.
template <class X, class Y, class Z>
  requires OperandsOrMistakes<X, Y, Z>
auto hypot(X&& x, Y&& y, Z&& z) {
  return hypot3(static_cast<X&&>(x), static_cast<Y&&>(y), static_cast<Z&&>(z));
}
/// logit of x, first clamped to epsilon and 1 - epsilon.
template <ExpressionLike X>
auto logit(X&& x, double epsilon) {
  return logit(clamp(static_cast<X&&>(x), epsilon, 1 - epsilon));
}
/// The logarithm of the multivariate gamma function of dimension n, for x > (n - 1) / 2.
template <ExpressionLike X>
auto multigammaln(const X& x, int n) {
  if (n < 1) fail<ValueError>("multigammaln", "dimension ", n, ", expected at least 1");
  using R = typename detail::Evaluated<decltype(lgamma(x) + 0.0)>::type;
  R sum(lgamma(x) + 0.25 * n * (n - 1) * 1.1447298858494001741);  // log(pi)
  for (int i = 1; i < n; ++i) sum = R(sum + lgamma(x - 0.5 * i));
  return sum;
}

}  // namespace weft
