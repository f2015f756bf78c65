// The operations of three operands: where, clamp, lerp, fma, addcmul.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/table.hpp"

// clang-format off
//           name   domain    value                     derivatives by x, by y and by z
WEFT_TERNARY(clamp, Real,     math::clamp(x, y, z),     x >= y && x <= z ? T(1) : T(0), x < y && y <= z ? T(1) : T(0), x > z || y > z ? T(1) : T(0))
WEFT_TERNARY(lerp,  Floating, math::lerp(x, y, z),      T(1) - z, z, y - x)
WEFT_TERNARY(fma,   Real,     math::fma(x, y, z),       y, x, T(1))
// clang-format on

namespace weft {

namespace op {

/// x where the condition holds, else y. The condition is bool whatever the other operands are.
struct where {
  using domain = Any;
  static constexpr const char* text = "where";
  static constexpr int arity = 3;
  static constexpr bool first_is_condition = true;

  template <class T>
  WEFT_HD static constexpr T value(bool condition, T x, T y) {
    return math::choose(condition, x, y);
  }
  template <int I, class T, class Z>
  WEFT_HD static constexpr auto derivative(bool condition, T, T, Z) {
    if constexpr (I == 0) {
      return none;
    } else if constexpr (is_small<T>) {
      return T{};  // unread: vjp() has the gradients
    } else {
      return condition == (I == 1) ? T(1) : T(0);
    }
  }
  /// The gradient; the side that was not chosen gets none, whatever its value.
  template <int I, class G, class T, class Z>
  WEFT_HD static constexpr auto vjp(G g, bool condition, T, T, Z) {
    if constexpr (I == 0) {
      return none;
    } else {
      return math::choose(condition == (I == 1), g, G{});
    }
  }
};

/// x + factor * y * z.
struct addcmul {
  using domain = Floating;
  static constexpr const char* text = "addcmul";
  static constexpr int arity = 3;
  double factor = 1;

  template <class T>
  WEFT_HD constexpr T value(T x, T y, T z) const {
    return x + static_cast<T>(factor) * y * z;
  }
  template <int I, class T, class V>
  WEFT_HD constexpr T derivative([[maybe_unused]] T x, [[maybe_unused]] T y, [[maybe_unused]] T z,
                                 V) const {
    if constexpr (I == 0) {
      return T(1);
    } else {
      return static_cast<T>(factor) * (I == 1 ? z : y);
    }
  }
};

}  // namespace op

/// `where(x > 0, x, 0)`: elements of x where the condition holds, of y elsewhere.
template <class C, class X, class Y>
  requires OperandsOrMistakes<C, X, Y>
constexpr auto where(C&& condition, X&& x, Y&& y) {
  return lift(op::where{}, static_cast<C&&>(condition), static_cast<X&&>(x), static_cast<Y&&>(y));
}

/// With a condition alone: the error says what to write.
template <ExpressionLike C>
auto where(const C& condition) {
  static_assert(detail::always_false<C>,
                "weft: where takes a condition and two values: write where(c, x, y), or nonzero(c) "
                "for the indices where c holds");
  return condition;
}

/// x + factor * y * z.
template <class X, class Y, class Z>
  requires OperandsOrMistakes<X, Y, Z>
constexpr auto addcmul(X&& x, Y&& y, Z&& z, double factor = 1) {
  return lift(op::addcmul{factor}, static_cast<X&&>(x), static_cast<Y&&>(y), static_cast<Z&&>(z));
}

}  // namespace weft
