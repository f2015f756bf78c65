// Functions of single Small values, for your own kernels; the operations on tensors use them too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "weft/core/small.hpp"

namespace weft {

/// The sum of the products of corresponding numbers.
template <class T, int R, int C>
WEFT_HD constexpr T dot(const Small<T, R, C>& x, const Small<T, R, C>& y) {
  T sum = x[0] * y[0];
  WEFT_UNROLL
  for (int k = 1; k < R * C; ++k) sum += x[k] * y[k];
  return sum;
}
/// The products of corresponding numbers.
template <class T, int R, int C>
WEFT_HD constexpr Small<T, R, C> hadamard(const Small<T, R, C>& x, const Small<T, R, C>& y) {
  Small<T, R, C> out{};
  WEFT_UNROLL
  for (int k = 0; k < R * C; ++k) out[k] = x[k] * y[k];
  return out;
}
template <class T>
WEFT_HD constexpr Small<T, 3> cross(const Small<T, 3>& x, const Small<T, 3>& y) {
  return {x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]};
}
/// x y^T.
template <class T, int R, int C>
WEFT_HD constexpr Small<T, R, C> outer(const Small<T, R>& x, const Small<T, C>& y) {
  Small<T, R, C> out{};
  WEFT_UNROLL
  for (int i = 0; i < R; ++i) {
    WEFT_UNROLL
    for (int j = 0; j < C; ++j) out(i, j) = x[i] * y[j];
  }
  return out;
}
/// The square root of the sum of squares. Not scaled: it overflows where a square does.
template <class T, int R, int C>
WEFT_HD T norm(const Small<T, R, C>& x) {
  return std::sqrt(dot(x, x));
}
/// x divided by its norm, or by 1e-12 where that is larger.
template <class T, int R, int C>
WEFT_HD Small<T, R, C> normalize(const Small<T, R, C>& x) {
  const T length = norm(x);
  return x * (1 / (length > T(1e-12) ? length : T(1e-12)));
}
template <class T, int R, int C>
WEFT_HD constexpr Small<T, C, R> transpose(const Small<T, R, C>& a) {
  Small<T, C, R> out{};
  WEFT_UNROLL
  for (int i = 0; i < R; ++i) {
    WEFT_UNROLL
    for (int j = 0; j < C; ++j) out(j, i) = a(i, j);
  }
  return out;
}
template <class T, int N>
WEFT_HD constexpr T trace(const Small<T, N, N>& a) {
  T sum = a(0, 0);
  WEFT_UNROLL
  for (int i = 1; i < N; ++i) sum += a(i, i);
  return sum;
}
/// The matrix with x on its diagonal.
template <class T, int N>
WEFT_HD constexpr Small<T, N, N> diagonal_matrix(const Small<T, N>& x) {
  Small<T, N, N> out{};
  WEFT_UNROLL
  for (int i = 0; i < N; ++i) out(i, i) = x[i];
  return out;
}
/// Row i as a vector.
template <class T, int R, int C>
WEFT_HD constexpr Small<T, C> row(const Small<T, R, C>& a, int i) {
  Small<T, C> out{};
  WEFT_UNROLL
  for (int j = 0; j < C; ++j) out[j] = a(i, j);
  return out;
}
/// Column j as a vector.
template <class T, int R, int C>
WEFT_HD constexpr Small<T, R> column(const Small<T, R, C>& a, int j) {
  Small<T, R> out{};
  WEFT_UNROLL
  for (int i = 0; i < R; ++i) out[i] = a(i, j);
  return out;
}

}  // namespace weft
