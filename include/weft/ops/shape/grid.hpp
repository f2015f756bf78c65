// meshgrid, broadcast_tensors, ix_, sum_to_size: tensors stretched to a shape, and back by sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "weft/core/broadcast.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/views.hpp"

namespace weft {

/// Whether meshgrid's first vector runs along the first axis, as in PyTorch, or along the second,
/// NumPy's own choice.
enum class Meshgrid { ij, xy };

namespace detail {
/// A vector of n elements at axis `at` of `rank` axes.
template <class V>
V along_axis(const char* operation, const V& x, int at, int rank) {
  if (x.rank() > 1) {
    fail<ShapeError>(operation, "an operand of shape ", x.shape(), ", expected rank 0 or 1");
  }
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(i == at ? x.size() : 1);
  return x.reshape(shape);
}

template <class... Vs, std::size_t... I>
std::tuple<Vs...> open_grid(const char* operation, bool swapped, std::index_sequence<I...>,
                            const Vs&... xs) {
  constexpr int rank = sizeof...(Vs);
  return {along_axis(operation, xs,
                     swapped && rank > 1 && I < 2 ? 1 - static_cast<int>(I) : static_cast<int>(I),
                     rank)...};
}
template <class... Vs>
std::tuple<Vs...> stretched(const char* operation, const Vs&... xs) {
  Shape shape;
  (broadcast_with(operation, shape, xs.shape()), ...);
  return {xs.expand(shape)...};
}
}  // namespace detail

/// The operands stretched to their common shape: auto [a, b] = broadcast_tensors(x, y).
template <ExpressionLike... Xs>
auto broadcast_tensors(const Xs&... xs) {
  return detail::stretched("broadcast_tensors", xs.eval()...);
}

/// x summed to `shape`, over the axes along which `shape` would broadcast to x's shape.
template <ExpressionLike X>
auto sum_to_size(const X& x, const Shape& shape) {
  if (!(broadcast("sum_to_size", shape, x.shape()) == x.shape())) {
    fail<ShapeError>("sum_to_size", "shape ", x.shape(), " to ", shape,
                     ", expected a target that broadcasts to the first");
  }
  const int more = x.rank() - shape.rank();
  Axes axes{0};
  for (int i = 0; i < x.rank(); ++i) {
    if (i < more || shape[i - more] != x.shape()[i]) axes.push_back(i + 1);
  }
  return sum(x.eval().unsqueeze(0), axes).eval().reshape(shape);
}

/// The coordinates of a grid: auto [x, y] = meshgrid(a, b), each of the shape (a.size(), b.size()).
template <ExpressionLike... Xs>
auto meshgrid(const Xs&... xs) {
  return meshgrid(Meshgrid::ij, xs...);
}
/// meshgrid in the given order; with Meshgrid::xy, each result has the shape (b.size(), a.size(),
/// ...).
template <ExpressionLike... Xs>
auto meshgrid(Meshgrid order, const Xs&... xs) {
  return std::apply([](const auto&... vs) { return detail::stretched("meshgrid", vs...); },
                    detail::open_grid("meshgrid", order == Meshgrid::xy,
                                      std::index_sequence_for<Xs...>{}, xs.eval()...));
}

/// Vectors of indices, each along its own axis, so that together they index all combinations: auto
/// [i, j] = ix_(a, b); at_indices(x, i, j).
template <ExpressionLike... Xs>
auto ix_(const Xs&... xs) {
  return detail::open_grid("ix_", false, std::index_sequence_for<Xs...>{}, xs.eval()...);
}

}  // namespace weft
