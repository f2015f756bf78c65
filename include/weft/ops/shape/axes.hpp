// Axes in another order, of another size, split, joined or reversed: views of a tensor or Var.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/axes.hpp"
#include "weft/ops/views.hpp"

namespace weft {

// Views of a tensor or Var share its elements; an expression is evaluated, and its value viewed.

namespace detail {
/// Where each axis of the result comes from when `source` go to `destination`.
[[gnu::noinline]] inline Shape moved_axes(const char* operation, int rank, const Axes& source,
                                          const Axes& destination) {
  if (source.rank() != destination.rank()) {
    fail<ShapeError>(operation, "axes ", source, " to ", destination, ", expected equally many");
  }
  const unsigned taken = axes_mask(operation, source, rank);
  static_cast<void>(axes_mask(operation, destination, rank));  // throws for one named twice
  Shape order;
  for (int i = 0; i < rank; ++i) order.push_back(-1);
  for (int i = 0; i < source.rank() && rank > 0; ++i) {
    order[normalize_axis(operation, destination[i], rank)] =
        normalize_axis(operation, source[i], rank);
  }
  for (int i = 0, next = 0; i < rank; ++i) {
    if (order[i] >= 0) continue;
    while ((taken >> next & 1U) != 0) ++next;
    order[i] = next++;
  }
  return order;
}
}  // namespace detail

/// The axes `source` moved to the positions `destination`, the others in their order: movedim(x, 1,
/// -1).
template <ExpressionLike X>
auto movedim(const X& x, const Axes& source, const Axes& destination) {
  return x.eval().permute(detail::moved_axes("movedim", x.shape().rank(), source, destination));
}
/// movedim under NumPy's name.
template <ExpressionLike X>
auto moveaxis(const X& x, const Axes& source, const Axes& destination) {
  return movedim(x, source, destination);
}
/// transpose(x, a, b) under NumPy's and PyTorch's other name.
template <ExpressionLike X>
auto swapaxes(const X& x, int64_t a, int64_t b) {
  return x.eval().transpose(a, b);
}
/// transpose(x, a, b) under PyTorch's third name.
template <ExpressionLike X>
auto swapdims(const X& x, int64_t a, int64_t b) {
  return x.eval().transpose(a, b);
}
/// A new axis of size 1: unsqueeze under NumPy's name.
template <ExpressionLike X>
auto expand_dims(const X& x, int64_t axis) {
  return x.eval().unsqueeze(axis);
}
template <ExpressionLike X>
auto expand_dims(const X& x, const Axes& axis) {
  if (axis.rank() != 1) fail<IndexError>("expand_dims", "axes ", axis, ", expected one axis");
  return x.eval().unsqueeze(axis[0]);
}
/// x without the given axes, which must have size 1.
template <ExpressionLike X>
auto squeeze(const X& x, const Axes& axes) {
  auto out = x.eval();
  const unsigned mask = detail::axes_mask("squeeze", axes, out.rank());
  for (int i = out.rank() - 1; i >= 0; --i) {
    if ((mask >> i & 1U) != 0) out = decltype(out)(out.squeeze(i));
  }
  return out;
}

/// The elements as a vector: flatten under NumPy's name.
template <ExpressionLike X>
auto ravel(const X& x) {
  return x.eval().reshape({-1});
}
/// x with the axes from `first` to `last` merged into one.
template <ExpressionLike X>
auto flatten(const X& x, int64_t first, int64_t last = -1) {
  const Shape from = x.shape();
  const int rank = from.rank() > 0 ? from.rank() : 1;
  const int i = normalize_axis("flatten", first, rank);
  const int j = normalize_axis("flatten", last, rank);
  if (i > j)
    fail<ShapeError>("flatten", "axes ", first, " to ", last, " of ", from,
                     ", expected ascending axes");
  Shape to;
  for (int d = 0; d < i; ++d) to.push_back(from[d]);
  int64_t size = 1;
  for (int d = i; d <= j && d < from.rank(); ++d) size *= from[d];
  to.push_back(size);
  for (int d = j + 1; d < from.rank(); ++d) to.push_back(from[d]);
  return x.eval().reshape(to);
}
/// x with one axis split into several of the given sizes, one of which may be -1.
template <ExpressionLike X>
auto unflatten(const X& x, int64_t axis, const Shape& sizes) {
  const Shape from = x.shape();
  const int at = normalize_axis("unflatten", axis, from.rank());
  const Shape full = layout::infer("unflatten", sizes, from[at], Shape{from[at]});
  Shape to;
  for (int d = 0; d < at; ++d) to.push_back(from[d]);
  for (int64_t size : full) to.push_back(size);
  for (int d = at + 1; d < from.rank(); ++d) to.push_back(from[d]);
  return x.eval().reshape(to);
}

/// x with its rows in reverse order.
template <ExpressionLike X>
auto flipud(const X& x) {
  return flip(x, Axes{0});
}
/// x with its columns in reverse order.
template <ExpressionLike X>
auto fliplr(const X& x) {
  if (x.shape().rank() < 2) {
    fail<ShapeError>("fliplr", "shape ", x.shape(), ", expected at least 2 axes");
  }
  return flip(x, Axes{1});
}
/// x rotated by k right angles, from the first of two axes towards the second.
template <ExpressionLike X>
auto rot90(const X& x, int64_t k = 1, const Axes& axes = {0, 1}) {
  auto out = x.eval();
  if (axes.rank() != 2) fail<IndexError>("rot90", "axes ", axes, ", expected two axes");
  static_cast<void>(detail::axes_mask("rot90", axes, out.rank()));
  const auto turns = (k % 4 + 4) % 4;
  if (turns == 2) return decltype(out)(out.flip(axes[0]).flip(axes[1]));
  if (turns == 1) return decltype(out)(out.flip(axes[1]).transpose(axes[0], axes[1]));
  if (turns == 3) return decltype(out)(out.transpose(axes[0], axes[1]).flip(axes[1]));
  return out;
}

/// x with at least one axis.
template <ExpressionLike X>
auto atleast_1d(const X& x) {
  auto out = x.eval();
  return out.rank() > 0 ? out : decltype(out)(out.unsqueeze(0));
}
/// x with at least two axes; a vector becomes a row.
template <ExpressionLike X>
auto atleast_2d(const X& x) {
  auto out = atleast_1d(x);
  return out.rank() > 1 ? out : decltype(out)(out.unsqueeze(0));
}
/// x with at least three axes, placed as in NumPy: a matrix gets a new last axis.
template <ExpressionLike X>
auto atleast_3d(const X& x) {
  auto out = atleast_2d(x);
  return out.rank() > 2 ? out : decltype(out)(out.unsqueeze(-1));
}

/// expand(x, shape) under NumPy's name.
template <ExpressionLike X>
auto broadcast_to(const X& x, const Shape& shape) {
  return x.eval().expand(shape);
}

}  // namespace weft
