// tensor(v) for vectors of vectors with equal lengths at each level.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/tensor/from_values.hpp"

namespace weft {

/// A container of containers: std::vector<std::vector<float>>.
template <class C>
concept NestedContainer = Contiguous<C> && Contiguous<typename C::value_type>;

namespace detail {
template <class C>
struct InnermostOf {
  using type = typename C::value_type;
};
template <NestedContainer C>
struct InnermostOf<C> : InnermostOf<typename C::value_type> {};

template <Contiguous C>
void nested_shape(const C& values, Shape& shape) {
  shape.push_back(static_cast<int64_t>(values.size()));
  if constexpr (NestedContainer<C>) {
    if (values.size() > 0) {
      nested_shape(*values.data(), shape);
    } else {
      shape.push_back(0);
    }
  }
}
template <class T, Contiguous C>
void copy_nested(const C& values, const Shape& shape, int depth, T*& out) {
  const auto n = static_cast<int64_t>(values.size());
  if (n != shape[depth]) {
    fail<ShapeError>("tensor", "containers of ", n, " and of ", shape[depth],
                     " elements at the same depth, expected equal lengths");
  }
  if constexpr (NestedContainer<C>) {
    for (int64_t i = 0; i < n; ++i) copy_nested(values.data()[i], shape, depth + 1, out);
  } else {
    copy_values(values, out);
  }
}
}  // namespace detail

/// A copy of the elements of nested containers, with one axis per level. Throws ShapeError if
/// containers at the same level differ in length.
template <class T = void, NestedContainer C, Device D = Cpu>
auto tensor(const C& values, D device = {}) {
  using U = detail::Chosen<T, std::remove_const_t<typename detail::InnermostOf<C>::type>>;
  Shape shape;
  detail::nested_shape(values, shape);
  Tensor<U, Cpu> out = empty<U>(shape);
  U* next = out.data();
  detail::copy_nested(values, shape, 0, next);
  return out.to(device);
}

}  // namespace weft
