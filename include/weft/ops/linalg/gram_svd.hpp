// Singular values and vectors of float matrices from the eigenvalues of A^H A, in double.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/elementwise/cast.hpp"
#include "weft/ops/elementwise/unary.hpp"
#include "weft/ops/linalg/solver.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft::linalg {

/// Twice as wide as T, float or complex<float>.
template <class T>
using wide_t = std::conditional_t<is_complex<T>, complex<double>, double>;

/// -1 where the real part of the diagonal of a (matrix, column, row) is negative, else 1.
template <class T, class D>
Tensor<T, D> signs_of_diagonal(const Tensor<T, D>& memory) {
  const Tensor<T, D> diagonal = memory.diagonal(0, 1, 2);
  if constexpr (is_complex<T>) {
    return where(real(diagonal) < 0.0, T(-1), T(1));
  } else {
    return where(diagonal < 0.0, T(-1), T(1));
  }
}

/// Divides the columns by the roots of `squares`, which are ascending, the columns' descending.
/// False, and nothing done, where that does not make them orthonormal as far as float tells: where
/// the least are noise beside the largest. It waits for the GPU.
template <class W, class D>
bool normalize_columns(const Columns<W, D>& q, const Tensor<double, D>& squares) {
  const Tensor<double, D> factors = rsqrt(squares.flip(1));
  const Tensor<W, D> unit = q.memory * as<W>(factors).unsqueeze(-1);
  const auto products = product(unit, adjoint(unit));
  const double off = max(abs(products - eye<W>(q.columns(), q.memory.device()))).item();
  if (!(off < 1e-8)) return false;
  q.memory.assign(unit);
  return true;
}

/// The columns become Q of their QR factorisation, with the signs that make the diagonal of R
/// positive; of `most` columns, where that is more.
template <class Solver, class W, class D>
void factorize_columns(Solver solver, const char* operation, Columns<W, D>& q, int64_t most) {
  const int64_t m = q.rows();
  const int64_t n = q.columns();
  const auto tau = empty<W>({q.count(), n}, q.memory.device());
  solver.qr(operation, q, tau);
  const Tensor<W, D> signs = signs_of_diagonal(q.memory);
  if (most > n) {
    const Columns<W, D> all{zeros<W>({q.count(), m, m}, q.memory.device())};
    all.memory.narrow(1, 0, n).assign(q.memory);
    q = all;
  }
  solver.householder_q(operation, q, tau);
  const Tensor<W, D> first = q.memory.narrow(1, 0, n);
  first.assign(first * signs.unsqueeze(-1));
}

/// What svd(operation, a, s, u, vh) of a solver gives, by its eigh and qr. The eigenvalues of A^H A
/// are squares, so half of double's digits are left of them: 1e-8 of the largest singular value,
/// which is less than float rounds. A V has orthogonal columns up to that, whose lengths are S;
/// where some are noise, its QR factorisation makes U of them and leaves R = diag(S) up to the same
/// (Demmel: Applied Numerical Linear Algebra, 5.4, has the errors of squares).
template <class Solver, class T, class D>
void gram_svd(Solver solver, const char* operation, const Columns<T, D>& a,
              const Tensor<real_t<T>, D>& s, const Columns<T, D>& u, const Columns<T, D>& vh) {
  static_assert(sizeof(real_t<T>) == sizeof(float));
  using W = wide_t<T>;
  const bool turned = a.rows() < a.columns();  // then A^H, which has more rows, is factorised
  const int64_t n = turned ? a.rows() : a.columns();
  const int64_t most = u.columns() > vh.rows() ? u.columns() : vh.rows();
  const Tensor<W, D> wide = cast<W>(a.memory);
  // (matrix, column, row) of what is factorised, and its conjugate
  const Tensor<W, D> x = turned ? adjoint(wide) : wide;
  const Columns<W, D> gram{product(x, conjugate(transposed(x)))};
  const auto squares = empty<double>({a.count(), n}, s.device());
  solver.eigh(operation, gram, squares, most > 0);
  s.assign(cast<real_t<T>>(sqrt(maximum(squares.flip(1), 0.0))));
  if (most == 0) return;
  const Tensor<W, D> v = gram.memory.flip(1);  // (matrix, number, row)
  Columns<W, D> q{product(v, x)};
  if (n <= 32 || most > n || !normalize_columns(q, squares)) {
    factorize_columns(solver, operation, q, most);
  }
  if (turned) {
    u.memory.assign(cast<T>(v));
    vh.memory.assign(cast<T>(adjoint(q.memory)));
  } else {
    u.memory.assign(cast<T>(q.memory));
    vh.memory.assign(cast<T>(adjoint(v)));
  }
}

}  // namespace weft::linalg
