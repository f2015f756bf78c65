// Order along an axis: sort, argsort, topk.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/order/scan.hpp"

namespace weft {

/// The sorting of device D (cpu/order/sort.hpp, cuda/order/sort.hpp); SortingDevice says what it
/// provides.
template <class D>
struct Sorter;

/// A device that sorts the rows of a contiguous matrix: sort(rows, reverse, k, values, indices)
/// writes the first k of each row into (rows, k); values or indices without storage are not wanted.
/// topk does the same for 0 < k, and may look at less.
template <class D>
concept SortingDevice = requires(const Tensor<float, D>& x, const Tensor<int64_t, D>& indices) {
  Sorter<D>::sort(x, true, int64_t{1}, x, indices);
  Sorter<D>::topk(x, true, int64_t{1}, x, indices);
};

/// Sorts in descending order.
struct Descending {
  bool on = true;
  /// descending = true, as in Python.
  constexpr Descending operator=(bool reverse) const { return {reverse}; }
};
inline constexpr Descending descending;

/// Asks that equal elements keep their order. They always do, so that both devices agree.
struct Stable {};
inline constexpr Stable stable;

/// Takes the smallest elements instead of the largest.
struct Smallest {};
inline constexpr Smallest smallest;

/// Elements in order, and where each was along the axis.
template <class T, class D>
struct Sorted {
  Tensor<T, D> values;
  Tensor<int64_t, D> indices;
};

namespace autograd {
template <class X, class D>
auto in_order(const X& x, const Tensor<int64_t, D>& indices,
              int along);  // in autograd/index/order.hpp
}  // namespace autograd

namespace detail {
/// Whether the header with D's sorting is included; if not, one compile error that names it.
template <class D>
constexpr bool can_sort() {
  constexpr bool here = requires { sizeof(Sorter<D>); };
  static_assert(here || !is_cuda<D>, "weft: to sort on Cuda include <weft/cuda/algorithms.hpp>");
  static_assert(here || is_cuda<D>, "weft: to sort on Cpu include <weft/weft.hpp>");
  return here;
}

struct SortOptions {
  Axes axes{-1};
  bool reverse = false;
  void take(const Axes& a) { axes = a; }
  void take(Descending d) { reverse = d.on; }
  void take(Smallest) { reverse = false; }
  void take(Stable) {}
};

/// Whether the options of a sort are valid; if not, one compile error that says which are.
template <class Reverse, class... Options>
constexpr bool are_sort_options() {
  constexpr bool number = (std::is_arithmetic_v<Options> || ...);
  constexpr bool known = ((std::is_same_v<Options, Axes> || std::is_same_v<Options, Reverse> ||
                           std::is_same_v<Options, Stable>)&&...);
  constexpr bool top = std::is_same_v<Reverse, Smallest>;
  static_assert(!number, "weft: a bare number is not an axis: write axis(n)");
  static_assert(number || known || top, "weft: a sort takes axis(n), descending and stable");
  static_assert(number || known || !top, "weft: topk takes axis(n), smallest and stable");
  return known;
}

/// The device that an expression's value is on; the CPU for numbers alone.
template <class E>
using home_of = std::conditional_t<std::is_same_v<typename E::device_type, AnyDevice>, Cpu,
                                   typename E::device_type>;

/// The first k in order of each stretch of x along the axis; all of them if k < 0.
template <bool Top, class T, class D>
void sort_into(const char* operation, const Tensor<T, D>& x, const SortOptions& options, int64_t k,
               Tensor<T, D>* values, Tensor<int64_t, D>* indices) {
  if (x.rank() == 0 && options.axes.rank() == 1 && is_axis_of_number(options.axes[0])) {
    if (k > 1) fail<ValueError>(operation, "k = ", k, " of one element, expected at most 1");
    sort_into<Top>(operation, x.reshape({1}), options, k, values, indices);
    const Shape shape = k == 0 ? Shape{0} : Shape{};
    if (values != nullptr) *values = values->reshape(shape);
    if (indices != nullptr) *indices = indices->reshape(shape);
    return;
  }
  const int along = one_axis(operation, options.axes, x.shape());
  const int last = x.rank() - 1;
  const int64_t n = x.shape()[along];
  if (k > n) {
    fail<ValueError>(operation, "k = ", k, " of ", n, " elements along axis ", along, " of ",
                     x.shape(), ", expected at most ", n);
  }
  if (k < 0) k = n;
  const Tensor<T, D> turned = x.transpose(along, last).contiguous();
  Shape shape = turned.shape();
  shape[last] = k;
  const int64_t rows = n > 0 ? x.size() / n : 0;
  Tensor<T, D> sorted;
  Tensor<int64_t, D> positions;
  if (values != nullptr) sorted = Access::allocate<T, D>({rows, k}, x.device());
  if (indices != nullptr) positions = Access::allocate<int64_t, D>({rows, k}, x.device());
  using Rows = Sorter<std::conditional_t<is_cuda<D>, Cuda, D>>;
  if (rows * k > 0) {
    const auto matrix = turned.reshape({rows, n});
    if constexpr (Top) {
      Rows::topk(matrix, options.reverse, k, sorted, positions);
    } else {
      Rows::sort(matrix, options.reverse, k, sorted, positions);
    }
  }
  const auto back = [&](const auto& y) {
    return y.reshape(shape).transpose(along, last).contiguous();
  };
  if (values != nullptr) *values = back(sorted);
  if (indices != nullptr) *indices = back(positions);
}

template <class Reverse, class X, class... Options>
auto sorted(const char* operation, X&& x, int64_t k, bool want_values, SortOptions given,
            const Options&... options) {
  using E = std::remove_cvref_t<X>;
  using T = typename E::value_type;
  using D = home_of<E>;
  Sorted<T, D> out;
  if constexpr (has_var<E>) {
    out = sorted<Reverse>(operation, detached(x), k, false, given, options...);
    if constexpr (are_sort_options<Reverse, Options...>()) (given.take(options), ...);
    const int rank = x.shape().rank();
    return autograd::in_order(x, out.indices,
                              rank == 0 ? 0 : one_axis(operation, given.axes, x.shape()));
  } else if constexpr (are_sort_options<Reverse, Options...>() &&
                       op::Ordered::template report<T>() &&
                       can_sort<std::conditional_t<is_cuda<D>, Cuda, D>>()) {
    (given.take(options), ...);
    const Tensor<T, D> value(static_cast<X&&>(x));
    constexpr bool top = std::is_same_v<Reverse, Smallest>;
    sort_into<top>(operation, value, given, k, want_values ? &out.values : nullptr, &out.indices);
    return out;
  } else {
    return out;
  }
}
}  // namespace detail

/// The elements in order along the last axis, or axis(n): {values, indices}. Equal elements keep
/// their order; NaN counts as the largest.
template <ExpressionLike X, class... Options>
auto sort(X&& x, Options... options) {
  return detail::sorted<Descending>("sort", static_cast<X&&>(x), -1, true, {}, options...);
}
/// The positions in x of the elements of sort(x, ...).
template <ExpressionLike X, class... Options>
auto argsort(X&& x, Options... options) {
  return detail::sorted<Descending>("argsort", static_cast<X&&>(x), -1, false, {}, options...)
      .indices;
}
/// The k largest (or smallest) elements along the last axis, or axis(n), in order: {values,
/// indices}. Equal elements keep their order.
template <ExpressionLike X, class... Options>
auto topk(X&& x, int64_t k, Options... options) {
  if (k < 0) fail<ValueError>("topk", "k = ", k, ", expected at least 0");
  return detail::sorted<Smallest>("topk", static_cast<X&&>(x), k, true, {Axes{-1}, true},
                                  options...);
}

}  // namespace weft
