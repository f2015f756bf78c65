// New tensors: empty, zeros, ones, full and their _like forms; from braces and containers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because it also answers the usual mistakes.

#include "weft/core/checked_cast.hpp"
#include "weft/tensor/access.hpp"

namespace weft {

/// Uninitialised elements.
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

/// Stands where something else was given for a device.
template <class X>
Tensor<float, Cpu> needs_device() {
  static_assert(always_false<X>,
                "weft: a device is Cpu{}, Cuda{} or CudaAt<N>{}: write zeros({3, 4}, Cuda{})");
  return {};
}

/// f(shape, device) for the numbers of zeros(3, 4) or zeros(3, 4, Cuda{}).
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

/// Every element is `value`; T defaults to the value's type.
template <class T = void, NumberLike V, Device D = Cpu>
auto full(const Shape& shape, V value, D device = {}) {
  using Element = std::conditional_t<std::is_void_v<T>, typename detail::Canonical<V>::type, T>;
  return detail::filled<Element>("full", shape, value, device);
}
template <class T = float, Device D = Cpu>
Tensor<T, D> zeros(const Shape& shape, D device = {}) {
  if constexpr (detail::is_element<T>())
    return detail::filled<T>("zeros", shape, compute_t<T>{}, device);
  return {};
}
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
/// The same with sizes instead of a shape: zeros(3, 4), zeros(3, 4, Cuda{}).
template <class T = float, NumberLike I, class... Rest>
auto empty(I size, Rest... rest) {
  return detail::by_sizes([](const auto&... to) { return empty<T>(to...); }, {}, size, rest...);
}
template <class T = float, NumberLike I, class... Rest>
auto zeros(I size, Rest... rest) {
  return detail::by_sizes([](const auto&... to) { return zeros<T>(to...); }, {}, size, rest...);
}
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

/// The same shape, element type and device as `x`, a tensor, Var or expression.
template <ExpressionLike X>
auto empty_like(const X& x) {
  return empty<typename X::value_type>(x.shape(), detail::device_of(x));
}
template <ExpressionLike X, NumberLike V>
auto full_like(const X& x, V value) {
  return full<typename X::value_type>(x.shape(), value, detail::device_of(x));
}
template <ExpressionLike X>
auto zeros_like(const X& x) {
  return zeros<typename X::value_type>(x.shape(), detail::device_of(x));
}
template <ExpressionLike X>
auto ones_like(const X& x) {
  return ones<typename X::value_type>(x.shape(), detail::device_of(x));
}

namespace detail {
template <class T, class U>
void flatten(const U& value, const int64_t*, T*& out) {
  if constexpr (Element<T>) {
    static_assert(
        is_floating<T> || is_complex<T> || !is_floating<U>,
        "weft: a floating number does not become an integer silently: write tensor<float>");
    *out++ = checked_cast<T>("tensor", value);
  }
}
template <class T, class U>
void flatten(std::initializer_list<U> values, const int64_t* sizes, T*& out) {
  if (static_cast<int64_t>(values.size()) != *sizes) {
    fail<ShapeError>("tensor", "braces of ", values.size(), " and of ", *sizes,
                     " elements at the same depth, expected equal ones");
  }
  for (const auto& value : values) flatten(value, sizes + 1, out);
}
template <class U>
void braces_shape(const U&, Shape&) {}
template <class U>
void braces_shape(std::initializer_list<U> values, Shape& shape) {
  shape.push_back(static_cast<int64_t>(values.size()));
  if (values.size() > 0) braces_shape(*values.begin(), shape);
}
template <class T, class U>
using Chosen = std::conditional_t<std::is_void_v<T>, typename Canonical<U>::type, T>;

template <class T, class Nested, class D>
Tensor<T, D> from_braces(const Nested& values, D device) {
  Shape shape;
  braces_shape(values, shape);
  Tensor<T, Cpu> out = empty<T>(shape);
  T* next = out.data();
  flatten(values, shape.begin(), next);
  return out.to(device);
}
}  // namespace detail

/// The elements in braces, up to four deep: tensor({{1.f, 2.f}, {3.f, 4.f}}), tensor<half>({1, 2}).
template <class T = void, class U, Device D = Cpu>
auto tensor(std::initializer_list<U> values, D device = {}) {
  return detail::from_braces<detail::Chosen<T, U>>(values, device);
}
template <class T = void, class U, Device D = Cpu>
auto tensor(std::initializer_list<std::initializer_list<U>> values, D device = {}) {
  return detail::from_braces<detail::Chosen<T, U>>(values, device);
}
template <class T = void, class U, Device D = Cpu>
auto tensor(std::initializer_list<std::initializer_list<std::initializer_list<U>>> values,
            D device = {}) {
  return detail::from_braces<detail::Chosen<T, U>>(values, device);
}
template <class T = void, class U, Device D = Cpu>
auto tensor(
    std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<U>>>>
        values,
    D device = {}) {
  return detail::from_braces<detail::Chosen<T, U>>(values, device);
}

namespace detail {
/// A number of braces that hold several types: an integer or a float, so that float holds them all.
struct MixedNumber {
  template <NumberLike N>
  MixedNumber(N number) : value(static_cast<double>(number)) {
    const bool whole = std::is_integral_v<N> && value > -0x1p24 && value < 0x1p24;
    if (!std::is_same_v<N, float> && !whole) {
      fail<ValueError>("tensor", "numbers of several types in braces, ", value,
                       " among them, expected float and small integers: write tensor<double>(...)");
    }
  }
  template <class X>
    requires(!NumberLike<X>)
  MixedNumber(const X&) : value(0) {
    static_assert(
        always_false<X>,
        "weft: tensor({...}) holds numbers: write stack({x, y}) or cat({x, y}) for tensors");
  }
  double value;
};
template <class T>
struct NumberFor {
  template <NumberLike N>
  NumberFor(N number) : value(checked_cast<T>("tensor", number)) {
    static_assert(
        is_floating<T> || is_complex<T> || !is_floating<N>,
        "weft: a floating number does not become an integer silently: write tensor<float>");
  }
  T value;
};
template <class T>
void flatten(const MixedNumber& number, const int64_t*, T*& out) {
  *out++ = static_cast<T>(number.value);
}
template <class T>
void flatten(const NumberFor<T>& number, const int64_t*, T*& out) {
  *out++ = number.value;
}
}  // namespace detail

/// One number, of rank 0: tensor(2.0F), tensor<half>(1).
template <class T = void, NumberLike V, Device D = Cpu>
auto tensor(V value, D device = {}) {
  return full<T>(Shape{}, value, device);
}

/// Braces with several types of numbers, one or two deep: float for floats and integers,
/// tensor({1.0F, 2, 3}), or the type requested, tensor<double>({1, 2.5}).
template <class T = void, Device D = Cpu>
  requires std::is_void_v<T>
auto tensor(std::initializer_list<detail::MixedNumber> values, D device = {}) {
  return detail::from_braces<float>(values, device);
}
template <class T = void, Device D = Cpu>
  requires std::is_void_v<T>
auto tensor(std::initializer_list<std::initializer_list<detail::MixedNumber>> values,
            D device = {}) {
  return detail::from_braces<float>(values, device);
}
template <class T, Device D = Cpu>
  requires(!std::is_void_v<T>)
auto tensor(std::initializer_list<detail::NumberFor<T>> values, D device = {}) {
  return detail::from_braces<T>(values, device);
}
template <class T, Device D = Cpu>
  requires(!std::is_void_v<T>)
auto tensor(std::initializer_list<std::initializer_list<detail::NumberFor<T>>> values,
            D device = {}) {
  return detail::from_braces<T>(values, device);
}

/// A container with contiguous elements: std::vector, std::array, std::span.
template <class C>
concept Contiguous = !ExpressionLike<C> && requires(const C& c) {
  { *c.data() } -> std::convertible_to<typename C::value_type>;
  c.size();
};

/// A copy of a container's elements, as a vector or in the given shape (one size may be -1).
template <Contiguous C, Device D = Cpu>
  requires(!Contiguous<typename C::value_type>)
auto tensor(const C& values, const Shape& shape = {-1}, D device = {}) {
  using T = typename detail::Canonical<std::remove_const_t<typename C::value_type>>::type;
  const auto n = static_cast<int64_t>(values.size());
  Tensor<T, Cpu> out = empty<T>(layout::infer("tensor", shape, n, Shape{n}));
  for (int64_t i = 0; i < n; ++i) out.data()[i] = values.data()[i];
  return out.to(device);
}

}  // namespace weft
