// eig and eigvals: eigenvalues of any square matrix, complex.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/linalg/eigh.hpp"

namespace weft {

namespace linalg {

template <class T, class D>
auto eig_value(const char* operation, const Tensor<T, D>& a, bool vectors) {
  using C = complex<real_t<T>>;
  const Shape batch = batch_of(a.shape());
  const int64_t n = rows_of(a);
  const auto w = empty<C>({batch.size(), n}, a.device());
  const auto v = new_columns<C>(batch, n, vectors ? n : 0, a.device());
  if (a.size() > 0) {
    const Tensor<C, D> wide = cast<C>(a);
    const auto x = by_columns(wide);
    solve_on<D, solver_of<D>::has_eig>(
        [&](auto solver, const auto& m, const auto& values, const auto& basis) {
          solver.eig(operation, m, values, basis);
        },
        x, w, v);
  }
  return EighOf<Tensor<C, D>, Tensor<C, D>>{w.reshape(with(batch, n)), v.in(batch)};
}

template <class E>
constexpr bool takes_eig() {
  static_assert(!weft::detail::has_var<E>,
                "weft: eig has no gradient, since its results are complex: write eigh for "
                "symmetric matrices, or eig(x.detach())");
  return !weft::detail::has_var<E> && takes<E>();
}

}  // namespace linalg

/// {eigenvalues, eigenvectors} of each matrix of a (..., n, n), complex and in no order: (..., n),
/// and the vectors as columns (..., n, n) of length 1. It is computed in complex numbers: the
/// eigenvalues of a real matrix are pairs up to rounding. A Var has no gradient here.
template <ExpressionLike X>
auto eig(X&& a) {
  if constexpr (linalg::takes_eig<std::remove_cvref_t<X>>()) {
    linalg::check_square("eig", a.shape());
    return linalg::eig_value("eig", linalg::settled(a), true);
  }
}

/// The eigenvalues of eig alone.
template <ExpressionLike X>
auto eigvals(X&& a) {
  if constexpr (linalg::takes_eig<std::remove_cvref_t<X>>()) {
    linalg::check_square("eigvals", a.shape());
    return linalg::eig_value("eigvals", linalg::settled(a), false).eigenvalues;
  }
}

}  // namespace weft
