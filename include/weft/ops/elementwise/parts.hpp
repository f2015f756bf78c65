// Rounding to decimals, operations with two results (divmod, modf, frexp), complex as pairs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/cast.hpp"
#include "weft/ops/elementwise/more.hpp"

namespace weft {

/// x rounded to the given number of decimal places, half to even; negative counts round to the left
/// of the decimal point.
template <ExpressionLike X>
auto round(X&& x, int decimals) {
  double scale = 1;
  for (int i = 0; i < (decimals < 0 ? -decimals : decimals); ++i) scale *= 10;
  return lift(op::round_decimals{scale, decimals < 0}, static_cast<X&&>(x));
}
/// Two expressions over the same operands: `auto [q, r] = divmod(x, y)`. Each may stand in a larger
/// expression; `tie(a, b) = fuse(q, r)` computes both in one pass.
template <class A, class B>
struct Parts {
  A first;
  B second;
};
template <class A, class B>
Parts(A, B) -> Parts<A, B>;

/// {floor_divide(x, y), remainder(x, y)}, as Python's divmod.
template <class X, class Y>
  requires OperandsOrMistakes<X, Y>
auto divmod(const X& x, const Y& y) { return Parts{floor_divide(x, y), remainder(x, y)}; }
/// {fraction, trunc(x)}, as C's modf: the fraction has the sign of x, and is 0 for infinities.
template <ExpressionLike X>
auto modf(const X& x) {
  return Parts{lift(op::modf_fraction{}, x), trunc(x)};
}
/// {fraction in [1/2, 1), exponent as int32} with x = fraction 2^exponent.
template <ExpressionLike X>
auto frexp(const X& x) {
  return Parts{lift(op::frexp_fraction{}, x), lift(op::frexp_exponent{}, detail::detached(x))};
}
/// x / y with the given rounding: div<Rounding::floor>(x, y).
template <Rounding How, class X, class Y>
  requires OperandsOrMistakes<X, Y>
auto div(X&& x, Y&& y) {
  if constexpr (How == Rounding::floor) {
    return floor_divide(static_cast<X&&>(x), static_cast<Y&&>(y));
  } else {
    return trunc_divide(static_cast<X&&>(x), static_cast<Y&&>(y));
  }
}

/// div with the rounding as an argument: div(x, y, Rounding::trunc).
template <class X, class Y>
  requires OperandsOrMistakes<X, Y>
auto div(X&& x, Y&& y, Rounding how) {
  return lift(op::div_rounded{how}, static_cast<X&&>(x), static_cast<Y&&>(y));
}

namespace detail {
/// An operand's elements as To; a number unchanged, since it takes that type anyway.
template <class To, class X>
auto widened_to(const X& x) {
  if constexpr (ExpressionLike<X>) {
    return cast<To>(x);
  } else {
    return x;
  }
}
/// Whether the elements, or the number, are integers or bool.
template <class X>
inline constexpr bool counts_or_flags =
    !is_floating<element_of_t<X>> && !is_complex<element_of_t<X>>;
}  // namespace detail

/// x / y; integers are divided as doubles.
template <class X, class Y>
  requires OperandsOrMistakes<X, Y>
auto true_divide(const X& x, const Y& y) {
  if constexpr (detail::counts_or_flags<X> && detail::counts_or_flags<Y>) {
    return detail::widened_to<double>(x) / detail::widened_to<double>(y);
  } else {
    return x / y;
  }
}
/// pow in double, or complex<double>, of operands of any type.
template <class X, class Y>
  requires OperandsOrMistakes<X, Y>
auto float_power(const X& x, const Y& y) {
  using To =
      std::conditional_t<is_complex<detail::element_of_t<X>> || is_complex<detail::element_of_t<Y>>,
                         complex<double>, double>;
  return pow(detail::widened_to<To>(x), detail::widened_to<To>(y));
}

/// deg2rad under NumPy's other name.
template <ExpressionLike X>
auto radians(X&& x) {
  return deg2rad(static_cast<X&&>(x));
}
/// rad2deg under NumPy's other name.
template <ExpressionLike X>
auto degrees(X&& x) {
  return rad2deg(static_cast<X&&>(x));
}
/// clamp under NumPy's and PyTorch's other name.
template <ExpressionLike X, OperandOrMistake Low, OperandOrMistake High>
auto clip(const X& x, const Low& low, const High& high) {
  return clamp(x, low, high);
}

/// A complex tensor's elements as pairs of real and imaginary parts along a new last axis: a view.
template <class R, Device D>
Tensor<R, D> view_as_real(const Tensor<complex<R>, D>& z) {
  Shape shape = z.shape();
  Strides strides = z.strides();
  for (int i = 0; i < strides.rank(); ++i) strides[i] *= 2;
  shape.push_back(2);
  strides.push_back(1);
  return detail::Access::make<R, D>(detail::Access::storage(z), reinterpret_cast<R*>(z.data()),
                                    shape, strides);
}
/// view_as_real of an expression, which is evaluated first.
template <Expression X>
  requires(!TensorLike<X> && is_complex<typename X::value_type>)
auto view_as_real(const X& z) { return view_as_real(z.eval()); }
/// The inverse of view_as_real: a view of a tensor whose last axis holds the two parts.
template <class R, Device D>
  requires(std::is_same_v<R, float> || std::is_same_v<R, double>)
Tensor<complex<R>, D> view_as_complex(const Tensor<R, D>& x) {
  const int last = x.rank() - 1;
  bool fits = last >= 0 && x.shape()[last] == 2 && x.strides()[last] == 1 &&
              reinterpret_cast<std::uintptr_t>(x.data()) % sizeof(complex<R>) == 0;
  Shape shape;
  Strides strides;
  for (int i = 0; i < last; ++i) {
    fits = fits && (x.strides()[i] % 2 == 0 || x.shape()[i] == 1);
    shape.push_back(x.shape()[i]);
    strides.push_back(x.strides()[i] / 2);
  }
  if (!fits) {
    fail<ShapeError>("view_as_complex", "shape ", x.shape(), " with strides ", x.strides(),
                     ", expected a last axis of 2 parts side by side: write x.contiguous()");
  }
  return detail::Access::make<complex<R>, D>(
      detail::Access::storage(x), reinterpret_cast<complex<R>*>(x.data()), shape, strides);
}

}  // namespace weft
