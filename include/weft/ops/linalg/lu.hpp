// lu_factor, lu_solve, lu: P A = L U with row exchanges.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/index/gather.hpp"
#include "weft/ops/linalg/triangular_solve.hpp"

namespace weft {

/// What lu_factor gives: L below the diagonal (its own is ones), U on and above it, and the row
/// that row i was exchanged with, counted from 0, in the order of i.
template <class T, class D, class X = Tensor<T, D>>
struct LuFactors {
  X lu;  ///< a Tensor or Var
  Tensor<std::int32_t, D> pivots;
};

/// What lu gives: A = P L U, each a matrix, L and U Tensors or Vars.
template <class T, class D, class X = Tensor<T, D>>
struct LuMatrices {
  Tensor<T, D> p;
  X l;
  X u;
};

namespace linalg {
/// LU of column-major matrices in place; returns the pivots.
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

/// The parts of LU in one matrix (..., m, n): L below the diagonal, which counts as ones.
template <class T, class D>
Tensor<T, D> unit_lower(const Tensor<T, D>& lu, int64_t k) {
  return lower(lu.narrow(-1, 0, k), -1) + eye<T>(rows_of(lu), k, lu.device());
}

/// x of one batch from the factors of A.
template <class D>
struct LuSolveRule {
  static constexpr const char* text = "lu_solve";
  Tensor<std::int32_t, D> pivots;
  bool turned;

  template <class T>
  Tensor<T, D> value(const Tensor<T, D>& lu, const Tensor<T, D>& b) const {
    if (b.size() == 0) return b.clone();
    const int64_t n = rows_of(lu);
    const auto x = by_columns(b);
    solve_on<D>(
        [this](auto solver, const auto& m, const auto& p, const auto& v) {
          solver.check_pivots(text, m);
          solver.lu_solve(text, m, p, v, turned);
        },
        by_columns(lu), pivots.contiguous().reshape({-1, n}), x);
    return x.in(batch_of(b.shape()));
  }

  /// gb = A^-H g; with P A = L U the gradient of P A is -P gb x^H; multiplied by U^H from the right
  /// and L^H from the left, on their triangles, it gives those of L and U.
  template <class X, class P>
  void backward(const X& g, const X& y, const P& pulls, const X& lu, const X&) const {
    const X to_b = LuSolveRule{pivots, !turned}.value(lu, g);
    if (get<0>(pulls).wanted()) {
      const auto rows = permutation(pivots, rows_of(lu)).unsqueeze(-1).expand(y.shape());
      const X left = take_along_axis(turned ? y : to_b, rows, axis(-2));
      const X right = adjoint(turned ? to_b : y);
      const X to_l = product(left, product(right, adjoint(upper(lu))));
      const X to_u = product(product(adjoint(unit_lower(lu, rows_of(lu))), left), right);
      get<0>(pulls)(-(lower(to_l, -1) + upper(to_u)));
    }
    get<1>(pulls)(to_b);
  }
};

/// L, U, or both in one matrix, with the gradient that flows through this part. With A = P L U of
/// square matrices gA = P L^-H (tril(L^H gL, -1) + triu(gU U^H)) U^-H; columns of A on the right of
/// square L and U, and rows below these, depend on them and on themselves.
template <class X>
struct LuRule {
  enum Part { l, u, both };
  static constexpr const char* text = "lu";
  X lu;
  X p;
  Part part;

  X value(const X&) const {
    const int64_t k = least();
    return part == both ? lu : part == l ? unit_lower(lu, k) : upper(lu.narrow(-2, 0, k));
  }
  template <class P>
  void backward(const X& g, const X&, const P& pulls, const X&) const {
    const int64_t k = least();
    const int64_t below = rows_of(lu) - k;
    const int64_t beside = columns_of(lu) - k;
    const X left = unit_lower(lu, k);
    const X right = upper(lu.narrow(-2, 0, k));
    const X square_left = left.narrow(-2, 0, k);
    const X square_right = right.narrow(-1, 0, k);
    auto inner = zeros<typename X::value_type>(with(batch_of(lu.shape()), k, k), lu.device());
    X under;
    X aside;
    if (part != u) {
      const X to_l = part == l ? g : lower(g.narrow(-1, 0, k), -1);
      inner = inner + lower(product(adjoint(square_left), to_l.narrow(-2, 0, k)), -1);
      if (below > 0) {
        under = to_l.narrow(-2, k, below);
        inner = inner - upper(product(adjoint(left.narrow(-2, k, below)), under));
      }
    }
    if (part != l) {
      const X to_u = part == u ? g : upper(g.narrow(-2, 0, k));
      inner = inner + upper(product(to_u.narrow(-1, 0, k), adjoint(square_right)));
      if (beside > 0) {
        aside = to_u.narrow(-1, k, beside);
        inner = inner - lower(product(aside, adjoint(right.narrow(-1, k, beside))), -1);
      }
    }
    const TriangularRule by_left{{.upper = false, .transposed = true, .unit = true}};
    const TriangularRule by_right{{.upper = true}};  // X U^-H = (U^-1 X^H)^H
    X rows = by_left.value(square_left, inner);
    if (below > 0) {
      const Shape rest = with(batch_of(lu.shape()), below, k);
      rows =
          cat(rows, under.size() > 0 ? under : X(zeros<typename X::value_type>(rest, lu.device())),
              axis(-2));
    }
    X sum = adjoint(by_right.value(square_right, X(adjoint(rows).clone())));
    if (beside > 0) {
      const Shape rest = with(batch_of(lu.shape()), k, beside);
      sum = cat(sum,
                aside.size() > 0 ? by_left.value(square_left, aside)
                                 : X(zeros<typename X::value_type>(rest, lu.device())),
                axis(-1));
    }
    pulls.head(product(p, sum));
  }

