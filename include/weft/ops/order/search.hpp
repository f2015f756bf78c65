// searchsorted: where values belong in a sorted vector.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/generate.hpp"
#include "weft/ops/elementwise/map.hpp"
#include "weft/ops/order/sort.hpp"

namespace weft {

/// Which position among equal elements is meant: before them or after them.
enum class Side { left, right };

namespace op {
/// How many of n sorted elements are before `x`; its second operand is the first of them, which
/// makes the evaluation know of their memory.
template <class T>
struct insertion {
  using domain = Ordered;
  using result_type = std::int64_t;
  static constexpr const char* text = "searchsorted";
  const T* sorted;
  std::int64_t n;
  bool right;

  WEFT_HD std::int64_t value(compute_t<T> x, compute_t<T>) const {
    return n >> 31 == 0 ? search<std::uint32_t>(x) : search<std::int64_t>(x);
  }

 private:
  /// As many steps whatever x is, so that a GPU's threads do not part.
  template <class Index>
  WEFT_HD std::int64_t search(compute_t<T> x) const {
    Index first = 0;
    for (auto left = static_cast<Index>(n); left > 0;) {
      const Index half = left - left / 2;
      const Index next = first + half;
      first = is_before(load_element(sorted[next - 1]), x) ? next : first;
      left -= half;
    }
    return static_cast<std::int64_t>(first);
  }
  /// Whether x belongs behind y; NaN is the largest.
  WEFT_HD bool is_before(compute_t<T> y, compute_t<T> x) const {
    const bool last = x != x;
    if (right) return last || y <= x;
    return last ? y == y : y < x;
  }
};

/// The same in the row that belongs to the value's position; all values belong to a vector.
template <class T>
struct row_insertion {
  using domain = Ordered;
  using result_type = std::int64_t;
  static constexpr const char* text = "searchsorted";
  static constexpr bool mixes_types = true;
  insertion<T> in;
  std::int64_t values_in_row;

  WEFT_HD std::int64_t value(compute_t<T> x, compute_t<T> first, std::int64_t position) const {
    insertion<T> row = in;
    if (position >= values_in_row) row.sorted += position / values_in_row * in.n;
    return row.value(x, first);
  }
};
}  // namespace op

namespace detail {
/// Throws unless each edge is at least the one before it; on a GPU, where that would wait, no
/// check.
template <class T, class D>
void check_edges(const char* operation, const Tensor<T, D>& edges) {
  if constexpr (std::is_same_v<D, Cpu>) {
    for (int64_t i = 1; edges.rank() == 1 && i < edges.size(); ++i) {
      const T before = edges.at(i - 1);
      const T edge = edges.at(i);
      if (before <= edge) continue;
      fail<ValueError>(operation, "edge ", static_cast<double>(edge), " beside ",
                       static_cast<double>(before), ", expected edges in order");
    }
  }
}

/// How many values belong to each sorted row.
WEFT_OUTLINED inline int64_t values_in_row(const Shape& sorted, const Shape& values) {
  const int last = sorted.rank() - 1;
  if (last == 0) return INT64_MAX;
  bool fits = last > 0 && values.rank() == sorted.rank();
  for (int i = 0; fits && i < last; ++i) fits = sorted[i] == values[i];
  if (!fits) {
    fail<ShapeError>("searchsorted", "sorted elements of shape ", sorted, " and values of shape ",
                     values,
                     ", expected a vector, or rows of the same shape but for the last axis");
  }
  return values[last] > 0 ? values[last] : 1;
}
}  // namespace detail

/// For each value, the index in the vector `sorted` before which it can be inserted to keep the
/// order; with equal elements the first such index, or the last with Side::right. NaN belongs at
/// the end. Of sorted rows (..., n), values (..., m) are each looked up in their own row.
template <ExpressionLike S, ExpressionLike X>
auto searchsorted(S&& sorted, X&& values, Side side = Side::left) {
  using T = typename std::remove_cvref_t<S>::value_type;
  using D = detail::home_of<std::remove_cvref_t<S>>;
  const Tensor<T, D> in = Tensor<T, D>(static_cast<S&&>(sorted)).contiguous();
  using Check = detail::OperandCheck<op::insertion<T>, std::remove_cvref_t<X>, Tensor<T, D>>;
  if constexpr (Check::report()) {
    const Shape shape = values.shape();
    const int64_t in_row = detail::values_in_row(in.shape(), shape);
    // Without elements there is no first one, and every position is 0.
    const Tensor<T, D> first = in.size() > 0 ? in.reshape({-1})(0) : zeros<T>({}, in.device());
    const int64_t n = in.shape()[in.rank() - 1];
    const op::row_insertion<T> place{{in.data(), n, side == Side::right}, in_row};
    return lift(place, detail::AsOperand<T, op::insertion<T>>{}(static_cast<X&&>(values)), first,
                generated(shape, op::affine<int64_t>{0, 1}))
        .eval();
  } else {
    return Tensor<int64_t, D>();
  }
}

}  // namespace weft
