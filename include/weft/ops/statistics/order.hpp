// Order by keys and in parts: lexsort, partition, searchsorted_rows, digitize, running places.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/compare.hpp"
#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/order/scan.hpp"
#include "weft/ops/order/search.hpp"
#include "weft/ops/order/sort.hpp"

namespace weft {

/// The elements along the last axis, or axis(n), rearranged so that the one at position k is in
/// sorted position, with none larger before it and none smaller after it. (They are sorted, which
/// is more than that asks for.)
template <ExpressionLike X>
auto partition(const X& x, int64_t k, const Axes& axis = {-1}) {
  const int64_t n = x.shape()[detail::one_axis("partition", axis, x.shape())];
  if (k >= n || k < -n)
    fail<IndexError>("partition", "position ", k, " of ", n, " elements, expected ", -n, " to ",
                     n - 1);
  return sort(x, axis).values;
}
/// The positions in x of the elements of partition(x, k).
template <ExpressionLike X>
auto argpartition(const X& x, int64_t k, const Axes& axis = {-1}) {
  const int64_t n = x.shape()[detail::one_axis("argpartition", axis, x.shape())];
  if (k >= n || k < -n)
    fail<IndexError>("argpartition", "position ", k, " of ", n, " elements, expected ", -n, " to ",
                     n - 1);
  return argsort(x, axis);
}

/// The order along the last axis by several keys of the same shape; the last key is the primary
/// one, and earlier keys break ties.
template <ExpressionLike X, ExpressionLike... Xs>
auto lexsort(const X& key, const Xs&... keys) {
  auto order = argsort(detail::detached(key));
  const auto refine = [&](const auto& next) {
    if (!(next.shape() == order.shape())) {
      fail<ShapeError>("lexsort", "keys of shapes ", order.shape(), " and ", next.shape(),
                       ", expected equal shapes");
    }
    const auto now = take_along_axis(next, order, Axes{-1}).eval();
    order = take_along_axis(order, argsort(now), Axes{-1}).eval();
  };
  (refine(detail::as_tensor(detail::detached(keys))), ...);
  return order;
}

/// Elements along an axis, and where each is.
template <class V, class I>
struct ValuesAt {
  V values;
  I indices;
};

namespace detail {
/// Where the running extremum y of x was reached for the last time.
template <class X, class Y>
auto reached_at(const X& x, const Y& y, int along) {
  Shape line = x.shape();
  for (int i = 0; i < line.rank(); ++i) line[i] = i == along ? line[i] : 1;
  const int64_t length = x.rank() == 0 ? 1 : x.shape()[along];
  const auto place = arange<int64_t>(length, x.device()).reshape(line);
  return cummax(where(x == y || isnan(x), place, int64_t{0}).eval(), Axes{along}).eval();
}
}  // namespace detail

/// cummax with the position of each largest element so far, the last among equal ones: {values,
/// indices}.
template <ExpressionLike X>
auto cummax_with_indices(const X& x, const Axes& axis = {-1}) {
  const auto value = detail::as_tensor(x);
  const int along = detail::one_axis("cummax_with_indices", axis, value.shape());
  const auto y = cummax(value, Axes{along}).eval();
  const auto at = detail::reached_at(detail::as_tensor(detail::detached(value)),
                                     detail::as_tensor(detail::detached(y)), along);
  return ValuesAt<std::remove_const_t<decltype(y)>, std::remove_const_t<decltype(at)>>{y, at};
}
/// cummin with the position of each smallest element so far, the last among equal ones: {values,
/// indices}.
template <ExpressionLike X>
auto cummin_with_indices(const X& x, const Axes& axis = {-1}) {
  const auto value = detail::as_tensor(x);
  const int along = detail::one_axis("cummin_with_indices", axis, value.shape());
  const auto y = cummin(value, Axes{along}).eval();
  const auto at = detail::reached_at(detail::as_tensor(detail::detached(value)),
                                     detail::as_tensor(detail::detached(y)), along);
  return ValuesAt<std::remove_const_t<decltype(y)>, std::remove_const_t<decltype(at)>>{y, at};
}

/// searchsorted row by row: sorted (..., n) and values (..., m) give (..., m).
template <ExpressionLike S, ExpressionLike X>
auto searchsorted_rows(const S& sorted, const X& values, Side side = Side::left) {
  return searchsorted(detail::detached(sorted), detail::detached(values), side);
}

/// searchsorted of one number: rank 0.
template <ExpressionLike S, class N>
  requires std::is_arithmetic_v<N>
auto searchsorted(const S& sorted, N value, Side side = Side::left) {
  using T = typename S::value_type;
  const auto in = detail::as_tensor(detail::detached(sorted));
  return searchsorted(in, full(Shape{}, static_cast<T>(value), in.device()), side).eval();
}

/// The bucket i of each value: boundaries[i - 1] < x <= boundaries[i], or with `right` <= and <, as
/// in PyTorch.
template <ExpressionLike X, ExpressionLike B>
auto bucketize(const X& x, const B& boundaries, bool right = false) {
  return searchsorted(detail::detached(boundaries), detail::detached(x),
                      right ? Side::right : Side::left);
}
/// NumPy's digitize: how many edges of bins, which rise or fall, a value has passed; with `right`
/// an edge belongs to the bin below it.
template <ExpressionLike X, ExpressionLike B>
auto digitize(const X& x, const B& bins, bool right = false) {
  const auto edges = detail::as_tensor(detail::detached(bins));
  const int64_t n = edges.size();
  const bool falls = n > 1 && edges(n - 1).item() < edges(0).item();
  detail::check_edges("digitize", falls ? edges.flip(0) : edges);
  if (!falls) {
    return searchsorted(edges, detail::detached(x), right ? Side::left : Side::right);
  }
  const auto passed =
      searchsorted(edges.flip(0), detail::detached(x), right ? Side::left : Side::right);
  return (n - passed).eval();
}

}  // namespace weft
