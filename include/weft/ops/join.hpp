// cat and stack: tensors one after the other along an axis.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/joined.hpp"

namespace weft {

namespace detail {
/// The parts, followed by one more.
template <class X>
Pack<X> appended(const Pack<>&, const X& x) {
  return {x, {}};
}
template <class Head, class... Tail, class X>
auto appended(const Pack<Head, Tail...>& parts, const X& x) {
  return Pack<Head, Tail..., X>{parts.head, appended(parts.tail, x)};
}

/// The values of what is joined, shapes and axis checked; f(part, place) for each and its view.
template <class T, class D, class Parts, class F>
Tensor<T, D> join(const char* operation, const Parts& parts, const Axes& axes, const F& f) {
  if (parts.empty()) fail<ValueError>(operation, "no tensors, expected at least one");
  const int axis = one_axis(operation, axes, parts[0].rank());
  std::vector<Shape> shapes;
  for (const auto& part : parts) shapes.push_back(part.shape());
  const auto out = empty<T>(joined_shape(operation, shapes, axis), parts[0].device());
  if constexpr (joins_at_once<D> && std::is_same_v<typename Parts::value_type, Tensor<T, D>>) {
    JoinerOf<D> joiner(axis, sizeof(T));
    for (const Shape& shape : shapes) joiner.name(shape);
    if (joiner.suits()) {
      for (const auto& part : parts) joiner.add(part);
      joiner.write(operation, out);
      return out;
    }
  }
  int64_t at = 0;
  for (const auto& part : parts) {
    f(part, out.narrow(axis, at, part.shape()[axis]));
    at += part.shape()[axis];
  }
  return out;
}
template <class T, class D, class A>
Tensor<T, D> stacked(const std::vector<Tensor<T, D>>& parts, const A& axis) {
  if (parts.empty()) fail<ValueError>("stack", "no tensors, expected at least one");
  for (const auto& part : parts) {
    if (!(part.shape() == parts[0].shape())) {
      fail<ShapeError>("stack", "shapes ", parts[0].shape(), " and ", part.shape(),
                       ", expected equal shapes");
    }
  }
  const int at = one_axis("stack", axis, parts[0].rank() + 1);
  std::vector<Tensor<T, D>> raised;
  for (const auto& part : parts) raised.push_back(part.unsqueeze(at));
  return join<T, D>("stack", raised, weft::axis(at),
                    [](const auto& part, const auto& place) { place.assign(part); });
}

/// Accepts a braced list with expressions of different types, to say what to write instead.
struct MixedPart {
  template <class X>
  MixedPart(const X&) {}
};
/// Whether the parts in a braced list have the same type.
template <class A>
constexpr bool are_parts() {
  static_assert(always_false<A>,
                "weft: braces hold tensors, or expressions, of one type: write cat(a, b * 2, "
                "axis(0)), stack(a, b * 2, axis(0)) for several");
  return false;
}

/// The values of the expressions; the last argument is an axis.
template <class V, class F, class X, class... Rest>
auto with_parts(std::vector<V>& values, const F& f, const X& x, const Rest&... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return f(values, x);
  } else {
    constexpr bool fits = requires { V(x); };
    static_assert(ExpressionLike<X>, "weft: cat and stack take tensors, and the axis(n) last");
    if constexpr (ExpressionLike<X> && fits) values.push_back(V(x));
    return with_parts(values, f, rest...);
  }
}
}  // namespace detail

/// Concatenates tensors along one of their axes, axis(0) by default; their other sizes must be
/// equal.
template <class T, Device D, class A = Axes>
Tensor<T, D> cat(const std::vector<Tensor<T, D>>& parts, const A& axis = {0}) {
  if constexpr (detail::is_axis<A>()) {
    return detail::join<T, D>("cat", parts, axis,
                              [](const auto& part, const auto& place) { place.assign(part); });
  }
  return {};
}

/// Stacks tensors of the same shape along a new axis, axis(0) by default.
template <class T, Device D, class A = Axes>
Tensor<T, D> stack(const std::vector<Tensor<T, D>>& parts, const A& axis = {0}) {
  if constexpr (detail::is_axis<A>()) return detail::stacked(parts, axis);
  return {};
}

/// cat({a, b}, axis(0)): tensors, Vars or expressions of one type.
template <Expression E, class A = Axes>
auto cat(std::initializer_list<E> parts, const A& axis = {0}) {
  std::vector<typename detail::Evaluated<E>::type> values;
  for (const E& part : parts) values.push_back(part.eval());
  return cat(values, axis);
}
template <Expression E, class A = Axes>
auto stack(std::initializer_list<E> parts, const A& axis = {0}) {
  std::vector<typename detail::Evaluated<E>::type> values;
  for (const E& part : parts) values.push_back(part.eval());
  return stack(values, axis);
}
template <class A = Axes>
Tensor<float> cat(std::initializer_list<detail::MixedPart>, const A& = {}) {
  detail::are_parts<A>();
  return {};
}
template <class A = Axes>
Tensor<float> stack(std::initializer_list<detail::MixedPart>, const A& = {}) {
  detail::are_parts<A>();
  return {};
}

