// Arithmetic of sparse matrices: scaled, multiplied and divided element by element, added, summed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/close.hpp"
#include "weft/ops/join.hpp"
#include "weft/ops/sparse/convert.hpp"

namespace weft {

namespace sparse {

/// Whether two matrices have their elements at the same places; immediate if they share a pattern,
/// otherwise by comparison.
template <class A, class B>
bool same_pattern(const A& a, const B& b) {
  if (a.pattern() == b.pattern()) return true;
  return a.shape() == b.shape() && a.nnz() == b.nnz() &&
         equal(a.crow_indices(), b.crow_indices()) && equal(a.col_indices(), b.col_indices());
}

template <class A, class B>
void check_shapes(const char* operation, const A& a, const B& b) {
  if (!(a.shape() == b.shape())) {
    fail<ShapeError>(operation, "sparse matrices of shapes ", a.shape(), " and ", b.shape(),
                     ", expected equal shapes");
  }
}

/// The elements of a dense operand, which broadcasts, at a sparse matrix's places.
template <class A, class X>
auto at_places(const char* operation, const A& a, const X& e) {
  const auto x = detail::as_tensor(e);
  using V = std::remove_cvref_t<decltype(x)>;
  const Shape& s = x.shape();
  const int rank = s.rank();
  const bool row = rank > 1 && s[rank - 2] != 1;
  const bool column = rank > 0 && s[rank - 1] != 1;
  if (rank > 2 || (row && s[rank - 2] != a.rows()) || (column && s[rank - 1] != a.columns())) {
    fail<ShapeError>(operation, "a sparse matrix of shape ", a.shape(),
                     " and a dense operand of shape ", s, ", expected one that broadcasts to it");
  }
  const auto flat = x.reshape({-1});
  if (row && column) {
    return V(take(flat, places(a.row_indices(), a.col_indices(), a.columns())));
  }
  if (row) return V(take(flat, a.row_indices()));
  if (column) return V(take(flat, a.col_indices()));
  return flat;
}

/// The elements of b added where a has some too; any patterns.
template <class A, class B, class X>
auto sum_of(const A& a, const B& b, const X& values) {
  using D = typename A::device_type;
  using V = values_of<X>;
  using Index = Tensor<SparseIndex, D>;
  const Index rows = cat(a.row_indices(), b.row_indices(), axis(0));
  const Index columns = cat(a.col_indices(), b.col_indices(), axis(0));
  return to_csr(
      Coo<typename V::value_type, D, V>(sparse::Checked{}, rows, columns, V(values), a.shape()));
}
}  // namespace sparse

/// Each stored value times, or divided by, a number.
template <SparseLike A, NumberLike N>
auto operator*(const A& a, N number) {
  return a.with_values(a.values() * number);
}
template <SparseLike A, NumberLike N>
auto operator*(N number, const A& a) {
  return a.with_values(number * a.values());
}
template <SparseLike A, NumberLike N>
auto operator/(const A& a, N number) {
  return a.with_values(a.values() / number);
}
template <SparseLike A>
auto operator-(const A& a) {
  return a.with_values(-a.values());
}

/// Element by element with a dense matrix, or with what broadcasts to one: a column (rows, 1)
/// scales rows, a vector (columns,) columns. The result has a's pattern.
template <SparseLike A, ExpressionLike X>
auto operator*(const A& a, const X& x) {
  return a.with_values(a.values() * sparse::at_places("multiply", a, x));
}
template <SparseLike A, ExpressionLike X>
auto operator*(const X& x, const A& a) {
  return a * x;
}
template <SparseLike A, ExpressionLike X>
auto operator/(const A& a, const X& x) {
  return a.with_values(a.values() / sparse::at_places("divide", a, x));
}

/// With a dense matrix, or what broadcasts with one: dense.
template <SparseLike A, ExpressionLike X>
auto operator+(const A& a, const X& x) {
  return a.to_dense() + x;
}
template <SparseLike A, ExpressionLike X>
auto operator+(const X& x, const A& a) {
  return x + a.to_dense();
}
template <SparseLike A, ExpressionLike X>
auto operator-(const A& a, const X& x) {
  return a.to_dense() - x;
}
template <SparseLike A, ExpressionLike X>
auto operator-(const X& x, const A& a) {
  return x - a.to_dense();
}

/// Of two matrices element by element: the places that both have.
template <CsrLike A, CsrLike B>
auto operator*(const A& a, const B& b) {
  sparse::check_shapes("multiply", a, b);
  using D = typename A::device_type;
  if (sparse::same_pattern(a, b)) return a.with_values(a.values() * b.values());
  const auto mine = sparse::places(a.row_indices(), a.col_indices(), a.columns());
  const auto others = sparse::places(b.row_indices(), b.col_indices(), b.columns());
  using P = decltype(a.with_values(a.values() * b.values()));
  if (b.nnz() == 0 || a.nnz() == 0) {
    const P nothing =
        P(sparse::make_pattern<D>("multiply", zeros<SparseIndex>({a.rows() + 1}, a.device()),
                                  Tensor<SparseIndex, D>(zeros<SparseIndex>({0}, a.device())),
                                  a.shape(), {.check = false}),
          typename P::values_type(zeros<typename A::value_type>({0}, a.device())));
    return nothing;
  }
  const Tensor<int64_t, D> found = minimum(searchsorted(others, mine), b.nnz() - 1);
  const Tensor<bool, D> both = Tensor<int64_t, D>(take(others, found)) == mine;
  const Tensor<int64_t, D> kept = nonzero(both).reshape({-1});
  const Tensor<int64_t, D> at_b = take(found, kept);
  const Tensor<SparseIndex, D> rows = take(a.row_indices(), kept);
  const Tensor<SparseIndex, D> columns = take(a.col_indices(), kept);
  return P(sparse::make_pattern<D>("multiply", sparse::offsets_of(rows, a.rows()), columns,
                                   a.shape(), {}),
           typename P::values_type(take(a.values(), kept) * take(b.values(), at_b)));
}

/// The sum or difference of two matrices; an element-wise statement if they share a pattern,
/// otherwise over the union of both.
template <CsrLike A, CsrLike B>
auto operator+(const A& a, const B& b) {
  sparse::check_shapes("add", a, b);
  using R = decltype(a.with_values(a.values() + b.values()));
  if (sparse::same_pattern(a, b)) return R(a.with_values(a.values() + b.values()));
  using V = typename R::values_type;
  return R(sparse::sum_of(a, b, V(cat(V(a.values()), V(b.values()), axis(0)))));
}
template <CsrLike A, CsrLike B>
auto operator-(const A& a, const B& b) {
  sparse::check_shapes("subtract", a, b);
  using R = decltype(a.with_values(a.values() - b.values()));
  if (sparse::same_pattern(a, b)) return R(a.with_values(a.values() - b.values()));
  using V = typename R::values_type;
  return R(sparse::sum_of(a, b, V(cat(V(a.values()), V(-b.values()), axis(0)))));
}

/// The sum of all elements, a rank-0 expression.
template <SparseLike A>
auto sum(const A& a) {
  return sum(a.values());
}
/// The sums of the columns, axis(0), or of the rows, axis(1), as dense vectors; in a fixed order.
template <SparseLike A>
auto sum(const A& a, const Axes& along) {
  using T = typename A::value_type;
  const int n = detail::one_axis("sum", along, a.shape());
  const auto by_rows = a.to_csr();
  const auto turned = n == 0 ? by_rows.t() : by_rows;
  return matmul(turned, ones<T>({turned.columns()}, a.device()));
}
/// The mean over all columns, or rows, including zeros.
template <SparseLike A>
auto mean(const A& a, const Axes& along) {
  using T = typename A::value_type;
  static_assert(is_floating<T>, "weft: the mean of a sparse matrix takes floating-point numbers");
  const int n = detail::one_axis("mean", along, a.shape());
  return sum(a, along) / static_cast<double>(a.shape()[n]);
}

/// The matrix of absolute values.
template <SparseLike A>
auto abs(const A& a) {
  return a.with_values(abs(a.values()));
}

}  // namespace weft
