// softmax of the rows of a sparse matrix, and products of two sparse matrices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/unary.hpp"
#include "weft/ops/index/scatter_reduce.hpp"
#include "weft/ops/order/scan.hpp"
#include "weft/ops/sparse/arithmetic.hpp"

namespace weft {

/// The products of two sparse matrices of devices with an algorithm of their own, as the CPU has
/// one (cpu/sparse/rows.hpp): multiply(a, b) gives a Csr of a Csr<T, D> each.
template <class D>
struct SparseRowsMultiplier;

/// The softmax of each row's stored elements, as if the others were minus infinity: the weights of
/// an attention over a graph's edges. `axis(0)` for columns.
template <CsrLike A>
auto softmax(const A& a, const Axes& along = axis(-1)) {
  using T = typename A::value_type;
  static_assert(is_floating<T>, "weft: softmax takes floating-point numbers: write cast<float>(x)");
  const bool columns = detail::one_axis("softmax", along, a.shape()) == 0;
  const auto groups = columns ? a.col_indices() : a.row_indices();
  const auto most =
      full<T>({columns ? a.columns() : a.rows()}, -math::infinity<compute_t<T>>, a.device());
  // The largest element moves a row as a whole, so that no gradient passes through it.
  index_reduce(most, axis(0), groups, a.detach().values(), combine::max);
  const auto shares = a.with_values(exp(a.values() - take(most, groups)));
  const auto sums = sum(shares, columns ? axis(0) : axis(1)).eval();
  return A(a.pattern(), typename A::values_type(shares.values() / take(sums, groups)));
}

/// The product of two sparse matrices, sparse. On CUDA and for Vars all products of two elements
/// are stored, some 40 bytes each, before those for the same place are summed in a fixed order; on
/// CUDA it waits for their number.
template <CsrLike A, CsrLike B>
auto matmul(const A& a, const B& b) {
  using D = typename A::device_type;
  using Longs = Tensor<int64_t, D>;
  if (a.columns() != b.rows()) {
    fail<ShapeError>("matmul", "sparse matrices of shapes ", a.shape(), " and ", b.shape(),
                     ": the first has ", a.columns(), " columns and the second ", b.rows(),
                     " rows, expected equal numbers");
  }
  using V = sparse::values_of<decltype(a.values() * b.values())>;
  if constexpr (!detail::is_var<V> && requires { sizeof(SparseRowsMultiplier<D>); }) {
    return SparseRowsMultiplier<D>::multiply(a, b);
  } else {
    using C = Coo<typename V::value_type, D, V>;
    const Shape shape{a.rows(), b.columns()};
    const Longs starts = cast<int64_t>(take(b.crow_indices(), a.col_indices()));
    const Longs lengths =
        cast<int64_t>(take(b.crow_indices(), a.col_indices() + SparseIndex{1})) - starts;
    const Longs ends = cumsum(lengths);
    const int64_t count = ends.size() > 0 ? ends(-1).item() : 0;
    sparse::check_sizes("matmul", shape, count);
    if (count == 0) {
      return Csr<typename V::value_type, D, V>(
          sparse::make_pattern<D>("matmul", zeros<SparseIndex>({a.rows() + 1}, a.device()),
                                  zeros<SparseIndex>({0}, a.device()), shape, {.check = false}),
          V(zeros<typename V::value_type>({0}, a.device())));
    }
    const Longs all_products = arange<int64_t>(0, count, 1, a.device());
    const Longs of_a = searchsorted(ends, all_products, Side::right);
    const Longs before = ends - lengths;
    const Longs of_b = take(starts, of_a) + all_products - take(before, of_a);
    const Tensor<SparseIndex, D> rows = take(a.row_indices(), of_a);
    const Tensor<SparseIndex, D> columns = take(b.col_indices(), of_b);
    return C(sparse::Checked{}, rows, columns, V(take(a.values(), of_a) * take(b.values(), of_b)),
             shape)
        .to_csr();
  }
}

}  // namespace weft