namespace detail {
/// The node that joins the parts; the last argument is an axis.
template <class K, class... Ps, class X, class... Rest>
auto joined_node(const Pack<Ps...>& parts, const X& x, const Rest&... rest) {
  if constexpr (sizeof...(Rest) == 0) {
    return Joined<K, Ps...>(x, parts);
  } else {
    using E = operand_t<typename std::remove_cvref_t<X>::value_type, X>;
    const E part = AsOperand<typename E::value_type, void>{}(x);
    return joined_node<K>(appended(parts, part), rest...);
  }
}

/// Whether what is joined ends with axis(n) and has one element type before it; if not, one compile
/// error that says what to write.
template <class X, class... Rest>
constexpr bool can_join() {
  using Last = typename decltype((std::type_identity<X>{}, ..., std::type_identity<Rest>{}))::type;
  constexpr bool ends = std::is_same_v<Last, Axes>;
  static_assert(ends,
                "weft: cat and stack take the axis last, or tensors in braces: write "
                "cat(a, b, axis(0)), cat({a, b})");
  constexpr int parts = (0 + ... + (ExpressionLike<Rest> ? 1 : 0));
  constexpr bool expressions = parts + 1 == static_cast<int>(sizeof...(Rest));
  static_assert(expressions || !ends, "weft: cat and stack take tensors, and the axis(n) last");
  constexpr bool same = ([] {
    if constexpr (ExpressionLike<Rest>) {
      return std::is_same_v<typename Rest::value_type, typename X::value_type>;
    } else {
      return true;
    }
  }() && ...);
  static_assert(same || !ends || !expressions,
                "weft: cat and stack join one element type: write cast<T>(x)");
  return ends && expressions && same;
}

template <class... Rest>
inline constexpr bool ends_with_part =
    ExpressionLike<typename decltype((..., std::type_identity<Rest>{}))::type>;

template <class... Xs>
inline constexpr bool any_var = ([] {
  if constexpr (ExpressionLike<Xs>) {
    return has_var<Xs>;
  } else {
    return false;
  }
}() || ...);

/// The Var that an expression with one among X and the rest becomes.
template <class X, class... Rest>
auto value_among() {
  if constexpr (any_var<X> || sizeof...(Rest) == 0) {
    return std::type_identity<typename Evaluated<X>::type>{};
  } else {
    return value_among<Rest...>();
  }
}
template <class... Xs>
using var_among = typename decltype(value_among<Xs...>())::type;
}  // namespace detail

/// cat(a, b * 2, axis(0)): tensors or expressions, then the axis, axis(0) by default. It is an
/// expression itself: each part is computed directly in its place, parts of one shape in one
/// kernel. With a Var it gives a Var.
template <ExpressionLike X, class Y, class... Rest>
auto cat(const X& x, const Y& y, const Rest&... rest) {
  if constexpr (detail::ends_with_part<Y, Rest...>) {
    return cat(x, y, rest..., Axes{0});
  } else if constexpr (!detail::can_join<X, Y, Rest...>()) {
    return Tensor<float>{};
  } else if constexpr (detail::any_var<X, Y, Rest...>) {
    std::vector<detail::var_among<X, Y, Rest...>> values;
    return detail::with_parts(
        values, [](const auto& parts, const auto& axis) { return cat(parts, axis); }, x, y,
        rest...);
  } else {
    return detail::joined_node<joining::cat>(Pack<>{}, x, y, rest...);
  }
}
/// stack(a, b * 2, axis(0)): the same along a new axis.
template <ExpressionLike X, class Y, class... Rest>
auto stack(const X& x, const Y& y, const Rest&... rest) {
  if constexpr (detail::ends_with_part<Y, Rest...>) {
    return stack(x, y, rest..., Axes{0});
  } else if constexpr (!detail::can_join<X, Y, Rest...>()) {
    return Tensor<float>{};
  } else if constexpr (detail::any_var<X, Y, Rest...>) {
    std::vector<detail::var_among<X, Y, Rest...>> values;
    return detail::with_parts(
        values, [](const auto& parts, const auto& axis) { return stack(parts, axis); }, x, y,
        rest...);
  } else {
    return detail::joined_node<joining::stack>(Pack<>{}, x, y, rest...);
  }
}

}  // namespace weft
