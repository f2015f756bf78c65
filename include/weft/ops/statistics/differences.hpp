// Along an axis: diff, gradient, trapezoid, exclusive scans, unwrap, interp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/compose.hpp"
#include "weft/ops/elementwise/unary.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/join.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/order/scan.hpp"
#include "weft/ops/order/search.hpp"

namespace weft {

namespace detail {
/// A vector as one along an axis of `rank`, so that it broadcasts.
template <class V>
auto line_along(const V& v, int along, int rank) {
  Shape shape;
  for (int i = 0; i < rank; ++i) shape.push_back(i == along ? -1 : 1);
  return v.reshape(shape);
}
/// The axis counted from the front; a number has none, which is an error.
inline int line_axis(const char* operation, const Axes& axes, const Shape& shape) {
  if (shape.rank() == 0) fail<ShapeError>(operation, "shape (), expected an axis");
  return one_axis(operation, axes, shape);
}
/// Elements 1, 2, ... of an axis, and those before them; none of none.
template <class V>
auto later(const V& x, int along) {
  const int64_t n = x.shape()[along];
  return x.narrow(along, n > 0 ? 1 : 0, n > 0 ? n - 1 : 0);
}
template <class V>
auto earlier(const V& x, int along) {
  const int64_t n = x.shape()[along];
  return x.narrow(along, 0, n > 0 ? n - 1 : 0);
}
/// Requires at least one element.
inline void check_length(const char* operation, int64_t size, int64_t least) {
  if (size < least) {
    fail<ShapeError>(operation, size, " elements along the axis, expected at least ", least);
  }
}
}  // namespace detail

/// The differences between neighbours along the last axis, or axis(n), taken `times` times, which
/// shortens the axis by as many elements.
template <ExpressionLike X>
auto diff(const X& x, int64_t times = 1, const Axes& axis = {-1}) {
  if (times < 0) fail<ValueError>("diff", "times = ", times, ", expected at least 0");
  auto value = detail::as_tensor(x);
  using V = std::remove_const_t<decltype(value)>;
  const int along = detail::line_axis("diff", axis, value.shape());
  for (; times > 0 && value.shape()[along] > 0; --times) {
    value = V(detail::later(value, along) - detail::earlier(value, along));
  }
  return value;
}

/// diff(x, 1, axis)
template <ExpressionLike X>
auto diff(const X& x, const Axes& axis) {
  return diff(x, 1, axis);
}

/// The differences between neighbours among all elements in row-major order: a vector.
template <ExpressionLike X>
auto ediff1d(const X& x) {
  return diff(detail::as_tensor(x).reshape({-1}));
}

namespace detail {
/// A tensor of y, in double if its elements are integers.
template <class Y>
auto samples(const Y& y) {
  if constexpr (std::is_integral_v<typename Y::value_type>) {
    return cast<double>(y).eval();
  } else {
    return as_tensor(y);
  }
}
/// The derivative at each sample from its neighbours; `steps` are the distances between samples.
template <class V, class H>
auto gradient_of(const V& y, const H& steps, int along) {
  using R = typename Evaluated<V>::type;
  const int64_t n = y.shape()[along];
  check_length("gradient", n, 2);
  const R slopes((later(y, along) - earlier(y, along)) / steps);
  if (n == 2) return R(cat(slopes, slopes, Axes{along}));
  const auto before = earlier(steps, along);
  const auto behind = later(steps, along);
  const R inner((earlier(slopes, along) * behind + later(slopes, along) * before) /
                (before + behind));
  return R(cat(slopes.narrow(along, 0, 1), inner, slopes.narrow(along, n - 2, 1), Axes{along}));
}
}  // namespace detail

/// The derivative of equally spaced samples y along an axis, by second-order central differences,
/// with one-sided differences at the ends, as in NumPy; integers give double.
template <ExpressionLike Y>
auto gradient(const Y& y, double spacing = 1, const Axes& axis = {-1}) {
  const auto value = detail::samples(y);
  using R = typename detail::Evaluated<std::remove_const_t<decltype(value)>>::type;
  const int along = detail::line_axis("gradient", axis, value.shape());
  const int64_t n = value.shape()[along];
  detail::check_length("gradient", n, 2);
  const auto h = static_cast<compute_t<typename R::value_type>>(spacing);
  const auto from = [&](int64_t first, int64_t count) { return value.narrow(along, first, count); };
  const auto begin = (from(1, 1) - from(0, 1)) / h;
  const auto end = (from(n - 1, 1) - from(n - 2, 1)) / h;
  if (n == 2) return R(cat(begin, end, Axes{along}));
  return R(cat(begin, (from(2, n - 2) - from(0, n - 2)) / (2 * h), end, Axes{along}));
}
/// The derivative along an axis of samples y at the coordinates x, a vector.
template <ExpressionLike Y, ExpressionLike C>
auto gradient(const Y& y, const C& x, const Axes& axis = {-1}) {
  const auto value = detail::samples(y);
  const int along = detail::line_axis("gradient", axis, value.shape());
  const auto places = detail::line_along(detail::as_tensor(x), along, value.rank());
  return detail::gradient_of(value, diff(places, 1, Axes{along}), along);
}

/// gradient(y, 1, axis)
template <ExpressionLike Y>
auto gradient(const Y& y, const Axes& axis) {
  return gradient(y, 1.0, axis);
}

namespace detail {
template <class V, class H>
auto trapezoids(const V& y, const H& steps, int along) {
  return (later(y, along) + earlier(y, along)) * (steps / 2);
}
}  // namespace detail

/// The integral of equally spaced samples along an axis, by the trapezoidal rule.
template <ExpressionLike Y>
auto trapezoid(const Y& y, double dx = 1, const Axes& axis = {-1}) {
  const auto value = detail::as_tensor(y);
  const int along = detail::line_axis("trapezoid", axis, value.shape());
  using C = compute_t<typename Y::value_type>;
  return sum(detail::trapezoids(value, static_cast<C>(dx), along), Axes{along});
}
/// The integral along an axis of samples y at the coordinates x: a vector, or one for each sample.
template <ExpressionLike Y, ExpressionLike C>
auto trapezoid(const Y& y, const C& x, const Axes& axis = {-1}) {
  const auto value = detail::as_tensor(y);
  const int along = detail::line_axis("trapezoid", axis, value.shape());
  auto places = detail::as_tensor(x);
  if (places.rank() == 1) places = detail::line_along(places, along, value.rank());
  return sum(detail::trapezoids(value, diff(places, 1, Axes{along}), along), Axes{along});
}
/// trapezoid(y, 1, axis)
template <ExpressionLike Y>
auto trapezoid(const Y& y, const Axes& axis) {
  return trapezoid(y, 1.0, axis);
}
/// The integrals from the first sample to each of the others, by the trapezoidal rule; the axis is
/// one shorter.
template <ExpressionLike Y>
auto cumulative_trapezoid(const Y& y, double dx = 1, const Axes& axis = {-1}) {
  const auto value = detail::as_tensor(y);
  const int along = detail::line_axis("cumulative_trapezoid", axis, value.shape());
  using C = compute_t<typename Y::value_type>;
  return cumsum(detail::trapezoids(value, static_cast<C>(dx), along), Axes{along});
}
template <ExpressionLike Y, ExpressionLike C>
auto cumulative_trapezoid(const Y& y, const C& x, const Axes& axis = {-1}) {
  const auto value = detail::as_tensor(y);
  const int along = detail::line_axis("cumulative_trapezoid", axis, value.shape());
  auto places = detail::as_tensor(x);
  if (places.rank() == 1) places = detail::line_along(places, along, value.rank());
  return cumsum(detail::trapezoids(value, diff(places, 1, Axes{along}), along), Axes{along});
}

/// cumulative_trapezoid(y, 1, axis)
template <ExpressionLike Y>
auto cumulative_trapezoid(const Y& y, const Axes& axis) {
  return cumulative_trapezoid(y, 1.0, axis);
}

namespace detail {
/// A scan moved by one place, with its initial value in front.
template <class S, class X>
auto exclusive(const char* operation, const X& x, const Axes& axis) {
  const auto value = as_tensor(x);
  const int along = line_axis(operation, axis, value.shape());
  using Result = typename S::template result<typename X::value_type>;
  Shape front = value.shape();
  front[along] = front[along] > 0 ? 1 : 0;
  const auto begin =
      full<Result>(front, S::template identity<compute_t<Result>>() + compute_t<Result>(0),
                   detached(value).device());
  const auto rest = scan<S>(earlier(value, along), Axes{along}).eval();
  using R = std::remove_const_t<decltype(rest)>;
  return R(cat(R(begin), rest, Axes{along}));
}
}  // namespace detail

/// The sum of the elements before each one along an axis; 0 for the first.
template <ExpressionLike X>
auto exclusive_cumsum(const X& x, const Axes& axis = {-1}) {
  return detail::exclusive<scanner::cumsum>("exclusive_cumsum", x, axis);
}
/// The product of the elements before each one along an axis; 1 for the first.
template <ExpressionLike X>
auto exclusive_cumprod(const X& x, const Axes& axis = {-1}) {
  return detail::exclusive<scanner::cumprod>("exclusive_cumprod", x, axis);
}

/// Angles along an axis without jumps: where neighbours differ by more than half a period, whole
/// periods are added from there on.
template <ExpressionLike X>
auto unwrap(const X& x, const Axes& axis = {-1}, double period = 6.283185307179586477) {
  using T = typename X::value_type;
  using C = compute_t<T>;
  const auto value = detail::as_tensor(x);
  const int along = detail::line_axis("unwrap", axis, value.shape());
  const auto plain = detail::as_tensor(detail::detached(value));
  if (plain.shape()[along] < 2) return typename detail::Evaluated<X>::type(value);
  const auto step = diff(plain, 1, Axes{along});
  const auto half = static_cast<C>(period / 2);
  const auto whole = static_cast<C>(period);
  const auto wrapped = remainder(step + half, whole) - half;
  const auto kept = where(wrapped == -half && step > C(0), half, wrapped);
  const auto more = where(abs(step) < half, C(0), kept - step).eval();
  Shape front = plain.shape();
  front[along] = front[along] > 0 ? 1 : 0;
  const auto corrections =
      cat(zeros<T>(front, plain.device()), cumsum(more, Axes{along}), Axes{along}).eval();
  return typename detail::Evaluated<X>::type(value + corrections);
}

/// Linear interpolation at x between the points (xp, fp), vectors with ascending xp; the end values
/// of fp outside their range. Gradients for x and fp.
template <ExpressionLike X, ExpressionLike P, ExpressionLike F>
auto interp(const X& x, const P& xp, const F& fp) {
  using T = typename X::value_type;
  using C = compute_t<T>;
  const auto points = detail::as_tensor(detail::detached(xp));
  const auto values = detail::as_tensor(fp);
  const auto at = detail::as_tensor(x);
  const int64_t n = points.size();
  if (points.rank() != 1 || values.rank() != 1 || values.size() != n || n == 0) {
    fail<ShapeError>("interp", "points of shapes ", points.shape(), " and ", values.shape(),
                     ", expected two vectors of equal size, at least 1");
  }
  const auto place = searchsorted(points, detail::as_tensor(detail::detached(at)), Side::right);
  const auto low = clamp(place - 1, int64_t{0}, n > 1 ? n - 2 : 0).eval();
  const auto high = minimum(low + 1, n - 1).eval();
  const auto x0 = take(points, low).eval();
  const auto width = (take(points, high) - x0).eval();
  const auto share = clamp((at - x0) / where(width > C(0), width, C(1)), C(0), C(1));
  const auto f0 = take(values, low).eval();
  const auto f1 = take(values, high).eval();
  using R = typename detail::Evaluated<decltype(f0 + (f1 - f0) * share)>::type;
  return R(f0 + (f1 - f0) * share);
}
/// Linear interpolation at one number: rank 0.
template <class N, ExpressionLike P, ExpressionLike F>
  requires std::is_arithmetic_v<N>
auto interp(N x, const P& xp, const F& fp) {
  using T = typename P::value_type;
  return interp(full(Shape{}, static_cast<T>(x), detail::as_tensor(detail::detached(xp)).device()),
                xp, fp);
}

}  // namespace weft
