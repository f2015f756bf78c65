// diag, diag_embed, diagflat, block_diag: matrices with given elements on a diagonal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/join.hpp"
#include "weft/ops/shape/axes.hpp"
#include "weft/ops/shape/pad.hpp"
#include "weft/ops/shape/triangle.hpp"

namespace weft {

namespace op {
struct diag_embed : on_diagonals {
  static constexpr const char* text = "diag_embed";
};
}  // namespace op

/// Matrices, in the last two axes, with the last axis of x on diagonal k and 0 elsewhere.
template <ExpressionLike X>
auto diag_embed(const X& x, int64_t k = 0) {
  const auto values = atleast_1d(x);
  const int64_t n = values.size(-1) + (k < 0 ? -k : k);
  Shape shape = values.shape();
  shape[shape.rank() - 1] = n;
  shape.push_back(n);
  const auto raised = values.unsqueeze(k < 0 ? -2 : -1);  // one element a row, or a column
  auto placed = k < 0 ? pad(raised, {0, -k}) : pad(raised, {0, 0, 0, k});
  return detail::diagonals_of("diag_embed", op::diag_embed{{k, k}},
                              static_cast<decltype(placed)&&>(placed), shape);
}
/// diag_embed into two other axes of the result: rows along axis1, columns along axis2.
template <ExpressionLike X>
auto diag_embed(const X& x, int64_t k, int64_t axis1, int64_t axis2) {
  return movedim(diag_embed(x, k), {-2, -1}, {axis1, axis2});
}

/// The diagonal k of a matrix, as a view; for a vector, the matrix with the vector on diagonal k.
template <ExpressionLike X>
auto diag(const X& x, int64_t k = 0) {
  const auto values = x.eval();
  using V = std::remove_const_t<decltype(values)>;
  if (values.rank() == 2) return V(values.diagonal(k));
  if (values.rank() != 1) {
    fail<ShapeError>("diag", "shape ", values.shape(),
                     ", expected rank 1 or 2: diagonal(x) and "
                     "diag_embed(x) take more");
  }
  return V(diag_embed(values, k).eval());
}
/// The matrix with all of x's elements on diagonal k.
template <ExpressionLike X>
auto diagflat(const X& x, int64_t k = 0) {
  return diag_embed(ravel(x), k);
}

/// The matrices one after another along the diagonal, 0 elsewhere; vectors and numbers count as
/// matrices of one row.
template <ExpressionLike X, ExpressionLike... Xs>
auto block_diag(const X& x, const Xs&... xs) {
  using V = decltype(atleast_2d(x));
  static_assert((std::is_same_v<V, decltype(atleast_2d(xs))> && ...),
                "weft: joined tensors have one element type and device: write cast<T>(x)");
  const V parts[] = {atleast_2d(x), atleast_2d(xs)...};
  int64_t columns = 0;
  for (const V& part : parts) {
    if (part.rank() > 2) {
      fail<ShapeError>("block_diag", "shape ", part.shape(), ", expected at most 2 axes");
    }
    columns += part.size(1);
  }
  std::vector<V> rows;
  int64_t before = 0;
  for (const V& part : parts) {
    rows.push_back(pad(part, {before, columns - before - part.size(1)}).eval());
    before += part.size(1);
  }
  return cat(rows, axis(0));
}

}  // namespace weft
