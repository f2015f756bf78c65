// sort, topk and masked_select of Vars, and additions by indices to a Var or from one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/function.hpp"
#include "weft/autograd/index/indexing.hpp"
#include "weft/autograd/shape/movement.hpp"
#include "weft/ops/order/select.hpp"

namespace weft {

namespace autograd {

/// The result of sort and topk for a Var: its elements in order, with a gradient, and where they
/// were.
template <class T, class D>
struct SortedVar {
  Var<T, D> values;
  Tensor<int64_t, D> indices;
};

template <class X, class D>
auto in_order(const X& x, const Tensor<int64_t, D>& indices, int along) {
  using T = typename X::value_type;
  const Var<T, D> from(x);
  if (from.rank() == 0) return SortedVar<T, D>{from.reshape(indices.shape()), indices};
  return SortedVar<T, D>{Var<T, D>(take_along_axis(from, indices, axis(along))), indices};
}

/// masked_select: a gather at the mask's positions.
template <class X, class M>
auto selected(const X& x, const M& mask) {
  using V = typename weft::detail::Evaluated<X>::type;
  Shape shape = x.shape();
  broadcast_with("masked_select", shape, mask.shape());
  const auto chosen = weft::detail::detached(mask).eval().expand(shape).contiguous();
  const auto positions = weft::detail::true_positions(chosen);
  return V(take(V(x).expand(shape).contiguous(), positions));
}

/// target + source at the indices, as a new Var; add(target, source) writes into a tensor, read(g)
/// gives the gradients of the source's elements.
template <class V, class S, class Add, class Read>
V added(const V& target, const S& source, const Shape& shape, const Add& add, const Read& read) {
  using T = Tensor<typename V::value_type, typename V::device_type>;
  const auto sum = [&](const T& t, const T& s) {
    const T out = t.clone();
    add(out, s);
    return out;
  };
  const auto shares = [read](const T& g, const T&, const T&, const T&) {
    return std::tuple(g, T(read(g)));
  };
  return custom(sum, shares, target, V(source).expand(shape));
}
}  // namespace autograd

/// The Var's elements with the source added at row-major positions: a new Var, with gradients for
/// both.
template <class T, Device D, class I, Expression S>
Var<T, D> put_add(const Var<T, D>& target, const I& indices, const S& source) {
  const auto at = indices.eval();
  return autograd::added(
      target, source, at.shape(), [&](const auto& out, const auto& s) { put_add(out, at, s); },
      [=](const auto& g) { return take(g, at); });
}
/// The same at the indices' places of the axis.
template <class T, Device D, class I, Expression S>
Var<T, D> scatter_add(const Var<T, D>& target, const Axes& axis, const I& indices,
                      const S& source) {
  const auto at = indices.eval();
  if (target.rank() == 0 && at.rank() <= 1 && axis.rank() == 1 &&
      detail::is_axis_of_number(axis[0])) {
    return put_add(target, at, source);
  }
  const int along = detail::one_axis("scatter_add", axis, target.rank());
  const Shape shape =
      detail::indexed_shape("scatter_add", Indexing::along, target.shape(), along, at.shape());
  return autograd::added(
      target, source, shape, [&](const auto& out, const auto& s) { scatter_add(out, axis, at, s); },
      [=](const auto& g) { return gather(g, at, axis); });
}
/// The same for slices along the axis.
template <class T, Device D, class I, Expression S>
Var<T, D> index_add(const Var<T, D>& target, const Axes& axis, const I& indices, const S& source) {
  const auto at = indices.eval();
  if (target.rank() == 0 && at.rank() <= 1 && axis.rank() == 1 &&
      detail::is_axis_of_number(axis[0])) {
    return put_add(target, at, source);
  }
  const int along = detail::one_axis("index_add", axis, target.rank());
  const Shape shape =
      detail::indexed_shape("index_add", Indexing::instead, target.shape(), along, at.shape());
  return autograd::added(
      target, source, shape, [&](const auto& out, const auto& s) { index_add(out, axis, at, s); },
      [=](const auto& g) { return take(g, at, axis); });
}

}  // namespace weft
