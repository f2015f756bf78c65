// complex<T>: a complex number of float or double, usable in kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

#include "weft/core/config.hpp"

namespace weft {

template <class T>
struct complex;

/// What std::complex, thrust::complex and cuda::std::complex have in common.
template <class C>
concept ForeignComplex = requires(const C c, typename C::value_type v) {
  requires std::floating_point<typename C::value_type>;
  requires !std::same_as<C, complex<typename C::value_type>>;
  { c.real() } -> std::convertible_to<typename C::value_type>;
  { c.imag() } -> std::convertible_to<typename C::value_type>;
  C(v, v);
};

/// A complex number with the layout of std::complex, to and from which it converts.
template <class T>
struct alignas(2 * sizeof(T)) complex {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "weft::complex is made of float or double");
  using value_type = T;

  T re;
  T im;

  complex() = default;
  WEFT_HD constexpr complex(T real, T imag = T(0)) : re(real), im(imag) {}
  template <class U>
    requires(!std::same_as<U, T>)
  WEFT_HD constexpr explicit(sizeof(U) > sizeof(T)) complex(complex<U> z)
      : re(static_cast<T>(z.re)), im(static_cast<T>(z.im)) {}
  // Host functions: std::complex has no others, and nvcc would warn at each use.
  template <ForeignComplex C>
  constexpr explicit(sizeof(C) > 2 * sizeof(T)) complex(const C& z)
      : re(static_cast<T>(z.real())), im(static_cast<T>(z.imag())) {}
  template <ForeignComplex C>
    requires std::same_as<typename C::value_type, T>
  constexpr operator C() const { return C(re, im); }

  WEFT_HD constexpr T real() const { return re; }
  WEFT_HD constexpr T imag() const { return im; }

  WEFT_HD constexpr complex operator-() const { return {-re, -im}; }
  WEFT_HD constexpr complex operator+() const { return *this; }

  WEFT_HD friend constexpr complex operator+(complex a, complex b) {
    return {a.re + b.re, a.im + b.im};
  }
  WEFT_HD friend constexpr complex operator-(complex a, complex b) {
    return {a.re - b.re, a.im - b.im};
  }
  WEFT_HD friend constexpr complex operator*(complex a, complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  /// Smith's division: it scales by the larger part of `b`, so that |b|^2 cannot overflow.
  WEFT_HD friend constexpr complex operator/(complex a, complex b) {
    const T c = b.re < 0 ? -b.re : b.re;
    const T d = b.im < 0 ? -b.im : b.im;
    if (c == 0 && d == 0) return {a.re / c, a.im / c};
    if (c >= d) {
      const T r = b.im / b.re;
      const T scale = b.re + b.im * r;
      if (r == 0) {  // r underflowed, or b is real: b.im * (a.im / b.re) keeps what is left of it
        return {(a.re + b.im * (a.im / b.re)) / scale, (a.im - b.im * (a.re / b.re)) / scale};
      }
      return {(a.re + a.im * r) / scale, (a.im - a.re * r) / scale};
    }
    const T r = b.re / b.im;
    const T scale = b.re * r + b.im;
    if (r == 0) {
      return {(b.re * (a.re / b.im) + a.im) / scale, (b.re * (a.im / b.im) - a.re) / scale};
    }
    return {(a.re * r + a.im) / scale, (a.im * r - a.re) / scale};
  }
  WEFT_HD friend constexpr bool operator==(complex a, complex b) {
    return a.re == b.re && a.im == b.im;
  }

  WEFT_HD friend constexpr complex operator+(complex a, T b) { return {a.re + b, a.im}; }
  WEFT_HD friend constexpr complex operator-(complex a, T b) { return {a.re - b, a.im}; }
  WEFT_HD friend constexpr complex operator*(complex a, T b) { return {a.re * b, a.im * b}; }
  WEFT_HD friend constexpr complex operator/(complex a, T b) { return {a.re / b, a.im / b}; }
  WEFT_HD friend constexpr bool operator==(complex a, T b) { return a.re == b && a.im == 0; }
  WEFT_HD friend constexpr complex operator+(T a, complex b) { return {a + b.re, b.im}; }
  WEFT_HD friend constexpr complex operator-(T a, complex b) { return {a - b.re, -b.im}; }
  WEFT_HD friend constexpr complex operator*(T a, complex b) { return {a * b.re, a * b.im}; }
  WEFT_HD friend constexpr complex operator/(T a, complex b) { return complex(a) / b; }

  WEFT_HD constexpr complex& operator+=(complex b) { return *this = *this + b; }
  WEFT_HD constexpr complex& operator-=(complex b) { return *this = *this - b; }
  WEFT_HD constexpr complex& operator*=(complex b) { return *this = *this * b; }
  WEFT_HD constexpr complex& operator/=(complex b) { return *this = *this / b; }
};

static_assert(std::is_trivial_v<complex<float>> && alignof(complex<float>) == 8);
static_assert(std::is_trivial_v<complex<double>> && alignof(complex<double>) == 16);

}  // namespace weft
