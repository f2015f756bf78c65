// hstack, vstack, dstack, column_stack, append: tensors joined as NumPy's shorter names do it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/join.hpp"
#include "weft/ops/shape/axes.hpp"

namespace weft {

namespace detail {
/// Each of the operands' values as `raise` makes it, joined along an axis; a Var where one is.
template <class F, class X, class... Xs>
auto joined_as(int along, const F& raise, const X& x, const Xs&... xs) {
  using First = decltype(raise(x));
  static_assert(
      (std::is_same_v<typename First::value_type, typename decltype(raise(xs))::value_type> &&
       ...) &&
          !std::is_same_v<common_device_of<First, decltype(raise(xs))...>, NoDevice>,
      "weft: joined tensors have one element type and device: write cast<T>(x)");
  if constexpr (any_var<X, Xs...>) {
    using V = var_among<First, decltype(raise(xs))...>;
    return cat(std::vector<V>{V(raise(x)), V(raise(xs))...}, axis(along));
  } else {
    return cat(std::vector<First>{raise(x), raise(xs)...}, axis(along));
  }
}
/// The same of tensors in a list.
template <class F, class X>
auto joined_list(const char* operation, int along, const F& raise, const std::vector<X>& xs) {
  if (xs.empty()) fail<ShapeError>(operation, "no tensors, expected at least one");
  std::vector<decltype(raise(xs[0]))> raised;
  for (const X& x : xs) raised.push_back(raise(x));
  return cat(raised, axis(along));
}
/// What a list of tensors or Vars may hold, so that it is not taken for a list of numbers.
template <class X>
concept Listed = ExpressionLike<X> && std::is_same_v<X, typename Evaluated<X>::type>;

/// Vectors as columns.
struct AsColumn {
  template <class X>
  auto operator()(const X& x) const {
    const auto values = x.eval();
    using V = std::remove_const_t<decltype(values)>;
    return values.rank() < 2 ? V(values.reshape({-1, 1})) : V(values);
  }
};
}  // namespace detail

/// The operands side by side: vectors one after the other, others along the second axis.
template <ExpressionLike X, ExpressionLike... Xs>
auto hstack(const X& x, const Xs&... xs) {
  return detail::joined_as(
      x.shape().rank() > 1 ? 1 : 0, [](const auto& v) { return atleast_1d(v); }, x, xs...);
}
/// The operands one below the other: vectors as rows, others along the first axis.
template <ExpressionLike X, ExpressionLike... Xs>
auto vstack(const X& x, const Xs&... xs) {
  return detail::joined_as(
      0, [](const auto& v) { return atleast_2d(v); }, x, xs...);
}
/// vstack under PyTorch's other name.
template <ExpressionLike X, ExpressionLike... Xs>
auto row_stack(const X& x, const Xs&... xs) {
  return vstack(x, xs...);
}
/// Stacks along the third axis, as NumPy's dstack.
template <ExpressionLike X, ExpressionLike... Xs>
auto dstack(const X& x, const Xs&... xs) {
  return detail::joined_as(
      2, [](const auto& v) { return atleast_3d(v); }, x, xs...);
}
/// A matrix whose columns are vectors and the columns of matrices.
template <ExpressionLike X, ExpressionLike... Xs>
auto column_stack(const X& x, const Xs&... xs) {
  return detail::joined_as(1, detail::AsColumn{}, x, xs...);
}

/// hstack of tensors, or Vars, in a list: hstack({a, b}).
template <detail::Listed X>
auto hstack(const std::vector<X>& xs) {
  const int along = !xs.empty() && xs[0].rank() > 1 ? 1 : 0;
  return detail::joined_list(
      "hstack", along, [](const auto& v) { return atleast_1d(v); }, xs);
}
template <detail::Listed X>
auto hstack(std::initializer_list<X> xs) {
  return hstack(std::vector<X>(xs));
}
/// vstack of tensors in a list.
template <detail::Listed X>
auto vstack(const std::vector<X>& xs) {
  return detail::joined_list(
      "vstack", 0, [](const auto& v) { return atleast_2d(v); }, xs);
}
template <detail::Listed X>
auto vstack(std::initializer_list<X> xs) {
  return vstack(std::vector<X>(xs));
}
/// dstack of tensors in a list.
template <detail::Listed X>
auto dstack(const std::vector<X>& xs) {
  return detail::joined_list(
      "dstack", 2, [](const auto& v) { return atleast_3d(v); }, xs);
}
template <detail::Listed X>
auto dstack(std::initializer_list<X> xs) {
  return dstack(std::vector<X>(xs));
}
/// column_stack of tensors in a list.
template <detail::Listed X>
auto column_stack(const std::vector<X>& xs) {
  return detail::joined_list("column_stack", 1, detail::AsColumn{}, xs);
}
template <detail::Listed X>
auto column_stack(std::initializer_list<X> xs) {
  return column_stack(std::vector<X>(xs));
}

/// The elements of both as one vector.
template <ExpressionLike X, ExpressionLike Y>
auto append(const X& x, const Y& y) {
  return detail::joined_as(
      0, [](const auto& v) { return ravel(v); }, x, y);
}
/// The elements of x as a vector, followed by one number.
template <ExpressionLike X, class N>
  requires std::is_arithmetic_v<N>
auto append(const X& x, N value) {
  using T = typename X::value_type;
  return append(x, full(Shape{1}, static_cast<T>(value), detail::device_of(x)));
}
/// y appended to x along an existing axis.
template <ExpressionLike X, ExpressionLike Y>
auto append(const X& x, const Y& y, const Axes& axis) {
  const int at = detail::one_axis("append", axis, x.shape().rank());
  return detail::joined_as(
      at, [](const auto& v) { return v.eval(); }, x, y);
}

/// cat under NumPy's and PyTorch's other name.
template <class X, class... Rest>
auto concatenate(const X& x, const Rest&... rest) {
  return cat(x, rest...);
}
template <detail::Listed X>
auto concatenate(std::initializer_list<X> xs, const Axes& axis = {0}) {
  return cat(std::vector<X>(xs), axis);
}
/// cat under the same libraries' third name.
template <class X, class... Rest>
auto concat(const X& x, const Rest&... rest) {
  return cat(x, rest...);
}
template <detail::Listed X>
auto concat(std::initializer_list<X> xs, const Axes& axis = {0}) {
  return cat(std::vector<X>(xs), axis);
}

}  // namespace weft
