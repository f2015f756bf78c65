// Eigenvalues and singular values in plain C++, by Jacobi's rotations and the QR algorithm.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "weft/cpu/linalg/direct.hpp"

namespace weft::cpu {

namespace detail {

/// The rotation (c, s e; -s e*, c) of two columns that makes a Hermitian (a, x; x*, b) diagonal, e
/// the direction of x.
template <class T>
struct Rotation {
  real_t<T> c;
  T s;
  Rotation(real_t<T> a, real_t<T> b, T x) {
    using R = real_t<T>;
    const R size = std::sqrt(squared(x));
    const R tau = (b - a) / (2 * size);
    const R t = (tau < 0 ? R(-1) : R(1)) / (std::fabs(tau) + std::sqrt(1 + tau * tau));
    c = 1 / std::sqrt(1 + t * t);
    s = x * (t * c / size);
  }
  void operator()(int64_t n, T* p, T* q) const {
    for (int64_t i = 0; i < n; ++i) {
      const T x = p[i];
      p[i] = x * c - conjugate(s) * q[i];
      q[i] = s * x + q[i] * c;
    }
  }
};

template <class T>
inline constexpr real_t<T> epsilon_of = std::numeric_limits<real_t<T>>::epsilon();

/// Puts columns and their keys in order by exchanging them.
template <class R, class F>
void sort_by(R* keys, int64_t n, bool ascending, const F& exchange) {
  for (int64_t i = 0; i < n; ++i) {
    int64_t best = i;
    for (int64_t j = i + 1; j < n; ++j) {
      if (ascending ? keys[j] < keys[best] : keys[j] > keys[best]) best = j;
    }
    if (best == i) continue;
    std::swap(keys[i], keys[best]);
    exchange(i, best);
  }
}
template <class T>
void swap_columns(const Matrix<T>& a, int64_t rows, int64_t i, int64_t j) {
  for (int64_t k = 0; k < rows; ++k) std::swap(a(k, i), a(k, j));
}

/// Fills in columns `have` to `total` of an orthonormal basis: each from the unit vector with the
/// largest part orthogonal to the others.
template <class T>
void complete_basis(const Matrix<T>& u, int64_t m, int64_t have, int64_t total) {
  for (; have < total; ++have) {
    int64_t best = 0;
    real_t<T> least = 2;
    for (int64_t i = 0; i < m; ++i) {
      real_t<T> reached = 0;
      for (int64_t j = 0; j < have; ++j) reached += squared(u(i, j));
      if (reached < least) {
        least = reached;
        best = i;
      }
    }
    T* const x = u.column(have);
    for (int64_t i = 0; i < m; ++i) x[i] = T(i == best ? 1 : 0);
    for (int round = 0; round < 2; ++round) {
      for (int64_t j = 0; j < have; ++j) subtract(m, inner(m, u.column(j), x), u.column(j), x);
      const real_t<T> size = length(m, x);
      for (int64_t i = 0; i < m; ++i) x[i] = x[i] * (1 / size);
    }
  }
}

}  // namespace detail

/// Eigenvalues w, ascending, and eigenvectors in place of a Hermitian matrix, whose lower half is
/// read: cyclic Jacobi (Golub and Van Loan, Matrix Computations, 8.5). False if it does not
/// converge.
template <class T>
bool eigh(const Matrix<T>& a, int64_t n, real_t<T>* w) {
  using R = real_t<T>;
  std::vector<T> room(static_cast<std::size_t>(n * n));
  const Matrix<T> b{room.data(), n};
  R total = 0;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = j; i < n; ++i) {
      b(i, j) = i == j ? T(real_part(a(i, i))) : a(i, j);
      b(j, i) = conjugate(b(i, j));
      total += squared(b(i, j));
    }
    for (int64_t i = 0; i < n; ++i) a(i, j) = T(i == j ? 1 : 0);
  }
  const R tiny = std::sqrt(total) * detail::epsilon_of<T> * R(0.1) / static_cast<R>(n > 0 ? n : 1);
  if (!(total <= std::numeric_limits<R>::max())) return false;
  bool rotated = true;
  for (int sweep = 0; sweep < 60 && rotated; ++sweep) {
    rotated = false;
    for (int64_t q = 1; q < n; ++q) {
      for (int64_t p = 0; p < q; ++p) {
        const T x = b(p, q);
        if (!(squared(x) > tiny * tiny)) continue;
        rotated = true;
        const detail::Rotation<T> rotation(real_part(b(p, p)), real_part(b(q, q)), x);
        rotation(n, b.column(p), b.column(q));
        for (int64_t j = 0; j < n; ++j) {  // and the rows, by the conjugates
          const T y = b(p, j);
          b(p, j) = y * rotation.c - rotation.s * b(q, j);
          b(q, j) = conjugate(rotation.s) * y + b(q, j) * rotation.c;
        }
        // With large eigenvalues, rounding may leave this above `tiny` in every sweep.
        b(p, q) = b(q, p) = T(0);
        rotation(n, a.column(p), a.column(q));
      }
    }
  }
  for (int64_t i = 0; i < n; ++i) w[i] = real_part(b(i, i));
  detail::sort_by(w, n, true, [&](int64_t i, int64_t j) { detail::swap_columns(a, n, i, j); });
  return !rotated;
}

