// Batches of matrices: checks, parts, and Columns, the column-major form that solvers take.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/compare.hpp"
#include "weft/ops/elementwise/generate.hpp"
#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/linalg/matmul.hpp"

namespace weft::linalg {

/// The element types of linear algebra.
template <class T>
inline constexpr bool is_field = std::is_floating_point_v<T> ||
                                 (is_complex<T> && std::is_floating_point_v<real_t<T>>);

[[gnu::noinline]] inline void check_matrix(const char* operation, const Shape& shape) {
  if (shape.rank() < 2) {
    fail<ShapeError>(operation, "shape ", shape, ", expected matrices: at least 2 axes");
  }
}
[[gnu::noinline]] inline void check_square(const char* operation, const Shape& shape) {
  check_matrix(operation, shape);
  const int last = shape.rank() - 1;
  if (shape[last] != shape[last - 1]) {
    fail<ShapeError>(operation, "matrices of shape ", shape, ", expected square matrices");
  }
}

/// The value of an expression; a tensor or Var as it is, a read-only tensor as a copy, since
/// solvers are compiled for elements that can be written.
template <class X>
auto settled(const X& x) {
  if constexpr (weft::detail::is_tensor<X>) {
    using T = typename X::value_type;
    if constexpr (std::is_same_v<X, Tensor<T, typename X::device_type>>) {
      return x;
    } else {
      return x.clone();
    }
  } else {
    return x.eval();
  }
}

/// The shape without its last axes.
inline Shape batch_of(Shape shape, int last = 2) {
  for (int i = 0; i < last; ++i) shape.erase(shape.rank() - 1);
  return shape;
}
template <class... Sizes>
Shape with(Shape batch, Sizes... sizes) {
  (batch.push_back(sizes), ...);
  return batch;
}
template <class X>
int64_t rows_of(const X& x) {
  return x.shape()[x.rank() - 2];
}
template <class X>
int64_t columns_of(const X& x) {
  return x.shape()[x.rank() - 1];
}

template <class X>
X transposed(const X& x) {
  return x.transpose(-1, -2);
}
/// The conjugates of complex elements; real ones as they are.
template <class T, class D>
Tensor<T, D> conjugate(const Tensor<T, D>& x) {
  if constexpr (is_complex<T>) {
    return conj(x);
  } else {
    return x;
  }
}
/// The transposes, of complex matrices conjugated.
template <class T, class D>
Tensor<T, D> adjoint(const Tensor<T, D>& x) {
  return conjugate(transposed(x));
}
/// x with elements of type T: x's own type, or the complex type of its real elements.
template <class T, class U, class D>
Tensor<T, D> as(const Tensor<U, D>& x) {
  if constexpr (std::is_same_v<T, U>) {
    return x;
  } else {
    return cast<T>(x);
  }
}
/// matmul(a, b), evaluated.
template <class T, class D>
[[gnu::noinline]] Tensor<T, D> product(const Tensor<T, D>& a, const Tensor<T, D>& b) {
  return matmul(a, b);
}

/// The elements on and below the diagonal number k, with zeros above; its number is the column
/// minus the row. With `above`, those on and above it.
template <class X>
auto triangle(const X& x, int64_t k = 0, bool above = false) {
  const int64_t sign = above ? -1 : 1;
  const auto rows = generated({rows_of(x), 1}, op::affine<int64_t>{sign * k, sign});
  const auto columns = generated({1, columns_of(x)}, op::affine<int64_t>{0, sign});
  return where(rows >= columns, x, compute_t<typename X::value_type>(0)).eval();
}
template <class X>
auto lower(const X& x, int64_t k = 0) {
  return triangle(x, k);
}
template <class X>
auto upper(const X& x, int64_t k = 0) {
  return triangle(x, k, true);
}

/// A batch of matrices by columns, as LAPACK and cuSOLVER have them, dense.
template <class T, class D>
struct Columns {
  Tensor<T, D> memory;  // (matrix, column, row)

  int64_t count() const { return memory.shape()[0]; }
  int64_t columns() const { return memory.shape()[1]; }
  int64_t rows() const { return memory.shape()[2]; }
  T* data() const { return memory.data(); }
  /// As a tensor of shape (batch..., row, column), which shares the memory.
  Tensor<T, D> in(const Shape& batch) const {
    return memory.transpose(1, 2).reshape(with(batch, rows(), columns()));
  }
};

template <class T, class D>
Columns<T, D> new_columns(const Shape& batch, int64_t rows, int64_t columns, D device) {
  return {empty<T>({batch.size(), columns, rows}, device)};
}
/// A copy of x, or with its rows as columns.
template <class T, class D>
[[gnu::noinline]] Columns<T, D> by_columns(const Tensor<T, D>& x) {
  const Tensor<T, D> copy = x.transpose(-1, -2).clone();
  return {copy.reshape({batch_of(x.shape()).size(), columns_of(x), rows_of(x)})};
}

}  // namespace weft::linalg
