// The free forms of a tensor's members: reshape(x, {2, 3}), permute, transpose, squeeze, ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/axes.hpp"
#include "weft/tensor/tensor.hpp"

namespace weft {

// Each calls the member of its name. A tensor or Var gives a view; an expression is evaluated
// first.

/// The same elements with another shape, one size of which may be -1; a view if the strides allow
/// it, otherwise a copy.
template <ExpressionLike X>
auto reshape(const X& x, const Shape& shape) {
  return x.reshape(shape);
}
/// A view with the axes in the given order: axis i of the result is axes[i] of x.
template <ExpressionLike X>
auto permute(const X& x, const Shape& axes) {
  return x.permute(axes);
}
/// A view broadcast to a shape: repeated elements share their memory; a size of -1 is kept.
template <ExpressionLike X>
auto expand(const X& x, const Shape& shape) {
  return x.expand(shape);
}
/// A view with two axes swapped.
template <ExpressionLike X>
auto transpose(const X& x, int64_t a, int64_t b) {
  return x.transpose(a, b);
}
/// The transposed matrix.
template <ExpressionLike X>
auto transpose(const X& x) {
  return x.t();
}
/// All elements as a vector in row-major order; a view if x is contiguous, otherwise a copy.
template <ExpressionLike X>
auto flatten(const X& x) {
  return x.flatten();
}
/// A view without all axes of size 1, or without the given one, whose size must be 1.
template <ExpressionLike X, class... Axis>
auto squeeze(const X& x, Axis... axis) {
  return x.squeeze(axis...);
}
/// A view with a new axis of size 1 at the given position.
template <ExpressionLike X>
auto unsqueeze(const X& x, int64_t axis) {
  return x.unsqueeze(axis);
}
/// A view with one axis reversed.
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
/// A view of the k-th diagonal of two axes, by default the main one of the last two: diagonal(x, k,
/// axis1, axis2). It becomes the last axis.
template <ExpressionLike X, class... Axes>
auto diagonal(const X& x, Axes... axes) {
  return x.diagonal(axes...);
}
/// A view of `length` elements along `axis`, from `start` on.
template <ExpressionLike X>
auto narrow(const X& x, int64_t axis, int64_t start, int64_t length) {
  return x.narrow(axis, start, length);
}
/// Views of `length` elements along `axis`; the last one may be shorter.
template <ExpressionLike X>
auto split(const X& x, int64_t length, int64_t axis = 0) {
  return x.split(length, axis);
}
/// At most `count` views of equal length along `axis`; the last one may be shorter.
template <ExpressionLike X>
auto chunk(const X& x, int64_t count, int64_t axis = 0) {
  return x.chunk(count, axis);
}
/// A copy of the elements in new, contiguous storage.
template <ExpressionLike X>
auto clone(const X& x) {
  return x.clone();
}
/// The number of elements.
template <ExpressionLike X>
int64_t numel(const X& x) {
  return x.shape().size();
}

}  // namespace weft
