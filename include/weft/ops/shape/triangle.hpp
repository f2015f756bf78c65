// tril, triu, index_along and their like: elements chosen by where they stand, inside expressions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/axes.hpp"
#include "weft/ops/elementwise/domain.hpp"
#include "weft/ops/elementwise/generate.hpp"
#include "weft/ops/elementwise/map.hpp"
#include "weft/tensor/from_values.hpp"

namespace weft {

namespace op {
/// x where its diagonal, counted to the right, is in a range; 0 elsewhere.
struct on_diagonals {
  using domain = Any;
  static constexpr const char* text = "on_diagonals";
  long long first;
  long long last;
  template <class T>
  WEFT_HD constexpr T value(T x, long long d) const {
    return d >= first && d <= last ? x : T(0);
  }
  template <int I, class G, class T, class Y>
  WEFT_HD constexpr T vjp(G g, T, long long d, Y) const {
    return d >= first && d <= last ? static_cast<T>(g) : T(0);
  }
};
struct tril : on_diagonals {
  static constexpr const char* text = "tril";
};
struct triu : on_diagonals {
  static constexpr const char* text = "triu";
};
/// 1 on a range of diagonals.
template <class T>
struct diagonals_of_ones {
  using result_type = T;
  static constexpr const char* text = "tri";
  long long first;
  long long last;
  WEFT_HD compute_t<T> value(long long d) const {
    return d >= first && d <= last ? compute_t<T>(1) : compute_t<T>(0);
  }
};
/// A coordinate as it is.
struct coordinate_along {
  using result_type = std::int64_t;
  static constexpr const char* text = "index_along";
  WEFT_HD std::int64_t value(long long i) const { return i; }
};
}  // namespace op

namespace detail {
/// The diagonal that each element of the last two axes stands on.
[[gnu::noinline]] inline Positions diagonal_numbers(const char* operation, const Shape& shape) {
  if (shape.rank() < 2) {
    fail<ShapeError>(operation, "shape ", shape, ", expected at least 2 axes");
  }
  Strides strides;
  for (int i = 0; i < shape.rank(); ++i) {
    strides.push_back(i == shape.rank() - 1 ? 1 : i == shape.rank() - 2 ? -1 : 0);
  }
  return Positions(shape, strides, 0);
}

/// x on the diagonals that Op names.
template <class X, class Op>
auto diagonals_of(const char* operation, Op op, X&& x, const Shape& shape) {
  using T = element_of_t<X>;
  using E = operand_t<T, X>;
  const Positions d = diagonal_numbers(operation, shape);
  return Map<T, Op, E, Positions>(op, AsOperand<T, Op>{}(static_cast<X&&>(x)), d);
}
inline constexpr long long any_diagonal = 1LL << 60;
}  // namespace detail

/// The elements of the matrices in the last two axes on diagonal k and below, 0 elsewhere.
template <ExpressionLike X>
auto tril(X&& x, int64_t k = 0) {
  const Shape shape = x.shape();
  return detail::diagonals_of("tril", op::tril{{-detail::any_diagonal, k}}, static_cast<X&&>(x),
                              shape);
}
/// The elements of the matrices in the last two axes on diagonal k and above, 0 elsewhere.
template <ExpressionLike X>
auto triu(X&& x, int64_t k = 0) {
  const Shape shape = x.shape();
  return detail::diagonals_of("triu", op::triu{{k, detail::any_diagonal}}, static_cast<X&&>(x),
                              shape);
}

/// Each element's own index along an axis, int64, as an expression without memory:
/// where(index_along({4, 3}, axis(1)) < 2, x, 0).
inline auto index_along(const Shape& shape, const Axes& axis) {
  if (axis.rank() != 1) fail<IndexError>("index_along", "axes ", axis, ", expected one axis");
  const int at = normalize_axis("index_along", axis[0], shape.rank());
  Strides strides;
  for (int i = 0; i < shape.rank(); ++i) strides.push_back(i == at ? 1 : 0);
  return Map<int64_t, op::coordinate_along, Positions>(op::coordinate_along{},
                                                       Positions(shape, strides, 0));
}
template <ExpressionLike X>
auto index_along(const X& x, const Axes& axis) {
  return index_along(Shape(x.shape()), axis);
}

/// A matrix of ones on diagonal k and below, as many columns as rows unless given (-1).
template <class T = float, Device D = Cpu>
Tensor<T, D> tri(int64_t rows, int64_t columns = -1, int64_t k = 0, D device = {}) {
  const Shape shape{rows, columns < 0 ? rows : columns};
  detail::Access::check_sizes("tri", shape);
  using Op = op::diagonals_of_ones<T>;
  return detail::on<T>(
      Map<T, Op, Positions>(Op{-detail::any_diagonal, k}, detail::diagonal_numbers("tri", shape)),
      device);
}
/// The matrix with ones on diagonal k and 0 elsewhere.
template <class T = float, Device D = Cpu>
Tensor<T, D> eye(int64_t rows, int64_t columns, int64_t k, D device = {}) {
  detail::Access::check_sizes("eye", {rows, columns});
  using Op = op::diagonals_of_ones<T>;
  return detail::on<T>(
      Map<T, Op, Positions>(Op{k, k}, detail::diagonal_numbers("eye", {rows, columns})), device);
}
/// eye(n) under NumPy's other name.
template <class T = float, Device D = Cpu>
Tensor<T, D> identity(int64_t n, D device = {}) {
  return eye<T>(n, device);
}

namespace detail {
/// How many elements of a row lie on diagonals first to last, and where they begin.
inline int64_t row_start(int64_t row, int64_t first, int64_t columns) {
  const int64_t start = row + first;
  return start < 0 ? 0 : start > columns ? columns : start;
}
template <class D>
Tensor<int64_t, D> triangle_indices(const char* operation, int64_t rows, int64_t columns,
                                    int64_t first, int64_t last, D device) {
  Access::check_sizes(operation, {rows, columns});
  std::vector<int64_t> places;
  for (int64_t pass = 0; pass < 2; ++pass) {
    for (int64_t i = 0; i < rows; ++i) {
      const int64_t stop = row_start(i, last + 1, columns);
      for (int64_t j = row_start(i, first, columns); j < stop; ++j) places.push_back(pass ? j : i);
    }
  }
  return tensor(places, {2, static_cast<int64_t>(places.size()) / 2}, device);
}
}  // namespace detail

/// The rows, and below them the columns, of the elements on diagonal k and below: (2, count).
template <Device D = Cpu>
Tensor<int64_t, D> tril_indices(int64_t rows, int64_t columns, int64_t k = 0, D device = {}) {
  return detail::triangle_indices("tril_indices", rows, columns, -rows - columns, k, device);
}
/// The rows, and below them the columns, of the elements on diagonal k and above: (2, count).
template <Device D = Cpu>
Tensor<int64_t, D> triu_indices(int64_t rows, int64_t columns, int64_t k = 0, D device = {}) {
  return detail::triangle_indices("triu_indices", rows, columns, k, rows + columns, device);
}

/// tril_indices of a square matrix of n rows.
template <Device D = Cpu>
Tensor<int64_t, D> tril_indices(int64_t n) {
  return tril_indices<D>(n, n);
}
/// triu_indices of a square matrix of n rows.
template <Device D = Cpu>
Tensor<int64_t, D> triu_indices(int64_t n) {
  return triu_indices<D>(n, n);
}

}  // namespace weft
