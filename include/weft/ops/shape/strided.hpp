// as_strided, windows and bit_cast: the same memory seen with other strides or another type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/axes.hpp"
#include "weft/ops/elementwise/generate.hpp"
#include "weft/ops/index/gather.hpp"

namespace weft {

namespace detail {
/// The tensor's memory under another layout.
template <class T, class D>
Tensor<T, D> with_layout(const Tensor<T, D>& x, const Layout& layout) {
  return Access::make<T, D>(StorageHandle(Access::storage(x)), x.data() + layout.offset,
                            layout.shape, layout.strides);
}

/// Throws if a view from `data` on would leave its storage.
[[gnu::noinline]] inline void check_inside(const char* operation, const Layout& view,
                                           const Storage* storage, const char* data,
                                           int64_t itemsize) {
  int64_t first = 0;
  int64_t last = 0;
  view.extent(first, last);
  const auto* const start = storage == nullptr ? nullptr : static_cast<const char*>(storage->data);
  if (first == last) return;
  const int64_t before = storage == nullptr ? 0 : (data - start) / itemsize;
  const int64_t count = storage == nullptr ? 0 : storage->bytes / itemsize;
  if (before + first < 0 || before + last > count) {
    fail<ShapeError>(operation, "shape ", view.shape, " with strides ", view.strides, " reaches ",
                     before + first, " to ", before + last - 1, " of ", count, " elements");
  }
}
}  // namespace detail

/// A view with any shape and strides, in elements, that begins `offset` elements after x's first
/// element. Throws ShapeError if it would leave x's storage. Of a Var a gather, from its elements
/// in row-major order whatever its strides are.
template <ExpressionLike X>
auto as_strided(const X& e, const Shape& shape, const Strides& strides, int64_t offset = 0) {
  if (strides.rank() != shape.rank()) {
    fail<ShapeError>("as_strided", "strides ", strides, " for shape ", shape,
                     ", expected one stride for each axis");
  }
  const auto x = e.eval();
  if constexpr (detail::has_var<X>) {
    const Tensor all = arange<int64_t>(x.size(), x.device());
    return take(x, as_strided(all, shape, strides, offset)).eval();
  } else {
    detail::check_inside("as_strided", {shape, strides, offset}, x.storage(),
                         reinterpret_cast<const char*>(x.data()), sizeof(*x.data()));
    return detail::with_layout(x, {shape, strides, offset});
  }
}

/// Windows of `size` neighbours along an axis, the next one `step` elements on, as a new last axis:
/// PyTorch's x.unfold(axis, size, step), NumPy's sliding_window_view. A view; of a Var a gather.
/// The window of a number is itself: (1).
template <ExpressionLike X>
auto windows(const X& e, const Axes& axis, int64_t size, int64_t step = 1) {
  const bool is_number = e.rank() == 0;
  const auto whole = e.eval();
  const auto x = is_number ? whole.unsqueeze(0) : whole;
  const int at = detail::one_axis("windows", axis, x.rank());
  const int64_t length = x.size(at);
  if (size < 1 || size > length || step < 1) {
    fail<ValueError>("windows", "windows of ", size, " with step ", step, " along axis ", at,
                     " of ", x.shape(), ", expected 1 to ", length, " and a step of at least 1");
  }
  const int64_t count = (length - size) / step + 1;
  if (is_number) return x;
  if constexpr (detail::has_var<X>) {
    const auto starts = arange<int64_t>(0, count * step, step, x.device()).unsqueeze(1);
    const Tensor places = starts + arange<int64_t>(size, x.device());
    const auto seen = take(x, places, weft::axis(at)).eval();
    Shape order;
    for (int i = 0; i < seen.rank(); ++i) {
      if (i != at + 1) order.push_back(i);
    }
    order.push_back(at + 1);
    return seen.permute(order);
  } else {
    Shape shape = x.shape();
    Strides strides = x.strides();
    shape[at] = count;
    strides[at] *= step;
    shape.push_back(size);
    strides.push_back(x.strides()[at]);
    return detail::with_layout(x, {shape, strides, 0});
  }
}

/// windows(x, axis, size) under NumPy's name, along the last axis unless given.
template <ExpressionLike X>
auto sliding_window_view(const X& x, int64_t size, const Axes& axis = {-1}) {
  return windows(x, axis, size);
}

/// The bits of x's elements as elements of another type: a view. Where the sizes differ, the last
/// axis, whose elements lie side by side, becomes longer or shorter.
template <class To, ExpressionLike X>
auto bit_cast(const X& e) {
  using From = typename X::value_type;
  static_assert(!detail::has_var<X>, "weft: bits have no gradient: write x.detach()");
  const auto x = e.eval();
  constexpr int64_t from = sizeof(From);
  constexpr int64_t to = sizeof(To);
  Shape shape = x.shape();
  Strides strides = x.strides();
  if constexpr (from != to) {
    const int last = x.rank() - 1;
    bool fits = last >= 0 && (shape[last] == 1 || strides[last] == 1) &&
                shape[last] * from % to == 0 &&
                reinterpret_cast<std::uintptr_t>(x.data()) % to == 0;
    for (int i = 0; fits && i < last; ++i) fits = shape[i] == 1 || strides[i] * from % to == 0;
    if (!fits) {
      fail<ShapeError>("bit_cast", "elements of ", from, " bytes of shape ", x.shape(),
                       " and strides ", x.strides(), " as elements of ", to,
                       " bytes, expected a last axis without gaps of whole elements");
    }
    shape[last] = shape[last] * from / to;
    for (int i = 0; i < last; ++i) strides[i] = strides[i] * from / to;
    strides[last] = 1;
  }
  return detail::Access::make<To, typename std::remove_cvref_t<decltype(x)>::device_type>(
      StorageHandle(detail::Access::storage(x)), reinterpret_cast<To*>(x.data()), shape, strides);
}

}  // namespace weft
