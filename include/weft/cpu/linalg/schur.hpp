// Eigenvalues and eigenvectors of any square matrix in plain C++, by the complex QR algorithm.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/linalg/jacobi.hpp"

namespace weft::cpu {

namespace detail {

/// A plane rotation: (x, y) becomes (c x + s y, c y - s* x); for the pair it was made from, the
/// second is 0.
template <class T>
struct PlaneTurn {
  real_t<T> c = 1;
  T s = T(0);
  PlaneTurn() = default;
  PlaneTurn(T x, T y) {
    const T both[] = {x, y};
    const real_t<T> size = length(2, both);
    if (size == 0 || y == T(0)) return;
    const real_t<T> of_x = length(1, &x);
    const T direction = of_x == 0 ? T(1) : x * (1 / of_x);
    c = of_x / size;
    s = direction * conjugate(y) * (1 / size);
  }
  void operator()(T& x, T& y) const {
    const T before = x;
    x = before * c + s * y;
    y = y * c - conjugate(s) * before;
  }
};

/// H = Q^H A Q, zero below the first subdiagonal.
template <class T>
void hessenberg(const Matrix<T>& a, int64_t n, const Matrix<T>& q) {
  std::vector<T> row(static_cast<std::size_t>(n));
  for (int64_t k = 0; k + 2 < n; ++k) {
    T* const v = a.column(k) + k + 1;
    const int64_t length = n - k - 1;
    const T tau = reflector(length, v);
    for (int64_t j = k + 1; j < n; ++j) reflect(length, v, conjugate(tau), a.column(j) + k + 1);
    for (const Matrix<T>& x : {a, q}) {  // x (1 - tau v v^H)
      for (int64_t i = 0; i < n; ++i) {
        T sum = x(i, k + 1);
        for (int64_t j = 1; j < length; ++j) sum = sum + x(i, k + 1 + j) * v[j];
        row[static_cast<std::size_t>(i)] = sum * tau;
      }
      for (int64_t j = 0; j < length; ++j) {
        subtract(n, j == 0 ? T(1) : conjugate(v[j]), row.data(), x.column(k + 1 + j));
      }
    }
    for (int64_t i = 1; i < length; ++i) v[i] = T(0);
  }
}

/// The eigenvalue of (a, b; c, d) that is nearer to d (Wilkinson's shift).
template <class T>
T shift_of(T a, T b, T c, T d) {
  using R = real_t<T>;
  const T half = (a - d) * R(0.5);
  const T square = half * half + b * c;
  const R size = length(1, &square);
  // the square root with the sign that makes half + root large
  T root{std::sqrt((size + std::fabs(square.re)) * R(0.5)), 0};
  const R other = root.re == 0 ? R(0) : square.im / (2 * root.re);
  root =
      square.re >= 0 ? T(root.re, other) : T(std::fabs(other), std::copysign(root.re, square.im));
  if (half.re * root.re + half.im * root.im < 0) root = -root;
  const T sum = half + root;
  return sum == T(0) ? d : d - b * c / sum;
}

}  // namespace detail

/// Eigenvalues w, and, where v has elements, eigenvectors of length 1 as its columns; a is lost
/// (Golub and Van Loan, Matrix Computations, 7.5). False if it does not converge.
template <class T>
bool eig(const Matrix<T>& a, int64_t n, T* w, const Matrix<T>& v) {
  using R = real_t<T>;
  std::vector<T> room(static_cast<std::size_t>(n * n));
  std::vector<detail::PlaneTurn<T>> turns(static_cast<std::size_t>(n));
  const Matrix<T> q{room.data(), n};
  for (int64_t i = 0; i < n; ++i) q(i, i) = T(1);
  for (int64_t i = 0; i < n * n; ++i) {
    if (!(magnitude(a(i % n, i / n)) <= std::numeric_limits<R>::max())) return false;
  }
  detail::hessenberg(a, n, q);
  const R epsilon = detail::epsilon_of<T>;
  int tries = 0;
  for (int64_t high = n - 1; high > 0;) {
    int64_t low = high;
    for (; low > 0; --low) {
      const R around = magnitude(a(low, low)) + magnitude(a(low - 1, low - 1));
      const R scale = around > 0 ? around : R(1);
      if (magnitude(a(low, low - 1)) <= epsilon * scale) break;
    }
    if (low > 0) a(low, low - 1) = T(0);
    if (low == high) {
      --high;
      tries = 0;
      continue;
    }
    if (++tries > 100) return false;
    const T shift = tries % 10 == 0 ? a(high, high) + T(magnitude(a(high, high - 1)))
                                    : detail::shift_of(a(high - 1, high - 1), a(high - 1, high),
                                                       a(high, high - 1), a(high, high));
    for (int64_t i = low; i <= high; ++i) a(i, i) -= shift;
    for (int64_t k = low; k < high; ++k) {
      auto& turn = turns[static_cast<std::size_t>(k)];
      turn = detail::PlaneTurn<T>(a(k, k), a(k + 1, k));
      for (int64_t j = k; j < n; ++j) turn(a(k, j), a(k + 1, j));
    }
    for (int64_t k = low; k < high; ++k) {  // and from the right by the inverses
      detail::PlaneTurn<T> turn = turns[static_cast<std::size_t>(k)];
      turn.s = conjugate(turn.s);
      for (int64_t i = 0; i <= k + 1; ++i) turn(a(i, k), a(i, k + 1));
      for (int64_t i = 0; i < n; ++i) turn(q(i, k), q(i, k + 1));
    }
    for (int64_t i = low; i <= high; ++i) a(i, i) += shift;
  }
  R largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    w[i] = a(i, i);
    for (int64_t j = i; j < n; ++j) {
      if (magnitude(a(i, j)) > largest) largest = magnitude(a(i, j));
    }
  }
  if (v.at == nullptr) return true;
  std::vector<T> y(static_cast<std::size_t>(n));
  const R least = epsilon * (largest > 0 ? largest : R(1));
  for (int64_t k = 0; k < n; ++k) {
    const auto at = [&](int64_t i) -> T& { return y[static_cast<std::size_t>(i)]; };
    at(k) = T(1);
    for (int64_t i = k - 1; i >= 0; --i) {
      T sum(0);
      for (int64_t j = i + 1; j <= k; ++j) sum += a(i, j) * at(j);
      const T gap = w[k] - w[i];
      at(i) = sum / (magnitude(gap) < least ? T(least) : gap);
    }
    for (int64_t i = 0; i < n; ++i) v(i, k) = T(0);
    for (int64_t j = 0; j <= k; ++j) detail::subtract(n, -at(j), q.column(j), v.column(k));
    const R size = detail::length(n, v.column(k));
    for (int64_t i = 0; i < n; ++i) v(i, k) = v(i, k) * (1 / size);
  }
  return true;
}

}  // namespace weft::cpu
