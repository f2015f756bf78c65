// Probabilities that a loss checks in the loop or kernel that reads them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/gather.hpp"
#include "weft/ops/elementwise/map.hpp"

namespace weft {

namespace op {
/// A probability unchanged; anything else is reported, and becomes NaN. NaN stays NaN.
struct probability {
  using domain = Floating;
  static constexpr const char* text = "probability";
  static constexpr int arity = 1;
  static constexpr bool has_effects = true;
  IndexRange range;

  template <class T>
  WEFT_HD T value(T x) const {
    if (x >= T(0) && x <= T(1)) return x;
    if (x == x) {
      const double number = static_cast<double>(x);
      report_failure(range.failure, range.operation, range.ordinal, 0, 0, 1, false, nullptr,
                     &number);
    }
    return math::nan<T>;
  }
};
}  // namespace op

namespace detail {
/// The tensor's elements, as an expression that throws ValueError where one is outside of 0 to 1;
/// on CUDA the next statement or synchronisation does.
template <class T, class D>
auto probabilities(const char* operation, const Tensor<T, D>& x) {
  return lift(op::probability{index_range<D>(operation, Indexing::along, Shape{1}, 0, x.storage())},
              x);
}
}  // namespace detail

}  // namespace weft
