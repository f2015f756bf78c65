// Csr<T, D>: a sparse matrix by rows: a pattern, and the values of its elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/sparse/pattern.hpp"

namespace weft {

template <class T, Device D, class V>
class Coo;

/// The elements of one row, as views.
template <class D, class V>
struct SparseRow {
  Tensor<SparseIndex, D> col_indices;
  V values;
};

namespace sparse {
template <class X>
inline constexpr bool is_csr = false;
template <class X>
inline constexpr bool is_coo = false;

// Defined in ops/sparse/convert.hpp.
template <class M>
auto to_dense(const M& x);
template <class C>
auto to_coo(const C& x);
template <class M>
auto diagonal(const M& x, int64_t k);

/// What the values become: a Tensor, or a Var if there is one in the expression.
template <class X>
using values_of = typename detail::Evaluated<std::remove_cvref_t<X>>::type;
}  // namespace sparse

/// A mostly zero matrix in compressed sparse rows: row r has the values values()[crow_indices()[r]]
/// to values()[crow_indices()[r + 1]], in the columns col_indices() at the same places, which
/// ascend. Copies share the pattern and the values, as handles do. V is Tensor<T, D>, or Var<T, D>
/// for values that have gradients. Made by csr(), to_csr(), sparse_eye().
template <class T, Device D = Cpu, class V = Tensor<T, D>>
class Csr {
 public:
  using value_type = T;
  using device_type = D;
  using values_type = V;

  /// 0 rows and columns.
  Csr() : Csr(empty_pattern(), V(Tensor<T, D>())) {}
  /// A pattern and as many values, a vector.
  Csr(sparse::PatternHandle<D> pattern, V values)
      : pattern_(static_cast<sparse::PatternHandle<D>&&>(pattern)),
        values_(values.contiguous()),
        shape_{pattern_->rows, pattern_->columns} {
    if (!(values_.shape() == Shape{pattern_->count()})) {
      fail<ShapeError>("csr", "values of shape ", values_.shape(), " for ", pattern_->count(),
                       " elements, expected a vector with one each");
    }
  }

  const Shape& shape() const { return shape_; }
  static constexpr int rank() { return 2; }
  int64_t rows() const { return pattern_->rows; }
  int64_t columns() const { return pattern_->columns; }
  /// The number of stored elements, including zeros.
  int64_t nnz() const { return pattern_->count(); }
  static constexpr Dtype dtype() { return dtype_of<T>; }
  D device() const { return pattern_->crow.device(); }

  const Tensor<SparseIndex, D>& crow_indices() const { return pattern_->crow; }  // (rows + 1,)
  const Tensor<SparseIndex, D>& col_indices() const { return pattern_->col; }    // (nnz,)
  /// The row of each element, computed at the call.
  Tensor<SparseIndex, D> row_indices() const { return sparse::rows_of(*pattern_); }
  const V& values() const { return values_; }  // (nnz,)
  const sparse::PatternHandle<D>& pattern() const { return pattern_; }

  /// The same pattern with the values of an expression of shape (nnz,):
  /// x.with_values(tanh(x.values())).
  template <ExpressionLike X>
  auto with_values(const X& x) const {
    using U = sparse::values_of<X>;
    static_assert(std::is_same_v<typename U::device_type, D>,
                  "weft: values of a sparse matrix are on its device: write x.to(device)");
    return Csr<typename U::value_type, D, U>(pattern_, U(x));
  }
  /// The values without gradients.
  Csr<T, D> detach() const {
    if constexpr (detail::is_var<V>) {
      return {pattern_, values_.detach()};
    } else {
      return *this;
    }
  }

