// Writes by indices to a copy of a Var, with gradients: scatter, index_copy, index_fill, put.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/function.hpp"
#include "weft/autograd/shape/movement.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/index/scatter.hpp"

namespace weft {

namespace detail {
template <class T, class D>
struct Written<Var<T, D>> {
  /// A copy of the target after write(copy, source), where the source broadcasts to `shape`; its
  /// gradients are the rule's.
  template <class Rule, class S, class Write>
  static Var<T, D> by(const char* operation, const Rule& rule, const Var<T, D>& target,
                      const S& source, const Shape& shape, const Write& write) {
    const Tensor<T, D> out = target.value().clone();
    if constexpr (ExpressionLike<S>) {
      const Var<T, D> from = Var<T, D>(source).expand(shape);
      write(out, from.value());
      return autograd::computed(operation, rule, out, target, from);
    } else {
      write(out, source);
      const Var<T, D> none(zeros<T>({}, target.device()));
      return autograd::computed(operation, rule, out, target, none);
    }
  }
};

/// Calls f(target, axis, indices) with a number as a vector of one element.
template <class T, class D, class I, class F>
Var<T, D> with_an_axis(const Var<T, D>& target, const Axes& axis, const I& indices, const F& f) {
  if (target.rank() > 0) return f(target, axis, indices);
  if (axis.rank() == 1) static_cast<void>(is_axis_of_number(axis[0]));
  return f(target.reshape(Shape{1}), Axes{0}, indices.reshape({-1})).reshape(Shape{});
}
}  // namespace detail

/// As scatter of a tensor, but a new Var with the source's elements at the indices, and gradients
/// for both; an element that is written several times has the gradient in each of its sources.
template <ExpressionLike X, ExpressionLike I, OperandOrMistake S>
  requires(detail::has_var<X>)
auto scatter(const X& target, const Axes& axis, const I& indices, const S& source) {
  const auto write = [&](const auto& x, const Axes& along, const auto& at) {
    const int i = detail::one_axis("scatter", along, x.rank());
    const Shape shape = detail::indexed_shape("scatter", Indexing::along, x.shape(), i, at.shape());
    return detail::written_by(
        "scatter", x, source, shape,
        [=](const auto& t, const auto& s) { scatter(t, along, at, s); },
        [=](const auto& g) { return gather(g, at, along); });
  };
  return detail::with_an_axis(target.eval(), axis, indices.eval(), write);
}
/// The same for slices along the axis.
template <ExpressionLike X, ExpressionLike I, OperandOrMistake S>
  requires(detail::has_var<X>)
auto index_copy(const X& target, const Axes& axis, const I& indices, const S& source) {
  const auto write = [&](const auto& x, const Axes& along, const auto& at) {
    const int i = detail::one_axis("index_copy", along, x.rank());
    const Shape shape =
        detail::indexed_shape("index_copy", Indexing::instead, x.shape(), i, at.shape());
    return detail::written_by(
        "index_copy", x, source, shape,
        [=](const auto& t, const auto& s) { index_copy(t, along, at, s); },
        [=](const auto& g) { return take(g, at, along); });
  };
  return detail::with_an_axis(target.eval(), axis, indices.eval(), write);
}
/// The same with one number for all of them.
template <ExpressionLike X, ExpressionLike I, NumberLike N>
  requires(detail::has_var<X>)
auto index_fill(const X& target, const Axes& axis, const I& indices, N value) {
  return index_copy(target, axis, indices, value);
}
/// The same at row-major positions; as many values as positions may have any shape.
template <ExpressionLike X, ExpressionLike I, OperandOrMistake S>
  requires(detail::has_var<X>)
auto put(const X& target, const I& indices, const S& values) {
  const auto at = indices.eval();
  const auto x = target.eval();
  const auto written = [&](const auto& given) {
    return detail::written_by(
        "put", x, given, at.shape(), [=](const auto& t, const auto& s) { put(t, at, s); },
        [=](const auto& g) { return take(g, at); });
  };
  if constexpr (ExpressionLike<S>) {
    const std::remove_const_t<decltype(x)> from(values);
    return written(from.size() == at.size() ? from.reshape(at.shape()) : from);
  } else {
    return written(values);
  }
}

}  // namespace weft
