// isclose, allclose and equal: whether two tensors agree, up to a tolerance or exactly.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/functions.hpp"
#include "weft/ops/elementwise/compare.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft {

/// How far x may be from y: |x - y| <= atol + rtol * |y|, as in NumPy and PyTorch.
struct Tolerance {
  double rtol = 1e-5;
  double atol = 1e-8;
  bool equal_nan = false;  ///< NaN is close to NaN
};

namespace op {
/// Infinities are close to themselves only. Integers are compared as double.
struct isclose {
  using domain = Any;
  static constexpr const char* text = "isclose";
  static constexpr int arity = 2;
  Tolerance tolerance;

  template <class T>
  WEFT_HD bool value(T x, T y) const {
    if (x == y) return true;
    if constexpr (is_bool<T>) {
      return false;
    } else if constexpr (is_integer<T>) {
      return within(static_cast<double>(x) - static_cast<double>(y), static_cast<double>(y));
    } else {
      if (math::is_nan(x) && math::is_nan(y)) return tolerance.equal_nan;
      return !math::is_inf(y) && within(x - y, y);
    }
  }
  template <int, class T, class Z>
  WEFT_HD static constexpr auto derivative(T, T, Z) {
    return none;
  }

 private:
  template <class T>
  WEFT_HD bool within(T difference, T y) const {
    using R = real_t<T>;
    const R allowed =
        static_cast<R>(tolerance.atol) + static_cast<R>(tolerance.rtol) * math::abs(y);
    return math::abs(difference) <= allowed;
  }
};
}  // namespace op

/// For each element, whether x is within the tolerance of y.
template <class X, class Y>
  requires OperandsOf<X, Y>
constexpr auto isclose(X&& x, Y&& y, Tolerance tolerance = {}) {
  return lift(op::isclose{tolerance}, static_cast<X&&>(x), static_cast<Y&&>(y));
}

/// Whether every element of x is within the tolerance of y's; x and y broadcast.
template <class X, class Y>
  requires OperandsOf<X, Y>
bool allclose(X&& x, Y&& y, Tolerance tolerance = {}) {
  return all(isclose(static_cast<X&&>(x), static_cast<Y&&>(y), tolerance)).item();
}

/// Whether x and y have the same shape and equal elements; NaN is not equal to anything.
template <ExpressionLike X, ExpressionLike Y>
bool equal(X&& x, Y&& y) {
  const bool same_shape = x.shape() == y.shape();
  return same_shape && all(eq(static_cast<X&&>(x), static_cast<Y&&>(y))).item();
}

}  // namespace weft
