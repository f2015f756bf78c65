// Coo<T, D>: a sparse matrix as triplets of row, column and value, in any order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/sparse/csr.hpp"

namespace weft {

namespace sparse {
/// Says that indices have been checked, or were made by weft.
struct Checked {};

// Defined in ops/sparse/convert.hpp.
template <class C>
auto to_csr(const C& x);
template <class C>
auto coalesce(const C& x);
}  // namespace sparse

/// A sparse matrix of triplets: element e adds values()[e] at (row_indices()[e], col_indices()[e]).
/// Triplets come in any order; coalesce(), to_csr() and to_dense() add up duplicates. Made by coo()
/// or to_coo(). V is as of Csr.
template <class T, Device D = Cpu, class V = Tensor<T, D>>
class Coo {
 public:
  using value_type = T;
  using device_type = D;
  using values_type = V;

  /// 0 rows and columns.
  Coo()
      : Coo(sparse::Checked{}, Tensor<SparseIndex, D>(), Tensor<SparseIndex, D>(),
            V(Tensor<T, D>()), {0, 0}) {}
  template <ExpressionLike R, ExpressionLike C, ExpressionLike X>
  Coo(const R&, const C&, const X&, const Shape&) {
    static_assert(
        detail::always_false<R>,
        "weft: a Coo is made by coo(rows, columns, values, shape), which checks the indices");
  }
  Coo(sparse::Checked, const Tensor<SparseIndex, D>& rows, const Tensor<SparseIndex, D>& columns,
      const V& values, const Shape& shape)
      : row_(rows), col_(columns), values_(values.contiguous()), shape_(shape) {}

  const Shape& shape() const { return shape_; }
  static constexpr int rank() { return 2; }
  int64_t rows() const { return shape_[0]; }
  int64_t columns() const { return shape_[1]; }
  /// How many triplets are stored.
  int64_t nnz() const { return col_.size(); }
  static constexpr Dtype dtype() { return dtype_of<T>; }
  D device() const { return col_.device(); }

  const Tensor<SparseIndex, D>& row_indices() const { return row_; }  // (nnz,)
  const Tensor<SparseIndex, D>& col_indices() const { return col_; }  // (nnz,)
  const V& values() const { return values_; }                         // (nnz,)

  /// The same places with the values of an expression of shape (nnz,).
  template <ExpressionLike X>
  auto with_values(const X& x) const {
    using U = sparse::values_of<X>;
    if (!(x.shape() == col_.shape())) {
      fail<ShapeError>("with_values", "values of shape ", x.shape(), " for ", nnz(),
                       " elements, expected one value for each");
    }
    return Coo<typename U::value_type, D, U>(sparse::Checked{}, row_, col_, U(x), shape_);
  }
  /// The values without gradients.
  Coo<T, D> detach() const {
    if constexpr (detail::is_var<V>) {
      return {sparse::Checked{}, row_, col_, values_.detach(), shape_};
    } else {
      return *this;
    }
  }

  /// The transposed matrix, of the same indices.
  Coo t() const { return {sparse::Checked{}, col_, row_, values_, {shape_[1], shape_[0]}}; }
  /// The same matrix on another device.
  template <Device To>
  auto to(To device) const {
    const auto values = values_.to(device);
    return Coo<T, To, std::remove_cvref_t<decltype(values)>>(sparse::Checked{}, row_.to(device),
                                                             col_.to(device), values, shape_);
  }
  /// The triplets in row-major order, with duplicates summed in the order in which they are stored.
  auto coalesce() const { return sparse::coalesce(*this); }
  /// The same matrix by rows, duplicates added up.
  auto to_csr() const { return sparse::to_csr(*this); }
  auto to_dense() const { return sparse::to_csr(*this).to_dense(); }
  const Coo& to_coo() const { return *this; }

 private:
  Tensor<SparseIndex, D> row_;
  Tensor<SparseIndex, D> col_;
  V values_;
  Shape shape_;
};

namespace sparse {
template <class T, class D, class V>
inline constexpr bool is_coo<Coo<T, D, V>> = true;
}  // namespace sparse

/// A Coo, or a reference to one.
template <class X>
concept CooLike = sparse::is_coo<std::remove_cvref_t<X>>;
/// A sparse matrix of either type.
template <class X>
concept SparseLike = CsrLike<X> || CooLike<X>;

/// A sparse matrix from triplets: vectors of equal length of rows, columns and values, tensors or
/// expressions on one device. The indices are checked.
template <ExpressionLike R, ExpressionLike C, ExpressionLike X>
auto coo(const R& row_indices, const C& col_indices, const X& values, const Shape& shape,
         const SparseOptions& options = {}) {
  using V = sparse::values_of<X>;
  using D = typename V::device_type;
  V settled(values);
  const Tensor<SparseIndex, D> at[] = {
      sparse::as_indices("coo", "rows", row_indices, settled.device(), options),
      sparse::as_indices("coo", "columns", col_indices, settled.device(), options)};
  if (!(settled.shape() == at[0].shape()) || !(settled.shape() == at[1].shape())) {
    fail<ShapeError>("coo", "rows of shape ", at[0].shape(), ", columns of shape ", at[1].shape(),
                     " and values of shape ", settled.shape(),
                     ", expected vectors of equal length");
  }
  sparse::check_sizes("coo", shape, at[0].size());
  for (int i = 0; i < 2 && options.check && settled.size() > 0; ++i) {
    const int64_t least = min(at[i]).eval().item();
    const int64_t most = max(at[i]).eval().item();
    if (least < 0 || most >= shape[i]) {
      fail<IndexError>("coo", i == 0 ? "row " : "column ", least < 0 ? least : most, " of shape ",
                       shape, ", expected 0 to ", shape[i] - 1);
    }
  }
  return Coo<typename V::value_type, D, V>(sparse::Checked{}, at[0], at[1], settled, shape);
}

/// A matrix of the same triplets with each value converted.
template <class To, CooLike X>
auto cast(const X& x) {
  return x.with_values(cast<To>(x.values()));
}

}  // namespace weft
