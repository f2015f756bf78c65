// The free forms of a tensor's members: reshape(x, {2, 3}), permute, transpose, squeeze, ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/axes.hpp"
#include "weft/tensor/tensor.hpp"

namespace weft {

// Each calls the member of its name: a view of a tensor or Var; for an expression, a new tensor.

template <ExpressionLike X>
auto reshape(const X& x, const Shape& shape) {
  return x.reshape(shape);
}
template <ExpressionLike X>
auto permute(const X& x, const Shape& axes) {
  return x.permute(axes);
}
template <ExpressionLike X>
auto expand(const X& x, const Shape& shape) {
  return x.expand(shape);
}
template <ExpressionLike X>
auto transpose(const X& x, int64_t a, int64_t b) {
  return x.transpose(a, b);
}
/// The transposed matrix.
template <ExpressionLike X>
auto transpose(const X& x) {
  return x.t();
}
template <ExpressionLike X>
auto flatten(const X& x) {
  return x.flatten();
}
template <ExpressionLike X, class... Axis>
auto squeeze(const X& x, Axis... axis) {
  return x.squeeze(axis...);
}
template <ExpressionLike X>
auto unsqueeze(const X& x, int64_t axis) {
  return x.unsqueeze(axis);
}
template <ExpressionLike X>
auto flip(const X& x, int64_t axis) {
  return x.flip(axis);
}
/// x with the given axes reversed, by default all of them.
template <ExpressionLike X>
auto flip(const X& x, const Axes& axes) {
  auto out = x.eval();
  const unsigned mask = detail::axes_mask("flip", axes, out.rank());
  for (int i = 0; i < out.rank(); ++i) {
    if ((mask >> i & 1U) != 0) out = decltype(out)(out.flip(i));
  }
  return out;
}
template <ExpressionLike X>
auto flip(const X& x) {
  auto out = x.eval();
  for (int i = 0; i < out.rank(); ++i) out = decltype(out)(out.flip(i));
  return out;
}
template <ExpressionLike X, class... Axes>
auto diagonal(const X& x, Axes... axes) {
  return x.diagonal(axes...);
}
template <ExpressionLike X>
auto narrow(const X& x, int64_t axis, int64_t start, int64_t length) {
  return x.narrow(axis, start, length);
}
template <ExpressionLike X>
auto split(const X& x, int64_t length, int64_t axis = 0) {
  return x.split(length, axis);
}
template <ExpressionLike X>
auto chunk(const X& x, int64_t count, int64_t axis = 0) {
  return x.chunk(count, axis);
}
template <ExpressionLike X>
auto clone(const X& x) {
  return x.clone();
}
template <ExpressionLike X>
int64_t numel(const X& x) {
  return x.shape().size();
}

}  // namespace weft