/// Divides a matrix by its largest magnitude, so that squares neither overflow nor vanish, and
/// returns that: 1 for zeros, and NaN or infinity if an element is not finite.
template <class T>
real_t<T> normalize(const Matrix<T>& a, int64_t m, int64_t n) {
  using R = real_t<T>;
  R largest = 0;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < m; ++i) {
      const R size = magnitude(a(i, j));
      if (!(size <= largest)) largest = size;
    }
  }
  const R scale = largest == 0 ? R(1) : largest;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < m; ++i) a(i, j) = a(i, j) * (1 / scale);
  }
  return scale;
}

/// Singular values s, descending, of an m x n matrix with m >= n, which becomes the left vectors; v
/// (n x n) the right ones: one-sided Jacobi (Hestenes 1958). False if it does not converge.
template <class T>
bool tall_svd(const Matrix<T>& a, int64_t m, int64_t n, real_t<T>* s, const Matrix<T>& v) {
  using R = real_t<T>;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < n; ++i) v(i, j) = T(i == j ? 1 : 0);
  }
  const R scale = normalize(a, m, n);
  if (!(scale <= std::numeric_limits<R>::max())) return false;
  const R close = detail::epsilon_of<T> * std::sqrt(static_cast<R>(m > 0 ? m : 1));
  bool rotated = true;
  for (int sweep = 0; sweep < 60 && rotated; ++sweep) {
    rotated = false;
    for (int64_t q = 1; q < n; ++q) {
      for (int64_t p = 0; p < q; ++p) {
        const R of_p = real_part(detail::inner(m, a.column(p), a.column(p)));
        const R of_q = real_part(detail::inner(m, a.column(q), a.column(q)));
        const T x = detail::inner(m, a.column(p), a.column(q));
        const R both = std::sqrt(of_p) * std::sqrt(of_q);
        if (!(std::sqrt(squared(x)) > close * both) || both < std::numeric_limits<R>::min())
          continue;
        rotated = true;
        const detail::Rotation<T> rotation(of_p, of_q, x);
        rotation(m, a.column(p), a.column(q));
        rotation(n, v.column(p), v.column(q));
      }
    }
  }
  for (int64_t j = 0; j < n; ++j) s[j] = detail::length(m, a.column(j));
  detail::sort_by(s, n, false, [&](int64_t i, int64_t j) {
    detail::swap_columns(a, m, i, j);
    detail::swap_columns(v, n, i, j);
  });
  int64_t rank = 0;
  while (rank < n && s[rank] > static_cast<R>(m) * detail::epsilon_of<T> * R(1e-3)) ++rank;
  for (int64_t j = 0; j < rank; ++j) {
    for (int64_t i = 0; i < m; ++i) a(i, j) = a(i, j) * (1 / s[j]);
  }
  detail::complete_basis(a, m, rank, n);
  for (int64_t j = 0; j < n; ++j) s[j] *= scale;
  return !rotated;
}

