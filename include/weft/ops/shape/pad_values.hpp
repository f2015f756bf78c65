// pad with values of the tensor's own: means, extrema, a ramp, or what a function gives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/cast.hpp"
#include "weft/ops/elementwise/unary.hpp"
#include "weft/ops/join.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/shape/pad.hpp"

namespace weft {

/// What a border is computed from: all elements along its axis, or the outermost one.
enum class PadValue {
  mean,  ///< rounded to even in integers
  maximum,
  minimum,
  linear_ramp  ///< from 0 at the outer end towards the edge
};

namespace detail {
/// What stands in a border of `width` elements along an axis.
template <class T, class D>
Tensor<T, D> border_values(const Tensor<T, D>& x, int at, PadValue value, int64_t width,
                           bool before) {
  Shape shape = x.shape();
  shape[at] = width;
  switch (value) {
    case PadValue::maximum:
      return Tensor<T, D>(max(x, axis(at), keepdims)).expand(shape);
    case PadValue::minimum:
      return Tensor<T, D>(min(x, axis(at), keepdims)).expand(shape);
    case PadValue::mean:
      if constexpr (is_floating<T>) {
        return Tensor<T, D>(mean(x, axis(at), keepdims)).expand(shape);
      } else {
        return Tensor<T, D>(cast<T>(round(mean(x, axis(at), keepdims)))).expand(shape);
      }
    default:
      break;
  }
  Shape along;
  for (int i = 0; i < x.rank(); ++i) along.push_back(i == at ? width : 1);
  using C = std::conditional_t<is_floating<T>, T, double>;
  const double step = 1.0 / static_cast<double>(width);
  const auto up = arange<C>(0, static_cast<double>(width), 1, x.device()) * static_cast<C>(step);
  const Tensor<C, D> ramp = Tensor<C, D>(up).reshape(along);
  const auto edge = cast<C>(x.narrow(at, before ? 0 : x.size(at) - 1, 1));
  const Tensor<C, D> out = edge * (before ? ramp : ramp.flip(at));
  if constexpr (is_floating<T>) {
    return out;
  } else {
    return Tensor<T, D>(cast<T>(floor(out)));
  }
}

/// x with borders that f(x so far, axis, width, whether before) gives, axis by axis.
template <class V, class F>
V with_borders(V x, const Shape& around, const F& f) {
  if (around.rank() % 2 != 0 || around.rank() / 2 > x.rank()) {
    fail<ShapeError>("pad", "borders ", around, " for shape ", x.shape(),
                     ", expected two numbers for each of the last axes");
  }
  for (int i = around.rank() / 2 - 1; i >= 0; --i) {
    const int at = x.rank() - 1 - i;
    const int64_t before = around[2 * i];
    const int64_t after = around[2 * i + 1];
    if (before < 0 || after < 0) {
      fail<ShapeError>("pad", "a border of ", before, " and ", after, " along axis ", at,
                       ", expected no negative number");
    }
    static_cast<void>(detail::padded_axis("pad", x.shape(), at, before, after, PadMode::replicate));
    std::vector<V> parts;
    if (before > 0) parts.push_back(f(x, at, before, true));
    parts.push_back(x);
    if (after > 0) parts.push_back(f(x, at, after, false));
    if (parts.size() > 1) x = cat(parts, axis(at));
  }
  return x;
}

/// What stands in a border, from a tensor and the axis that the border is along.
template <class F, class V>
concept BorderFunction = requires(const F& f, const V& x) {
  V(f(x, axis(0)));
};
}  // namespace detail

/// x with a border of such values, added axis by axis from the first one, as in NumPy's pad;
/// `around` is as for pad. Evaluated.
template <ExpressionLike X>
auto pad(const X& e, const Shape& around, PadValue value) {
  static_assert(!detail::has_var<X>,
                "weft: a border of such values has no gradient: write "
                "x.detach(), or join the border with cat(...)");
  if constexpr (detail::has_var<X>) {
    return e.eval();
  } else {
    return detail::with_borders(e.eval(), around,
                                [value](const auto& x, int at, int64_t width, bool before) {
                                  return detail::border_values(x, at, value, width, before);
                                });
  }
}

/// pad with borders computed by a function of the tensor and the axis, whose result has size 1
/// along that axis or the border's size: medians, if f(x, along) returns quantile(x, 0.5, along,
/// keepdims).
template <ExpressionLike X, class F>
  requires detail::BorderFunction<F, decltype(std::declval<const X&>().eval())>
auto pad(const X& e, const Shape& around, const F& f) {
  using V = decltype(e.eval());
  return detail::with_borders(e.eval(), around, [&f](const V& x, int at, int64_t width, bool) {
    Shape shape = x.shape();
    shape[at] = width;
    return V(V(f(x, axis(at))).expand(shape));
  });
}

}  // namespace weft
