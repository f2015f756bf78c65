// det, inv, solve, cholesky and eigh of single Small values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/linalg/small_eigh.hpp"
#include "weft/ops/linalg/small_matrix.hpp"
#include "weft/ops/small/value.hpp"

namespace weft {

namespace detail {
/// The LU decomposition of a square matrix, in registers.
template <class T, int N>
WEFT_HD WEFT_INLINE linalg::SmallLu<T, N> small_lu(const Small<T, N, N>& a) {
  linalg::SmallLu<T, N> lu;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) lu.a[i][j] = a(i, j);
  }
  lu.factor();
  return lu;
}
/// The 2 x 2 minors that a 4 x 4 determinant is made of: rows 0, 1 (`upper`) and rows 2, 3
/// (`lower`), columns 01, 02, 03, 12, 13, 23 (Laplace's expansion by complementary minors).
template <class T>
struct Minors {
  T upper[6];
  T lower[6];
  WEFT_HD constexpr explicit Minors(const Small<T, 4, 4>& a) : upper{}, lower{} {
    int k = 0;
    for (int i = 0; i < 4; ++i) {
      for (int j = i + 1; j < 4; ++j, ++k) {
        upper[k] = a(0, i) * a(1, j) - a(0, j) * a(1, i);
        lower[k] = a(2, i) * a(3, j) - a(2, j) * a(3, i);
      }
    }
  }
  WEFT_HD constexpr T det() const {
    return upper[0] * lower[5] - upper[1] * lower[4] + upper[2] * lower[3] + upper[3] * lower[2] -
           upper[4] * lower[1] + upper[5] * lower[0];
  }
};
}  // namespace detail

/// Up to 4 x 4 by minors, above by LU decomposition with row exchanges.
template <class T, int N>
WEFT_HD constexpr T det(const Small<T, N, N>& a) {
  if constexpr (N == 1) {
    return a[0];
  } else if constexpr (N == 2) {
    return a[0] * a[3] - a[1] * a[2];
  } else if constexpr (N == 3) {
    return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[1] * (a[3] * a[8] - a[5] * a[6]) +
           a[2] * (a[3] * a[7] - a[4] * a[6]);
  } else if constexpr (N == 4) {
    return detail::Minors<T>(a).det();
  } else {
    return detail::small_lu(a).det();
  }
}

/// Up to 4 x 4 by cofactors, above by LU decomposition with row exchanges. Infinities and NaN where
/// the matrix is singular.
template <class T, int N>
WEFT_HD constexpr Small<T, N, N> inv(const Small<T, N, N>& a) {
  if constexpr (N == 1) {
    return {1 / a[0]};
  } else if constexpr (N == 2) {
    const T scale = 1 / det(a);
    return {a[3] * scale, -a[1] * scale, -a[2] * scale, a[0] * scale};
  } else if constexpr (N == 3) {
    const T c0 = a[4] * a[8] - a[5] * a[7];
    const T c1 = a[5] * a[6] - a[3] * a[8];
    const T c2 = a[3] * a[7] - a[4] * a[6];
    const T scale = 1 / (a[0] * c0 + a[1] * c1 + a[2] * c2);
    return {c0 * scale, (a[2] * a[7] - a[1] * a[8]) * scale, (a[1] * a[5] - a[2] * a[4]) * scale,
            c1 * scale, (a[0] * a[8] - a[2] * a[6]) * scale, (a[2] * a[3] - a[0] * a[5]) * scale,
            c2 * scale, (a[1] * a[6] - a[0] * a[7]) * scale, (a[0] * a[4] - a[1] * a[3]) * scale};
  } else if constexpr (N == 4) {
    const detail::Minors<T> m(a);
    const auto& s = m.upper;
    const auto& c = m.lower;
    const T scale = 1 / m.det();
    return {(a[5] * c[5] - a[6] * c[4] + a[7] * c[3]) * scale,
            (-a[1] * c[5] + a[2] * c[4] - a[3] * c[3]) * scale,
            (a[13] * s[5] - a[14] * s[4] + a[15] * s[3]) * scale,
            (-a[9] * s[5] + a[10] * s[4] - a[11] * s[3]) * scale,
            (-a[4] * c[5] + a[6] * c[2] - a[7] * c[1]) * scale,
            (a[0] * c[5] - a[2] * c[2] + a[3] * c[1]) * scale,
            (-a[12] * s[5] + a[14] * s[2] - a[15] * s[1]) * scale,
            (a[8] * s[5] - a[10] * s[2] + a[11] * s[1]) * scale,
            (a[4] * c[4] - a[5] * c[2] + a[7] * c[0]) * scale,
            (-a[0] * c[4] + a[1] * c[2] - a[3] * c[0]) * scale,
            (a[12] * s[4] - a[13] * s[2] + a[15] * s[0]) * scale,
            (-a[8] * s[4] + a[9] * s[2] - a[11] * s[0]) * scale,
            (-a[4] * c[3] + a[5] * c[1] - a[6] * c[0]) * scale,
            (a[0] * c[3] - a[1] * c[1] + a[2] * c[0]) * scale,
            (-a[12] * s[3] + a[13] * s[1] - a[14] * s[0]) * scale,
            (a[8] * s[3] - a[9] * s[1] + a[10] * s[0]) * scale};
  } else {
    const linalg::SmallLu<T, N> lu = detail::small_lu(a);
    Small<T, N, N> out{};
    for (int j = 0; j < N; ++j) {
      T x[N];
      lu.solve(linalg::UnitColumn<T>{j}, x);
      for (int i = 0; i < N; ++i) out(i, j) = x[i];
    }
    return out;
  }
}

