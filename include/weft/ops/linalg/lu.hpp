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

/// x of one batch from the factors of A.
template <class T, class D>
struct LuSolveRule {
  static constexpr const char* text = "lu_solve";
  Tensor<T, D> lu;
  Tensor<std::int32_t, D> pivots;
  bool transposed;

  Tensor<T, D> value(const Tensor<T, D>& b) const {
    if (b.size() == 0) return b.clone();
    const int64_t n = rows_of(lu);
    const auto x = by_columns(b);
    solve_on<D>(
        [this](auto solver, const auto& m, const auto& p, const auto& v) {
          solver.check_pivots(text, m);
          solver.lu_solve(text, m, p, v, transposed);
        },
        by_columns(lu), pivots.contiguous().reshape({-1, n}), x);
    return x.in(batch_of(b.shape()));
  }

  /// gb = A^-T g
  template <class P>
  void backward(const Tensor<T, D>& g, const Tensor<T, D>&, const P& pulls,
                const Tensor<T, D>&) const {
    pulls.head(LuSolveRule{lu, pivots, !transposed}.value(g));
  }
};

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
  constexpr bool plain = !weft::detail::has_var<E>;
  static_assert(
      plain, "weft: lu_factor has no gradient: write solve, inv or det, or lu_factor(x.detach())");
  if constexpr (plain && linalg::takes<X>()) {
    linalg::check_matrix("lu_factor", a.shape());
    const auto x = linalg::settled(a);
    const Shape batch = linalg::batch_of(x.shape());
    const auto columns = linalg::by_columns(x);
    const auto pivots = linalg::factor_lu("lu_factor", columns, false);
    return LuFactors<typename E::value_type, typename decltype(x)::device_type>{
        columns.in(batch), pivots.reshape(linalg::with(batch, pivots.shape()[1]))};
  }
}

/// x with A x = b for what lu_factor(A) gave and b (..., n, k); with `transposed` A^T x = b (A^H of
/// complex matrices). Batches broadcast. Throws ValueError where a matrix is singular. The gradient
/// is that of b.
template <class T, class D, ExpressionLike B>
auto lu_solve(const LuFactors<T, D>& factors, B&& b, bool transposed = false) {
  if constexpr (linalg::takes<Tensor<T, D>, B>()) {
    const auto x = linalg::settled(b);
    const Shape batch = linalg::solution_batch("lu_solve", factors.lu.shape(), x.shape());
    const int64_t n = linalg::rows_of(factors.lu);
    const linalg::LuSolveRule<T, D> rule{factors.lu.expand(linalg::with(batch, n, n)),
                                         factors.pivots.expand(linalg::with(batch, n)), transposed};
    return linalg::run(rule, x.expand(linalg::with(batch, n, linalg::columns_of(x))));
  }
}

/// P, L and U of each matrix of a (..., m, n): A = P L U.
template <ExpressionLike X>
auto lu(X&& a) {
  constexpr bool plain = !weft::detail::has_var<std::remove_cvref_t<X>>;
  static_assert(plain, "weft: lu has no gradient: write solve, inv or det, or lu(x.detach())");
  if constexpr (plain && linalg::takes<X>()) {
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