/// The same where m is much larger than n: by A = Q R, whose R has shorter columns to rotate. The
/// left vectors are Q times R's, and not computed without `vectors`.
template <class T>
bool tall_svd_by_qr(const Matrix<T>& a, int64_t m, int64_t n, real_t<T>* s, const Matrix<T>& v,
                    bool vectors) {
  using R = real_t<T>;
  const R scale = normalize(a, m, n);
  if (!(scale <= std::numeric_limits<R>::max())) return false;
  constexpr int64_t rows = 64;  // of Q that are multiplied at once
  std::vector<T> tau(static_cast<std::size_t>(n));
  std::vector<T> room(static_cast<std::size_t>((n + rows) * n));
  const Matrix<T> r{room.data(), n};
  const Matrix<T> part{room.data() + n * n, rows};
  qr(a, m, n, tau.data());
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < n; ++i) r(i, j) = i <= j ? a(i, j) : T(0);
  }
  if (!tall_svd(r, n, n, s, v)) return false;
  for (int64_t j = 0; j < n; ++j) s[j] *= scale;
  if (!vectors) return true;
  householder_q(a, m, n, n, tau.data());
  for (int64_t first = 0; first < m; first += rows) {
    const int64_t count = m - first < rows ? m - first : rows;
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t i = 0; i < count; ++i) {
        part(i, j) = a(first + i, j);
        a(first + i, j) = T(0);
      }
    }
    for (int64_t j = 0; j < n; ++j) {
      for (int64_t k = 0; k < n; ++k) {
        detail::subtract(count, T(0) - r(k, j), part.column(k), a.column(j) + first);
      }
    }
  }
  return true;
}

/// Singular values of an m x n matrix, which is lost, and where u has elements the vectors: u
/// (m x left) and vh (right x n), at least min(m, n) of each. False if it does not converge.
template <class T>
bool plain_svd(const Matrix<T>& a, int64_t m, int64_t n, real_t<T>* s, const Matrix<T>& u,
               int64_t left, const Matrix<T>& vh, int64_t right) {
  const bool tall = m >= n;
  const int64_t rows = tall ? m : n;
  const int64_t columns = tall ? n : m;
  const int64_t longer = tall ? left : right;  // columns of the basis of the longer space
  const auto width = static_cast<std::size_t>(longer > columns ? longer : columns);
  std::vector<T> room(static_cast<std::size_t>(rows) * width);
  std::vector<T> other(static_cast<std::size_t>(columns * columns));
  const Matrix<T> x{room.data(), rows};
  const Matrix<T> y{other.data(), columns};
  for (int64_t j = 0; j < columns; ++j) {
    for (int64_t i = 0; i < rows; ++i) x(i, j) = tall ? a(i, j) : conjugate(a(j, i));
  }
  const bool vectors = u.at != nullptr;
  const bool by_qr = columns >= 8 && rows >= columns + columns / 2;
  if (!(by_qr ? tall_svd_by_qr(x, rows, columns, s, y, vectors)
              : tall_svd(x, rows, columns, s, y))) {
    return false;
  }
  if (!vectors) return true;
  detail::complete_basis(x, rows, columns, longer);
  for (int64_t j = 0; j < left; ++j) {
    for (int64_t i = 0; i < m; ++i) u(i, j) = tall ? x(i, j) : y(i, j);
  }
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < right; ++i) vh(i, j) = conjugate(tall ? y(j, i) : x(j, i));
  }
  return true;
}

}  // namespace weft::cpu
