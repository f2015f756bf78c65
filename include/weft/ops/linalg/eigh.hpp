// eigh and eigvalsh: eigenvalues of symmetric and Hermitian matrices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/linalg/solver.hpp"

namespace weft {

/// What eigh gives, Tensors or Vars: A V = V diag(w).
template <class W, class V>
struct EighOf {
  W eigenvalues;
  V eigenvectors;
};

namespace linalg {

template <class T, class D>
struct EighValue {
  Tensor<real_t<T>, D> w;
  Tensor<T, D> v;  // without elements where it was not asked for
};

template <class T, class D>
EighValue<T, D> eigh_value(const char* operation, const Tensor<T, D>& a, bool vectors) {
  const Shape batch = batch_of(a.shape());
  const int64_t n = rows_of(a);
  const auto w = empty<real_t<T>>({batch.size(), n}, a.device());
  if (a.size() == 0) return {w.reshape(with(batch, n)), a.clone()};
  const auto x = by_columns(a);
  solve_on<D>([&](auto solver, const auto& m,
                  const auto& values) { solver.eigh(operation, m, values, vectors); },
              x, w);
  return {w.reshape(with(batch, n)), vectors ? x.in(batch) : Tensor<T, D>()};
}

/// 1 / (x_j - x_i), and 0 on the diagonal.
template <class T, class D>
Tensor<T, D> inverse_gaps(const Tensor<T, D>& x) {
  const Tensor<T, D> gaps = x.unsqueeze(-2) - x.unsqueeze(-1);
  const int64_t n = x.shape()[x.rank() - 1];
  const Tensor<bool, D> diagonal = eye<T>(n, n, x.device()) != T(0);
  return where(diagonal, T(0), T(1) / where(diagonal, T(1), gaps));
}

/// The eigenvalues: gA = V diag(g) V^H (Giles 2008, section 3.1).
template <class W, class X>
struct EigenvaluesRule {
  static constexpr const char* text = "eigvalsh";
  W w;
  X v;
  const W& value(const X&) const { return w; }
  template <class P>
  void backward(const W& g, const W&, const P& pulls, const X&) const {
    pulls.head(product(X(v * as<typename X::value_type>(g).unsqueeze(-2)), adjoint(v)));
  }
};

/// The eigenvectors: gA = V (F o V^H g) V^H, F_ij = 1 / (w_j - w_i), 0 for i = j.
template <class W, class X>
struct EigenvectorsRule {
  static constexpr const char* text = "eigh";
  W w;
  X v;
  const X& value(const X&) const { return v; }
  template <class P>
  void backward(const X& g, const X&, const P& pulls, const X&) const {
    const X inner = as<typename X::value_type>(inverse_gaps(w)) * product(adjoint(v), g);
    pulls.head(product(product(v, inner), adjoint(v)));
  }
};

}  // namespace linalg

/// {eigenvalues, eigenvectors} of each symmetric (complex: Hermitian) matrix of a (..., n, n):
/// ascending values (..., n), and orthonormal vectors as columns (..., n, n); only the lower
/// triangle is read. Gradient: Giles 2008, "Collected matrix derivative results"; that of the
/// vectors is infinite where eigenvalues are equal, and they are known up to their signs (phases)
/// only.
template <ExpressionLike X>
auto eigh(X&& a) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_square("eigh", a.shape());
    const auto x = linalg::settled(a);
    const auto value = linalg::eigh_value("eigh", linalg::value_of(x), true);
    if constexpr (weft::detail::has_var<std::remove_cvref_t<X>>) {
      using W = std::remove_cvref_t<decltype(value.w)>;
      using V = std::remove_cvref_t<decltype(value.v)>;
      const auto w = linalg::run(linalg::EigenvaluesRule<W, V>{value.w, value.v}, x);
      const auto v = linalg::run(linalg::EigenvectorsRule<W, V>{value.w, value.v}, x);
      return EighOf<std::remove_cvref_t<decltype(w)>, std::remove_cvref_t<decltype(v)>>{w, v};
    } else {
      return EighOf<std::remove_cvref_t<decltype(value.w)>, std::remove_cvref_t<decltype(value.v)>>{
          value.w, value.v};
    }
  }
}

/// The eigenvalues of eigh alone, in a third of the time.
template <ExpressionLike X>
auto eigvalsh(X&& a) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_square("eigvalsh", a.shape());
    if constexpr (weft::detail::has_var<std::remove_cvref_t<X>>) {
      return eigh(a).eigenvalues;
    } else {
      return linalg::eigh_value("eigvalsh", linalg::settled(a), false).w;
    }
  }
}

}  // namespace weft
