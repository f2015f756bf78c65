// SmallLu and SmallCholesky: factorisations of one matrix of up to 16 x 16, by one thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "weft/core/dtype.hpp"

namespace weft::linalg {

/// The largest matrix for weft's own kernels; larger ones go to the device's library.
inline constexpr int small_size = 16;

/// The least normal number; a variable, since numeric_limits' functions are not callable in device
/// code.
template <class R>
inline constexpr R least_normal = std::numeric_limits<R>::min();

/// A scale of a matrix whose reciprocal is finite: `largest`, or the least normal number.
template <class R>
WEFT_HD constexpr R invertible(R largest) {
  return largest < least_normal<R> ? least_normal<R> : largest;
}

/// The size by which pivots are compared: |x|, or |re| + |im| of a complex number, as in LAPACK.
template <class T>
WEFT_HD WEFT_INLINE real_t<T> magnitude(T x) {
  if constexpr (is_complex<T>) {
    return std::fabs(x.re) + std::fabs(x.im);
  } else {
    return std::fabs(x);
  }
}
template <class T>
WEFT_HD WEFT_INLINE T conjugate(T x) {
  if constexpr (is_complex<T>) {
    return {x.re, -x.im};
  } else {
    return x;
  }
}
template <class T>
WEFT_HD WEFT_INLINE real_t<T> real_part(T x) {
  if constexpr (is_complex<T>) {
    return x.re;
  } else {
    return x;
  }
}
/// |x|^2
template <class T>
WEFT_HD WEFT_INLINE real_t<T> squared(T x) {
  if constexpr (is_complex<T>) {
    return x.re * x.re + x.im * x.im;
  } else {
    return x * x;
  }
}

/// The right-hand sides of SmallLu::solve: column j of the unit matrix, or one of memory, `step`
/// elements from row to row.
template <class T>
struct UnitColumn {
  int j;
  WEFT_HD WEFT_INLINE T operator()(int row) const { return T(static_cast<real_t<T>>(row == j)); }
};
template <class T>
struct ColumnAt {
  const T* at;
  long long step;
  WEFT_HD WEFT_INLINE T operator()(int row) const { return at[row * step]; }
};

/// P A = L U with row exchanges. N is the size where the compiler knows it, so that the matrix
/// stays in registers, else 0 for any size up to 16: every index is then a loop's.
template <class T, int N>
struct SmallLu {
  static constexpr int room = N > 0 ? N : small_size;
  int rows = N;
  T a[room][room];
  int row[room];       // of A that ended up here
  int zero_pivot = 0;  // number of the first pivot that is 0, counted from 1
  bool odd = false;    // whether the exchanges change the determinant's sign

  WEFT_HD WEFT_INLINE int size() const { return N > 0 ? N : rows; }

  WEFT_HD WEFT_INLINE void factor() {
    const int n = size();
    for (int i = 0; i < n; ++i) row[i] = i;
    for (int k = 0; k < n; ++k) {
      int best = k;
      real_t<T> most = magnitude(a[k][k]);
      for (int i = k + 1; i < n; ++i) {
        const real_t<T> x = magnitude(a[i][k]);
        if (x > most) {
          most = x;
          best = i;
        }
      }
      exchange(k, best);
      if (a[k][k] == T(0)) {
        if (zero_pivot == 0) zero_pivot = k + 1;
        continue;
      }
      const T scale = T(1) / a[k][k];
      for (int i = k + 1; i < n; ++i) {
        const T factor = a[i][k] * scale;
        a[i][k] = factor;
        for (int j = k + 1; j < n; ++j) a[i][j] = a[i][j] - factor * a[k][j];
      }
    }
  }

  WEFT_HD WEFT_INLINE T det() const {
    T product = odd ? T(-1) : T(1);
    for (int i = 0; i < size(); ++i) product = product * a[i][i];
    return product;
  }

  /// x = A^-1 b for the b whose element i is b(i).
  template <class F>
  WEFT_HD WEFT_INLINE void solve(const F& b, T (&x)[room]) const {
    const int n = size();
    for (int i = 0; i < n; ++i) {
      T sum = b(row[i]);
      for (int j = 0; j < i; ++j) sum = sum - a[i][j] * x[j];
      x[i] = sum;
    }
    for (int i = n - 1; i >= 0; --i) {
      T sum = x[i];
      for (int j = i + 1; j < n; ++j) sum = sum - a[i][j] * x[j];
      x[i] = sum / a[i][i];
    }
  }

 private:
  /// Rows k and `other`. With a known size by selections, since registers have no addresses.
  WEFT_HD WEFT_INLINE void exchange(int k, int other) {
    odd = odd != (other != k);
    if constexpr (N == 0) {
      for (int j = 0; j < rows; ++j) swap(a[k][j], a[other][j], true);
      swap(row[k], row[other], true);
    } else {
      for (int i = 1; i < N; ++i) {
        if (i <= k) continue;
        for (int j = 0; j < N; ++j) swap(a[k][j], a[i][j], i == other);
        swap(row[k], row[i], i == other);
      }
    }
  }
  template <class V>
  WEFT_HD static WEFT_INLINE void swap(V& x, V& y, bool really) {
    const V kept = x;
    x = really ? y : x;
    y = really ? kept : y;
  }
};

/// A = L L^H; reads the lower triangle of A and replaces it with L.
template <class T, int N>
struct SmallCholesky {
  static constexpr int room = N > 0 ? N : small_size;
  int rows = N;
  T a[room][room];
  int bad_pivot = 0;  // number of the first pivot that is not above 0, counted from 1

  WEFT_HD WEFT_INLINE int size() const { return N > 0 ? N : rows; }

  WEFT_HD WEFT_INLINE void factor() {
    const int n = size();
    for (int k = 0; k < n; ++k) {
      real_t<T> pivot = real_part(a[k][k]);
      for (int j = 0; j < k; ++j) pivot -= squared(a[k][j]);
      if (!(pivot > 0) && bad_pivot == 0) bad_pivot = k + 1;
      const real_t<T> root = std::sqrt(pivot);
      a[k][k] = T(root);
      const real_t<T> scale = 1 / root;
      for (int i = k + 1; i < n; ++i) {
        T sum = a[i][k];
        for (int j = 0; j < k; ++j) sum = sum - a[i][j] * conjugate(a[k][j]);
        a[i][k] = sum * scale;
      }
    }
  }
};

}  // namespace weft::linalg
