// Cholesky, LU, QR and triangular systems in plain C++, for programs that link no LAPACK.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "weft/ops/linalg/solver.hpp"

namespace weft::cpu {

/// One matrix by columns, `step` elements apart.
template <class T>
struct Matrix {
  T* at;
  int64_t step;
  T& operator()(int64_t i, int64_t j) const { return at[i + j * step]; }
  T* column(int64_t j) const { return at + j * step; }
};

using linalg::conjugate;
using linalg::magnitude;
using linalg::real_part;
using linalg::squared;

namespace detail {
/// y -= factor * x
template <class T>
void subtract(int64_t n, T factor, const T* x, T* y) {
  for (int64_t i = 0; i < n; ++i) y[i] = y[i] - factor * x[i];
}
/// sum of conj(x) * y
template <class T>
T inner(int64_t n, const T* x, const T* y) {
  T sum(0);
  for (int64_t i = 0; i < n; ++i) sum = sum + conjugate(x[i]) * y[i];
  return sum;
}
template <class T>
real_t<T> length(int64_t n, const T* x) {
  real_t<T> largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    const real_t<T> size = magnitude(x[i]);
    if (!(size <= largest)) largest = size;
  }
  if (largest == 0 || !(largest <= std::numeric_limits<real_t<T>>::max())) return largest;
  real_t<T> sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += squared(x[i] * (1 / largest));
  return largest * std::sqrt(sum);
}
}  // namespace detail

/// The lower triangle of a becomes L; 0, or the number from 1 of the first pivot that is not above
/// 0.
template <class T>
int64_t cholesky(const Matrix<T>& a, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t k = 0; k < j; ++k) {
      detail::subtract(n - j, conjugate(a(j, k)), a.column(k) + j, a.column(j) + j);
    }
    const real_t<T> pivot = real_part(a(j, j));
    if (!(pivot > 0)) return j + 1;
    const real_t<T> root = std::sqrt(pivot);
    a(j, j) = T(root);
    for (int64_t i = j + 1; i < n; ++i) a(i, j) = a(i, j) * (1 / root);
  }
  return 0;
}

/// P A = L U in place of an m x n matrix; row i was exchanged with pivots[i].
template <class T>
void lu(const Matrix<T>& a, int64_t m, int64_t n, int* pivots) {
  for (int64_t k = 0; k < (m < n ? m : n); ++k) {
    int64_t best = k;
    for (int64_t i = k + 1; i < m; ++i) {
      if (magnitude(a(i, k)) > magnitude(a(best, k))) best = i;
    }
    pivots[k] = static_cast<int>(best);
    if (best != k) {
      for (int64_t j = 0; j < n; ++j) std::swap(a(k, j), a(best, j));
    }
    if (a(k, k) == T(0)) continue;
    const T scale = T(1) / a(k, k);
    for (int64_t i = k + 1; i < m; ++i) a(i, k) = a(i, k) * scale;
    for (int64_t j = k + 1; j < n; ++j) {
      detail::subtract(m - k - 1, a(k, j), a.column(k) + k + 1, a.column(j) + k + 1);
    }
  }
}

/// x = a^-1 x for one column.
template <class T>
void triangular_solve(const Matrix<T>& a, int64_t n, T* x, const linalg::Triangle& how) {
  const bool forward = how.upper == how.transposed;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = forward ? step : n - 1 - step;
    const int64_t first = how.upper ? 0 : i + 1;  // of the column's elements beside the diagonal
    const int64_t count = how.upper ? i : n - 1 - i;
    if (how.transposed) {
      x[i] = x[i] - detail::inner(count, a.column(i) + first, x + first);
      if (!how.unit) x[i] = x[i] / conjugate(a(i, i));
    } else {
      if (!how.unit) x[i] = x[i] / a(i, i);
      detail::subtract(count, x[i], a.column(i) + first, x + first);
    }
  }
}

/// Householder's reflection 1 - tau v v^H, v[0] = 1, that maps x to a multiple of the first unit
/// vector: x becomes that factor, followed by the rest of v. Returns tau, as LAPACK's larfg does.
template <class T>
T reflector(int64_t n, T* x) {
  using R = real_t<T>;
  const R rest = detail::length(n - 1, x + 1);
  const T first = x[0];
  if (rest == 0 && first == T(real_part(first))) return T(0);
  const R size = detail::length(n, x);
  const R beta = real_part(first) < 0 ? size : -size;
  const T scale = T(1) / (first - beta);
  for (int64_t i = 1; i < n; ++i) x[i] = x[i] * scale;
  x[0] = T(beta);
  return (T(beta) - first) * (1 / beta);
}

/// y = (1 - tau v v^H) y; v[0] is taken to be 1.
template <class T>
void reflect(int64_t n, const T* v, T tau, T* y) {
  const T factor = tau * (y[0] + detail::inner(n - 1, v + 1, y + 1));
  y[0] = y[0] - factor;
  detail::subtract(n - 1, factor, v + 1, y + 1);
}

/// R on and above the diagonal of an m x n matrix, the reflections' vectors below it.
template <class T>
void qr(const Matrix<T>& a, int64_t m, int64_t n, T* tau) {
  for (int64_t k = 0; k < (m < n ? m : n); ++k) {
    tau[k] = reflector(m - k, a.column(k) + k);
    for (int64_t j = k + 1; j < n; ++j) {
      reflect(m - k, a.column(k) + k, conjugate(tau[k]), a.column(j) + k);
    }
  }
}

/// The first `columns` columns of Q in place of the vectors of `count` reflections.
template <class T>
void householder_q(const Matrix<T>& a, int64_t m, int64_t columns, int64_t count, const T* tau) {
  for (int64_t j = count; j < columns; ++j) {
    for (int64_t i = 0; i < m; ++i) a(i, j) = T(i == j ? 1 : 0);
  }
  for (int64_t k = count - 1; k >= 0; --k) {
    T* const v = a.column(k) + k;
    for (int64_t j = k + 1; j < columns; ++j) reflect(m - k, v, tau[k], a.column(j) + k);
    for (int64_t i = 1; i < m - k; ++i) v[i] = -(tau[k] * v[i]);
    v[0] = T(1) - tau[k];
    for (int64_t i = 0; i < k; ++i) a(i, k) = T(0);
  }
}

}  // namespace weft::cpu
