// cat and stack: tensors one after the other along an axis.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/ops/index/indexing.hpp"
#include "weft/tensor/factory.hpp"

namespace weft {

namespace detail {
/// The shape of tensors of the given shapes behind each other along an axis.
[[gnu::noinline]] inline Shape joined_shape(const char* operation, const std::vector<Shape>& shapes,
                                            int axis) {
  Shape out = shapes[0];
  for (std::size_t k = 1; k < shapes.size(); ++k) {
    bool fits = shapes[k].rank() == out.rank();
    for (int i = 0; fits && i < out.rank(); ++i) fits = i == axis || shapes[k][i] == out[i];
    if (!fits) {
      fail<ShapeError>(operation, "shapes ", shapes[0], " and ", shapes[k],
                       ", expected equal ones but for axis ", axis);
    }
    out[axis] += shapes[k][axis];
  }
  return out;
}

/// The values of what is joined, shapes and axis checked; f(part, place) for each and its view.
template <class T, class D, class Parts, class F>
Tensor<T, D> join(const char* operation, const Parts& parts, const Axes& axes, const F& f) {
  if (parts.empty()) fail<ValueError>(operation, "no tensors, expected one at least");
  const int axis = one_axis(operation, axes, parts[0].rank());
  std::vector<Shape> shapes;
  for (const auto& part : parts) shapes.push_back(part.shape());
  const auto out = empty<T>(joined_shape(operation, shapes, axis), parts[0].device());
  int64_t at = 0;
  for (const auto& part : parts) {
    f(part, out.narrow(axis, at, part.shape()[axis]));
    at += part.shape()[axis];
  }
  return out;
}
}  // namespace detail

/// The tensors one after the other along an axis that they have; their other axes are equal.
template <class T, Device D, class A>
Tensor<T, D> cat(const std::vector<Tensor<T, D>>& parts, const A& axis) {
  if constexpr (detail::is_axis<A>()) {
    return detail::join<T, D>("cat", parts, axis,
                              [](const auto& part, const auto& place) { place.assign(part); });
  }
  return {};
}

/// Tensors of one shape along a new axis.
template <class T, Device D, class A>
Tensor<T, D> stack(const std::vector<Tensor<T, D>>& parts, const A& axis) {
  if constexpr (detail::is_axis<A>()) {
    if (parts.empty()) fail<ValueError>("stack", "no tensors, expected one at least");
    const int at = detail::one_axis("stack", axis, parts[0].rank() + 1);
    std::vector<Tensor<T, D>> raised;
    for (const auto& part : parts) raised.push_back(part.unsqueeze(at));
    return cat(raised, weft::axis(at));
  }
  return {};
}

}  // namespace weft