namespace detail {
/// Exchanges rows k and i of m if `really`, by selections, since registers have no addresses.
template <class T, int R, int C>
WEFT_HD WEFT_INLINE void exchange_rows(Small<T, R, C>& m, int k, int i, bool really) {
  WEFT_UNROLL
  for (int j = 0; j < C; ++j) {
    const T kept = m(k, j);
    m(k, j) = really ? m(i, j) : kept;
    m(i, j) = really ? kept : m(i, j);
  }
}
}  // namespace detail

/// X with A X = B, by elimination with row exchanges; infinities and NaN where A is singular.
template <class T, int N, int C>
WEFT_HD Small<T, N, C> solve(const Small<T, N, N>& a, const Small<T, N, C>& b) {
  Small<T, N, N> m = a;
  Small<T, N, C> x = b;
  WEFT_UNROLL
  for (int k = 0; k < N; ++k) {
    WEFT_UNROLL
    for (int i = k + 1; i < N; ++i) {
      const bool larger = std::fabs(m(i, k)) > std::fabs(m(k, k));
      detail::exchange_rows(m, k, i, larger);
      detail::exchange_rows(x, k, i, larger);
    }
    const T scale = 1 / m(k, k);
    WEFT_UNROLL
    for (int i = k + 1; i < N; ++i) {
      const T factor = m(i, k) * scale;
      WEFT_UNROLL
      for (int j = k + 1; j < N; ++j) m(i, j) -= factor * m(k, j);
      WEFT_UNROLL
      for (int j = 0; j < C; ++j) x(i, j) -= factor * x(k, j);
    }
  }
  WEFT_UNROLL
  for (int i = N - 1; i >= 0; --i) {
    const T scale = 1 / m(i, i);
    WEFT_UNROLL
    for (int j = 0; j < C; ++j) {
      T sum = x(i, j);
      WEFT_UNROLL
      for (int k = i + 1; k < N; ++k) sum -= m(i, k) * x(k, j);
      x(i, j) = sum * scale;
    }
  }
  return x;
}

/// The lower triangular L with A = L L^T; reads only A's lower triangle. NaN where A is not
/// positive definite.
template <class T, int N>
WEFT_HD Small<T, N, N> cholesky(const Small<T, N, N>& a) {
  linalg::SmallCholesky<T, N> factor;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) factor.a[i][j] = a(i, j);
  }
  factor.factor();
  Small<T, N, N> out{};
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j <= i; ++j) out(i, j) = factor.a[i][j];
  }
  return out;
}

/// What eigh of a Small gives: eigenvalues in ascending order, eigenvectors as columns.
template <class T, int N>
struct SmallEigen {
  Small<T, N> eigenvalues;
  Small<T, N, N> eigenvectors;
};
/// Eigenvalues and eigenvectors of a symmetric matrix of up to 4 x 4, whose lower triangle is read,
/// by Jacobi's rotations.
template <class T, int N>
WEFT_HD SmallEigen<T, N> eigh(const Small<T, N, N>& a) {
  static_assert(N <= linalg::small_eigh_size,
                "weft: eigh of Small takes up to 4 x 4: larger matrices are the last two axes of a "
                "tensor, with <weft/linalg.hpp>");
  linalg::SmallEigh<T, N> jacobi;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) jacobi.a[i][j] = i < j ? a(j, i) : a(i, j);
  }
  const bool finite = jacobi.compute();
  const T nan = static_cast<T>(__builtin_nan(""));
  SmallEigen<T, N> out{};
  for (int i = 0; i < N; ++i) {
    out.eigenvalues[i] = finite ? jacobi.w[i] : nan;
    for (int j = 0; j < N; ++j) out.eigenvectors(i, j) = finite ? jacobi.v[i][j] : nan;
  }
  return out;
}

}  // namespace weft
