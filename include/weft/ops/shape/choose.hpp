// masked_fill, masked_scatter, select, piecewise, one_hot, flatnonzero: elements by conditions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/index/several.hpp"
#include "weft/ops/order/scan.hpp"
#include "weft/ops/order/select.hpp"

namespace weft {

/// x with a number, or an element, where the mask is true: where(mask, value, x).
template <ExpressionLike X, ExpressionLike M, OperandOrMistake V>
auto masked_fill(X&& x, M&& mask, V&& value) {
  return where(static_cast<M&&>(mask), static_cast<V&&>(value), static_cast<X&&>(x));
}

namespace op {
/// A count of elements up to one, as its place among them.
struct place_of_count {
  using result_type = std::int64_t;
  static constexpr const char* text = "place";
  WEFT_HD std::int64_t value(std::int64_t count) const { return count > 0 ? count - 1 : 0; }
};
}  // namespace op

/// x with the source's elements, in row-major order, where the mask is true; x and the mask
/// broadcast. Throws if the source is too short.
template <ExpressionLike X, ExpressionLike M, ExpressionLike S>
auto masked_scatter(const X& x, const M& mask, const S& source) {
  const Shape shape = broadcast("masked_scatter", x.shape(), mask.shape());
  const auto chosen = mask.eval().expand(shape).contiguous();
  using D = typename std::remove_cvref_t<decltype(chosen)>::device_type;
  const auto values = source.eval().reshape({-1});
  using Node = Map<int64_t, op::place_of_count, Tensor<int64_t, D>>;
  using Result = decltype(where(chosen, take(values, std::declval<Node>()), x).eval());
  if (values.size() == 0) {
    if (shape.size() > 0 && any(chosen).item()) {
      fail<ShapeError>("masked_scatter",
                       "a source without elements, expected one for each true element of the mask");
    }
    return Result(where(chosen, x, x).eval());
  }
  const Tensor<int64_t, D> counts = cumsum(cast<int64_t>(chosen.reshape({-1})), axis(0));
  const int64_t needed = counts.size() > 0 ? counts(-1).item() : 0;
  if (needed > values.size()) {
    fail<ShapeError>("masked_scatter", "a source of ", values.size(), " elements for ", needed,
                     " true elements of the mask, expected at least as many");
  }
  const Tensor<int64_t, D> shaped = counts.reshape(shape);
  return where(chosen, take(values, Node(op::place_of_count{}, shaped)), x).eval();
}

/// nonzero under NumPy's and PyTorch's other name.
template <ExpressionLike X>
auto argwhere(const X& x) {
  return nonzero(x);
}
/// The row-major positions of the elements that are not zero: a vector.
template <ExpressionLike X>
auto flatnonzero(const X& x) {
  return nonzero(x.eval().reshape({-1})).reshape({-1});
}

/// The first of the values whose condition is true, or the last argument if none is: select(x > 1,
/// x, x < 0, -x, 0). One expression.
template <ExpressionLike C, OperandOrMistake X, OperandOrMistake Y>
  requires(is_bool<typename std::remove_cvref_t<C>::value_type>)
auto select(const C& condition, const X& x, const Y& other) { return where(condition, x, other); }
template <ExpressionLike C, OperandOrMistake X, OperandOrMistake... Rest>
  requires(is_bool<typename std::remove_cvref_t<C>::value_type> && sizeof...(Rest) > 1)
auto select(const C& condition, const X& x, const Rest&... rest) {
  static_assert(sizeof...(Rest) % 2 == 1,
                "weft: select takes conditions, each with its value, and the value where none "
                "holds: select(c, x, d, y, z)");
  if constexpr (sizeof...(Rest) % 2 == 1) return where(condition, x, select(rest...));
}

namespace detail {
/// f(x), or the number that stands for a function.
template <class T, class X, class F>
auto piece(const X& x, const F& f) {
  if constexpr (NumberLike<F>) {
    return checked_cast<T>("piecewise", f);
  } else {
    return f(x);
  }
}
template <class X, class Else>
auto pieces_of(const X&, const Else& otherwise) {
  return otherwise;
}
/// Later conditions win: they are asked first.
template <class X, class Else, class C, class F, class... Rest>
auto pieces_of(const X& x, const Else& otherwise, const C& condition, const F& f,
               const Rest&... rest) {
  using T = typename X::value_type;
  if constexpr (NumberLike<Else> && NumberLike<F>) {
    return pieces_of(x,
                     where(condition, full<T>({}, static_cast<T>(f), device_of(x)),
                           full<T>({}, otherwise, device_of(x))),
                     rest...);
  } else {
    return pieces_of(x, where(condition, piece<T>(x, f), otherwise), rest...);
  }
}
template <class X, class... Given, std::size_t... I>
auto pieces_given(const X& x, std::index_sequence<I...>, const Given&... given) {
  using T = typename X::value_type;
  const auto all = std::forward_as_tuple(given...);
  if constexpr (sizeof...(Given) % 2 == 1) {
    return pieces_of(x, piece<T>(x, std::get<sizeof...(Given) - 1>(all)), std::get<I>(all)...);
  } else {
    return pieces_of(x, T(0), given...);
  }
}
}  // namespace detail

/// Functions of x, or numbers, each where its condition is true; the last true condition counts. An
/// extra argument, by default 0, is used where none is: piecewise(x, x < 0, -1, x >= 0, f). One
/// expression.
template <ExpressionLike X, class C, class... Given>
  requires(ExpressionLike<C> && sizeof...(Given) > 0)
auto piecewise(const X& x, const C& condition, const Given&... given) {
  constexpr std::size_t n = 1 + sizeof...(Given);
  return detail::pieces_given(x, std::make_index_sequence<n - n % 2>{}, condition, given...);
}

namespace op {
/// 1 at the place that a label names.
template <class T>
struct one_hot {
  using result_type = T;
  static constexpr const char* text = "one_hot";
  static constexpr bool has_effects = true;
  IndexRange range;
  template <class I>
  WEFT_HD compute_t<T> value(I label, long long place) const {
    return range.place(label) == place ? compute_t<T>(1) : compute_t<T>(0);
  }
};
}  // namespace op

/// For each label, a row of `classes` elements along a new last axis, with 1 at the label and 0
/// elsewhere, as an expression. Labels outside 0 to classes - 1 are an error.
template <class T = int64_t, ExpressionLike I>
auto one_hot(const I& labels, int64_t classes) {
  const auto values = labels.eval();
  using V = std::remove_const_t<decltype(values)>;
  static_assert(is_integer<typename V::value_type>,
                "weft: labels are integers: write cast<std::int64_t>(labels)");
  if (classes < 0) fail<ValueError>("one_hot", classes, " classes, expected at least 0");
  Shape shape = values.shape();
  shape.push_back(classes);
  Strides strides;
  for (int i = 0; i < shape.rank(); ++i) strides.push_back(i == shape.rank() - 1 ? 1 : 0);
  auto range = detail::range_of_axis<typename V::device_type>("one_hot", classes, values.storage());
  range.labels = 1;
  return Map<T, op::one_hot<T>, V, Positions>(op::one_hot<T>{range},
                                              detail::Access::operand(V(values.unsqueeze(-1))),
                                              Positions(shape, strides, 0));
}
/// one_hot with as many classes as the largest label requires; evaluated.
template <class T = int64_t, ExpressionLike I>
auto one_hot(const I& labels) {
  const auto values = labels.eval();
  const int64_t classes = values.size() > 0 ? static_cast<int64_t>(max(values).item()) + 1 : 0;
  return one_hot<T>(values, classes).eval();
}

/// take_along_axis under PyTorch's name.
template <ExpressionLike X, ExpressionLike I>
auto take_along_dim(const X& x, const I& indices, const Axes& axis) {
  return take_along_axis(x, indices, axis);
}

}  // namespace weft
