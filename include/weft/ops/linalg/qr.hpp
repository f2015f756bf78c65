// qr: A = Q R with orthonormal columns of Q, by Householder's reflections.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/linalg/triangular_solve.hpp"

namespace weft {

/// How many columns factors have: as many as needed, min(m, n), or a complete basis.
enum class Factors : unsigned char { reduced, full };

/// What qr gives, Tensors or Vars.
template <class X>
struct QrOf {
  X q;
  X r;
};

namespace linalg {

/// One of the two results, with the gradient that flows through it alone.
template <class X>
struct QrRule {
  static constexpr const char* text = "qr";
  X q;
  X r;
  bool is_q;

  const X& value(const X&) const { return is_q ? q : r; }

  /// For m >= n: gA = (gQ + Q copyltu(M)) R^-H with M = R gR^H - gQ^H Q, where copyltu mirrors the
  /// lower half (Seeger et al. 2017, arXiv 1710.08717). For m < n, A = (X, Y) and R = (U, V) the
  /// same for X = Q U, with gQ + Y gV^H and gU, beside gY = Q gV.
  template <class P>
  void backward(const X& g, const X&, const P& pulls, const X& a) const {
    const int64_t m = rows_of(a);
    const int64_t n = columns_of(a);
    if (columns_of(q) != (m < n ? m : n)) {
      fail<ValueError>(text, "a gradient of full factors of shape ", a.shape(),
                       ", expected Factors::reduced");
    }
    if (m >= n) {
      pulls.head(is_q ? of_tall(g, X(-product(adjoint(g), q)), r)
                      : of_tall(X(), product(r, adjoint(g)), r));
      return;
    }
    const X u = r.narrow(-1, 0, m);
    if (is_q) {
      const X left = of_tall(g, X(-product(adjoint(g), q)), u);
      pulls.head(cat(left, zeros_like(a.narrow(-1, m, n - m)), axis(-1)));
    } else {
      const X to_v = g.narrow(-1, m, n - m);
      const X to_q = product(a.narrow(-1, m, n - m), adjoint(to_v));
      const X to_u = g.narrow(-1, 0, m);
      const X mixed = product(u, adjoint(to_u)) - product(adjoint(to_q), q);
      pulls.head(cat(of_tall(to_q, mixed, u), product(q, to_v), axis(-1)));
    }
  }

 private:
  /// (gQ + Q copyltu(mixed)) R^-H; gQ without elements is 0. The diagonal counts by its real part,
  /// as R's is real.
  X of_tall(const X& to_q, const X& mixed, const X& factor) const {
    const X half = (lower(mixed) + lower(mixed, -1)) * typename X::value_type(0.5);
    X sum = product(q, X(half + adjoint(half)));
    if (to_q.size() > 0) sum = X(sum + to_q);
    // sum R^-H = (R^-1 sum^H)^H
    return adjoint(TriangularRule{{.upper = true}}.value(factor, X(adjoint(sum).clone())));
  }
};

}  // namespace linalg

/// {q, r} with A = Q R for each matrix of a (..., m, n): q (..., m, k) has orthonormal columns and
/// r
/// (..., k, n) is upper triangular, k = min(m, n), or m with Factors::full. The signs are LAPACK's:
/// R's diagonal may be negative. Gradient of reduced factors, of matrices of full rank: Seeger et
/// al. 2017, arXiv 1710.08717.
template <ExpressionLike X>
auto qr(X&& a, Factors factors = Factors::reduced) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_matrix("qr", a.shape());
    const auto x = linalg::settled(a);
    using T = typename std::remove_cvref_t<X>::value_type;
    using D = typename std::remove_cvref_t<decltype(x)>::device_type;
    const int64_t m = linalg::rows_of(x);
    const int64_t n = linalg::columns_of(x);
    const int64_t k = factors == Factors::full || m < n ? m : n;
    const Shape batch = linalg::batch_of(x.shape());
    Tensor<T, D> r = linalg::value_of(x);
    const auto basis = linalg::new_columns<T>(batch, m, k, x.device());
    if (n == 0 && k > 0) {
      basis.memory.assign(eye<T>(m, m, x.device()));
      r = zeros<T>(linalg::with(batch, k, n), x.device());
    } else if (x.size() > 0) {
      const auto columns = linalg::by_columns(r);
      const auto tau = empty<T>({columns.count(), m < n ? m : n}, x.device());
      linalg::solve_on<D>([](auto solver, const auto& c, const auto& t) { solver.qr("qr", c, t); },
                          columns, tau);
      const int64_t kept = k < n ? k : n;
      basis.memory.narrow(1, 0, kept).assign(columns.memory.narrow(1, 0, kept));
      linalg::solve_on<D>(
          [](auto solver, const auto& c, const auto& t) { solver.householder_q("qr", c, t); },
          basis, tau);
      r = linalg::upper(columns.in(batch).narrow(-2, 0, k));
    } else {
      r = zeros<T>(linalg::with(batch, k, n), x.device());
    }
    using Rule = linalg::QrRule<Tensor<T, D>>;
    const Tensor<T, D> q = basis.in(batch);
    const auto first = linalg::run(Rule{q, r, true}, x);
    return QrOf<std::remove_cvref_t<decltype(first)>>{first, linalg::run(Rule{q, r, false}, x)};
  }
}

}  // namespace weft
