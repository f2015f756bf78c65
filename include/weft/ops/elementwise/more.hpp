// More element-wise operations: floor_divide, gcd, heaviside, logaddexp, deg2rad, nan_to_num, ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "weft/core/math/special/divergence.hpp"
#include "weft/core/math/special/parts.hpp"
#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/elementwise/unary.hpp"

// clang-format off
WEFT_UNARY(deg2rad,       Floating, x * (math::pi<T> / T(180)),       math::pi<T> / T(180))
WEFT_UNARY(rad2deg,       Floating, x * (T(180) / math::pi<T>),       T(180) / math::pi<T>)
WEFT_UNARY(signbit,       Ordered,  math::signbit(x),                 none)
WEFT_UNARY(isposinf,      Ordered,  math::is_inf(x) && !math::is_negative(x), none)
WEFT_UNARY(isneginf,      Ordered,  math::is_inf(x) && math::is_negative(x),  none)
WEFT_UNARY(bitwise_count, Integer,  math::bit_count(x),               none)

WEFT_BINARY(floor_divide, Real,     math::floor_divide(x, y),         T(0), T(0))
WEFT_BINARY(trunc_divide, Real,     math::trunc_divide(x, y),         T(0), T(0))
WEFT_BINARY(gcd,          Integer,  math::gcd(x, y),                  none, none)
WEFT_BINARY(lcm,          Integer,  math::lcm(x, y),                  none, none)
WEFT_BINARY(heaviside,    Real,     math::heaviside(x, y),            T(0), x == 0 ? T(1) : T(0))
WEFT_BINARY(logaddexp,    Floating, math::logaddexp(x, y),            T(1) / (T(1) + math::exp(y - x)), T(1) / (T(1) + math::exp(x - y)))
WEFT_BINARY(logaddexp2,   Floating, math::logaddexp2(x, y),           T(1) / (T(1) + math::exp2(y - x)), T(1) / (T(1) + math::exp2(x - y)))
WEFT_BINARY(logsubexp,    Floating, math::logsubexp(x, y),            T(-1) / math::expm1(y - x), T(-1) / math::expm1(x - y))
// clang-format on

