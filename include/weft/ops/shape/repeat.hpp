// tile, repeat and repeat_interleave: copies of a tensor, or of each of its elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/generate.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/index/rearrange.hpp"
#include "weft/tensor/from_values.hpp"

namespace weft {

namespace detail {
/// A count of copies, which is 0 at least.
inline int64_t copies(const char* operation, int64_t count) {
  if (count < 0) fail<ValueError>(operation, "a count of ", count, ", expected at least 0");
  return count;
}

/// The places of copies side by side, a number for each of the last axes.
[[gnu::noinline]] inline Places tiled_places(const char* operation, const Shape& shape,
                                             const Shape& counts) {
  Places out(shape);
  const int shift = shape.rank() - counts.rank();
  for (int i = 0; i < counts.rank(); ++i) {
    const int64_t n = shape[i + shift];
    if (copies(operation, counts[i]) != 1) {
      out.add({i + shift, n, n * counts[i], 0, PadMode::constant});
    }
  }
  return out;
}

/// x with axes of size 1 before its own, so that it has `rank` at least.
template <class X>
auto with_rank(const X& x, int rank) {
  auto out = x.eval();
  while (out.rank() < rank) out = out.unsqueeze(0);
  return out;
}
}  // namespace detail

/// Copies of x side by side, counts[i] along each of the last axes; further counts make new axes.
template <ExpressionLike X>
auto tile(const X& x, const Shape& counts) {
  auto values = detail::with_rank(x, counts.rank());
  const Places places = detail::tiled_places("tile", values.shape(), counts);
  return detail::rearranged<placing::tile>(static_cast<decltype(values)&&>(values), places);
}
/// tile(x, {count}): copies along the last axis.
template <ExpressionLike X, std::integral N>
auto tile(const X& x, N count) {
  return tile(x, Shape{static_cast<int64_t>(count)});
}
/// tile with at least one count per axis, as PyTorch's x.repeat(...).
template <ExpressionLike X>
auto repeat(const X& x, const Shape& counts) {
  if (counts.rank() < x.shape().rank()) {
    fail<ShapeError>("repeat", "counts ", counts, " for shape ", x.shape(),
                     ", expected one for each axis at least: tile(x, counts) takes fewer");
  }
  return tile(x, counts);
}

/// Each element `count` times along an axis.
template <ExpressionLike X, std::integral N>
auto repeat_interleave(X&& x, N count, const Axes& axis) {
  const Shape shape = x.shape();
  const int at = detail::one_axis("repeat_interleave", axis, shape.rank());
  Places places(shape);
  if (detail::copies("repeat_interleave", static_cast<int64_t>(count)) != 1) {
    const auto n = static_cast<int64_t>(count);
    places.add({at, shape[at], shape[at] * n, n, PadMode::constant});
  }
  return detail::rearranged<placing::repeat_interleave>(static_cast<X&&>(x), places);
}
/// repeat_interleave of all elements in row-major order: a vector.
template <ExpressionLike X>
auto repeat_interleave(const X& x, int64_t count) {
  return repeat_interleave(x.eval().reshape({-1}), count, axis(0));
}
/// Each slice along an axis as many times as a vector of counts says. The counts are read on the
/// CPU, since they determine the shape.
template <ExpressionLike X, ExpressionLike C>
  requires(is_integer<typename std::remove_cvref_t<C>::value_type>)
auto repeat_interleave(const X& x, const C& counts, const Axes& axis) {
  const int at = detail::one_axis("repeat_interleave", axis, x.shape().rank());
  const auto values = counts.eval().to_vector();
  if (counts.shape().rank() != 1 || counts.shape()[0] != x.shape()[at]) {
    fail<ShapeError>("repeat_interleave", "counts of shape ", counts.shape(), " for axis ", at,
                     " of ", x.shape(), ", expected one for each element along it");
  }
  std::vector<int64_t> places;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto n = detail::copies("repeat_interleave", static_cast<int64_t>(values[i]));
    places.insert(places.end(), static_cast<std::size_t>(n), static_cast<int64_t>(i));
  }
  return take(x, tensor(places, {-1}, x.eval().device()), weft::axis(at));
}
/// repeat_interleave of all elements in row-major order, with a vector of counts: a vector.
template <ExpressionLike X, ExpressionLike C>
  requires(is_integer<typename std::remove_cvref_t<C>::value_type>)
auto repeat_interleave(const X& x, const C& counts) {
  return repeat_interleave(x.eval().reshape({-1}), counts, axis(0));
}
/// NumPy's repeat(x, n, axis): repeat_interleave.
template <ExpressionLike X, std::integral N>
auto repeat(X&& x, N count, const Axes& axis) {
  return repeat_interleave(static_cast<X&&>(x), count, axis);
}

}  // namespace weft
