// Sets: unique elements in other orders and along an axis, isin, union1d, intersect1d, setdiff1d.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/index/gather.hpp"
#include "weft/ops/join.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/order/unique.hpp"
#include "weft/tensor/from_values.hpp"

namespace weft {

namespace detail {
/// The elements of x as a vector.
template <class X>
auto flat_values(const X& x) {
  return as_tensor(detached(x)).reshape({-1});
}
}  // namespace detail

/// {values, inverse, counts} of runs of equal elements: the value of each run, the index of each
/// element's run, and the lengths of the runs.
template <ExpressionLike X>
auto unique_consecutive(const X& x) {
  const auto flat = detail::flat_values(x).contiguous();
  using T = typename X::value_type;
  using D = std::remove_cvref_t<decltype(flat.device())>;
  const auto first = detail::first_of_equals(flat);
  const auto starts = detail::true_positions(first);
  const Tensor<int64_t, D> number = cumsum(cast<int64_t>(first), Axes{0}) - 1;
  return UniqueAll<T, D>{masked_select(flat, first), number.reshape(x.shape()),
                         detail::distances(starts, flat.size())};
}

/// {values, inverse, counts} of the distinct elements, in the order of their first occurrence.
template <ExpressionLike X>
auto unique_in_order(const X& x) {
  const auto flat = detail::flat_values(x);
  auto found = unique_all(flat);
  const int64_t n = found.values.size();
  using D = std::remove_cvref_t<decltype(flat.device())>;
  // Where each occurs first: the first place in a stable order by number.
  const auto order = sort(found.inverse);
  const auto at =
      take(order.indices, detail::true_positions(detail::first_of_equals(order.values)));
  const Tensor<int64_t, D> by_place = argsort(at.eval());
  const auto rank = empty<int64_t>({n}, flat.device());
  put(rank, by_place, arange<int64_t>(n, flat.device()));
  found.inverse = take(rank, found.inverse).eval().reshape(x.shape());
  found.values = take(found.values, by_place).eval();
  found.counts = take(found.counts, by_place).eval();
  return found;
}

/// {values, inverse, counts} of the distinct slices along an axis, in the order of their elements.
template <ExpressionLike X>
auto unique(const X& x, const Axes& axis) {
  using T = typename X::value_type;
  const auto value = detail::as_tensor(detail::detached(x));
  using D = std::remove_cvref_t<decltype(value.device())>;
  const int along = detail::one_axis("unique", axis, value.shape());
  const auto front = value.transpose(0, along);
  const int64_t n = front.shape()[0];
  const auto rows = front.reshape({n, n > 0 ? -1 : 0});
  const int64_t m = rows.shape()[1];
  auto order = arange<int64_t>(n, value.device());
  for (int64_t column = m - 1; column >= 0; --column) {
    const Tensor<T, D> key = take(rows(all, column), order);
    order = take(order, argsort(key)).eval();
  }
  auto first = full<bool>({n}, true, value.device());
  const Tensor<T, D> sorted = take(rows, order, Axes{0});
  if (n > 1) {
    first.narrow(0, 1, n - 1) =
        any(sorted.narrow(0, 1, n - 1) != sorted.narrow(0, 0, n - 1), Axes{1});
  }
  const auto starts = detail::true_positions(first);
  const Tensor<int64_t, D> number = cumsum(cast<int64_t>(first), Axes{0}) - 1;
  const auto inverse = empty<int64_t>({n}, value.device());
  put(inverse, order, number);
  const Tensor<T, D> slices = take(front, take(order, starts).eval(), Axes{0});
  return UniqueAll<T, D>{slices.transpose(0, along).contiguous(), inverse,
                         detail::distances(starts, n)};
}

namespace op {
/// Whether a value is among n sorted ones.
template <class T>
struct among {
  using domain = Ordered;
  using result_type = bool;
  static constexpr const char* text = "isin";
  insertion<T> in;
  bool invert;
  WEFT_HD bool value(compute_t<T> x, compute_t<T> first) const {
    const std::int64_t i = in.value(x, first);
    return (i < in.n && load_element(in.sorted[i]) == x) != invert;
  }
};
}  // namespace op

/// For each element of x, whether it is among the values, or with `invert`, whether it is not.
template <ExpressionLike X, ExpressionLike V>
auto isin(const X& x, const V& values, bool invert = false) {
  using T = typename X::value_type;
  static_assert(std::is_same_v<T, typename V::value_type>,
                "weft: element types do not mix silently: write cast<T>(x)");
  const auto sorted = sort(detail::flat_values(values)).values;
  const auto first = sorted.size() > 0 ? sorted(0) : zeros<T>({}, sorted.device());
  return lift(op::among<T>{{sorted.data(), sorted.size(), false}, invert}, detail::detached(x),
              first)
      .eval();
}

/// isin with values in braces: isin(x, {2, 5}).
template <ExpressionLike X>
auto isin(const X& x, std::initializer_list<typename X::value_type> values, bool invert = false) {
  const auto on = detail::device_of(x);
  return isin(x, tensor(std::vector<typename X::value_type>(values), {-1}, on), invert);
}

/// The distinct elements that are in a or in b, ascending.
template <ExpressionLike A, ExpressionLike B>
auto union1d(const A& a, const B& b) {
  return unique(cat(detail::flat_values(a), detail::flat_values(b), Axes{0}));
}
/// The distinct elements that are in both a and b, ascending.
template <ExpressionLike A, ExpressionLike B>
auto intersect1d(const A& a, const B& b) {
  const auto values = unique(detail::detached(a));
  return masked_select(values, isin(values, b));
}
/// The distinct elements of a that are not in b, ascending.
template <ExpressionLike A, ExpressionLike B>
auto setdiff1d(const A& a, const B& b) {
  const auto values = unique(detail::detached(a));
  return masked_select(values, isin(values, b, true));
}
/// The distinct elements that are in exactly one of a and b, ascending.
template <ExpressionLike A, ExpressionLike B>
auto setxor1d(const A& a, const B& b) {
  return union1d(setdiff1d(a, b), setdiff1d(b, a));
}

}  // namespace weft
