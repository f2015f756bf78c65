// Sparse matrices to start from: sparse_eye, sparse_diag, sparse_diags, sparse_zeros.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "weft/ops/sparse/convert.hpp"

namespace weft {

/// A matrix without elements.
template <class T = float, Device D = Cpu>
Csr<T, D> sparse_zeros(const Shape& shape, D device = {}) {
  sparse::check_sizes("sparse_zeros", shape, 0);
  return {sparse::make_pattern<D>("sparse_zeros", zeros<SparseIndex>({shape[0] + 1}, device),
                                  zeros<SparseIndex>({0}, device), shape, {.check = false}),
          zeros<T>({0}, device)};
}

/// A square matrix with a vector on diagonal k: 0 is the main diagonal, positive k above it,
/// negative below.
template <ExpressionLike X>
auto sparse_diag(const X& x, int64_t k = 0) {
  using V = sparse::values_of<X>;
  using D = typename V::device_type;
  using Index = Tensor<SparseIndex, D>;
  const V values(x);
  if (values.rank() != 1) {
    fail<ShapeError>("sparse_diag", "values of shape ", values.shape(), ", expected a vector");
  }
  const int64_t n = values.size();
  const int64_t side = n + (k < 0 ? -k : k);
  const Index i = arange<SparseIndex>(0, n, 1, values.device());
  const Index rows = k < 0 ? Index(i + static_cast<SparseIndex>(-k)) : i;
  const Index columns = k > 0 ? Index(i + static_cast<SparseIndex>(k)) : i;
  return Coo<typename V::value_type, D, V>(sparse::Checked{}, rows, columns, values, {side, side})
      .to_csr();
}

/// Ones on the diagonal of a square matrix.
template <class T = float, Device D = Cpu>
Csr<T, D> sparse_eye(int64_t n, D device = {}) {
  return sparse_diag(ones<T>({n}, device));
}

/// A matrix with several diagonals, SciPy's diags: vectors with their positions, {{-1, a}, {0, b}};
/// a one-element vector fills its whole diagonal. Diagonal k begins at column k, or at row -k; it
/// has as many elements as the shape leaves for it.
template <class T, Device D>
Csr<T, D> sparse_diags(std::initializer_list<std::pair<int64_t, Tensor<T, D>>> diagonals,
                       const Shape& shape) {
  using Index = Tensor<SparseIndex, D>;
  sparse::check_sizes("sparse_diags", shape, 0);
  int64_t total = 0;
  const auto length = [&](int64_t k) {
    const int64_t down = shape[0] - (k < 0 ? -k : 0);
    const int64_t across = shape[1] - (k > 0 ? k : 0);
    return down < across ? down : across;
  };
  for (const auto& [k, x] : diagonals) {
    const int64_t n = length(k);
    if (n < 0 || x.rank() != 1 || (x.size() != 1 && x.size() != n)) {
      fail<ShapeError>("sparse_diags", "values of shape ", x.shape(), " for diagonal ", k,
                       " of shape ", shape, ", expected a vector of ", n < 0 ? 0 : n,
                       " elements or of 1");
    }
    total += n;
  }
  const D device = diagonals.size() > 0 ? diagonals.begin()->second.device() : D{};
  const Index rows = empty<SparseIndex>({total}, device);
  const Index columns = empty<SparseIndex>({total}, device);
  const Tensor<T, D> values = empty<T>({total}, device);
  int64_t at = 0;
  for (const auto& [k, x] : diagonals) {
    const int64_t n = length(k);
    const auto i = arange<SparseIndex>(0, n, 1, device);
    rows.narrow(0, at, n).assign(i + static_cast<SparseIndex>(k < 0 ? -k : 0));
    columns.narrow(0, at, n).assign(i + static_cast<SparseIndex>(k > 0 ? k : 0));
    values.narrow(0, at, n).assign(x);
    at += n;
  }
  return Coo<T, D>(sparse::Checked{}, rows, columns, values, shape).to_csr();
}

}  // namespace weft
