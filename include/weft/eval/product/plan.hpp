// ProductPlan: a matrix product as libraries take it, its batch folded, merged and counted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/layout.hpp"

namespace weft::detail {

/// Where the elements of a batch of matrices are, as strides in elements.
struct MatrixPlace {
  int64_t row = 0;
  int64_t column = 0;
  int64_t batch[max_rank] = {};
};

/// A matrix as BLAS takes it: contiguous rows, or, transposed, contiguous columns, `step` apart.
/// Otherwise `step` is 0.
struct BlasMatrix {
  bool transposed = false;
  int64_t step = 0;
};
WEFT_OUTLINED inline BlasMatrix blas_matrix(const MatrixPlace& x, int64_t rows, int64_t columns) {
  const int64_t width = columns > 1 ? columns : 1;
  const int64_t height = rows > 1 ? rows : 1;
  if ((width == 1 || x.column == 1) && (height == 1 || x.row >= width)) {
    return {false, height == 1 ? width : x.row};
  }
  if ((height == 1 || x.row == 1) && (width == 1 || x.column >= height)) {
    return {true, width == 1 ? height : x.column};
  }
  return {};
}

/// c = a b for each matrix of a batch; d is what may be added to it, read where c is written.
struct ProductPlan {
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
  int rank = 0;  // of the batch
  int64_t size[max_rank] = {};
  MatrixPlace a;
  MatrixPlace b;
  MatrixPlace c;
  MatrixPlace d;

  WEFT_HD int64_t batches() const {
    int64_t count = 1;
    for (int i = 0; i < rank; ++i) count *= size[i];
    return count;
  }
  /// The offset of matrix number i of the batch.
  WEFT_HD int64_t offset(const MatrixPlace& x, int64_t i) const {
    int64_t at = 0;
    for (int axis = rank - 1; axis >= 0; --axis) {
      at += i % size[axis] * x.batch[axis];
      i /= size[axis];
    }
    return at;
  }
  /// True when d is one vector along the columns of all matrices.
  bool adds_vector() const {
    bool vector = (d.row == 0 || m == 1) && (d.column == 1 || n == 1);
    for (int i = 0; i < rank; ++i) vector = vector && d.batch[i] == 0;
    return vector;
  }
};

/// Whether x, added to a result of `shape`, is one vector of neighbours along its columns.
WEFT_OUTLINED inline bool is_column_vector(const Layout& x, const Shape& shape) {
  const int last = shape.rank() - 1;
  if (last < 1 || x.rank() < 1 || x.shape.size() != shape[last]) return false;
  return x.shape[x.rank() - 1] == shape[last] && (shape[last] == 1 || x.strides[x.rank() - 1] == 1);
}

/// Strides of the last axes as rows and columns (`rows`, `columns`: whether it has that axis), and
/// of the axes before them along the batch.
WEFT_OUTLINED inline MatrixPlace place_matrix(const Layout& x, bool rows, bool columns,
                                              const Shape& batch) {
  MatrixPlace out;
  int last = x.rank();
  const auto stride = [&](int axis) { return x.shape[axis] == 1 ? 0 : x.strides[axis]; };
  if (columns && last > 0) out.column = stride(--last);
  if (rows && last > 0) out.row = stride(--last);
  for (int i = batch.rank() - 1; i >= 0 && last > 0; --i) out.batch[i] = stride(--last);
  return out;
}

/// Whether a library can read a product's operand in place; it can always read a copy.
WEFT_OUTLINED inline bool multiplies_in_place(const Layout& x) {
  for (int i = 0; i < x.rank(); ++i) {
    if (x.strides[i] < 0 && x.shape[i] > 1) return false;
  }
  const int last = x.rank() - 1;
  const MatrixPlace place = place_matrix(x, x.rank() > 1, true, {});
  return blas_matrix(place, last > 0 ? x.shape[last - 1] : 1, x.shape[last]).step > 0;
}

/// Plans c = a b for operands of matmul, with d added where it is not null: unneeded batch axes are
/// dropped, neighbouring ones merged, and those that continue the rows of a and c, with one b for
/// all, become rows.
WEFT_OUTLINED inline ProductPlan plan_product(const Layout& a, const Layout& b, const Layout& c,
                                              const Layout* d) {
  ProductPlan plan;
  const bool has_rows = a.rank() > 1;
  const bool has_columns = b.rank() > 1;
  Shape batch;
  for (int i = 0; i < c.rank() - has_rows - has_columns; ++i) batch.push_back(c.shape[i]);
  plan.k = a.shape[a.rank() - 1];
  if (has_rows) plan.m = a.shape[a.rank() - 2];
  if (has_columns) plan.n = b.shape[b.rank() - 1];
  MatrixPlace* const places[] = {&plan.a, &plan.b, &plan.c, &plan.d};
  plan.a = place_matrix(a, has_rows, true, batch);
  plan.b = place_matrix(b, true, has_columns, batch);
  plan.c = place_matrix(c, has_rows, has_columns, batch);
  plan.d = d != nullptr ? place_matrix(*d, has_rows, has_columns, batch) : plan.c;

  for (int i = 0; i < batch.rank(); ++i) {
    if (batch[i] == 1) continue;
    bool merges = plan.rank > 0;
    const int last = plan.rank - 1;
    for (MatrixPlace* x : places) {
      merges = merges && x->batch[last] == x->batch[i] * batch[i];
    }
    const int to = merges ? last : plan.rank++;
    plan.size[to] = (merges ? plan.size[to] : 1) * batch[i];
    for (MatrixPlace* x : places) x->batch[to] = x->batch[i];
  }
  while (plan.rank > 0) {
    const int last = plan.rank - 1;
    bool folds = plan.b.batch[last] == 0;
    MatrixPlace rows = plan.a;
    for (MatrixPlace* x : {&plan.a, &plan.c, &plan.d}) {
      folds = folds && (plan.m == 1 || x->batch[last] == x->row * plan.m);
    }
    if (plan.m == 1) rows.row = rows.batch[last];
    if (!folds || blas_matrix(rows, plan.m * plan.size[last], plan.k).step == 0) break;
    for (MatrixPlace* x : {&plan.a, &plan.c, &plan.d}) {
      if (plan.m == 1) x->row = x->batch[last];
    }
    plan.m *= plan.size[last];
    --plan.rank;
  }
  return plan;
}

}  // namespace weft::detail
