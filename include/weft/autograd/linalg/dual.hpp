// Tensors of Dual elements: their two parts, products of matrices, and plain operands beside them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/linalg/matmul.hpp"

namespace weft {

namespace op {
/// The Dual of a value and a tangent.
struct dual {
  using domain = Floating;
  static constexpr const char* text = "dual";
  static constexpr int arity = 2;
  template <class T>
  WEFT_HD static constexpr Dual<T> value(T x, T tangent) {
    return {x, tangent};
  }
};
}  // namespace op

namespace autograd {

namespace detail {
/// One of the two numbers of each element, as a view.
template <class T, class D>
Tensor<T, D> part(const Tensor<Dual<T>, D>& x, int which) {
  Strides strides = x.strides();
  for (int64_t& stride : strides) stride *= 2;
  using weft::detail::Access;
  return Access::make<T, D>(Access::storage(x), reinterpret_cast<T*>(x.data()) + which, x.shape(),
                            strides);
}
}  // namespace detail

/// The values of Dual elements, as a view.
template <class T, class D>
Tensor<T, D> values(const Tensor<Dual<T>, D>& x) {
  return detail::part(x, 0);
}
/// Their tangents, as a view.
template <class T, class D>
Tensor<T, D> tangents(const Tensor<Dual<T>, D>& x) {
  return detail::part(x, 1);
}

/// The elements x with the tangents v.
template <class T, class D>
Tensor<Dual<T>, D> with_tangents(const Tensor<T, D>& x, const Tensor<T, D>& v) {
  return lift(op::dual{}, x, v);
}

}  // namespace autograd

/// Elements as another type; of Dual ones, to a floating type, the tangents go along.
template <Element To, ExpressionLike X>
  requires(is_dual<typename std::remove_cvref_t<X>::value_type>&& is_floating<To> && !is_dual<To>)
constexpr auto cast(X&& x) {
  static_assert(!is_half<To>,
                "weft: hvp computes in float or double, and this function casts to a half type");
  return cast<Dual<To>>(static_cast<X&&>(x));
}

namespace detail {
/// The product of matrices of Dual elements, from the products of their parts.
template <class K, class A, class B, class T, class D>
void multiply_duals(const Product<K, A, B>& e, const Tensor<Dual<T>, D>& target) {
  using Plane = Tensor<T, D>;
  const Tensor<Dual<T>, D> a = value_on(e.left(), target.device());
  const Tensor<Dual<T>, D> b = value_on(e.right(), target.device());
  const Plane x = autograd::values(a).clone();
  const Plane y = autograd::values(b).clone();
  const Plane product = multiply<K>(x, y);
  const Plane left = multiply<K>(autograd::tangents(a).clone(), y);
  const Plane right = multiply<K>(x, autograd::tangents(b).clone());
  target.assign(lift(op::dual{}, product, left + right));
}

template <class X, class... Xs>
concept JoinsDual = !is_dual<element_of_t<X>> && (is_dual<element_of_t<Xs>> || ...);

/// Beside Dual elements, plain ones of the same precision, a Var's too, are constants.
template <class X, class... Xs>
  requires(decides<X>&& JoinsDual<X, Xs...>)
struct Leading<X, Xs...> : Leading<Xs...> {};

template <class T, Expression X>
inline constexpr bool element_fits<Dual<T>, X> =
    std::is_same_v<element_of_t<X>, T> || std::is_same_v<element_of_t<X>, Dual<T>> || adapts<X>;

template <class T, Expression X>
  requires std::is_same_v<typename X::value_type, T>
struct OperandType<Dual<T>, X> {
  using type = Map<T, op::cast<Dual<T>>, autograd::without_vars_t<X>>;
  static type of(const X& x) { return type(op::cast<Dual<T>>{}, autograd::without_vars(x)); }
};
template <class T, class D>
struct OperandType<Dual<T>, Tensor<const T, D>> : OperandType<Dual<T>, Tensor<T, D>> {
  using typename OperandType<Dual<T>, Tensor<T, D>>::type;
  static type of(const Tensor<const T, D>& x) { return type(op::cast<Dual<T>>{}, x); }
};
}  // namespace detail

}  // namespace weft
