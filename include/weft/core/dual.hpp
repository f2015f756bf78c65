// Dual<T>: a number with its derivative along one direction, usable as a tensor's element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "weft/core/config.hpp"

namespace weft {

/// value + tangent * e with e * e = 0: the tangent of a function's value is its derivative.
/// Comparisons compare the values. Numbers become a Dual with tangent 0; there is no way back.
template <class T>
struct alignas(2 * sizeof(T)) Dual {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "weft::Dual is made of float or double");
  using number = T;

  T value;
  T tangent;

  Dual() = default;
  template <class N>
  requires std::is_arithmetic_v<N> WEFT_HD constexpr Dual(N x)
      : value(static_cast<T>(x)), tangent(0) {}
  WEFT_HD constexpr Dual(T x, T along) : value(x), tangent(along) {}
  template <class U>
    requires(!std::is_same_v<U, T>)
  WEFT_HD constexpr explicit Dual(Dual<U> x)
      : value(static_cast<T>(x.value)), tangent(static_cast<T>(x.tangent)) {}

  WEFT_HD constexpr Dual operator-() const { return {-value, -tangent}; }
  WEFT_HD constexpr Dual operator+() const { return *this; }

  WEFT_HD friend constexpr Dual operator+(Dual x, Dual y) {
    return {x.value + y.value, x.tangent + y.tangent};
  }
  WEFT_HD friend constexpr Dual operator-(Dual x, Dual y) {
    return {x.value - y.value, x.tangent - y.tangent};
  }
  WEFT_HD friend constexpr Dual operator*(Dual x, Dual y) {
    return {x.value * y.value, x.tangent * y.value + x.value * y.tangent};
  }
  WEFT_HD friend constexpr Dual operator/(Dual x, Dual y) {
    const T quotient = x.value / y.value;
    return {quotient, (x.tangent - quotient * y.tangent) / y.value};
  }

  WEFT_HD constexpr Dual& operator+=(Dual x) { return *this = *this + x; }
  WEFT_HD constexpr Dual& operator-=(Dual x) { return *this = *this - x; }
  WEFT_HD constexpr Dual& operator*=(Dual x) { return *this = *this * x; }
  WEFT_HD constexpr Dual& operator/=(Dual x) { return *this = *this / x; }

  WEFT_HD friend constexpr bool operator==(Dual x, Dual y) { return x.value == y.value; }
  WEFT_HD friend constexpr bool operator!=(Dual x, Dual y) { return x.value != y.value; }
  WEFT_HD friend constexpr bool operator<(Dual x, Dual y) { return x.value < y.value; }
  WEFT_HD friend constexpr bool operator<=(Dual x, Dual y) { return x.value <= y.value; }
  WEFT_HD friend constexpr bool operator>(Dual x, Dual y) { return x.value > y.value; }
  WEFT_HD friend constexpr bool operator>=(Dual x, Dual y) { return x.value >= y.value; }
};

template <class T>
inline constexpr bool is_dual = false;
template <class T>
inline constexpr bool is_dual<Dual<T>> = true;

namespace detail {
template <class T>
struct Undual {
  using type = T;
};
template <class T>
struct Undual<Dual<T>> {
  using type = T;
};
}  // namespace detail

/// T without its tangent: float for Dual<float>, T for other types.
template <class T>
using undual_t = typename detail::Undual<T>::type;

static_assert(std::is_trivial_v<Dual<float>> && alignof(Dual<float>) == 8);

}  // namespace weft