 private:
  int64_t least() const { return rows_of(lu) < columns_of(lu) ? rows_of(lu) : columns_of(lu); }
};

/// The matrix P of A = P L U.
template <class T, class D>
Tensor<T, D> permutation_matrix(const Tensor<std::int32_t, D>& pivots, int64_t m) {
  const auto rows = permutation(pivots, m).unsqueeze(-2);  // row i of L U is A's rows(i)
  const auto places = generated({m, 1}, op::affine<int64_t>{0, 1});
  return cast<T>(rows == places);
}

/// The factors of a tensor.
template <class T, class D>
LuFactors<T, D> lu_factors(const char* operation, const Tensor<T, D>& x) {
  const Shape batch = batch_of(x.shape());
  const auto columns = by_columns(x);
  const auto pivots = factor_lu(operation, columns, false);
  return {columns.in(batch), pivots.reshape(with(batch, pivots.shape()[1]))};
}
}  // namespace linalg

/// The LU factorisation of each matrix of a (..., m, n) with partial pivoting, for lu_solve. A
/// singular matrix has one too, with a 0 on the diagonal, but no gradient.
template <ExpressionLike X>
auto lu_factor(X&& a) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_matrix("lu_factor", a.shape());
    const auto x = linalg::settled(a);
    const auto f = linalg::lu_factors("lu_factor", linalg::value_of(x));
    if constexpr (weft::detail::has_var<std::remove_cvref_t<X>>) {
      using Y = std::remove_cvref_t<decltype(x)>;
      using V = std::remove_cvref_t<decltype(f.lu)>;
      using Rule = linalg::LuRule<V>;
      using T = typename V::value_type;
      const V p = linalg::permutation_matrix<T>(f.pivots, linalg::rows_of(f.lu));
      return LuFactors<T, typename V::device_type, Y>{linalg::run(Rule{f.lu, p, Rule::both}, x),
                                                      f.pivots};
    } else {
      return f;
    }
  }
}

/// x with A x = b, from lu_factor(A) and b (..., n, k), or one vector b for all; with `transposed`,
/// A^T x = b (A^H for complex matrices). Batches broadcast. Throws ValueError if a matrix is
/// singular.
template <class T, class D, class X, ExpressionLike B>
auto lu_solve(const LuFactors<T, D, X>& factors, B&& b, bool transposed = false) {
  if constexpr (linalg::takes<Tensor<T, D>, B>()) {
    const auto given = linalg::settled(b);
    const bool vector = given.rank() == 1;
    const auto x = vector ? given.unsqueeze(-1) : given;
    const Shape batch = linalg::solution_batch("lu_solve", factors.lu.shape(), x.shape());
    const int64_t n = linalg::rows_of(factors.lu);
    const linalg::LuSolveRule<D> rule{factors.pivots.expand(linalg::with(batch, n)), transposed};
    const auto y = linalg::run(rule, factors.lu.expand(linalg::with(batch, n, n)),
                               x.expand(linalg::with(batch, n, linalg::columns_of(x))));
    return vector ? y.squeeze(-1) : y;
  }
}

/// P, L and U of each matrix of a (..., m, n): A = P L U. The gradient keeps the row exchanges
/// fixed; a singular matrix has none.
template <ExpressionLike X>
auto lu(X&& a) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_matrix("lu", a.shape());
    const auto x = linalg::settled(a);
    const auto f = linalg::lu_factors("lu", linalg::value_of(x));
    using V = std::remove_cvref_t<decltype(f.lu)>;
    using T = typename V::value_type;
    using Rule = linalg::LuRule<V>;
    const V p = linalg::permutation_matrix<T>(f.pivots, linalg::rows_of(f.lu));
    return LuMatrices<T, typename V::device_type, std::remove_cvref_t<decltype(x)>>{
        p, linalg::run(Rule{f.lu, p, Rule::l}, x), linalg::run(Rule{f.lu, p, Rule::u}, x)};
  }
}

}  // namespace weft
