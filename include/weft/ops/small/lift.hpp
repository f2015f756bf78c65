// How operations on tensors of Small become nodes: which operands they take, and what they give.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/small.hpp"
#include "weft/ops/elementwise/map.hpp"

namespace weft {

/// An expression whose elements are Small.
template <class X>
concept SmallLike = ExpressionLike<X> && is_small<typename std::remove_cvref_t<X>::value_type>;

/// A Small itself, as an operand beside tensors.
template <class X>
concept SmallValue = is_small<std::remove_cvref_t<X>>;

/// Operands of one operation: expressions and numbers, at least one of them of Small.
template <class... Xs>
concept SmallOperands = OperandsOrMistakes<Xs...> &&(is_small<detail::element_of_t<Xs>> || ...);

namespace detail {

/// The type of the numbers that the first Small among Xs is made of.
template <class... Xs>
struct FirstNumber {
  using type = void;
};
template <class X, class... Xs>
struct FirstNumber<X, Xs...>
    : std::conditional_t<is_small<element_of_t<X>>, RealOf<element_of_t<X>>, FirstNumber<Xs...>> {};

/// What X is inside an operation on Small of T: its element, or the number as a T.
template <class T, class X>
struct SmallArgument {
  using type = T;
};
template <class T, class X>
  requires(Expression<X> || is_small<X>)
struct SmallArgument<T, X> {
  using type = element_of_t<X>;
};
template <class T, class X>
using small_argument = typename SmallArgument<T, std::remove_cvref_t<X>>::type;

template <class T, class X>
inline constexpr bool is_small_argument = ExpressionLike<X> || is_small<std::remove_cvref_t<X>>
                                              ? std::is_same_v<real_t<element_of_t<X>>, T>
                                              : std::is_arithmetic_v<std::remove_cvref_t<X>>;

template <class Op, class... Vs>
concept ComputesValue = requires(const Op& op) {
  op.value(std::declval<Vs>()...);
};

/// Whether an Op takes operands of these types.
template <class Op, class... Xs>
constexpr bool takes_small() {
  using T = typename FirstNumber<Xs...>::type;
  if constexpr ((is_small_argument<T, Xs> && ...)) {
    return ComputesValue<Op, small_argument<T, Xs>...>;
  } else {
    return false;
  }
}

/// A number as a Scalar of T, a Small as one of itself, an expression as it is.
template <class T, class X>
constexpr decltype(auto) small_operand(const char* operation, X&& x) {
  using E = std::remove_cvref_t<X>;
  if constexpr (Expression<E>) {
    return static_cast<X&&>(x);
  } else if constexpr (is_small<E>) {
    return Scalar<E>{x};
  } else {
    return Scalar<T>{checked_cast<T>(operation, x)};
  }
}

/// op(operands...) as an expression, or one compile error with the operation's rule.
template <class Op, class... Xs>
constexpr auto lift_small(Op op, Xs&&... xs) {
  if constexpr (Op::template report<takes_small<Op, Xs...>()>()) {
    using T = typename FirstNumber<Xs...>::type;
    return lift(op, small_operand<T>(Op::text, static_cast<Xs&&>(xs))...);
  } else {
    return typename FirstExpression<std::remove_cvref_t<Xs>...>::type{};
  }
}

}  // namespace detail

namespace op {
/// What the operations on Small have in common. Each has a value() for the operands that it takes,
/// and says by report<false>() which those are.
struct OfSmall {
  using domain = Any;
  static constexpr bool mixes_types = true;
};
}  // namespace op

}  // namespace weft
