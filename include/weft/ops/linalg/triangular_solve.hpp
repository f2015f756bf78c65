// triangular_solve: linear equations with a triangular matrix.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/linalg/solver.hpp"

namespace weft {

namespace linalg {

/// b with the batch of x, as the operand of a solver; a vector stays one only where b is one.
[[gnu::noinline]] inline Shape solution_batch(const char* operation, const Shape& a,
                                              const Shape& b) {
  check_square(operation, a);
  check_matrix(operation, b);
  const int64_t n = a[a.rank() - 1];
  if (b[b.rank() - 2] != n) {
    fail<ShapeError>(operation, "a matrix of shape ", a, " and a right-hand side of shape ", b,
                     ", expected ", n, " rows");
  }
  return weft::broadcast(operation, batch_of(a), batch_of(b));
}

struct TriangularRule {
  static constexpr const char* text = "triangular_solve";
  Triangle how;

  /// Of one batch.
  template <class T, class D>
  Tensor<T, D> value(const Tensor<T, D>& a, const Tensor<T, D>& b) const {
    if (b.size() == 0) return b.clone();
    const auto matrix = by_columns(a);
    const auto x = by_columns(b);
    solve_on<D>(
        [this](auto solver, const auto& m, const auto& v) {
          if (!how.unit) solver.check_pivots(text, m);
          solver.triangular_solve(text, m, v, how);
        },
        matrix, x);
    return x.in(batch_of(b.shape()));
  }

  /// With y = A^-1 b: gb = A^-H g, gA = -gb y^H on the triangle (Giles 2008, section 2.2.3).
  template <class G, class P>
  void backward(const G& g, const G& y, const P& pulls, const G& a, const G&) const {
    Triangle turned = how;
    turned.transposed = !how.transposed;
    const G to_b = TriangularRule{turned}.value(a, g);
    if (get<0>(pulls).wanted()) {
      const G full = how.transposed ? product(y, adjoint(to_b)) : product(to_b, adjoint(y));
      get<0>(pulls)(-triangle(full, how.unit ? (how.upper ? 1 : -1) : 0, how.upper));
    }
    get<1>(pulls)(to_b);
  }
};

}  // namespace linalg

/// x with A x = b for triangular matrices a (..., n, n) and b (..., n, k), or one vector b for all;
/// the other triangle is not read. With .transposed, A^T x = b (A^H for complex matrices); with
/// .unit, the diagonal is taken to be ones. Batches broadcast. Throws ValueError if the diagonal
/// has a 0. Gradient: Giles 2008, "Collected matrix derivative results".
template <ExpressionLike A, ExpressionLike B>
auto triangular_solve(A&& a, B&& b, linalg::Triangle how) {
  if constexpr (linalg::takes<A, B>()) {
    const auto given = linalg::settled(b);
    const bool vector = given.rank() == 1;
    const auto columns = vector ? given.unsqueeze(-1) : given;
    const Shape batch = linalg::solution_batch("triangular_solve", a.shape(), columns.shape());
    const auto matrix =
        linalg::settled(a).expand(linalg::with(batch, linalg::rows_of(a), linalg::rows_of(a)));
    const auto right =
        columns.expand(linalg::with(batch, linalg::rows_of(columns), linalg::columns_of(columns)));
    const auto x = linalg::run(linalg::TriangularRule{how}, matrix, right);
    return vector ? x.squeeze(-1) : x;
  }
}

/// The options of solve_triangular, under PyTorch's names.
struct SolveTriangular {
  bool upper = false;
  bool left = true;            ///< A x = b, else x A = b
  bool unitriangular = false;  ///< the diagonal counts as ones
};

/// triangular_solve with PyTorch's and SciPy's name: solve_triangular(a, b, {.upper = true}). With
/// .left = false, x A = b. b of rank 1 is one vector.
template <ExpressionLike A, ExpressionLike B>
auto solve_triangular(const A& a, const B& b, SolveTriangular how) {
  const auto right = linalg::settled(b);
  const auto matrix = linalg::settled(a);
  linalg::check_square("solve_triangular", matrix.shape());
  const bool as_given = how.left || right.rank() == 1;
  const bool upper = how.upper == how.left;  // of the matrix that is on the left
  const auto turned = how.left ? matrix : matrix.transpose(-1, -2);
  const auto columns = as_given ? right : right.transpose(-1, -2);
  const auto x = triangular_solve(turned, columns,
                                  {.upper = upper, .transposed = false, .unit = how.unitriangular})
                     .eval();
  return as_given ? x : x.transpose(-1, -2);
}

}  // namespace weft
