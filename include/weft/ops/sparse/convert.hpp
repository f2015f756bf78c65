// Conversions: dense to COO and CSR and back, COO to CSR, coalesce, diagonals; with gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/ops/index/scatter.hpp"
#include "weft/ops/order/scan.hpp"
#include "weft/ops/order/select.hpp"
#include "weft/ops/sparse/product.hpp"

namespace weft {

namespace sparse {

/// The places of triplets in the dense matrix, row by row.
template <class D>
Tensor<int64_t, D> places(const Tensor<SparseIndex, D>& rows, const Tensor<SparseIndex, D>& columns,
                          int64_t width) {
  return cast<int64_t>(rows) * width + cast<int64_t>(columns);
}

/// Triplets by row and column, each place once, and how the values come from those before.
template <class D>
struct Merged {
  Tensor<SparseIndex, D> rows;
  Tensor<SparseIndex, D> columns;
  Tensor<SparseIndex, D> order;   // which triplet is where; no elements: as they were
  Tensor<SparseIndex, D> starts;  // where each place's triplets begin; no elements: one each

  /// The values of the merged triplets.
  template <class V>
  V values(const V& from) const {
    using T = typename V::value_type;
    if (starts.size() == 0) return order.size() == 0 ? from : V(take(from, order));
    // A sum over each place's triplets is a product with a matrix of ones, in a fixed order.
    const auto p = std::make_shared<Pattern<D>>();
    p->crow = starts;
    p->col = order;
    p->rows = starts.size() - 1;
    p->columns = from.size();
    return V(multiply(p, ones<T>({order.size()}, order.device()), from));
  }
};

/// Where each triplet stands among those before it, by a key below `count`: order, or a new one of
/// the numbers 0, 1, ... where it has no elements, sorted by key; equal keys stay as they are.
template <class D>
Tensor<SparseIndex, D> counted_order(const Tensor<SparseIndex, D>& key, int64_t count,
                                     const Tensor<SparseIndex, D>& order) {
  const int64_t n = key.size();
  std::vector<SparseIndex> start(static_cast<std::size_t>(count) + 1, 0);
  for (int64_t e = 0; e < n; ++e) ++start[static_cast<std::size_t>(key.data()[e]) + 1];
  for (std::size_t k = 0; k < start.size() - 1; ++k) start[k + 1] += start[k];
  const auto out = empty<SparseIndex>({n}, D{});
  for (int64_t i = 0; i < n; ++i) {
    const SparseIndex e = order.size() > 0 ? order.data()[i] : static_cast<SparseIndex>(i);
    out.data()[start[static_cast<std::size_t>(key.data()[e])]++] = e;
  }
  return out;
}

/// The order that sorts triplets by row and column, stable for equal places: by counting on the
/// CPU, unless there are far more rows and columns than elements.
template <class C, class D>
Tensor<SparseIndex, D> row_major_order(const C& x, const Tensor<int64_t, D>& at) {
  if constexpr (std::is_same_v<D, Cpu>) {
    if (x.rows() + x.columns() < 8 * x.nnz()) {
      const auto by_column =
          counted_order(x.col_indices().contiguous(), x.columns(), Tensor<SparseIndex, D>());
      return counted_order(x.row_indices().contiguous(), x.rows(), by_column);
    }
  }
  return cast<SparseIndex>(argsort(at));
}

template <class C>
auto merge(const C& x) {
  using D = typename C::device_type;
  using Index = Tensor<SparseIndex, D>;
  Merged<D> out{x.row_indices(), x.col_indices(), {}, {}};
  const int64_t n = x.nnz();
  if (n < 2) return out;
  auto at = places(out.rows, out.columns, x.columns());
  const auto rises = [&] {
    return Tensor<bool, D>(at.narrow(0, 1, n - 1) > at.narrow(0, 0, n - 1));
  };
  Tensor<bool, D> rise = rises();
  if (all(rise).eval().item()) return out;
  out.order = row_major_order(x, at);
  out.rows = take(x.row_indices(), out.order);
  out.columns = take(x.col_indices(), out.order);
  at = places(out.rows, out.columns, x.columns());
  rise = rises();
  if (all(rise).eval().item()) return out;
  const auto first = full<bool>({n + 1}, true, x.device());
  first.narrow(0, 1, n - 1).assign(rise);
  out.starts = cast<SparseIndex>(nonzero(first).reshape({-1}));
  const Index kept = out.starts.narrow(0, 0, out.starts.size() - 1);
  out.rows = take(out.rows, kept);
  out.columns = take(out.columns, kept);
  return out;
}

template <class C>
auto coalesce(const C& x) {
  const auto merged = merge(x);
  return C(sparse::Checked{}, merged.rows, merged.columns, merged.values(x.values()), x.shape());
}

template <class C>
auto to_csr(const C& x) {
  using D = typename C::device_type;
  const auto merged = merge(x);
  const auto pattern =
      make_pattern<D>("to_csr", offsets_of(merged.rows, x.rows()), merged.columns, x.shape(), {});
  return Csr<typename C::value_type, D, typename C::values_type>(pattern,
                                                                 merged.values(x.values()));
}

template <class C>
auto to_coo(const C& x) {
  return Coo<typename C::value_type, typename C::device_type, typename C::values_type>(
      sparse::Checked{}, x.row_indices(), x.col_indices(), x.values(), x.shape());
}

template <class M>
auto to_dense(const M& x) {
  using T = typename M::value_type;
  using D = typename M::device_type;
  const auto at = places(x.row_indices(), x.col_indices(), x.columns());
  const Tensor<T, D> zero = zeros<T>({x.rows() * x.columns()}, x.device());
  if constexpr (detail::is_var<typename M::values_type>) {
    using V = typename M::values_type;
    return V(index_add(V(zero), axis(0), at, x.values())).reshape(x.shape());
  } else {
    return put(zero, at, x.values()).reshape(x.shape());
  }
}

template <class M>
auto diagonal(const M& x, int64_t k) {
  using T = typename M::value_type;
  using D = typename M::device_type;
  const int64_t first_row = k < 0 ? -k : 0;
  const int64_t first_column = k > 0 ? k : 0;
  const int64_t down = x.rows() - first_row;
  const int64_t across = x.columns() - first_column;
  const int64_t n = down < across ? down : across;
  if (n < 0)
    fail<ShapeError>("diagonal", "diagonal ", k, " of shape ", x.shape(), ", expected ", -x.rows(),
                     " to ", x.columns());
  const Tensor<SparseIndex, D> rows = x.row_indices();
  const Tensor<bool, D> on =
      cast<int64_t>(x.col_indices()) - cast<int64_t>(rows) == k;  // at most once a row
  const Tensor<int64_t, D> which = nonzero(on).reshape({-1});
  const Tensor<int64_t, D> to =
      cast<int64_t>(Tensor<SparseIndex, D>(take(rows, which))) - first_row;
  const Tensor<T, D> zero = zeros<T>({n}, x.device());
  if constexpr (detail::is_var<typename M::values_type>) {
    using V = typename M::values_type;
    return V(index_add(V(zero), axis(0), to, V(take(x.values(), which))));
  } else {
    return put(zero, to, Tensor<T, D>(take(x.values(), which)));
  }
}

/// The triplets of x's elements that are not zero.
template <ExpressionLike X>
auto triplets_of(const char* operation, const X& e) {
  const auto x = detail::as_tensor(e);
  using V = std::remove_cvref_t<decltype(x)>;
  using T = typename V::value_type;
  using D = typename V::device_type;
  if (x.rank() != 2) {
    fail<ShapeError>(operation, "shape ", x.shape(), ", expected a matrix");
  }
  check_sizes(operation, x.shape(), 0);
  const Tensor<bool, D> stored = detail::detached(x) != T(0);
  const auto at = nonzero(stored);  // (elements, 2)
  check_sizes(operation, x.shape(), at.shape()[0]);
  const Tensor<SparseIndex, D> rows = cast<SparseIndex>(at.t()(0));
  const Tensor<SparseIndex, D> columns = cast<SparseIndex>(at.t()(1));
  const auto flat = places(rows, columns, x.shape()[1]);
  return Coo<T, D, V>(sparse::Checked{}, rows, columns, V(take(x.reshape({-1}), flat)), x.shape());
}

}  // namespace sparse

/// The nonzero elements of a dense matrix, as triplets in row-major order.
template <ExpressionLike X>
auto to_coo(const X& x) {
  return sparse::triplets_of("to_coo", x);
}
/// The nonzero elements of a dense matrix, by rows.
template <ExpressionLike X>
auto to_csr(const X& x) {
  return sparse::triplets_of("to_csr", x).to_csr();
}
/// A matrix as Csr or Coo, from the other one.
template <SparseLike X>
auto to_csr(const X& x) {
  return x.to_csr();
}
template <SparseLike X>
auto to_coo(const X& x) {
  return x.to_coo();
}

}  // namespace weft
