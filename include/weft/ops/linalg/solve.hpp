// solve and inv: linear equations and inverses by LU, of small matrices by weft's own kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/linalg/lu.hpp"

namespace weft {

namespace linalg {

struct SolveRule {
  static constexpr const char* text = "solve";

  /// Of one batch.
  template <class T, class D>
  Tensor<T, D> value(const Tensor<T, D>& a, const Tensor<T, D>& b) const {
    if (b.size() == 0) return b.clone();
    const int64_t n = rows_of(a);
    if (n <= small_size) {
      const int64_t k = columns_of(b);
      const auto x = a.contiguous();
      const auto y = b.contiguous();
      const auto out = empty<T>(b.shape(), b.device());
      solver_of<D>::small_solve(text, x.reshape({-1, n, n}), y.reshape({-1, n, k}),
                                out.reshape({-1, n, k}));
      return out;
    }
    const auto matrix = by_columns(a);
    const auto x = by_columns(b);
    const auto pivots = factor_lu(text, matrix, true);
    solve_on<D>([](auto solver, const auto& m, const auto& p,
                   const auto& v) { solver.lu_solve(text, m, p, v, false); },
                matrix, pivots, x);
    return x.in(batch_of(b.shape()));
  }

  /// With y = A^-1 b: gb = A^-H g, gA = -gb y^H (Giles 2008, section 2.2.3).
  template <class G, class P>
  void backward(const G& g, const G& y, const P& pulls, const G& a, const G&) const {
    const G to_b = value(adjoint(a), g);
    if (get<0>(pulls).wanted()) get<0>(pulls)(-product(to_b, adjoint(y)));
    get<1>(pulls)(to_b);
  }
};

struct InvRule {
  static constexpr const char* text = "inv";

  template <class T, class D>
  Tensor<T, D> value(const Tensor<T, D>& a) const {
    if (a.size() == 0) return a.clone();
    const int64_t n = rows_of(a);
    if (n <= small_size) {
      const auto x = a.contiguous();
      const auto out = empty<T>(a.shape(), a.device());
      solver_of<D>::small_inv(text, x.reshape({-1, n, n}), out.reshape({-1, n, n}));
      return out;
    }
    const auto matrix = by_columns(a);
    const auto pivots = factor_lu(text, matrix, true);
    if constexpr (requires { solver_of<D>::inverse(text, matrix, pivots); }) {
      solver_of<D>::inverse(text, matrix, pivots);
      return matrix.in(batch_of(a.shape()));
    }
    const Tensor<T, D> one = eye<T>(n, n, a.device());
    const auto x = by_columns(one.expand(a.shape()));
    solve_on<D>([](auto solver, const auto& m, const auto& p,
                   const auto& v) { solver.lu_solve(text, m, p, v, false); },
                matrix, pivots, x);
    return x.in(batch_of(a.shape()));
  }

  /// gA = -Y^H g Y^H with Y = A^-1 (Giles 2008, section 2.2.3).
  template <class G, class P>
  void backward(const G& g, const G& y, const P& pulls, const G&) const {
    const G turned = adjoint(y);
    pulls.head(-product(product(turned, g), turned));
  }
};

}  // namespace linalg

/// x with A x = b for each matrix of a (..., n, n) and of b (..., n, k); b of rank 1 is one vector
/// for all. Batches broadcast; one matrix for a whole batch is factorised once. Throws ValueError
/// if a matrix is singular, with its number in the batch and the pivot (on Cuda when the GPU is
/// next waited for). Gradient: Giles 2008, "Collected matrix derivative results".
template <ExpressionLike A, ExpressionLike B>
auto solve(A&& a, B&& b) {
  if constexpr (linalg::takes<A, B>()) {
    const auto left = linalg::settled(a);
    const auto given = linalg::settled(b);
    const bool vector = given.rank() == 1;
    const auto right = vector ? given.unsqueeze(-1) : given;
    const Shape batch = linalg::solution_batch("solve", left.shape(), right.shape());
    const int64_t n = linalg::rows_of(left);
    const int64_t k = linalg::columns_of(right);
    using Y = decltype(linalg::run(linalg::SolveRule{}, left, right));
    if (left.rank() == 2 && right.rank() > 2) {  // all columns of the batch beside each other
      const Y rows = right.transpose(-1, -2).reshape({batch.size() * k, n});
      const Y x = linalg::run(linalg::SolveRule{}, left, rows.transpose(0, 1));
      const Y turned = x.transpose(0, 1).reshape(linalg::with(batch, k, n)).transpose(-1, -2);
      return turned;
    }
    const Y x = linalg::run(linalg::SolveRule{}, left.expand(linalg::with(batch, n, n)),
                            right.expand(linalg::with(batch, n, k)));
    return vector ? x.squeeze(-1) : x;
  }
}

/// The inverse of each matrix of a (..., n, n). To solve equations, solve(a, b) is faster and more
/// precise. Throws as solve does.
template <ExpressionLike X>
auto inv(X&& a) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_square("inv", a.shape());
    return linalg::run(linalg::InvRule{}, linalg::settled(a));
  }
}

}  // namespace weft
