// The distinct elements of a tensor: unique, unique_counts, unique_all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/index/scatter.hpp"
#include "weft/ops/order/search.hpp"
#include "weft/ops/order/select.hpp"

namespace weft {

/// The distinct elements in order, and how often each occurs.
template <class T, class D>
struct UniqueCounts {
  Tensor<T, D> values;
  Tensor<int64_t, D> counts;
};

/// The same with the index in `values` of every element, in the shape that the elements had.
template <class T, class D>
struct UniqueAll {
  Tensor<T, D> values;
  Tensor<int64_t, D> inverse;
  Tensor<int64_t, D> counts;
};

namespace detail {
/// The elements of a sorted vector that differ from the one before.
template <class T, class D>
Tensor<bool, D> first_of_equals(const Tensor<T, D>& sorted) {
  auto first = full<bool>(sorted.shape(), true, sorted.device());
  const int64_t n = sorted.size();
  if (n > 1) first.narrow(0, 1, n - 1) = sorted.narrow(0, 1, n - 1) != sorted.narrow(0, 0, n - 1);
  return first;
}

/// The distance from each position to the next, and from the last one to n.
template <class D>
Tensor<int64_t, D> distances(const Tensor<int64_t, D>& positions, int64_t n) {
  const int64_t m = positions.size();
  auto out = Access::allocate<int64_t, D>({m}, positions.device());
  if (m > 1)
    out.narrow(0, 0, m - 1) = positions.narrow(0, 1, m - 1) - positions.narrow(0, 0, m - 1);
  if (m > 0) out.narrow(0, m - 1, 1) = n - positions.narrow(0, m - 1, 1);
  return out;
}

template <class X>
auto sorted_flat(X&& x) {
  using E = std::remove_cvref_t<X>;
  using D = home_of<E>;
  const Tensor<typename E::value_type, D> value(static_cast<X&&>(x));
  return sort(value.reshape({-1})).values;
}
}  // namespace detail

/// The distinct elements of x in order: a vector. Each NaN counts as distinct.
template <ExpressionLike X>
auto unique(X&& x) {
  const auto sorted = detail::sorted_flat(static_cast<X&&>(x));
  return masked_select(sorted, detail::first_of_equals(sorted));
}

/// {values, counts}: the distinct elements of x in order, and how often each occurs.
template <ExpressionLike X>
auto unique_counts(X&& x) {
  using E = std::remove_cvref_t<X>;
  const auto sorted = detail::sorted_flat(static_cast<X&&>(x));
  const auto first = detail::first_of_equals(sorted);
  return UniqueCounts<typename E::value_type, detail::home_of<E>>{
      masked_select(sorted, first),
      detail::distances(detail::true_positions(first), sorted.size())};
}

/// {values, inverse, counts}: the same, and for each element of x its index in `values`.
template <ExpressionLike X>
auto unique_all(X&& x) {
  using E = std::remove_cvref_t<X>;
  using T = typename E::value_type;
  using D = detail::home_of<E>;
  const Tensor<T, D> value(static_cast<X&&>(x));
  if constexpr (is_floating<T>) {
    // By place in the order, since the value does not tell one NaN from another.
    const auto sorted = sort(value.reshape({-1}));
    const auto first = detail::first_of_equals(sorted.values);
    const auto starts = detail::true_positions(first);
    const auto places = empty<int64_t>({value.size()}, value.device());
    put(places, sorted.indices, arange<int64_t>(value.size(), value.device()));
    const Tensor<int64_t, D> inverse = searchsorted(starts, places, Side::right) - 1;
    return UniqueAll<T, D>{masked_select(sorted.values, first), inverse.reshape(value.shape()),
                           detail::distances(starts, value.size())};
  } else {
    const auto found = unique_counts(value);
    return UniqueAll<T, D>{found.values, searchsorted(found.values, value), found.counts};
  }
}

}  // namespace weft
