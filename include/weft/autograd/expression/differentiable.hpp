// Whether every operation on the way from an expression's Vars to its value has a derivative.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/without_vars.hpp"
#include "weft/ops/elementwise/unary.hpp"

namespace weft::autograd {

/// Whether an operation on numbers of types Cs says how a gradient reaches its argument I.
/// Operations with integer values end the path.
template <int I, class Op, class... Cs>
constexpr bool passes_gradient() {
  using Y = weft::detail::value_of_t<Op, Cs...>;
  if constexpr (!(is_floating<Y> || is_complex<Y> || is_small<Y>) || std::is_same_v<Op, op::conj> ||
                requires(const Op& op, Y y, Cs... xs) { op.template vjp<I>(y, xs..., y); }) {
    return true;
  } else if constexpr (requires(const Op& op, Y y, Cs... xs) {
                         op.template derivative<I>(xs..., y);
                       }) {
    return !std::is_same_v<decltype(std::declval<const Op&>().template derivative<I>(
                               std::declval<Cs>()..., std::declval<Y>())),
                           op::NotDifferentiable>;
  } else {
    return false;
  }
}

/// The same for an expression; nodes that are not element-wise have rules, or a compile error of
/// their own.
template <class E>
inline constexpr bool is_differentiable = true;

namespace detail {
template <class Op, class... Args, std::size_t... I>
constexpr bool all_pass(std::index_sequence<I...>) {
  return ((!has_var<Args> ||
           (is_differentiable<Args> &&
            passes_gradient<static_cast<int>(I), Op, compute_t<typename Args::value_type>...>())) &&
          ...);
}
}  // namespace detail

template <class T, class Op, class... Args>
  requires(has_var<Args> || ...)
inline constexpr bool is_differentiable<Map<T, Op, Args...>> =
    detail::all_pass<Op, Args...>(std::index_sequence_for<Args...>{});
/// For complex numbers, operations whose derivative is one number for each element.
template <class R, class E>
inline constexpr bool is_differentiable<Reduce<R, E>> = is_differentiable<E> &&
                                                        (!is_complex<typename E::value_type> ||
                                                         std::is_same_v<R, reducer::sum> ||
                                                         std::is_same_v<R, reducer::mean>);

/// True, or a compile error that says what to write.
template <class E>
constexpr bool can_differentiate() {
  static_assert(is_differentiable<E>,
                "weft: an operation in this statement has no derivative: write x.detach() for its "
                "operand, or give a function object of map() a member derivative<I>(x..., y)");
  return is_differentiable<E>;
}

}  // namespace weft::autograd
