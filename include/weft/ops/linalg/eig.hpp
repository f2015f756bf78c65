// eig and eigvals: eigenvalues of any square matrix, complex.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/linalg/eigh.hpp"
#include "weft/ops/linalg/solve.hpp"

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

/// With A V = V diag(w) and the vectors of length 1: gA = V^-H diag(g) V^H of the eigenvalues, and
/// V^-H ((M - V^H V diag(re M)) o F) V^H with M = V^H g and F_ij = 1 / conj(w_j - w_i), 0 for i =
/// j, of the vectors (Boeddeker et al. 2017, arXiv 1701.00392).
template <class X>
struct EigRule {
  static constexpr const char* text = "eig";
  X w;
  X v;
  bool of_vectors;

  const X& value(const X&) const { return of_vectors ? v : w; }

  template <class P>
  void backward(const X& g, const X&, const P& pulls, const X&) const {
    using C = typename X::value_type;
    const X turned = adjoint(v);
    X inner;
    if (of_vectors) {
      const X m = product(turned, g);
      const X diagonal = m.diagonal(0, -2, -1);
      check_phases(diagonal, m);
      const X free = m - product(turned, X(v * cast<C>(real(diagonal)).unsqueeze(-2)));
      inner = free * conjugate(inverse_gaps(w));
    } else {
      inner = g.unsqueeze(-1) * eye<C>(g.shape()[g.rank() - 1], g.device());
    }
    pulls.head(SolveRule{}.value(turned, product(inner, turned)));
  }

 private:
  static void check_phases(const X& diagonal, const X& m) {
    using R = real_t<typename X::value_type>;
    if (m.size() == 0) return;
    const R off = max(abs(imag(diagonal))).item();
    const R size = max(abs(m)).item();
    if (off > (sizeof(R) == 4 ? R(1e-2) : R(1e-6)) * (size > R(1) ? size : R(1))) {
      fail<ValueError>(text,
                       "a gradient that depends on the phases of the eigenvectors, which are "
                       "arbitrary, expected a function that does not, such as of abs(v)");
    }
  }
};

/// eig of a tensor or a Var; real elements are first made complex.
template <class X>
auto eig_of(const char* operation, const X& a, bool vectors) {
  using C = complex<real_t<typename X::value_type>>;
  if constexpr (weft::detail::is_var<X>) {
    using Z = Var<C, typename X::device_type>;
    if constexpr (!is_complex<typename X::value_type>) {
      return eig_of(operation, Z(cast<C>(a)), vectors);
    } else {
      const auto f = eig_value(operation, a.value(), true);
      using Rule = EigRule<std::remove_cvref_t<decltype(f.eigenvalues)>>;
      const Rule values{f.eigenvalues, f.eigenvectors, false};
      const Rule basis{f.eigenvalues, f.eigenvectors, true};
      return EighOf<Z, Z>{run(values, a), vectors ? Z(run(basis, a)) : Z()};
    }
  } else {
    return eig_value(operation, a, vectors);
  }
}

}  // namespace linalg

/// {eigenvalues, eigenvectors} of each matrix of a (..., n, n), complex: values (..., n) in no
/// particular order, and vectors of length 1 as columns (..., n, n). Real matrices are computed in
/// complex numbers too, so their eigenvalues are conjugate pairs only up to rounding. Gradient:
/// Boeddeker et al. 2017, arXiv 1701.00392, for distinct eigenvalues; a loss that depends on the
/// vectors' phases has none and throws.
template <ExpressionLike X>
auto eig(X&& a) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_square("eig", a.shape());
    return linalg::eig_of("eig", linalg::settled(a), true);
  }
}

/// The eigenvalues of eig alone.
template <ExpressionLike X>
auto eigvals(X&& a) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_square("eigvals", a.shape());
    return linalg::eig_of("eigvals", linalg::settled(a), false).eigenvalues;
  }
}

}  // namespace weft
