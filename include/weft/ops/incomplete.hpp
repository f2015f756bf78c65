// Calls that lack an operand, or have operands in another library's order: each says what to write.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/axes.hpp"
#include "weft/tensor/tensor.hpp"

// Each gives a tensor, so that what follows in the program has no further errors.

namespace weft {

namespace detail {
/// What a function object has and an operand does not.
template <class F>
concept Callable = !ExpressionLike<F> && !NumberLike<F> && std::is_class_v<F>;
}  // namespace detail

template <ExpressionLike X, class... Rest>
Tensor<float> einsum(const X&, const Rest&...) {
  static_assert(detail::always_false<X>,
                "weft: einsum takes the formula first: write einsum(\"ij,jk->ik\", x, y)");
  return {};
}
template <ExpressionLike X>
Tensor<float> cast(const X&) {
  static_assert(detail::always_false<X>, "weft: cast needs a type: write cast<double>(x)");
  return {};
}
template <ExpressionLike X, ExpressionLike I>
Tensor<float> gather(const X&, const I&) {
  static_assert(detail::always_false<X>,
                "weft: gather needs the axis of the indices: write gather(x, i, axis(n))");
  return {};
}
template <ExpressionLike X, ExpressionLike I, class S>
  requires(!std::is_same_v<I, Axes>)
Tensor<float> scatter(const X&, const I&, const S&) {
  static_assert(detail::always_false<X>,
                "weft: scatter needs the axis of the indices: write "
                "scatter(x, axis(n), i, source)");
  return {};
}
template <ExpressionLike X>
Tensor<float> topk(const X&) {
  static_assert(detail::always_false<X>,
                "weft: topk needs a count: write topk(x, k), topk(x, k, axis(n))");
  return {};
}
template <class T = float, NumberLike A, NumberLike B>
Tensor<float> linspace(A, B) {
  static_assert(detail::always_false<A>,
                "weft: linspace needs the number of values: write linspace(start, stop, n)");
  return {};
}
template <ExpressionLike X>
Tensor<float> conv2d(const X&) {
  static_assert(detail::always_false<X>,
                "weft: conv2d takes filters too: write conv2d(x, weight), weight of shape "
                "(out, in, height, width)");
  return {};
}
template <ExpressionLike X, detail::Callable F, class... Rest>
Tensor<float> map(const X&, const F&, const Rest&...) {
  static_assert(detail::always_false<X>,
                "weft: map takes the function first: write map(f, x), map(f, x, y)");
  return {};
}
template <class T = float, MistakenOperand X, class... Rest>
Tensor<float> arange(const X&, const Rest&...) {
  static_assert(detail::always_false<X>,
                "weft: arange takes numbers: write arange(n), arange(start, stop, step)");
  return {};
}

}  // namespace weft
