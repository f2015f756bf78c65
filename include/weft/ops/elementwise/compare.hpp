// Comparisons, tests of special values and logic: the operations that give bool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <utility>

#include "weft/ops/elementwise/table.hpp"

// clang-format off
//          name         domain   value                                  derivatives
WEFT_BINARY(eq,          Any,     x == y,                                none, none)
WEFT_BINARY(ne,          Any,     x != y,                                none, none)
WEFT_BINARY(lt,          Ordered, x < y,                                 none, none)
WEFT_BINARY(le,          Ordered, x <= y,                                none, none)
WEFT_BINARY(gt,          Ordered, x > y,                                 none, none)
WEFT_BINARY(ge,          Ordered, x >= y,                                none, none)

WEFT_BINARY(logical_and, Bool,    x && y,                                none, none)
WEFT_BINARY(logical_or,  Bool,    x || y,                                none, none)
WEFT_BINARY(logical_xor, Bool,    x != y,                                none, none)
WEFT_UNARY(logical_not,  Bool,    !x,                                    none)

WEFT_UNARY(isnan,        Any,     math::is_nan(x),                       none)
WEFT_UNARY(isinf,        Any,     math::is_inf(x),                       none)
WEFT_UNARY(isfinite,     Any,     !math::is_nan(x) && !math::is_inf(x),  none)

WEFT_OPERATOR(==, eq)
WEFT_OPERATOR(!=, ne)
WEFT_OPERATOR(<,  lt)
WEFT_OPERATOR(<=, le)
WEFT_OPERATOR(>,  gt)
WEFT_OPERATOR(>=, ge)
WEFT_OPERATOR(&&, logical_and)  // both sides are computed: there is no short circuit
WEFT_OPERATOR(||, logical_or)
// clang-format on

namespace weft {

namespace op {
/// A comparison of integers with a number, which is also defined for numbers that their type cannot
/// hold.
template <class Op>
struct with_any_number : Op {
  bool outside;
  bool answer;
  template <class T>
  WEFT_HD WEFT_INLINE constexpr bool value(T x, T y) const {
    return outside ? answer : Op::value(x, y);
  }
};
}  // namespace op

namespace detail {
template <class Op>
inline constexpr bool is_comparison =
    std::is_same_v<Op, op::eq> || std::is_same_v<Op, op::ne> || std::is_same_v<Op, op::lt> ||
    std::is_same_v<Op, op::le> || std::is_same_v<Op, op::gt> || std::is_same_v<Op, op::ge>;
template <class Op>
inline constexpr bool is_comparison<op::with_any_number<Op>> = true;
template <class C, class Op, class T, class D, class U>
inline constexpr bool compares_number<Map<C, Op, Tensor<T, D>, Scalar<U>>> = is_comparison<Op>;
template <class C, class Op, class T, class D, class U>
inline constexpr bool compares_number<Map<C, Op, Scalar<U>, Tensor<T, D>>> = is_comparison<Op>;
/// x(i, j) > v && x(i, j) < w, good && x(i, j) > v
template <class E>
inline constexpr bool compares_number<Scalar<E>> = is_bool<E>;
template <class C, class A, class B>
inline constexpr bool compares_number<Map<C, op::logical_and, A, B>> =
    compares_number<A>&& compares_number<B>;
template <class C, class A, class B>
inline constexpr bool compares_number<Map<C, op::logical_or, A, B>> =
    compares_number<A>&& compares_number<B>;
template <class C, class A>
inline constexpr bool compares_number<Map<C, op::logical_not, A>> = compares_number<A>;
}  // namespace detail

template <ExpressionLike X>
constexpr auto operator!(X&& x) {
  return lift(op::logical_not{}, static_cast<X&&>(x));
}

namespace detail {
template <class C, class Op, class T, class D, class U>
inline constexpr bool compares_number<Map<C, op::with_any_number<Op>, Tensor<T, D>, Scalar<U>>> =
    true;
template <class C, class Op, class T, class D, class U>
inline constexpr bool compares_number<Map<C, op::with_any_number<Op>, Scalar<U>, Tensor<T, D>>> =
    true;

/// Whether numbers of type N can exceed the integers of X.
template <class X, class N>
inline constexpr bool goes_beyond = false;
template <Expression X, Number N>
  requires(is_integer<typename X::value_type>&& is_integer<element_of_t<N>>&& decides<X>)
inline constexpr bool goes_beyond<X, N> =
    !std::in_range<typename X::value_type>(std::numeric_limits<element_of_t<N>>::max()) ||
    !std::in_range<typename X::value_type>(std::numeric_limits<element_of_t<N>>::lowest());

template <class Op, class X, class Y>
  requires is_comparison<Op>
inline constexpr bool compares_beyond<Op, X, Y> = goes_beyond<X, Y> || goes_beyond<Y, X>;

template <class Op, class X, class Y>
constexpr auto lift_beyond(Op, X&& x, Y&& y) {
  if constexpr (Expression<std::remove_cvref_t<X>>) {
    using T = element_of_t<X>;
    const bool outside = !std::in_range<T>(y);
    const bool answer = Op::value(0, math::is_negative(y) ? -1 : 1);
    return lift(op::with_any_number<Op>{{}, outside, answer}, static_cast<X&&>(x),
                outside ? T(0) : static_cast<T>(y));
  } else {
    using T = element_of_t<Y>;
    const bool outside = !std::in_range<T>(x);
    const bool answer = Op::value(math::is_negative(x) ? -1 : 1, 0);
    return lift(op::with_any_number<Op>{{}, outside, answer}, outside ? T(0) : static_cast<T>(x),
                static_cast<Y&&>(y));
  }
}
}  // namespace detail

}  // namespace weft
