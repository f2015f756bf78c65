// pinv, lstsq, matrix_rank: computed from singular values, for matrices without an inverse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/linalg/svd.hpp"

namespace weft {

/// Which singular values count as 0: those no larger than `absolute`, or than `relative` times the
/// largest of the matrix. A negative `relative` stands for max(m, n) times the distance from 1 to
/// the next number.
struct RankTolerance {
  double relative = -1;
  double absolute = 0;
};

/// What lstsq gives.
template <class X, class R, class S, class D>
struct LstsqOf {
  X solution;                    ///< (..., n, k), of all minimisers the shortest
  R residuals;                   ///< (..., k): |A x - b|^2 of each column
  Tensor<int64_t, D> rank;       ///< (...)
  Tensor<S, D> singular_values;  ///< (..., min(m, n))
};

namespace linalg {

/// Whether each singular value counts, of matrices of m x n.
template <class R, class D>
Tensor<bool, D> counted(const Tensor<R, D>& s, int64_t m, int64_t n, const RankTolerance& tol) {
  const double epsilon = sizeof(R) == 4 ? 0x1p-23 : 0x1p-52;
  const double relative =
      tol.relative >= 0 ? tol.relative : static_cast<double>(m > n ? m : n) * epsilon;
  if (s.size() == 0) return empty<bool>(s.shape(), s.device());
  return s > maximum(s.narrow(-1, 0, 1) * static_cast<R>(relative), static_cast<R>(tol.absolute));
}

/// V S^-1, where singular values that do not count have 0.
template <class T, class D>
Tensor<T, D> scaled_right(const SvdValue<T, D>& f, const RankTolerance& tol) {
  using R = real_t<T>;
  const Tensor<bool, D> keeps = counted(f.s, rows_of(f.u), columns_of(f.vh), tol);
  const Tensor<R, D> inverse = where(keeps, R(1) / where(keeps, f.s, R(1)), R(0));
  return adjoint(f.vh) * cast<T>(inverse.unsqueeze(-2));
}
template <class T, class D>
Tensor<T, D> inverse_of(const SvdValue<T, D>& f, const RankTolerance& tol) {
  return product(scaled_right(f, tol), adjoint(f.u));
}
/// The pseudoinverse times b, without forming it.
template <class T, class D, class B>
auto solved_by(const SvdValue<T, D>& f, const B& b, const RankTolerance& tol) {
  return matmul(scaled_right(f, tol), matmul(adjoint(f.u), b).eval()).eval();
}

struct PinvRule {
  static constexpr const char* text = "pinv";
  RankTolerance tolerance;

  template <class T, class D>
  Tensor<T, D> value(const Tensor<T, D>& a) const {
    if (a.size() == 0)
      return zeros<T>(with(batch_of(a.shape()), columns_of(a), rows_of(a)), a.device());
    return inverse_of(svd_value(text, a, true, Factors::reduced), tolerance);
  }

  /// With Y = A^+ and K = Y g^H: gA = -(K Y)^H + (g^H - A K) Y Y^H + Y^H K (1 - Y A), for
  /// perturbations that keep the rank (Golub and Pereyra 1973).
  template <class G, class P>
  void backward(const G& g, const G& y, const P& pulls, const G& a) const {
    const G turned = adjoint(g);
    const G k = product(y, turned);
    const G yk = product(adjoint(y), k);
    const G outside = turned - product(a, k);
    pulls.head(product(product(outside, y), adjoint(y)) + yk - product(product(yk, y), a) -
               adjoint(product(k, y)));
  }
};

}  // namespace linalg

/// The Moore-Penrose pseudoinverse of each matrix of a (..., m, n): (..., n, m). Gradient:
/// Golub and Pereyra 1973, where the rank stays the same.
template <ExpressionLike X>
auto pinv(X&& a, RankTolerance tolerance = {}) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_matrix("pinv", a.shape());
    return linalg::run(linalg::PinvRule{tolerance}, linalg::settled(a));
  }
}

/// The number of singular values of each matrix of a (..., m, n) that do not count as 0: (...).
template <ExpressionLike X>
auto matrix_rank(X&& a, RankTolerance tolerance = {}) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_matrix("matrix_rank", a.shape());
    const auto x = linalg::settled(a);
    using D = typename std::remove_cvref_t<decltype(x)>::device_type;
    const auto s = svdvals(linalg::value_of(x));
    if (s.size() == 0) return zeros<int64_t>(linalg::batch_of(x.shape()), x.device());
    const auto keeps = linalg::counted(s, linalg::rows_of(x), linalg::columns_of(x), tolerance);
    return Tensor<int64_t, D>(sum(cast<int64_t>(keeps), axis(-1)));
  }
}

/// The x that minimises |A x - b|, for each matrix of a (..., m, n) and of b (..., m, k); b of rank
/// 1 is one vector. Computed from singular values, as in NumPy: A may have any rank, and of several
/// minimisers x is the shortest. Batches broadcast. Gradients are computed from pinv(a), and
/// the gradients of the residuals through the solution.
template <ExpressionLike A, ExpressionLike B>
auto lstsq(A&& a, B&& b, RankTolerance tolerance = {}) {
  if constexpr (linalg::takes<A, B>()) {
    linalg::check_matrix("lstsq", a.shape());
    const auto x = linalg::settled(a);
    const auto given = linalg::settled(b);
    const bool vector = given.rank() == 1;
    const auto right = vector ? given.unsqueeze(-1) : given;
    linalg::check_matrix("lstsq", right.shape());
    if (linalg::rows_of(x) != linalg::rows_of(right)) {
      fail<ShapeError>("lstsq", "matrices of shape ", x.shape(), " and right-hand sides of shape ",
                       given.shape(), ", expected ", linalg::rows_of(x), " rows");
    }
    using T = typename std::remove_cvref_t<decltype(x)>::value_type;
    using D = typename std::remove_cvref_t<decltype(x)>::device_type;
    const auto f = linalg::svd_value("lstsq", linalg::value_of(x), true, Factors::reduced);
    const auto solve = [&] {
      if constexpr (!weft::detail::has_var<std::remove_cvref_t<A>>) {
        if (x.size() > 0) return linalg::solved_by(f, right, tolerance);
      }
      return matmul(pinv(x, tolerance), right).eval();
    };
    const auto solution = solve();
    const auto distance = (matmul(x, solution) - right).eval();
    const auto residuals = sum(square(abs(distance)), axis(-2)).eval();
    const auto keeps = linalg::counted(f.s, linalg::rows_of(x), linalg::columns_of(x), tolerance);
    const Tensor<int64_t, D> rank = sum(cast<int64_t>(keeps), axis(-1));
    using Y = std::remove_cvref_t<decltype(solution)>;
    using R = std::remove_cvref_t<decltype(residuals)>;
    return LstsqOf<Y, R, real_t<T>, D>{vector ? solution.squeeze(-1) : solution,
                                       vector ? residuals.squeeze(-1) : residuals, rank, f.s};
  }
}

}  // namespace weft
