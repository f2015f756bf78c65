// MediumEigh: eigenvalues and vectors of one Hermitian matrix of up to 32 x 32, by many threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "weft/ops/linalg/small_matrix.hpp"

namespace weft::linalg {

/// The largest matrix that MediumEigh is for.
inline constexpr int medium_eigh_size = 32;

/// Jacobi's rotations, n / 2 of them at once (Brent and Luk: The solution of singular-value and
/// symmetric eigenvalue problems on multiprocessor arrays, 1985). `threads` threads, at least n,
/// each with its number `me`, call the functions in the order in which Steps does; all finish one
/// before any begins the next.
template <class T>
struct MediumEigh {
  using R = real_t<T>;
  static constexpr R epsilon = std::numeric_limits<R>::epsilon();
  static constexpr R greatest = std::numeric_limits<R>::max();
  /// By the sine and 1 minus the cosine, so that for a small angle only the change is rounded.
  struct Rotation {
    T s;
    R d;
    int p;
    int q;
  };

  int n;
  int pitch;  // elements from a row to the next
  int threads;
  int shift;  // log2 of the threads that share a pair of rows or columns
  bool vectors;
  T* a;  // (row, column)
  T* v;
  Rotation* rotations;  // (n + 1) / 2

  WEFT_HD static constexpr int pitch_of(int n) { return n | 1; }
  /// For a and v, followed by the rotations.
  WEFT_HD static constexpr int bytes(int n) {
    return 2 * n * pitch_of(n) * static_cast<int>(sizeof(T)) +
           (n + 1) / 2 * static_cast<int>(sizeof(Rotation));
  }
  WEFT_HD MediumEigh(int order, int all, bool with_vectors, T* room)
      : n(order),
        pitch(pitch_of(order)),
        threads(all),
        shift(0),
        vectors(with_vectors),
        a(room),
        v(room + order * pitch),
        rotations(reinterpret_cast<Rotation*>(room + 2 * order * pitch)) {
    while ((1 << shift) < n) ++shift;
  }
  WEFT_HD int steps() const { return n + n % 2 - 1; }

  /// The lower half of `from`, by columns: the largest magnitude of what this thread has read.
  WEFT_HD R read(int me, const T* from) const {
    R largest = 0;
    const int row = me & ((1 << shift) - 1);
    for (int j = me >> shift; row < n && j < n; j += threads >> shift) {
      v[row * pitch + j] = T(R(row == j));
      if (row < j) continue;
      const T x = row == j ? T(real_part(from[j * n + row])) : from[j * n + row];
      a[row * pitch + j] = x;
      a[j * pitch + row] = conjugate(x);
      const R size = magnitude(x);
      largest = size <= largest || largest != largest ? largest : size;  // NaN stays
    }
    return largest;
  }
  /// Scales all elements; then this thread's part of the sum of their squares.
  WEFT_HD R scale(int me, R factor) const {
    R total = 0;
    const int row = me & ((1 << shift) - 1);
    for (int j = me >> shift; row < n && j < n; j += threads >> shift) {
      const T x = a[row * pitch + j] * factor;
      a[row * pitch + j] = x;
      total += squared(x);
    }
    return total;
  }
  /// This thread's part of the sum of squares outside of the diagonal.
  WEFT_HD R outside(int me) const {
    R total = 0;
    const int row = me & ((1 << shift) - 1);
    for (int j = me >> shift; row < n && j < row; j += threads >> shift) {
      total += squared(a[row * pitch + j]);
    }
    return total;
  }

  /// The rotations of a step, which pair all rows as a tournament does, one a thread.
  WEFT_HD void choose(int me, int step) const {
    const int around = n + n % 2 - 1;
    if (me > around / 2) return;
    int p = me == 0 ? around : step + me;
    int q = me == 0 ? step : step - me;
    if (me > 0 && p >= around) p -= around;
    if (q < 0) q += around;
    if (p > q) {
      const int kept = p;
      p = q;
      q = kept;
    }
    if (q >= n) p = -1;  // of an odd number of rows one stays alone
    Rotation r{T(0), R(0), p, q};
    if (p >= 0) {
      const T x = a[p * pitch + q];
      const R size = std::sqrt(squared(x));
      if (size > 0) {
        const R tau = (real_part(a[q * pitch + q]) - real_part(a[p * pitch + p])) / (2 * size);
        const R t = (tau < 0 ? R(-1) : R(1)) / (std::fabs(tau) + std::sqrt(1 + tau * tau));
        const R c = 1 / std::sqrt(1 + t * t);
        r.d = t * t * c * c / (1 + c);
        r.s = x * (t * c / size);
      }
    }
    rotations[me] = r;
  }
  /// Columns p and q of a and v.
  WEFT_HD void turn_columns(int me) const {
    const int row = me & ((1 << shift) - 1);
    if (row >= n) return;
    for (int k = me >> shift; k < (n + 1) / 2; k += threads >> shift) {
      const Rotation r = rotations[k];
      if (r.p < 0) continue;
      turn(a[row * pitch + r.p], a[row * pitch + r.q], r.d, r.s);
      if (vectors) turn(v[row * pitch + r.p], v[row * pitch + r.q], r.d, r.s);
    }
  }
  /// Rows p and q of a; what the rotation makes 0 is 0.
  WEFT_HD void turn_rows(int me) const {
    const int column = me & ((1 << shift) - 1);
    if (column >= n) return;
    for (int k = me >> shift; k < (n + 1) / 2; k += threads >> shift) {
      const Rotation r = rotations[k];
      if (r.p < 0) continue;
      T& x = a[r.p * pitch + column];
      T& y = a[r.q * pitch + column];
      turn(x, y, r.d, conjugate(r.s));
      if (column == r.q) x = T(0);
      if (column == r.p) y = T(0);
      if (column == r.p) x = T(real_part(x));
      if (column == r.q) y = T(real_part(y));
    }
  }
  /// Ascending eigenvalues, and the vectors by columns.
  WEFT_HD void write(int me, R factor, R* w, T* to) const {
    const int column = me & ((1 << shift) - 1);
    if (column >= n) return;
    const R mine = real_part(a[column * pitch + column]);
    int rank = 0;
    for (int j = 0; j < n; ++j) {
      const R other = real_part(a[j * pitch + j]);
      rank += other < mine || (other == mine && j < column) ? 1 : 0;
    }
    if (me < (1 << shift)) w[rank] = mine * factor;
    for (int i = me >> shift; vectors && i < n; i += threads >> shift) {
      to[rank * n + i] = v[i * pitch + column];
    }
  }

 private:
  WEFT_HD static WEFT_INLINE void turn(T& x, T& y, R d, T s) {
    const T before = x;
    x = before - (before * d + conjugate(s) * y);
    y = y + (s * before - y * d);
  }
};

}  // namespace weft::linalg
