// cat and stack: tensors one after the other along an axis.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/ops/index/indexing.hpp"
#include "weft/tensor/factory.hpp"

namespace weft {

namespace detail {
/// The shape of tensors of the given shapes behind each other along an axis.
[[gnu::noinline]] inline Shape joined_shape(const char* operation, const std::vector<Shape>& shapes,
                                            int axis) {
  Shape out = shapes[0];
  for (std::size_t k = 1; k < shapes.size(); ++k) {
    bool fits = shapes[k].rank() == out.rank();
    for (int i = 0; fits && i < out.rank(); ++i) fits = i == axis || shapes[k][i] == out[i];
    if (!fits) {
      fail<ShapeError>(operation, "shapes ", shapes[0], " and ", shapes[k],
                       ", expected equal ones but for axis ", axis);
    }
    out[axis] += shapes[k][axis];
  }
  return out;
}

/// The values of what is joined, shapes and axis checked; f(part, place) for each and its view.
template <class T, class D, class Parts, class F>
Tensor<T, D> join(const char* operation, const Parts& parts, const Axes& axes, const F& f) {
  if (parts.empty()) fail<ValueError>(operation, "no tensors, expected one at least");
  const int axis = one_axis(operation, axes, parts[0].rank());
  std::vector<Shape> shapes;
  for (const auto& part : parts) shapes.push_back(part.shape());
  const auto out = empty<T>(joined_shape(operation, shapes, axis), parts[0].device());
  int64_t at = 0;
  for (const auto& part : parts) {
    f(part, out.narrow(axis, at, part.shape()[axis]));
    at += part.shape()[axis];
  }
  return out;
}
}  // namespace detail

namespace detail {
template <class T, class D, class A>
Tensor<T, D> stacked(const std::vector<Tensor<T, D>>& parts, const A& axis) {
  if (parts.empty()) fail<ValueError>("stack", "no tensors, expected one at least");
  for (const auto& part : parts) {
    if (!(part.shape() == parts[0].shape())) {
      fail<ShapeError>("stack", "shapes ", parts[0].shape(), " and ", part.shape(),
                       ", expected equal ones");
    }
  }
  const int at = one_axis("stack", axis, parts[0].rank() + 1);
  std::vector<Tensor<T, D>> raised;
  for (const auto& part : parts) raised.push_back(part.unsqueeze(at));
  return join<T, D>("stack", raised, weft::axis(at),
                    [](const auto& part, const auto& place) { place.assign(part); });
}

/// What braces of several types of expressions are taken for, to say what to write.
struct MixedPart {
  template <class X>
  MixedPart(const X&) {}
};
/// Whether parts in braces are of one type.
template <class A>
constexpr bool are_parts() {
  static_assert(always_false<A>,
                "weft: braces hold tensors, or expressions, of one type: write cat(a, b * 2, "
                "axis(0)), stack(a, b * 2, axis(0)) for several");
  return false;
}

/// The values of expressions, the last of the arguments being an axis.
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

/// The tensors one after the other along an axis that they have, axis(0) unless given; their other
/// axes are equal.
template <class T, Device D, class A = Axes>
Tensor<T, D> cat(const std::vector<Tensor<T, D>>& parts, const A& axis = {0}) {
  if constexpr (detail::is_axis<A>()) {
    return detail::join<T, D>("cat", parts, axis,
                              [](const auto& part, const auto& place) { place.assign(part); });
  }
  return {};
}

/// Tensors of one shape along a new axis, axis(0) unless given.
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
auto cat(std::initializer_list<detail::MixedPart>, const A& = {}) {
  detail::are_parts<A>();
}
template <class A = Axes>
auto stack(std::initializer_list<detail::MixedPart>, const A& = {}) {
  detail::are_parts<A>();
}

/// cat(a, b * 2, axis(0)): tensors and expressions of any types, each evaluated, and the axis.
template <ExpressionLike X, class Y, class... Rest>
auto cat(const X& x, const Y& y, const Rest&... rest) {
  std::vector<typename detail::Evaluated<X>::type> values;
  return detail::with_parts(
      values, [](const auto& parts, const auto& axis) { return cat(parts, axis); }, x, y, rest...);
}
template <ExpressionLike X, class Y, class... Rest>
auto stack(const X& x, const Y& y, const Rest&... rest) {
  std::vector<typename detail::Evaluated<X>::type> values;
  return detail::with_parts(
      values, [](const auto& parts, const auto& axis) { return stack(parts, axis); }, x, y,
      rest...);
}

}  // namespace weft
