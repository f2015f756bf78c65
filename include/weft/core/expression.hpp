// What an expression is: it has an element type, a device, a shape, and can be lowered.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "weft/core/device.hpp"
#include "weft/core/dtype.hpp"
#include "weft/core/pack.hpp"

namespace weft {

template <class T, Device D>
class Tensor;

/// A value that has a shape and gives an element at each coordinate; tensors are expressions.
template <class E>
concept Expression = requires {
  typename E::value_type;
  typename E::device_type;
  requires E::is_expression;
};

/// An expression, or a reference to one.
template <class E>
concept ExpressionLike = Expression<std::remove_cvref_t<E>>;

template <class X>
concept NumberLike = Number<std::remove_cvref_t<X>>;

/// An expression that stands for another one, node(): it adds what is possible where it is written
/// (conversion to a number, assignment); inside a larger expression it is replaced by that node.
template <class E>
concept StandIn = Expression<E> && requires(const E& e) {
  typename E::node_type;
  e.node();
};

/// Operands of one operation: expressions and plain numbers, at least one of them an expression.
template <class... Xs>
concept OperandsOf = (ExpressionLike<Xs> || ...) && ((ExpressionLike<Xs> || NumberLike<Xs>)&&...);

/// What is easily mistaken for an operand: text, containers, pointers, and numbers of other types.
template <class X>
concept MistakenOperand =
    !ExpressionLike<X> && !NumberLike<X> &&
    (std::is_scalar_v<std::remove_cvref_t<X>> || std::is_array_v<std::remove_cvref_t<X>> ||
     ForeignComplex<std::remove_cvref_t<X>> || requires(const std::remove_cvref_t<X>& x) {
       x.begin();
       x.end();
     });

/// An operand, or a mistake that is taken only to say in one line what is wrong with it.
template <class X>
concept OperandOrMistake = ExpressionLike<X> || NumberLike<X> || MistakenOperand<X>;

template <class... Xs>
concept OperandsOrMistakes = (ExpressionLike<Xs> || ...) && (OperandOrMistake<Xs> && ...);

namespace detail {
template <class E>
inline constexpr bool is_tensor = false;
template <class T, class D>
inline constexpr bool is_tensor<Tensor<T, D>> = true;

template <class E>
struct NodeOfExpression {
  using type = E;
};
template <StandIn E>
struct NodeOfExpression<E> {
  using type = typename E::node_type;
};
/// The type of what an expression stands for: itself, unless it is a StandIn.
template <class E>
using node_t = typename NodeOfExpression<std::remove_cvref_t<E>>::type;

/// What an expression stands for.
template <class E>
constexpr decltype(auto) node(E&& e) {
  if constexpr (StandIn<std::remove_cvref_t<E>>) {
    return static_cast<E&&>(e).node();
  } else {
    return static_cast<E&&>(e);
  }
}

/// Makes a static_assert depend on a template parameter.
template <class...>
inline constexpr bool always_false = false;
}  // namespace detail

/// A tensor itself, not an expression still to be evaluated.
template <class X>
concept TensorLike = detail::is_tensor<std::remove_cvref_t<X>>;

}  // namespace weft
