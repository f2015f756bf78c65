// New tensors of a given shape: empty, zeros, ones, full and their _like forms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/tensor/access.hpp"

namespace weft {

/// A new tensor with uninitialised elements.
template <class T = float, Device D = Cpu>
Tensor<T, D> empty(const Shape& shape, D device = {}) {
  return detail::Access::allocate<T, D>(shape, device);
}

namespace detail {
template <class T, class V, class D>
Tensor<T, D> filled(const char* operation, const Shape& shape, V value, D device) {
  auto out = Access::allocate<T, D>(shape, device, operation);
  out.assign(value);
  return out;
}

/// Rejects what was given in place of a device.
template <class X>
Tensor<float, Cpu> needs_device() {
  static_assert(always_false<X>,
                "weft: a device is Cpu{}, Cuda{} or CudaAt<N>{}: write zeros({3, 4}, Cuda{})");
  return {};
}

/// f(shape, device) for the arguments of zeros(3, 4) or zeros(3, 4, Cuda{}).
template <class F, class X, class... Rest>
auto by_sizes(const F& f, Shape shape, X next, Rest... rest) {
  constexpr bool size = std::is_integral_v<X>;
  constexpr bool device = Device<X> && sizeof...(Rest) == 0;
  static_assert(size || device,
                "weft: a shape is integers, and the device comes last: write zeros(3, 4, Cuda{}) "
                "or zeros({3, 4}, Cuda{})");
  if constexpr (device) {
    return f(shape, next);
  } else if constexpr (!size) {
    return f(shape, Cpu{});
  } else {
    shape.push_back(static_cast<int64_t>(next));
    if constexpr (sizeof...(Rest) == 0) {
      return f(shape, Cpu{});
    } else {
      return by_sizes(f, shape, rest...);
    }
  }
}
}  // namespace detail

/// A new tensor whose elements are all `value`; T defaults to the value's type.
template <class T = void, NumberLike V, Device D = Cpu>
auto full(const Shape& shape, V value, D device = {}) {
  using Element = std::conditional_t<std::is_void_v<T>, typename detail::Canonical<V>::type, T>;
  return detail::filled<Element>("full", shape, value, device);
}
/// A new tensor of zeros.
template <class T = float, Device D = Cpu>
Tensor<T, D> zeros(const Shape& shape, D device = {}) {
  if constexpr (detail::is_element<T>())
    return detail::filled<T>("zeros", shape, compute_t<T>{}, device);
  return {};
}
/// A new tensor of ones.
template <class T = float, Device D = Cpu>
Tensor<T, D> ones(const Shape& shape, D device = {}) {
  static_assert(!is_small<T>,
                "weft: ones of Small has two meanings: write full(shape, Small<T, R, C>::full(1)) "
                "or ::identity()");
  if constexpr (detail::is_element<T>() && !is_small<T>)
    return detail::filled<T>("ones", shape, compute_t<T>(1), device);
  return {};
}

// Without a value, or with something that is no number or no device: says so.
template <class T = void, MistakenOperand X, class... Rest>
Tensor<float, Cpu> full(const Shape&, const X&, const Rest&...) {
  static_assert(detail::always_false<X>, "weft: full takes a number: write full({3, 4}, v)");
  return {};
}
template <class T = void>
Tensor<float, Cpu> full(const Shape&) {
  static_assert(detail::always_false<T>,
                "weft: full takes a shape in braces and a value: write full({3, 4}, v)");
  return {};
}
template <class T = float, MistakenOperand X>
Tensor<float, Cpu> zeros(const Shape&, const X&) {
  return detail::needs_device<X>();
}
template <class T = float, MistakenOperand X>
Tensor<float, Cpu> ones(const Shape&, const X&) {
  return detail::needs_device<X>();
}

// Not with sizes, since a value after them would be mistaken for one: says so.
template <class T = void, NumberLike A, NumberLike B, class... Rest>
Tensor<float, Cpu> full(A, B, Rest...) {
  static_assert(detail::always_false<A>,
                "weft: full takes a shape in braces and a value: write full({3, 4}, v)");
  return {};
}

template <class T = float, MistakenOperand X, class... Rest>
Tensor<float, Cpu> zeros(const X&, const Rest&...) {
  static_assert(detail::always_false<X>,
                "weft: a shape is integers: write zeros({3, 4}), zeros(3, 4), zeros(x.shape())");
  return {};
}
template <class T = float, MistakenOperand X, class... Rest>
Tensor<float, Cpu> ones(const X&, const Rest&...) {
  static_assert(detail::always_false<X>,
                "weft: a shape is integers: write ones({3, 4}), ones(3, 4), ones(x.shape())");
  return {};
}
/// empty with sizes instead of a shape: empty(3, 4), empty(3, 4, Cuda{}).
template <class T = float, NumberLike I, class... Rest>
auto empty(I size, Rest... rest) {
  return detail::by_sizes([](const auto&... to) { return empty<T>(to...); }, {}, size, rest...);
}
/// zeros with sizes instead of a shape: zeros(3, 4), zeros(3, 4, Cuda{}).
template <class T = float, NumberLike I, class... Rest>
auto zeros(I size, Rest... rest) {
  return detail::by_sizes([](const auto&... to) { return zeros<T>(to...); }, {}, size, rest...);
}
/// ones with sizes instead of a shape: ones(3, 4), ones(3, 4, Cuda{}).
template <class T = float, NumberLike I, class... Rest>
auto ones(I size, Rest... rest) {
  return detail::by_sizes([](const auto&... to) { return ones<T>(to...); }, {}, size, rest...);
}

namespace detail {
/// The device of a tensor or Var; for an expression, the device in its type.
template <class X>
auto device_of(const X& x) {
  if constexpr (requires { x.device(); }) {
    return x.device();
  } else {
    return typename Evaluated<X>::device{};
  }
}
}  // namespace detail

/// An uninitialised tensor with the shape, element type and device of `x`, a tensor, Var or
/// expression.
template <ExpressionLike X>
auto empty_like(const X& x) {
  return empty<typename X::value_type>(x.shape(), detail::device_of(x));
}
/// A tensor of `value` with the shape, element type and device of `x`.
template <ExpressionLike X, NumberLike V>
auto full_like(const X& x, V value) {
  return full<typename X::value_type>(x.shape(), value, detail::device_of(x));
}
/// A tensor of zeros with the shape, element type and device of `x`.
template <ExpressionLike X>
auto zeros_like(const X& x) {
  return zeros<typename X::value_type>(x.shape(), detail::device_of(x));
}
/// A tensor of ones with the shape, element type and device of `x`.
template <ExpressionLike X>
auto ones_like(const X& x) {
  return ones<typename X::value_type>(x.shape(), detail::device_of(x));
}

}  // namespace weft
