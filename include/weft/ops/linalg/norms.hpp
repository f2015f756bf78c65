// vector_norm, matrix_norm, cond: the sizes of vectors and matrices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/linalg/solve.hpp"
#include "weft/ops/linalg/svd.hpp"

namespace weft {

/// The norms of a matrix. one and infinity: the largest sum of absolute values in a column, a row;
/// two: the largest singular value; nuclear: their sum. The minus forms take the smallest instead.
enum class MatrixNorm : unsigned char {
  frobenius,
  nuclear,
  one,
  minus_one,
  two,
  minus_two,
  infinity,
  minus_infinity
};

/// The p-norm of the elements, sum(|x|^p)^(1/p), of all or along axis(...), p any number: infinity
/// gives the largest absolute value, -infinity the smallest, 0 the number of elements that are not
/// 0.
template <ExpressionLike X, class... Options>
auto vector_norm(X&& x, double p = 2, Options... options) {
  using R = real_t<typename std::remove_cvref_t<X>::value_type>;
  using C = compute_t<R>;
  if (p == 0) return cast<R>(sum(cast<C>(abs(sign(x))), options...)).eval();
  if (p > 0) return norm_p(x, p, options...).eval();
  if (p < -1e300) return cast<R>(min(abs(x), options...)).eval();
  if (p < 0) return cast<R>(pow(sum(pow(cast<C>(abs(x)), C(p)), options...), C(1 / p))).eval();
  fail<ValueError>("vector_norm", "p = ", p, ", expected a number");
}

/// The norm of each matrix of a (..., m, n): (...). Gradients agree with PyTorch: for the 2,
/// nuclear and related norms by the singular vectors.
template <ExpressionLike X>
auto matrix_norm(X&& a, MatrixNorm which = MatrixNorm::frobenius) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_matrix("matrix_norm", a.shape());
    const auto x = linalg::settled(a);
    switch (which) {
      case MatrixNorm::frobenius:
        return norm(x, axis(-2, -1)).eval();
      case MatrixNorm::nuclear:
        return sum(svdvals(x), axis(-1)).eval();
      case MatrixNorm::one:
        return max(sum(abs(x), axis(-2)).eval(), axis(-1)).eval();
      case MatrixNorm::minus_one:
        return min(sum(abs(x), axis(-2)).eval(), axis(-1)).eval();
      case MatrixNorm::two:
        return max(svdvals(x), axis(-1)).eval();
      case MatrixNorm::minus_two:
        return min(svdvals(x), axis(-1)).eval();
      case MatrixNorm::infinity:
        return max(sum(abs(x), axis(-1)).eval(), axis(-1)).eval();
      default:
        return min(sum(abs(x), axis(-1)).eval(), axis(-1)).eval();
    }
  }
}

/// The matrix norm that a number stands for in NumPy and PyTorch: 1, -1, 2, -2, +-infinity.
[[gnu::noinline]] inline MatrixNorm matrix_norm_of(const char* operation, double p) {
  if (p == 1) return MatrixNorm::one;
  if (p == -1) return MatrixNorm::minus_one;
  if (p == 2) return MatrixNorm::two;
  if (p == -2) return MatrixNorm::minus_two;
  if (p > 1e300) return MatrixNorm::infinity;
  if (p < -1e300) return MatrixNorm::minus_infinity;
  fail<ValueError>(operation, "p = ", p, ", expected 1, -1, 2, -2, infinity or -infinity");
}
/// matrix_norm with the norm given as a number, as in NumPy: matrix_norm(a, 1).
template <ExpressionLike X>
auto matrix_norm(X&& a, double p) {
  return matrix_norm(static_cast<X&&>(a), matrix_norm_of("matrix_norm", p));
}

/// The condition number, by which errors can grow in A x = b: the norm of each matrix of a (..., n,
/// n) times the norm of its inverse. For two and minus_two it is the largest singular value over
/// the smallest, or the reverse, and matrices may have any shape. For a singular matrix, two gives
/// infinity and the others throw.
template <ExpressionLike X>
auto cond(X&& a, MatrixNorm which = MatrixNorm::two) {
  if constexpr (linalg::takes<X>()) {
    linalg::check_matrix("cond", a.shape());
    const auto x = linalg::settled(a);
    const bool two = which == MatrixNorm::two;
    if (two || which == MatrixNorm::minus_two) {
      const auto s = svdvals(x);
      const auto most = s.narrow(-1, 0, 1).squeeze(-1);
      const auto least = s.narrow(-1, s.shape()[s.rank() - 1] - 1, 1).squeeze(-1);
      return two ? (most / least).eval() : (least / most).eval();
    }
    linalg::check_square("cond", a.shape());
    return (matrix_norm(x, which) * matrix_norm(inv(x), which)).eval();
  }
}

template <ExpressionLike X>
auto cond(X&& a, double p) {
  return cond(static_cast<X&&>(a), matrix_norm_of("cond", p));
}

}  // namespace weft
