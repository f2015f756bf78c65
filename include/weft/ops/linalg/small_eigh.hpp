// SmallEigh: eigenvalues and eigenvectors of one Hermitian matrix of up to 4 x 4, by one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "weft/ops/linalg/small_matrix.hpp"

namespace weft::linalg {

/// The largest matrix that SmallEigh is for: all of it and its vectors stay in registers.
inline constexpr int small_eigh_size = 4;

/// Jacobi's rotations (Golub and Van Loan, Matrix Computations, 8.5) on the full matrix a;
/// afterwards w is ascending and v has the vectors as columns.
template <class T, int N>
struct SmallEigh {
  using R = real_t<T>;
  static constexpr R epsilon = std::numeric_limits<R>::epsilon();
  static constexpr R greatest = std::numeric_limits<R>::max();
  T a[N][N];
  T v[N][N];
  R w[N];

  /// False where an element is not finite.
  WEFT_HD WEFT_INLINE bool compute() {
    R largest = 0;
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) {
        const R size = magnitude(a[i][j]);
        largest = size <= largest || largest != largest ? largest : size;  // NaN stays
        v[i][j] = T(R(i == j));
      }
    }
    const bool finite = largest <= greatest;
    const R scale = largest > 0 && finite ? invertible(largest) : R(1);
    R total = 0;
    for (int i = 0; i < N; ++i) {
      for (int j = 0; j < N; ++j) {
        a[i][j] = a[i][j] * (1 / scale);
        total += squared(a[i][j]);
      }
    }
    const R tiny = total * epsilon * epsilon * R(0.01);
    for (int sweep = 0; sweep < 20; ++sweep) {
      R outside = 0;
      for (int q = 1; q < N; ++q) {
        for (int p = 0; p < q; ++p) outside += squared(a[p][q]);
      }
      if (!(outside > tiny)) break;
      for (int q = 1; q < N; ++q) {
        for (int p = 0; p < q; ++p) rotate(p, q);
      }
    }
    for (int i = 0; i < N; ++i) w[i] = real_part(a[i][i]) * scale;
    for (int i = 0; i < N; ++i) {
      for (int j = i + 1; j < N; ++j) {
        const bool turned = w[j] < w[i];
        exchange(w[i], w[j], turned);
        for (int k = 0; k < N; ++k) exchange(v[k][i], v[k][j], turned);
      }
    }
    return finite;
  }

 private:
  /// Makes element (p, q) 0.
  WEFT_HD WEFT_INLINE void rotate(int p, int q) {
    const T x = a[p][q];
    const R size = std::sqrt(squared(x));
    const bool needed = size > 0;
    const R tau = (real_part(a[q][q]) - real_part(a[p][p])) / (2 * (needed ? size : R(1)));
    const R t = (tau < 0 ? R(-1) : R(1)) / (std::fabs(tau) + std::sqrt(1 + tau * tau));
    const R c = needed ? 1 / std::sqrt(1 + t * t) : R(1);
    const T s = x * (needed ? t * c / size : R(0));
    for (int i = 0; i < N; ++i) {
      turn(a[i][p], a[i][q], c, s);
      turn(v[i][p], v[i][q], c, s);
    }
    for (int j = 0; j < N; ++j) turn(a[p][j], a[q][j], c, conjugate(s));
  }
  WEFT_HD static WEFT_INLINE void turn(T& x, T& y, R c, T s) {
    const T before = x;
    x = before * c - conjugate(s) * y;
    y = s * before + y * c;
  }
  template <class V>
  WEFT_HD static WEFT_INLINE void exchange(V& x, V& y, bool really) {
    const V kept = x;
    x = really ? y : x;
    y = really ? kept : y;
  }
};

}  // namespace weft::linalg
