// searchsorted: where values belong in a sorted vector.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/generate.hpp"
#include "weft/ops/elementwise/map.hpp"
#include "weft/ops/order/sort.hpp"

namespace weft {

/// Which of the places among equal elements: before them or behind them.
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
    std::int64_t first = 0;
    for (std::int64_t left = n; left > 0;) {
      const std::int64_t half = left / 2;
      const compute_t<T> y = load_element(sorted[first + half]);
      if (right ? !precedes(x, y) : precedes(y, x)) {
        first += half + 1;
        left -= half + 1;
      } else {
        left = half;
      }
    }
    return first;
  }

 private:
  /// NaN is the largest.
  WEFT_HD static bool precedes(compute_t<T> a, compute_t<T> b) {
    return a < b || (b != b && a == a);
  }
};
}  // namespace op

/// For each value, the index in the vector `sorted` before which it can be inserted to keep the
/// order; with equal elements the first such index, or the last with Side::right. NaN belongs at
/// the end.
template <ExpressionLike S, ExpressionLike X>
auto searchsorted(S&& sorted, X&& values, Side side = Side::left) {
  using T = typename std::remove_cvref_t<S>::value_type;
  using D = detail::home_of<std::remove_cvref_t<S>>;
  const Tensor<T, D> in = Tensor<T, D>(static_cast<S&&>(sorted)).contiguous();
  if (in.rank() != 1) {
    fail<ShapeError>("searchsorted", "sorted elements of shape ", in.shape(),
                     ", expected a vector");
  }
  // Of no elements the first is not there, and every place is 0.
  const Tensor<T, D> first = in.size() > 0 ? in(0) : zeros<T>({}, in.device());
  const op::insertion<T> place{in.data(), in.size(), side == Side::right};
  return lift(place, static_cast<X&&>(values), first).eval();
}

}  // namespace weft
