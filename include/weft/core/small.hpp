// Small<T, R, C>: a matrix or vector whose size is part of its type, usable as a tensor's element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/dtype.hpp"

namespace weft {

namespace detail {
/// The largest power of two, at most 16, that divides `bytes`: elements are loaded in words of that
/// size.
constexpr int small_alignment(int bytes) {
  int alignment = 4;
  while (alignment < 16 && bytes % (2 * alignment) == 0) alignment *= 2;
  return alignment;
}
}  // namespace detail

/// A matrix of R rows and C columns, row by row; with C = 1, as by default, a vector of R numbers.
/// `Small<float, 2, 2>{1, 2, 3, 4}`. It has no memory of its own and works in kernels.
template <class T, int R, int C>
struct alignas(detail::small_alignment(R* C* static_cast<int>(sizeof(T)))) Small {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "weft: Small is made of float or double");
  static_assert(R > 0 && C > 0 && R * C <= 64,
                "weft: Small has 1 to 64 numbers, which a kernel keeps in registers: larger "
                "matrices are the last two axes of a tensor");
  using number = T;
  static constexpr int rows = R;
  static constexpr int columns = C;
  static constexpr int count = R * C;

  T values[R * C];

  /// All numbers the same.
  WEFT_HD static constexpr Small full(T value) {
    Small out{};
    WEFT_UNROLL
    for (int k = 0; k < count; ++k) out.values[k] = value;
    return out;
  }
  WEFT_HD static constexpr Small zeros() { return full(T(0)); }
  /// Ones on the diagonal, zeros elsewhere.
  WEFT_HD static constexpr Small identity() {
    Small out{};
    WEFT_UNROLL
    for (int i = 0; i < R; ++i) {
      WEFT_UNROLL
      for (int j = 0; j < C; ++j) out.values[i * C + j] = T(i == j ? 1 : 0);
    }
    return out;
  }

  /// Element (i, j), and number k counted along the rows. Unchecked: it runs in kernels.
  WEFT_HD constexpr T& operator()(int i, int j) { return values[i * C + j]; }
  WEFT_HD constexpr T operator()(int i, int j) const { return values[i * C + j]; }
  WEFT_HD constexpr T& operator[](int k) { return values[k]; }
  WEFT_HD constexpr T operator[](int k) const { return values[k]; }

  WEFT_HD constexpr Small& operator+=(const Small& other) {
    WEFT_UNROLL
    for (int k = 0; k < count; ++k) values[k] += other.values[k];
    return *this;
  }
  WEFT_HD constexpr Small& operator-=(const Small& other) {
    WEFT_UNROLL
    for (int k = 0; k < count; ++k) values[k] -= other.values[k];
    return *this;
  }
  WEFT_HD constexpr Small& operator*=(T factor) {
    WEFT_UNROLL
    for (int k = 0; k < count; ++k) values[k] *= factor;
    return *this;
  }
  WEFT_HD constexpr Small& operator/=(T divisor) {
    WEFT_UNROLL
    for (int k = 0; k < count; ++k) values[k] /= divisor;
    return *this;
  }
  WEFT_HD constexpr Small operator-() const {
    Small out{};
    WEFT_UNROLL
    for (int k = 0; k < count; ++k) out.values[k] = -values[k];
    return out;
  }
  WEFT_HD constexpr Small operator+() const { return *this; }

  // Friends, not templates: they take numbers that convert to T, as in `2 * x`.
  WEFT_HD friend constexpr Small operator+(Small x, const Small& y) { return x += y; }
  WEFT_HD friend constexpr Small operator-(Small x, const Small& y) { return x -= y; }
  WEFT_HD friend constexpr Small operator*(Small x, T factor) { return x *= factor; }
  WEFT_HD friend constexpr Small operator*(T factor, Small x) { return x *= factor; }
  WEFT_HD friend constexpr Small operator/(Small x, T divisor) { return x /= divisor; }
  /// Whether all numbers are equal; a NaN equals nothing.
  WEFT_HD friend constexpr bool operator==(const Small& x, const Small& y) {
    bool same = true;
    WEFT_UNROLL
    for (int k = 0; k < count; ++k) same = same && x.values[k] == y.values[k];
    return same;
  }
};

/// The matrix product; a vector on the right is a column.
template <class T, int R, int K, int C>
WEFT_HD constexpr Small<T, R, C> operator*(const Small<T, R, K>& a, const Small<T, K, C>& b) {
  Small<T, R, C> out{};
  WEFT_UNROLL
  for (int i = 0; i < R; ++i) {
    WEFT_UNROLL
    for (int j = 0; j < C; ++j) {
      T sum = a(i, 0) * b(0, j);
      WEFT_UNROLL
      for (int k = 1; k < K; ++k) sum += a(i, k) * b(k, j);
      out(i, j) = sum;
    }
  }
  return out;
}

static_assert(std::is_trivial_v<Small<float, 3>> && sizeof(Small<float, 3>) == 12);
static_assert(alignof(Small<float, 4>) == 16 && alignof(Small<double, 3, 3>) == 8);

}  // namespace weft