  /// The transposed matrix. Its pattern is computed at the first call and kept.
  Csr t() const {
    const auto turned = sparse::transposed(pattern_);
    return {turned.pattern, V(take(values_, turned.order))};
  }
  /// The same matrix on another device.
  template <Device To>
  auto to(To device) const {
    const auto values = values_.to(device);
    using U = std::remove_cvref_t<decltype(values)>;
    if constexpr (std::is_same_v<To, D> && std::is_same_v<D, Cpu>) {
      return *this;
    } else {
      const auto p = std::make_shared<sparse::Pattern<To>>();
      p->crow = pattern_->crow.to(device);
      p->col = pattern_->col.to(device);
      p->rows = rows();
      p->columns = columns();
      p->longest = pattern_->longest;
      return Csr<T, To, U>(p, values);
    }
  }

  /// All elements, (rows, columns).
  auto to_dense() const { return sparse::to_dense(*this); }
  auto to_coo() const { return sparse::to_coo(*this); }
  const Csr& to_csr() const { return *this; }
  /// The elements (i, i + k), zeros too, as a vector.
  auto diagonal(int64_t k = 0) const { return sparse::diagonal(*this, k); }

  /// The elements of row i, or of row rows() + i below 0; on CUDA it waits for two numbers.
  SparseRow<D, V> row(int64_t i) const {
    const int64_t r = i < 0 ? i + rows() : i;
    if (r < 0 || r >= rows())
      fail<IndexError>("row", "index ", i, ", expected ", -rows(), " to ", rows() - 1);
    const auto ends = pattern_->crow.narrow(0, r, 2).to(Cpu{});
    const int64_t first = ends.data()[0];
    const int64_t length = ends.data()[1] - first;
    return {pattern_->col.narrow(0, first, length), values_.narrow(0, first, length)};
  }
  /// The element at (i, j), zero where none is stored; CPU only.
  T at(int64_t i, int64_t j) const {
    static_assert(
        std::is_same_v<D, Cpu>,
        "weft: single elements on Cuda cannot be read from the CPU: write x.to(Cpu{}) first");
    const auto r = row(i);
    const int64_t c = j < 0 ? j + columns() : j;
    if (c < 0 || c >= columns())
      fail<IndexError>("at", "column ", j, ", expected ", -columns(), " to ", columns() - 1);
    for (int64_t e = 0; e < r.col_indices.size(); ++e) {
      if (r.col_indices.data()[e] == c) return detail::detached(r.values).data()[e];
    }
    return T(0);
  }

 private:
  static sparse::PatternHandle<D> empty_pattern() {
    auto p = std::make_shared<sparse::Pattern<D>>();
    p->crow = zeros<SparseIndex>({1}, D{});
    return p;
  }

  sparse::PatternHandle<D> pattern_;
  V values_;
  Shape shape_;
};

namespace sparse {
template <class T, class D, class V>
inline constexpr bool is_csr<Csr<T, D, V>> = true;
}  // namespace sparse

/// A Csr, or a reference to one.
template <class X>
concept CsrLike = sparse::is_csr<std::remove_cvref_t<X>>;

/// A sparse matrix from row offsets (rows + 1,), columns (nnz,) that ascend within each row, and
/// values (nnz,): tensors or expressions on one device; values may be a Var. The indices are
/// checked, and int32 ones are shared.
template <ExpressionLike R, ExpressionLike C, ExpressionLike X>
auto csr(const R& crow_indices, const C& col_indices, const X& values, const Shape& shape,
         const SparseOptions& options = {}) {
  using V = sparse::values_of<X>;
  using D = typename V::device_type;
  V settled(values);
  const auto rows =
      sparse::as_indices("csr", "row offsets", crow_indices, settled.device(), options);
  const auto columns = sparse::as_indices("csr", "columns", col_indices, settled.device(), options);
  if (!(settled.shape() == columns.shape())) {
    fail<ShapeError>("csr", "values of shape ", settled.shape(), " and columns of shape ",
                     columns.shape(), ", expected vectors of equal length");
  }
  return Csr<typename V::value_type, D, V>(
      sparse::make_pattern<D>("csr", rows, columns, shape, options), settled);
}

/// A matrix of the same pattern with each value converted: cast<double>(x).
template <class To, CsrLike X>
auto cast(const X& x) {
  return x.with_values(cast<To>(x.values()));
}

}  // namespace weft
