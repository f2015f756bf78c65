// roll and shift: elements moved along axes, round or out; diff: neighbours subtracted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/index/rearrange.hpp"

namespace weft {

namespace detail {
/// The places of elements that move by `shifts` along `axes`: one for all, or one for each.
[[gnu::noinline]] inline Places moved_places(const char* operation, const Shape& shape,
                                             const Shape& shifts, const Axes& axes, bool wraps) {
  if (shifts.rank() != 1 && shifts.rank() != axes.rank()) {
    fail<ShapeError>(operation, "shifts ", shifts, " for axes ", axes,
                     ", expected one, or one for each axis");
  }
  int64_t by[max_rank] = {};
  for (int i = 0; i < axes.rank(); ++i) {
    by[normalize_axis(operation, axes[i], shape.rank())] += shifts[shifts.rank() == 1 ? 0 : i];
  }
  Places out(shape);
  for (int d = 0; d < shape.rank(); ++d) {
    const int64_t n = shape[d];
    const int64_t shift = n == 0  ? 0
                          : wraps ? (by[d] % n + n) % n
                                  : (by[d] > n    ? n
                                     : by[d] < -n ? -n
                                                  : by[d]);
    if (shift != 0) out.add({d, n, n, shift, PadMode::constant});
  }
  return out;
}
}  // namespace detail

/// The elements moved on along the axes, those that leave at the end coming in at the front: one
/// shift for all axes, or one for each.
template <ExpressionLike X>
auto roll(X&& x, const Shape& shifts, const Axes& axes) {
  const Places places = detail::moved_places("roll", x.shape(), shifts, axes, true);
  return detail::rearranged<placing::roll>(static_cast<X&&>(x), places);
}
template <ExpressionLike X>
auto roll(X&& x, int64_t shift, const Axes& axes) {
  return roll(static_cast<X&&>(x), Shape{shift}, axes);
}
/// The same in row-major order through all axes, evaluated.
template <ExpressionLike X>
auto roll(const X& x, int64_t shift) {
  const Shape shape = x.shape();
  return roll(x.eval().reshape({-1}), shift, axis(0)).eval().reshape(shape);
}

/// The elements moved on along one axis, `fill` standing where none comes from.
template <ExpressionLike X, NumberLike N = int>
auto shift(X&& x, int64_t by, const Axes& axis = {-1}, N fill = 0) {
  const Places places = detail::moved_places("shift", x.shape(), Shape{by}, axis, false);
  const auto value = detail::fill_number<detail::element_of_t<X>>("shift", fill);
  return detail::rearranged<placing::shift>(static_cast<X&&>(x), places, value);
}

/// The differences of neighbours along an axis, the last one unless given.
template <ExpressionLike X>
auto diff(const X& x, const Axes& axis = {-1}) {
  const auto values = x.eval();
  const int at = detail::one_axis("diff", axis, values.rank());
  const int64_t n = values.size(at) > 0 ? values.size(at) - 1 : 0;
  const int64_t first = values.size(at) > 0 ? 1 : 0;
  return values.narrow(at, first, n) - values.narrow(at, 0, n);
}
/// The n-th differences: those of differences; n = 0 gives x, evaluated.
template <ExpressionLike X>
auto diff(const X& x, int64_t n, const Axes& axis) {
  if (n < 0) fail<ValueError>("diff", "n = ", n, ", expected at least 0");
  auto out = x.eval();
  for (int64_t i = 0; i < n; ++i) out = decltype(out)(diff(out, axis));
  return out;
}

}  // namespace weft
