// svd and svdvals: singular values and vectors, A = U diag(S) V^H.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/linalg/eigh.hpp"
#include "weft/ops/linalg/qr.hpp"

namespace weft {

/// What svd gives, Tensors or Vars: A = U diag(S) Vh.
template <class U, class S>
struct SvdOf {
  U u;
  S s;
  U vh;
};

namespace linalg {

template <class T, class D>
struct SvdValue {
  Tensor<T, D> u;
  Tensor<real_t<T>, D> s;
  Tensor<T, D> vh;
};

/// Without `vectors`, u and vh have no elements.
template <class T, class D>
SvdValue<T, D> svd_value(const char* operation, const Tensor<T, D>& a, bool vectors,
                         Factors factors) {
  const Shape batch = batch_of(a.shape());
  const int64_t m = rows_of(a);
  const int64_t n = columns_of(a);
  const int64_t k = m < n ? m : n;
  const bool full = factors == Factors::full;
  const auto s = empty<real_t<T>>({batch.size(), k}, a.device());
  const auto u = new_columns<T>(batch, m, !vectors ? 0 : full ? m : k, a.device());
  const auto vh = new_columns<T>(batch, !vectors ? 0 : full ? n : k, n, a.device());
  if (a.size() > 0) {
    solve_on<D>([&](auto solver, const auto& c, const auto& values, const auto& left,
                    const auto& right) { solver.svd(operation, c, values, left, right); },
                by_columns(a), s, u, vh);
  } else if (vectors && full) {
    u.memory.assign(eye<T>(m, m, a.device()));
    vh.memory.assign(eye<T>(n, n, a.device()));
  }
  return {u.in(batch), s.reshape(with(batch, k)), vh.in(batch)};
}

/// One of the three results of reduced factors, with the gradient that flows through it alone
/// (Townsend 2016, "Differentiating the singular value decomposition"):
///   gA = U ((skew(U^H gU) o F) S + S (skew(V^H gV) o F) + diag(gS)) V^H
///        + (1 - U U^H) gU S^-1 V^H + U S^-1 gV^H (1 - V V^H)
/// with skew(X) = X - X^H and F_ij = 1 / (s_j^2 - s_i^2), 0 for i = j. For complex vectors, whose
/// phases are arbitrary, the diagonals of the skew matrices are divided by 4 s, V's with a minus
/// sign: they are opposite in a loss that does not depend on the phases.
template <class X, class S>
struct SvdRule {
  enum Part { left, right };
  static constexpr const char* text = "svd";
  using T = typename X::value_type;
  X u;
  S s;
  X vh;
  Part part;

  const X& value(const X&) const { return part == left ? u : vh; }

  template <class P>
  void backward(const X& g, const X&, const P& pulls, const X& a) const {
    const int64_t k = s.shape()[s.rank() - 1];
    if (columns_of(u) != k || rows_of(vh) != k) {
      fail<ValueError>(text, "a gradient of full factors of shape ", a.shape(),
                       ", expected Factors::reduced");
    }
    const X scale = as<T>(s);
    const X v = adjoint(vh);
    const X to = part == left ? g : adjoint(g);
    const X& basis = part == left ? u : v;
    const X projected = product(adjoint(basis), to);
    const X skew = projected - adjoint(projected);
    const X spread = skew * as<T>(inverse_gaps(S(s * s)));
    X inner = part == left ? X(spread * scale.unsqueeze(-2)) : X(scale.unsqueeze(-1) * spread);
    if constexpr (is_complex<T>) {
      const T share(part == left ? 0.25 : -0.25);
      inner = inner + skew * eye<T>(k, k, s.device()) * (share / scale.unsqueeze(-2));
    }
    X sum = product(product(u, inner), vh);
    if (rows_of(basis) > k) {
      const X outside = (to - product(basis, projected)) / scale.unsqueeze(-2);
      sum = X(sum + (part == left ? product(outside, vh) : product(u, adjoint(outside))));
    }
    pulls.head(sum);
  }
};

/// The singular values: gA = U diag(g) V^H.
template <class X, class S>
struct SingularValuesRule {
  static constexpr const char* text = "svd";
  X u;
  S s;
  X vh;
  const S& value(const X&) const { return s; }
  template <class P>
  void backward(const S& g, const S&, const P& pulls, const X&) const {
    const int64_t k = s.shape()[s.rank() - 1];
    const X left = u.narrow(-1, 0, k) * as<typename X::value_type>(g).unsqueeze(-2);
    pulls.head(product(left, vh.narrow(-2, 0, k)));
  }
};

}  // namespace linalg

/// {u, s, vh} of each matrix of a (..., m, n): A = U diag(S) Vh, u (..., m, k) and vh (..., k, n)
/// with orthonormal columns and rows, s (..., k) descending, k = min(m, n); with Factors::full u is
/// (..., m, m) and vh (..., n, n). Gradient of reduced factors: Townsend 2016; that of u and vh is
/// infinite where singular values are equal.
template <ExpressionLike X>
auto svd(X&& a, Factors factors = Factors::reduced) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_matrix("svd", a.shape());
    const auto x = linalg::settled(a);
    const auto value = linalg::svd_value("svd", linalg::value_of(x), true, factors);
    using U = std::remove_cvref_t<decltype(value.u)>;
    if constexpr (weft::detail::has_var<std::remove_cvref_t<X>>) {
      using S = std::remove_cvref_t<decltype(value.s)>;
      using Rule = linalg::SvdRule<U, S>;
      using Values = linalg::SingularValuesRule<U, S>;
      const auto s = linalg::run(Values{value.u, value.s, value.vh}, x);
      using V = std::remove_cvref_t<decltype(x)>;
      return SvdOf<V, std::remove_cvref_t<decltype(s)>>{
          linalg::run(Rule{value.u, value.s, value.vh, Rule::left}, x), s,
          linalg::run(Rule{value.u, value.s, value.vh, Rule::right}, x)};
    } else {
      return SvdOf<U, std::remove_cvref_t<decltype(value.s)>>{value.u, value.s, value.vh};
    }
  }
}

/// The singular values alone, descending: (..., min(m, n)).
template <ExpressionLike X>
auto svdvals(X&& a) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_matrix("svdvals", a.shape());
    if constexpr (weft::detail::has_var<std::remove_cvref_t<X>>) {
      return svd(a).s;
    } else {
      return linalg::svd_value("svdvals", linalg::settled(a), false, Factors::reduced).s;
    }
  }
}

}  // namespace weft
