// insert, erase, trim_zeros, slice_scatter and their like: parts added, left out, replaced.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/index/gather.hpp"
#include "weft/ops/join.hpp"
#include "weft/ops/order/select.hpp"
#include "weft/ops/shape/pieces.hpp"
#include "weft/tensor/from_values.hpp"

namespace weft {

namespace detail {
/// Places in 0 to size - 1, those from the end counted from the front.
[[gnu::noinline]] inline std::vector<int64_t> counted_places(const char* operation,
                                                             const std::vector<int64_t>& places,
                                                             int64_t size) {
  std::vector<int64_t> out;
  for (int64_t place : places) {
    const int64_t at = place < 0 ? place + size : place;
    if (at < 0 || at >= size) {
      fail<IndexError>(operation, "index ", place, ", expected ", -size, " to ", size - 1);
    }
    out.push_back(at);
  }
  return out;
}

/// The slices of x in an order that the CPU knows.
template <class V>
V in_order(const V& x, const std::vector<int64_t>& order, int at) {
  return V(take(x, tensor(order, {-1}, x.device()), axis(at)).eval());
}

/// A copy of x whose part `view` is `source`; of a Var, in autograd/shape/parts.hpp, with a
/// gradient.
template <class V>
struct WithPart;
template <class T, class D>
struct WithPart<Tensor<T, D>> {
  template <class S, class F>
  static auto of(const char*, const Tensor<T, D>& x, const S& source, const F& view) {
    const auto out = x.clone();
    view(out).assign(source);
    return out;
  }
};
template <class X, class S, class F>
auto with_part(const char* operation, const X& x, const S& source, const F& view) {
  using V = typename Evaluated<X>::type;
  using W = std::conditional_t<ExpressionLike<S>, S, X>;
  using Any = std::conditional_t<has_var<X>, V, typename Evaluated<W>::type>;
  return WithPart<Any>::of(operation, Any(x.eval()), source, view);
}
}  // namespace detail

/// x without the slices at the given positions along an axis.
template <ExpressionLike X>
auto erase(const X& e, const std::vector<int64_t>& places, const Axes& axis) {
  const auto x = e.eval();
  const int at = detail::one_axis("erase", axis, x.rank());
  std::vector<bool> gone(static_cast<std::size_t>(x.size(at)));
  for (int64_t place : detail::counted_places("erase", places, x.size(at))) {
    gone[static_cast<std::size_t>(place)] = true;
  }
  std::vector<int64_t> order;
  for (std::size_t i = 0; i < gone.size(); ++i) {
    if (!gone[i]) order.push_back(static_cast<int64_t>(i));
  }
  return detail::in_order(x, order, at);
}
template <ExpressionLike X>
auto erase(const X& e, int64_t place, const Axes& axis) {
  return erase(e, std::vector<int64_t>{place}, axis);
}
/// x as a vector without the elements at the given positions.
template <ExpressionLike X>
auto erase(const X& e, const std::vector<int64_t>& places) {
  return erase(e.eval().reshape({-1}), places, axis(0));
}
template <ExpressionLike X>
auto erase(const X& e, int64_t place) {
  return erase(e, std::vector<int64_t>{place});
}

/// x with a slice of the values inserted before each of the given positions along an axis, counted
/// in x; with a single position, all slices are inserted there.
template <ExpressionLike X, ExpressionLike Y>
auto insert(const X& e, const std::vector<int64_t>& places, const Y& values, const Axes& axis) {
  const auto x = e.eval();
  using V = std::remove_const_t<decltype(x)>;
  const int at = detail::one_axis("insert", axis, x.rank());
  const int64_t size = x.size(at);
  auto before = detail::counted_places("insert", places, size + 1);
  for (std::size_t i = 0; i < before.size(); ++i) before[i] -= places[i] < 0 ? 1 : 0;
  const V added = values.eval();
  Shape shape = x.shape();
  shape[at] = added.rank() == x.rank() ? added.size(at) : 1;
  const auto count = static_cast<int64_t>(before.size());
  if (shape[at] == 1) shape[at] = count;
  if (count == 1) before.assign(static_cast<std::size_t>(shape[at]), before[0]);
  if (shape[at] != static_cast<int64_t>(before.size()) || count == 0) {
    fail<ShapeError>("insert", "values of shape ", added.shape(), " for ", count,
                     " places, expected one slice, or one for each place");
  }
  std::vector<std::vector<int64_t>> at_place(static_cast<std::size_t>(size + 1));
  for (std::size_t k = 0; k < before.size(); ++k) {
    at_place[static_cast<std::size_t>(before[k])].push_back(size + static_cast<int64_t>(k));
  }
  std::vector<int64_t> order;
  for (int64_t i = 0; i <= size; ++i) {
    const auto& here = at_place[static_cast<std::size_t>(i)];
    order.insert(order.end(), here.begin(), here.end());
    if (i < size) order.push_back(i);
  }
  return detail::in_order(cat(std::vector<V>{x, added.expand(shape)}, weft::axis(at)), order, at);
}
template <ExpressionLike X, ExpressionLike Y>
auto insert(const X& e, int64_t place, const Y& values, const Axes& axis) {
  const int rank = e.shape().rank();
  const int at = detail::one_axis("insert", axis, rank);
  auto slice = values.eval();
  const int here = slice.rank() - (rank - 1 - at);
  if (slice.rank() < rank && here >= 0) slice = slice.unsqueeze(here);
  return insert(e, std::vector<int64_t>{place}, slice, axis);
}

/// x with one number at each of the given places of an axis.
template <ExpressionLike X, class N>
  requires std::is_arithmetic_v<N>
auto insert(const X& e, const std::vector<int64_t>& places, N value, const Axes& axis) {
  const auto x = e.eval();
  Shape shape = x.shape();
  shape[detail::one_axis("insert", axis, x.rank())] = 1;
  using T = typename X::value_type;
  return insert(x, places, full(shape, static_cast<T>(value), x.device()), axis);
}
template <ExpressionLike X, class N>
  requires std::is_arithmetic_v<N>
auto insert(const X& e, int64_t place, N value, const Axes& axis) {
  return insert(e, std::vector<int64_t>{place}, value, axis);
}
/// x as a vector with values, or one number, before each of the given places.
template <ExpressionLike X, OperandOrMistake Y>
auto insert(const X& e, const std::vector<int64_t>& places, const Y& values) {
  return insert(e.eval().reshape({-1}), places, values, axis(0));
}
template <ExpressionLike X, OperandOrMistake Y>
auto insert(const X& e, int64_t place, const Y& values) {
  return insert(e, std::vector<int64_t>{place}, values);
}

/// Which ends of a vector trim_zeros looks at.
enum class Ends { both, front, back };

/// A vector without the zeros at its ends, as a view.
template <ExpressionLike X>
auto trim_zeros(const X& e, Ends ends = Ends::both) {
  const auto x = e.eval();
  if (x.rank() != 1) {
    fail<ShapeError>("trim_zeros", "shape ", x.shape(), ", expected rank 1");
  }
  const auto places = [&] {
    if constexpr (detail::has_var<X>) {
      return nonzero(x.detach()).reshape({-1});
    } else {
      return nonzero(x).reshape({-1});
    }
  }();
  const int64_t count = places.size();
  const int64_t size = x.size();
  if (count == 0) return x.narrow(0, 0, 0);
  const int64_t first = ends == Ends::back ? 0 : places(0).item();
  const int64_t last = ends == Ends::front ? size - 1 : places(count - 1).item();
  return x.narrow(0, first, last - first + 1);
}

/// A copy of x whose slice number `index` along an axis is `source`.
template <ExpressionLike X, OperandOrMistake S>
auto select_scatter(const X& x, const S& source, const Axes& axis, int64_t index) {
  static_cast<void>(detail::one_axis("select_scatter", axis, x.shape().rank()));
  return detail::with_part("select_scatter", x, source,
                           [axis, index](const auto& v) { return select(v, axis, index); });
}
/// A copy of x whose elements in the slice `part` of an axis are `source`.
template <ExpressionLike X, OperandOrMistake S>
auto slice_scatter(const X& x, const S& source, const Axes& axis, const Slice& part) {
  const int at = detail::one_axis("slice_scatter", axis, x.shape().rank());
  return detail::with_part("slice_scatter", x, source, [at, part](const auto& v) {
    return v.transpose(0, at)(part).transpose(0, at);
  });
}
/// slice_scatter with bounds as in PyTorch: slice_scatter(x, source, 1, start, stop).
template <ExpressionLike X, OperandOrMistake S>
auto slice_scatter(const X& x, const S& source, const Axes& axis, int64_t start, int64_t stop,
                   int64_t step = 1) {
  return slice_scatter(x, source, axis, slice(start, stop, step));
}
/// A copy of x whose diagonal k of two axes is `source`.
template <ExpressionLike X, OperandOrMistake S>
auto diagonal_scatter(const X& x, const S& source, int64_t k = 0, int64_t axis1 = -2,
                      int64_t axis2 = -1) {
  return detail::with_part("diagonal_scatter", x, source, [k, axis1, axis2](const auto& v) {
    return v.diagonal(k, axis1, axis2);
  });
}

}  // namespace weft
