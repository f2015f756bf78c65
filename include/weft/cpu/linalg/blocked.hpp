// Cholesky, LU and triangular systems cut into blocks, so that matrix products do most of the work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "weft/cpu/linalg/blas.hpp"
#include "weft/cpu/linalg/direct.hpp"

namespace weft::cpu {

namespace detail {

/// Below this many rows or columns a block is not cut further.
inline constexpr int64_t block_size = 48;

/// c -= a b for c of m x n, by columns. Products count rows, so that they are given c^T -= b^T a^T.
template <class T>
void subtract_product(const Matrix<T>& a, const Matrix<T>& b, const Matrix<T>& c, int64_t m,
                      int64_t n, int64_t k) {
  if (m == 0 || n == 0 || k == 0) return;
  weft::detail::ProductPlan plan;
  plan.m = n;
  plan.n = m;
  plan.k = k;
  plan.a.row = b.step;
  plan.b.row = a.step;
  plan.c.row = c.step;
  plan.a.column = plan.b.column = plan.c.column = 1;
  multiply<T>({plan, b.at, a.at, c.at, T(-1), true});
}

template <class T>
Matrix<T> part(const Matrix<T>& a, int64_t row, int64_t column) {
  return {&a(row, column), a.step};
}

/// The conjugate transpose of m x n elements, in `room`.
template <class T>
Matrix<T> adjoint_of(const Matrix<T>& a, int64_t m, int64_t n, std::vector<T>& room) {
  room.resize(static_cast<std::size_t>(m * n));
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < m; ++i) room[static_cast<std::size_t>(i * n + j)] = conjugate(a(i, j));
  }
  return {room.data(), n};
}

/// Exchanges rows as the pivots from first to last say.
template <class T>
void exchange_rows(const Matrix<T>& a, int64_t columns, const int* pivots, int64_t first,
                   int64_t last) {
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = first; i < last; ++i) std::swap(a(i, j), a(pivots[i], j));
  }
}

}  // namespace detail

/// b = a^-1 b for b of n x columns.
template <class T>
void triangular_solve(const Matrix<T>& a, int64_t n, const Matrix<T>& b, int64_t columns,
                      const linalg::Triangle& how) {
  if (n <= detail::block_size || columns < 4) {
    for (int64_t j = 0; j < columns; ++j) triangular_solve(a, n, b.column(j), how);
    return;
  }
  const int64_t half = n / 2;
  const int64_t rest = n - half;
  const Matrix<T> corner = detail::part(a, half, half);
  const Matrix<T> below = detail::part(b, half, 0);
  Matrix<T> between = how.upper ? detail::part(a, 0, half) : detail::part(a, half, 0);
  std::vector<T> room;
  if (how.transposed) {
    between = detail::adjoint_of(between, how.upper ? half : rest, how.upper ? rest : half, room);
  }
  if (how.upper == how.transposed) {  // from the top
    triangular_solve(a, half, b, columns, how);
    detail::subtract_product(between, b, below, rest, columns, half);
    triangular_solve(corner, rest, below, columns, how);
  } else {
    triangular_solve(corner, rest, below, columns, how);
    detail::subtract_product(between, below, b, half, columns, rest);
    triangular_solve(a, half, b, columns, how);
  }
}

/// As lu(), by halves of the columns (Toledo 1997, "Locality of reference in LU decomposition").
template <class T>
void blocked_lu(const Matrix<T>& a, int64_t m, int64_t n, int* pivots) {
  const int64_t k = m < n ? m : n;
  if (k <= detail::block_size) return lu(a, m, n, pivots);
  const int64_t half = k / 2;
  const Matrix<T> right = detail::part(a, 0, half);
  const Matrix<T> corner = detail::part(a, half, half);
  blocked_lu(a, m, half, pivots);
  detail::exchange_rows(right, n - half, pivots, 0, half);
  triangular_solve(a, half, right, n - half, {false, false, true});
  detail::subtract_product(detail::part(a, half, 0), right, corner, m - half, n - half, half);
  blocked_lu(corner, m - half, n - half, pivots + half);
  for (int64_t i = half; i < k; ++i) pivots[i] += static_cast<int>(half);
  detail::exchange_rows(a, half, pivots, half, k);
}

/// As cholesky(), by blocks of columns.
template <class T>
int64_t blocked_cholesky(const Matrix<T>& a, int64_t n) {
  std::vector<T> room;
  for (int64_t j = 0; j < n; j += detail::block_size) {
    const int64_t width = n - j < detail::block_size ? n - j : detail::block_size;
    const Matrix<T> left = detail::part(a, j, 0);
    const Matrix<T> here = detail::part(a, j, j);
    if (j > 0) {  // what the columns before have to say; above the diagonal too, which is not read
      const Matrix<T> turned = detail::adjoint_of(left, width, j, room);
      detail::subtract_product(left, turned, here, n - j, width, j);
    }
    const int64_t bad = cholesky(here, width);
    if (bad != 0) return j + bad;
    for (int64_t c = 0; c < width; ++c) {
      T* const column = here.column(c) + width;
      const int64_t below = n - j - width;
      for (int64_t p = 0; p < c; ++p) {
        detail::subtract(below, conjugate(here(c, p)), here.column(p) + width, column);
      }
      const real_t<T> scale = 1 / real_part(here(c, c));
      for (int64_t i = 0; i < below; ++i) column[i] = column[i] * scale;
    }
  }
  return 0;
}

/// b = A^-1 b for b of n x columns, or A^-H b, from blocked_lu() of A.
template <class T>
void lu_solve(const Matrix<T>& a, int64_t n, const int* pivots, const Matrix<T>& b, int64_t columns,
              bool transposed) {
  if (!transposed) {
    detail::exchange_rows(b, columns, pivots, 0, n);
    triangular_solve(a, n, b, columns, {false, false, true});
    triangular_solve(a, n, b, columns, {true, false, false});
  } else {
    triangular_solve(a, n, b, columns, {true, true, false});
    triangular_solve(a, n, b, columns, {false, true, true});
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t i = n - 1; i >= 0; --i) std::swap(b(i, j), b(pivots[i], j));
    }
  }
}

}  // namespace weft::cpu
