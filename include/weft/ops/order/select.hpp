// Elements that a condition selects: nonzero, masked_select.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/cast.hpp"
#include "weft/ops/elementwise/compare.hpp"
#include "weft/ops/order/sort.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft {

/// The compaction of device D (cpu/order/select.hpp, cuda/order/select.hpp); SelectingDevice says
/// what it provides.
template <class D>
struct Selector;

/// A device that compacts contiguous vectors, into as many elements as the mask has true ones:
/// select(x, mask, out) writes the elements, positions(mask, out) where they were.
template <class D>
concept SelectingDevice = requires(const Tensor<float, D>& x, const Tensor<bool, D>& mask,
                                   const Tensor<int64_t, D>& positions) {
  Selector<D>::select(x, mask, x);
  Selector<D>::positions(mask, positions);
};

namespace op {
/// The coordinate along axis number `axis` of the element at row-major position `flat`.
struct coordinate {
  using domain = Any;
  using result_type = std::int64_t;
  static constexpr const char* text = "coordinate";
  static constexpr bool mixes_types = true;
  std::int64_t inner[max_rank];  // elements from one coordinate to the next
  std::int64_t size[max_rank];
  WEFT_HD std::int64_t value(std::int64_t flat, std::int64_t axis) const {
    return flat / inner[axis] % size[axis];
  }
};
}  // namespace op

namespace autograd {
template <class X, class M>
auto selected(const X& x, const M& mask);  // in autograd/index/order.hpp
}  // namespace autograd

namespace detail {
/// Whether the header with D's compaction is included; if not, one compile error that names it.
template <class D>
constexpr bool can_select() {
  constexpr bool here = requires { sizeof(Selector<D>); };
  static_assert(here || !is_cuda<D>, "weft: to select on Cuda include <weft/cuda/algorithms.hpp>");
  static_assert(here || is_cuda<D>, "weft: to select on Cpu include <weft/weft.hpp>");
  return here;
}

template <class D>
using selector_of = Selector<std::conditional_t<is_cuda<D>, Cuda, D>>;

/// The row-major positions of a contiguous mask's true elements.
template <class D>
Tensor<int64_t, D> true_positions(const Tensor<bool, D>& mask) {
  const auto flat = mask.reshape({-1});
  const int64_t n = flat.size() > 0 ? count_nonzero(flat).item() : 0;
  auto out = Access::allocate<int64_t, D>({n}, mask.device());
  if (n > 0) selector_of<D>::positions(flat, out);
  return out;
}
}  // namespace detail

/// The coordinates of the elements that are not zero, in row-major order: (count, rank).
template <ExpressionLike X>
auto nonzero(X&& x) {
  using E = std::remove_cvref_t<X>;
  using D = detail::home_of<E>;
  if constexpr (detail::can_select<std::conditional_t<is_cuda<D>, Cuda, D>>()) {
    const Shape shape = x.shape();
    const Tensor<bool, D> mask(static_cast<X&&>(x) != compute_t<typename E::value_type>(0));
    const auto flat = detail::true_positions(mask);
    op::coordinate at{};
    for (int64_t i = shape.rank() - 1, inner = 1; i >= 0; inner *= shape[static_cast<int>(i--)]) {
      at.inner[i] = inner;
      at.size[i] = shape[static_cast<int>(i)] > 0 ? shape[static_cast<int>(i)] : 1;
    }
    const auto axes = generated({shape.rank()}, op::affine<std::int64_t>{0, 1});
    return Tensor<int64_t, D>(lift(at, flat.unsqueeze(1), axes));
  } else {
    return Tensor<int64_t, D>();
  }
}

/// The elements of x where the mask is true, in row-major order, as a vector; x and the mask
/// broadcast.
template <ExpressionLike X, ExpressionLike M>
auto masked_select(X&& x, M&& mask) {
  using T = typename std::remove_cvref_t<X>::value_type;
  using Mask = typename std::remove_cvref_t<M>::value_type;
  using Device = detail::common_device_of<std::remove_cvref_t<X>, std::remove_cvref_t<M>>;
  using D = std::conditional_t<std::is_same_v<Device, AnyDevice>, Cpu, Device>;
  static_assert(is_bool<Mask>, "weft: a condition must have element type bool: write x != 0");
  static_assert(!std::is_same_v<D, NoDevice>,
                "weft: one operand is on Cpu and another on Cuda; an operation runs on one "
                "device: write x.to(Cuda{}) or x.to(Cpu{})");
  if constexpr (!std::is_same_v<D, NoDevice> && is_bool<Mask>) {
    if constexpr (detail::has_var<X>) {
      return autograd::selected(x, mask);
    } else if constexpr (detail::can_select<std::conditional_t<is_cuda<D>, Cuda, D>>()) {
      Shape shape = x.shape();
      broadcast_with("masked_select", shape, mask.shape());
      const Tensor<T, D> from(static_cast<X&&>(x));
      const Tensor<bool, D> chosen(static_cast<M&&>(mask));
      const auto elements = from.expand(shape).contiguous().reshape({-1});
      const auto flags = chosen.expand(shape).contiguous().reshape({-1});
      const int64_t n = flags.size() > 0 ? count_nonzero(flags).item() : 0;
      auto out = detail::Access::allocate<T, D>({n}, elements.device());
      if (n > 0) detail::selector_of<D>::select(elements, flags, out);
      return out;
    } else {
      return Tensor<T, D>();
    }
  } else {
    return Tensor<T, Cpu>();
  }
}

}  // namespace weft
