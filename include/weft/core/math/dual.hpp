// math: the elementary functions of Dual numbers, and the chain rule for every operation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/elementary.hpp"
#include "weft/core/math/gamma.hpp"

namespace weft::math {

// clang-format off
// Constants of a Dual are its number type's: kernels may read those, but not an object of class
// type.
template <class T> inline constexpr T infinity<Dual<T>>         = infinity<T>;
template <class T> inline constexpr T nan<Dual<T>>              = nan<T>;
template <class T> inline constexpr T pi<Dual<T>>               = pi<T>;
template <class T> inline constexpr T ln2<Dual<T>>              = ln2<T>;
template <class T> inline constexpr T ln10<Dual<T>>             = ln10<T>;
template <class T> inline constexpr T log2e<Dual<T>>            = log2e<T>;
template <class T> inline constexpr T log10e<Dual<T>>           = log10e<T>;
template <class T> inline constexpr T inv_sqrt2<Dual<T>>        = inv_sqrt2<T>;
template <class T> inline constexpr T two_over_sqrt_pi<Dual<T>> = two_over_sqrt_pi<T>;
template <class T> inline constexpr T inv_sqrt_2pi<Dual<T>>     = inv_sqrt_2pi<T>;
// clang-format on

/// The tangent of a function's value for an argument with this tangent. A tangent of 0 contributes
/// nothing even where the derivative is infinite or undefined, as for the exponent of pow(x, 2)
/// with x < 0.
template <class T>
WEFT_HD constexpr T moved(T derivative, T tangent) {
  return tangent == 0 ? T(0) : derivative * tangent;
}

namespace detail {
template <int I, class Op, class T, class Y>
WEFT_HD constexpr T partial(const Op&, T, Y) {
  return T(0);
}
template <int I, class Op, class T, class Y, class... Ts>
WEFT_HD constexpr T partial(const Op& op, T tangent, Y y, Ts... xs) {
  using Derivative = decltype(op.template derivative<I>(xs..., y));
  constexpr bool known = std::is_convertible_v<Derivative, T>;
  static_assert(known,
                "weft: hvp differentiates each operation twice, and this one (Op) has no "
                "derivative: write x.detach() for its operand");
  if constexpr (known) {
    return moved(static_cast<T>(op.template derivative<I>(xs..., y)), tangent);
  } else {
    return T(0);
  }
}
}  // namespace detail

/// An operation on Dual numbers by the chain rule, from its value and derivatives of plain ones.
template <class Op, class T>
WEFT_HD constexpr auto chain(const Op& op, Dual<T> x) {
  const auto y = op.value(x.value);
  if constexpr (std::is_same_v<decltype(y), const T>) {
    return Dual<T>(y, detail::partial<0>(op, x.tangent, y, x.value));
  } else {
    return y;
  }
}
template <class Op, class T>
WEFT_HD constexpr auto chain(const Op& op, Dual<T> x, Dual<T> y) {
  const auto z = op.value(x.value, y.value);
  if constexpr (std::is_same_v<decltype(z), const T>) {
    return Dual<T>(z, detail::partial<0>(op, x.tangent, z, x.value, y.value) +
                          detail::partial<1>(op, y.tangent, z, x.value, y.value));
  } else {
    return z;
  }
}
template <class Op, class T>
WEFT_HD constexpr auto chain(const Op& op, Dual<T> x, Dual<T> y, Dual<T> z) {
  const auto v = op.value(x.value, y.value, z.value);
  return Dual<T>(v, detail::partial<0>(op, x.tangent, v, x.value, y.value, z.value) +
                        detail::partial<1>(op, y.tangent, v, x.value, y.value, z.value) +
                        detail::partial<2>(op, z.tangent, v, x.value, y.value, z.value));
}

/// The function value y of x, where its slope is known.
template <class T>
WEFT_HD constexpr Dual<T> follow(Dual<T> x, T y, T slope) {
  return {y, moved(slope, x.tangent)};
}

// The functions that derivatives and reductions use; the operations themselves use chain().
// clang-format off
template <class T> WEFT_HD Dual<T> sign(Dual<T> x)    { return follow(x, sign(x.value), T(0)); }
template <class T> WEFT_HD Dual<T> floor(Dual<T> x)   { return follow(x, floor(x.value), T(0)); }
template <class T> WEFT_HD Dual<T> ceil(Dual<T> x)    { return follow(x, ceil(x.value), T(0)); }
template <class T> WEFT_HD Dual<T> round(Dual<T> x)   { return follow(x, round(x.value), T(0)); }
template <class T> WEFT_HD Dual<T> trunc(Dual<T> x)   { return follow(x, trunc(x.value), T(0)); }
template <class T> WEFT_HD Dual<T> abs(Dual<T> x)     { return follow(x, abs(x.value), sign(x.value)); }
template <class T> WEFT_HD Dual<T> sqrt(Dual<T> x)    { const T y = sqrt(x.value); return follow(x, y, T(0.5) / y); }
template <class T> WEFT_HD Dual<T> rsqrt(Dual<T> x)   { const T y = rsqrt(x.value); return follow(x, y, T(-0.5) * y / x.value); }
template <class T> WEFT_HD Dual<T> cbrt(Dual<T> x)    { const T y = cbrt(x.value); return follow(x, y, 1 / (3 * y * y)); }
template <class T> WEFT_HD Dual<T> exp(Dual<T> x)     { const T y = exp(x.value); return follow(x, y, y); }
template <class T> WEFT_HD Dual<T> exp_of_term(Dual<T> x) { const T y = exp_of_term(x.value); return follow(x, y, y); }
template <class T> WEFT_HD Dual<T> exp_of_negative(Dual<T> x) { const T y = exp_of_negative(x.value); return follow(x, y, y); }
template <class T> WEFT_HD Dual<T> exp2(Dual<T> x)    { const T y = exp2(x.value); return follow(x, y, y * ln2<T>); }
template <class T> WEFT_HD Dual<T> expm1(Dual<T> x)   { const T y = expm1(x.value); return follow(x, y, y + 1); }
template <class T> WEFT_HD Dual<T> log(Dual<T> x)     { return follow(x, log(x.value), 1 / x.value); }
template <class T> WEFT_HD Dual<T> log2(Dual<T> x)    { return follow(x, log2(x.value), log2e<T> / x.value); }
template <class T> WEFT_HD Dual<T> log10(Dual<T> x)   { return follow(x, log10(x.value), log10e<T> / x.value); }
template <class T> WEFT_HD Dual<T> log1p(Dual<T> x)   { return follow(x, log1p(x.value), 1 / (1 + x.value)); }
template <class T> WEFT_HD Dual<T> sin(Dual<T> x)     { return follow(x, sin(x.value), cos(x.value)); }
template <class T> WEFT_HD Dual<T> cos(Dual<T> x)     { return follow(x, cos(x.value), -sin(x.value)); }
template <class T> WEFT_HD Dual<T> tan(Dual<T> x)     { const T y = tan(x.value); return follow(x, y, 1 + y * y); }
template <class T> WEFT_HD Dual<T> asin(Dual<T> x)    { return follow(x, asin(x.value), rsqrt(1 - x.value * x.value)); }
template <class T> WEFT_HD Dual<T> acos(Dual<T> x)    { return follow(x, acos(x.value), -rsqrt(1 - x.value * x.value)); }
template <class T> WEFT_HD Dual<T> atan(Dual<T> x)    { return follow(x, atan(x.value), 1 / (1 + x.value * x.value)); }
template <class T> WEFT_HD Dual<T> sinh(Dual<T> x)    { return follow(x, sinh(x.value), cosh(x.value)); }
template <class T> WEFT_HD Dual<T> cosh(Dual<T> x)    { return follow(x, cosh(x.value), sinh(x.value)); }
template <class T> WEFT_HD Dual<T> tanh(Dual<T> x)    { const T y = tanh(x.value); return follow(x, y, 1 - y * y); }
template <class T> WEFT_HD Dual<T> asinh(Dual<T> x)   { return follow(x, asinh(x.value), rsqrt(x.value * x.value + 1)); }
template <class T> WEFT_HD Dual<T> acosh(Dual<T> x)   { return follow(x, acosh(x.value), rsqrt(x.value - 1) * rsqrt(x.value + 1)); }
template <class T> WEFT_HD Dual<T> atanh(Dual<T> x)   { return follow(x, atanh(x.value), 1 / (1 - x.value * x.value)); }
template <class T> WEFT_HD Dual<T> erf(Dual<T> x)     { return follow(x, erf(x.value), two_over_sqrt_pi<T> * exp(-x.value * x.value)); }
template <class T> WEFT_HD Dual<T> erfc(Dual<T> x)    { return follow(x, erfc(x.value), -two_over_sqrt_pi<T> * exp(-x.value * x.value)); }
template <class T> WEFT_HD Dual<T> lgamma(Dual<T> x)  { return follow(x, lgamma(x.value), digamma(x.value)); }
template <class T> WEFT_HD Dual<T> digamma(Dual<T> x) { return follow(x, digamma(x.value), trigamma(x.value)); }
template <class T> WEFT_HD Dual<T> trigamma(Dual<T> x) { return follow(x, trigamma(x.value), tetragamma(x.value)); }
// clang-format on

template <class T>
WEFT_HD Dual<T> pow(Dual<T> x, Dual<T> y) {
  const T z = pow(x.value, y.value);
  return {z, moved(pow_derivative_x(x.value, y.value), x.tangent) +
                 moved(pow_derivative_y(x.value, y.value, z), y.tangent)};
}
template <class T>
WEFT_HD Dual<T> pow_derivative_x(Dual<T> x, Dual<T> y) {
  return y == 0 && y.tangent == 0 ? Dual<T>(0) : y * pow(x, y - 1);
}
template <class T>
WEFT_HD Dual<T> pow_derivative_y(Dual<T> x, Dual<T> y, Dual<T> z) {
  return x == 0 && y >= 0 ? Dual<T>(0) : z * log(x);
}

}  // namespace weft::math
