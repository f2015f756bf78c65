// lu_factor, lu_solve, lu: P A = L U with row exchanges.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/index/gather.hpp"
#include "weft/ops/linalg/triangular_solve.hpp"

namespace weft {

/// What lu_factor gives: L below the diagonal (its own is ones), U on and above it, and the row
/// that row i was exchanged with, counted from 0, in the order of i.
template <class T, class D>
struct LuFactors {
  Tensor<T, D> lu;
  Tensor<std::int32_t, D> pivots;
};

/// What lu gives: A = P L U, each a matrix.
template <class T, class D>
struct LuMatrices {
  Tensor<T, D> p;
  Tensor<T, D> l;
  Tensor<T, D> u;
};

namespace linalg {
/// LU of columns in place; the pivots.
template <class T, class D>
Tensor<std::int32_t, D> factor_lu(const char* operation, const Columns<T, D>& a, bool regular) {
  const int64_t k = a.rows() < a.columns() ? a.rows() : a.columns();
  const auto pivots = empty<std::int32_t>({a.count(), k}, a.memory.device());
  if (a.memory.size() == 0) return pivots;
  solve_on<D>(
      [&](auto solver, const auto& m, const auto& p) {
        solver.lu(operation, m, p);
        if (regular) solver.check_pivots(operation, m);
      },
      a, pivots);
  return pivots;
}

/// The rows that row exchanges put in each place: (..., m) from pivots (..., k).
template <class D>
Tensor<int64_t, D> permutation(const Tensor<std::int32_t, D>& pivots, int64_t rows) {
  const int64_t k = pivots.shape()[pivots.rank() - 1];
  const Shape batch = batch_of(pivots.shape(), 1);
  const Tensor<std::int32_t, Cpu> local = pivots.to(Cpu{}).contiguous();
  const auto out = empty<int64_t>(with(batch, rows));
  const int64_t count = batch.size();
  for (int64_t i = 0; i < count; ++i) {
    int64_t* const row = out.data() + i * rows;
    for (int64_t j = 0; j < rows; ++j) row[j] = j;
    for (int64_t j = 0; j < k; ++j) {
      const int64_t other = local.data()[i * k + j];
      const int64_t kept = row[j];
      row[j] = row[other];
      row[other] = kept;
    }
  }
  return out.to(pivots.device());
}
}  // namespace linalg

/// The LU factorisation of each matrix of a (..., m, n) with row exchanges, for lu_solve. A
/// singular matrix has one too, with a 0 on the diagonal.
template <ExpressionLike X>
auto lu_factor(X&& a) {
  using E = std::remove_cvref_t<X>;
  static_assert(
      !weft::detail::has_var<E>,
      "weft: lu_factor has no gradient: write solve, inv or det, or lu_factor(x.detach())");
  if constexpr (linalg::takes<X>()) {
    linalg::check_matrix("lu_factor", a.shape());
    const auto x = a.eval();
    const Shape batch = linalg::batch_of(x.shape());
    const auto columns = linalg::by_columns(x);
    const auto pivots = linalg::factor_lu("lu_factor", columns, false);
    return LuFactors<typename E::value_type, typename decltype(x)::device_type>{
        columns.in(batch), pivots.reshape(linalg::with(batch, pivots.shape()[1]))};
  }
}

/// x with A x = b for what lu_factor(A) gave and b (..., n, k); with `transposed` A^T x = b (A^H of
/// complex matrices). Batches broadcast. Throws ValueError where a matrix is singular.
template <class T, class D, ExpressionLike B>
auto lu_solve(const LuFactors<T, D>& factors, B&& b, bool transposed = false) {
  static_assert(!weft::detail::has_var<std::remove_cvref_t<B>>,
                "weft: lu_solve has no gradient: write solve(a, b), or lu_solve(f, b.detach())");
  if constexpr (linalg::takes<Tensor<T, D>, B>()) {
    const Shape batch = linalg::solution_batch("lu_solve", factors.lu.shape(), b.shape());
    const int64_t n = linalg::rows_of(factors.lu);
    const auto a = linalg::by_columns(factors.lu.expand(linalg::with(batch, n, n)));
    const Tensor<std::int32_t, D> p =
        factors.pivots.expand(linalg::with(batch, n)).clone().reshape({-1, n});
    const auto x =
        linalg::by_columns(b.eval().expand(linalg::with(batch, n, linalg::columns_of(b))));
    if (x.memory.size() > 0) {
      linalg::solve_on<D>(
          [&](auto solver, const auto& m, const auto& pivots, const auto& v) {
            solver.check_pivots("lu_solve", m);
            solver.lu_solve("lu_solve", m, pivots, v, transposed);
          },
          a, p, x);
    }
    return x.in(batch);
  }
}

/// P, L and U of each matrix of a (..., m, n): A = P L U.
template <ExpressionLike X>
auto lu(X&& a) {
  static_assert(!weft::detail::has_var<std::remove_cvref_t<X>>,
                "weft: lu has no gradient: write solve, inv or det, or lu(x.detach())");
  if constexpr (linalg::takes<X>()) {
    linalg::check_matrix("lu", a.shape());
    const auto f = lu_factor(a);
    using T = typename decltype(f.lu)::value_type;
    using D = typename decltype(f.lu)::device_type;
    const int64_t m = linalg::rows_of(f.lu);
    const int64_t n = linalg::columns_of(f.lu);
    const int64_t k = m < n ? m : n;
    const Tensor<T, D> l = linalg::lower(f.lu.narrow(-1, 0, k), -1) + eye<T>(m, k, f.lu.device());
    const Tensor<T, D> u = linalg::upper(f.lu.narrow(-2, 0, k));
    const auto rows =
        linalg::permutation(f.pivots, m).unsqueeze(-2);  // row i of L U is A's rows(i)
    const auto places = generated({m, 1}, op::affine<int64_t>{0, 1});
    const Tensor<T, D> p = cast<T>(rows == places);
    return LuMatrices<T, D>{p, l, u};
  }
}

}  // namespace weft
