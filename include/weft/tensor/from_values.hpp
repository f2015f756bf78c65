// New tensors from given elements: braces, one number, a container.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/checked_cast.hpp"
#include "weft/tensor/factory.hpp"

namespace weft {

namespace detail {
template <class T, class U>
void flatten(const U& value, const int64_t*, T*& out) {
  if constexpr (Element<T>) {
    static_assert(
        is_floating<T> || is_complex<T> || !is_floating<U>,
        "weft: floating-point numbers do not become integers silently: write tensor<float>");
    *out++ = checked_cast<T>("tensor", value);
  }
}
template <class T, class U>
void flatten(std::initializer_list<U> values, const int64_t* sizes, T*& out) {
  if (static_cast<int64_t>(values.size()) != *sizes) {
    fail<ShapeError>("tensor", "braces of ", values.size(), " and of ", *sizes,
                     " elements at the same depth, expected equal sizes");
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
/// A number in braces that hold several types: a float, or an integer that float holds exactly.
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
        "weft: floating-point numbers do not become integers silently: write tensor<float>");
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

namespace detail {
template <class T, class C>
void copy_values(const C& values, T*& out) {
  constexpr bool kept = !is_integer<T> || !is_floating<typename C::value_type>;
  static_assert(
      kept, "weft: floating-point numbers do not become integers silently: write tensor(values)");
  for (std::size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_same_v<Chosen<void, std::remove_const_t<typename C::value_type>>, T>) {
      *out++ = values.data()[i];
    } else if constexpr (kept) {
      *out++ = NumberFor<T>(values.data()[i]).value;
    }
  }
}
}  // namespace detail

/// A copy of a container's elements, as a vector or in the given shape (one size may be -1), with
/// their type or the type requested, tensor<double>(values).
template <class T = void, Contiguous C, Device D = Cpu>
  requires NumberLike<typename C::value_type>
auto tensor(const C& values, const Shape& shape = {-1}, D device = {}) {
  using U = detail::Chosen<T, std::remove_const_t<typename C::value_type>>;
  const auto n = static_cast<int64_t>(values.size());
  Tensor<U, Cpu> out = empty<U>(layout::infer("tensor", shape, n, Shape{n}));
  U* next = out.data();
  detail::copy_values(values, next);
  return out.to(device);
}
template <class T = void, Contiguous C, Device D>
  requires NumberLike<typename C::value_type>
auto tensor(const C& values, D device) { return tensor<T>(values, {-1}, device); }

namespace detail {
/// Nested containers, worse matched than by weft/tensor/nested.hpp's function for them.
struct Nested {
  template <Contiguous C>
    requires Contiguous<typename C::value_type> Nested(const C&) {}
};
}  // namespace detail
/// Not here; this says where.
template <class T = void, Device D = Cpu>
auto tensor(detail::Nested, D = {}) {
  static_assert(detail::always_false<T, D>,
                "weft: for tensors of nested containers include <weft/arrays.hpp>");
  return Tensor<float, D>{};
}

}  // namespace weft