namespace weft {

/// How div(x, y, rounding) rounds its quotient.
enum class Rounding { trunc, floor };

namespace op {
/// The types for which nextafter is computed in the type itself: not the half types.
struct FloatOrDouble {
  template <class T>
  static constexpr bool accepts = std::is_same_v<T, float> || std::is_same_v<T, double>;
  template <class T>
  static constexpr bool report() {
    static_assert(accepts<T>, "weft: this operation takes float or double: write cast<float>(x)");
    return accepts<T>;
  }
};

/// The next number after x in the direction of y.
struct nextafter {
  using domain = FloatOrDouble;
  static constexpr const char* text = "nextafter";
  static constexpr int arity = 2;
  template <class T>
  WEFT_HD static T value(T x, T y) {
    return std::nextafter(x, y);
  }
};

/// x 2^n, for floating-point x and integers n.
struct ldexp {
  using domain = Floating;
  static constexpr const char* text = "ldexp";
  static constexpr int arity = 2;
  static constexpr bool mixes_types = true;
  template <class T, class N>
  WEFT_HD static T value(T x, N n) {
    return math::ldexp(x, static_cast<long long>(n));
  }
  template <int I, class T, class N, class Y>
  WEFT_HD static auto derivative(T, [[maybe_unused]] N n, Y) {
    if constexpr (I == 0) {
      return math::ldexp(T(1), static_cast<long long>(n));
    } else {
      return none;
    }
  }
};

/// The quotient, rounded as `how` says.
struct div_rounded {
  using domain = Real;
  static constexpr const char* text = "div";
  static constexpr int arity = 2;
  Rounding how;
  template <class T>
  WEFT_HD T value(T x, T y) const {
    return how == Rounding::floor ? math::floor_divide(x, y) : math::trunc_divide(x, y);
  }
  template <int, class T, class Y>
  WEFT_HD static T derivative(T, T, Y) {
    return T(0);
  }
};

/// The fraction that trunc drops, with the sign of x; 0 for infinities.
struct modf_fraction {
  using domain = Floating;
  static constexpr const char* text = "modf";
  static constexpr int arity = 1;
  template <class T>
  WEFT_HD static T value(T x) {
    return math::copysign(math::is_inf(x) ? T(0) : math::frac(x), x);
  }
  template <int, class T, class Y>
  WEFT_HD static T derivative(T, Y) {
    return T(1);
  }
};

/// The fraction of x in [1/2, 1), and the power of two that it is multiplied by.
struct frexp_fraction {
  using domain = Floating;
  static constexpr const char* text = "frexp";
  static constexpr int arity = 1;
  template <class T>
  WEFT_HD static T value(T x) {
    return math::frexp_fraction(x);
  }
  template <int, class T, class Y>
  WEFT_HD static T derivative(T x, Y y) {
    return x != 0 && x - x == 0 ? y / x : T(1);
  }
};
struct frexp_exponent {
  using domain = Floating;
  using result_type = int;
  static constexpr const char* text = "frexp";
  static constexpr int arity = 1;
  template <class T>
  WEFT_HD static int value(T x) {
    return math::frexp_exponent(x);
  }
};

/// x with other numbers in place of NaN and infinities.
struct nan_to_num {
  using domain = Floating;
  static constexpr const char* text = "nan_to_num";
  static constexpr int arity = 1;
  double nan;
  double highest;
  double lowest;
  template <class T>
  WEFT_HD T value(T x) const {
    const T below = math::choose(x == -math::infinity<T>, static_cast<T>(lowest), x);
    const T finite = math::choose(x == math::infinity<T>, static_cast<T>(highest), below);
    return math::choose(math::is_nan(x), static_cast<T>(nan), finite);
  }
  template <int, class T, class Y>
  WEFT_HD static T derivative(T x, Y) {
    return x - x == 0 ? T(1) : T(0);
  }
};

/// x rounded to a number of decimal places.
struct round_decimals {
  using domain = Floating;
  static constexpr const char* text = "round";
  static constexpr int arity = 1;
  double scale;
  bool divides;  // by the scale, for places before the point
  template <class T>
  WEFT_HD T value(T x) const {
    const T s = static_cast<T>(scale);
    const T y = divides ? math::round(x / s) * s : math::round(x * s) / s;
    return y - y == 0 ? y : x;  // too large to have such places
  }
  template <int, class T, class Y>
  WEFT_HD static T derivative(T, Y) {
    return T(0);
  }
};

/// x + factor * y / z.
struct addcdiv {
  using domain = Floating;
  static constexpr const char* text = "addcdiv";
  static constexpr int arity = 3;
  double factor = 1;
  template <class T>
  WEFT_HD constexpr T value(T x, T y, T z) const {
    return x + static_cast<T>(factor) * (y / z);
  }
  template <int I, class T, class V>
  WEFT_HD constexpr T derivative(T, [[maybe_unused]] T y, [[maybe_unused]] T z, V) const {
    if constexpr (I == 0) {
      return T(1);
    } else {
      return static_cast<T>(factor) * (I == 1 ? T(1) / z : -y / (z * z));
    }
  }
};

/// The complex number with a given absolute value and angle.
struct polar {
  using domain = FloatOrDouble;
  static constexpr const char* text = "polar";
  static constexpr int arity = 2;
  template <class T>
  WEFT_HD static complex<T> value(T length, T angle) {
    return complex<T>(length * math::cos(angle), length * math::sin(angle));
  }
  template <int I, class T>
  WEFT_HD static T vjp(complex<T> g, T, T angle, complex<T> y) {
    return I == 0 ? g.re * math::cos(angle) + g.im * math::sin(angle) : g.im * y.re - g.re * y.im;
  }
};
/// The complex number with given real and imaginary parts.
struct as_complex {
  using domain = FloatOrDouble;
  static constexpr const char* text = "as_complex";
  static constexpr int arity = 2;
  template <class T>
  WEFT_HD static complex<T> value(T real, T imaginary) {
    return complex<T>(real, imaginary);
  }
  template <int I, class T>
  WEFT_HD static T vjp(complex<T> g, T, T, complex<T>) {
    return I == 0 ? g.re : g.im;
  }
};
}  // namespace op

template <class X, class Y>
  requires OperandsOrMistakes<X, Y>
auto nextafter(X&& x, Y&& y) {
  return lift(op::nextafter{}, static_cast<X&&>(x), static_cast<Y&&>(y));
}
template <class X, class N>
  requires OperandsOrMistakes<X, N>
auto ldexp(X&& x, N&& n) { return lift(op::ldexp{}, static_cast<X&&>(x), static_cast<N&&>(n)); }
/// x with `nan` for NaN, `highest` for infinity and `lowest` for -infinity; the last two are the
/// largest finite numbers of the element type unless given.
template <ExpressionLike X>
auto nan_to_num(X&& x, double nan = 0, double highest = math::infinity<double>,
                double lowest = -math::infinity<double>) {
  using T = typename std::remove_cvref_t<X>::value_type;
  const auto most = static_cast<double>(std::numeric_limits<T>::max());
  return lift(op::nan_to_num{nan, highest > most ? most : highest, lowest < -most ? -most : lowest},
              static_cast<X&&>(x));
}
template <class X, class Y, class Z>
  requires OperandsOrMistakes<X, Y, Z>
constexpr auto addcdiv(X&& x, Y&& y, Z&& z, double factor = 1) {
  return lift(op::addcdiv{factor}, static_cast<X&&>(x), static_cast<Y&&>(y), static_cast<Z&&>(z));
}
template <class X, class Y>
  requires OperandsOrMistakes<X, Y>
auto polar(X&& length, Y&& angle) {
  return lift(op::polar{}, static_cast<X&&>(length), static_cast<Y&&>(angle));
}
template <class X, class Y>
  requires OperandsOrMistakes<X, Y>
auto as_complex(X&& real, Y&& imaginary) {
  return lift(op::as_complex{}, static_cast<X&&>(real), static_cast<Y&&>(imaginary));
}

}  // namespace weft
