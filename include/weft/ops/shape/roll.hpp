// roll and shift: elements moved along axes, wrapping around or dropped at the end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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
    if (shape.rank() == 0 && is_axis_of_number(axes[i])) continue;
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

/// The elements shifted along the axes, wrapping around from the end to the front: one shift for
/// all axes, or one for each.
template <ExpressionLike X>
auto roll(X&& x, const Shape& shifts, const Axes& axes) {
  const Places places = detail::moved_places("roll", x.shape(), shifts, axes, true);
  return detail::rearranged<placing::roll>(static_cast<X&&>(x), places);
}
template <ExpressionLike X>
auto roll(X&& x, int64_t shift, const Axes& axes) {
  return roll(static_cast<X&&>(x), Shape{shift}, axes);
}
/// roll of all elements in row-major order, evaluated.
template <ExpressionLike X>
auto roll(const X& x, int64_t shift) {
  const Shape shape = x.shape();
  return roll(x.eval().reshape({-1}), shift, axis(0)).eval().reshape(shape);
}

/// The elements shifted along one axis; those pushed out are lost, and `fill` takes the free
/// positions.
template <ExpressionLike X, NumberLike N = int>
auto shift(X&& x, int64_t by, const Axes& axis = {-1}, N fill = 0) {
  const Places places = detail::moved_places("shift", x.shape(), Shape{by}, axis, false);
  const auto value = detail::fill_number<detail::element_of_t<X>>("shift", fill);
  return detail::rearranged<placing::shift>(static_cast<X&&>(x), places, value);
}

WEFT_MODEL(Node<Rearranged<placing::roll, Tensor<float, Cpu>>>);

}  // namespace weft
