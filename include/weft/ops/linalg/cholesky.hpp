// cholesky and cholesky_solve: symmetric positive definite matrices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/linalg/triangular_solve.hpp"

namespace weft {

namespace linalg {

struct CholeskyRule {
  static constexpr const char* text = "cholesky";

  template <class T, class D>
  Tensor<T, D> value(const Tensor<T, D>& a) const {
    const int64_t n = rows_of(a);
    if (a.size() == 0) return a.clone();
    if (n <= small_size) {
      const auto x = a.contiguous();
      const auto out = empty<T>(a.shape(), a.device());
      solver_of<D>::small_cholesky(text, x.reshape({-1, n, n}), out.reshape({-1, n, n}));
      return out;
    }
    const auto x = by_columns(a);
    solve_on<D>([](auto solver, const auto& m) { solver.cholesky(text, m); }, x);
    return lower(x.in(batch_of(a.shape())));
  }

  /// Murray 2016, "Differentiation of the Cholesky decomposition", section 3.1:
  /// gA = L^-H P L^-1 symmetrised, P = the lower half of L^H gL with its diagonal halved.
  template <class G, class P>
  void backward(const G& g, const G& l, const P& pulls, const G&) const {
    using T = typename G::value_type;
    const G s = product(adjoint(l), g);
    const G half = (lower(s) + lower(s, -1)) * T(0.5);
    const G left = TriangularRule{{false, true, false}}.value(l, half);
    const G both = adjoint(TriangularRule{{false, true, false}}.value(l, adjoint(left).clone()));
    pulls.head((both + adjoint(both)) * T(0.5));
  }
};

}  // namespace linalg

/// The lower triangular L with A = L L^T (L^H for complex matrices), for each matrix of a (..., n,
/// n); only the lower triangle of A is read. Throws ValueError if one is not positive definite,
/// with its number in the batch and the pivot (on Cuda when the GPU is next waited for). Gradient:
/// Murray 2016, arXiv 1602.07527.
template <ExpressionLike X>
auto cholesky(X&& a) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_square("cholesky", a.shape());
    return linalg::run(linalg::CholeskyRule{}, linalg::settled(a));
  }
}

/// x with A x = b, from the factor l = cholesky(A) (or its transpose, with `upper`) and b (..., n,
/// k), or one vector b for all. Batches broadcast.
template <ExpressionLike B, ExpressionLike L>
auto cholesky_solve(B&& b, L&& l, bool upper = false) {
  if constexpr (linalg::takes<B, L>()) {
    const auto factor = linalg::settled(l);
    const auto given = linalg::settled(b);
    const bool vector = given.rank() == 1;
    const auto right = vector ? given.unsqueeze(-1) : given;
    const auto half = triangular_solve(factor, right, {.upper = upper, .transposed = upper});
    const auto x = triangular_solve(factor, half, {.upper = upper, .transposed = !upper});
    return vector ? x.squeeze(-1) : x;
  }
}

}  // namespace weft
