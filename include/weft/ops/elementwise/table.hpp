// WEFT_UNARY, WEFT_BINARY, WEFT_TERNARY, WEFT_OPERATOR, WEFT_UPDATE: an operation in one line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/functions.hpp"
#include "weft/ops/elementwise/domain.hpp"
#include "weft/ops/elementwise/map.hpp"

/// One line makes a unary operation: its struct in weft::op (usable as a value) and its function in
/// weft. `Domain` is the set of element types it takes (ops/elementwise/domain.hpp); `value_` is
/// written in terms of `x`; `derivative_` in terms of `x` and the value `y`, or `none`. Use it
/// outside every namespace; inside, weft's scalar functions are found as `math::name`.
#define WEFT_UNARY(name, Domain, value_, derivative_)                            \
  namespace weft::op {                                                           \
  struct name {                                                                  \
    using domain = Domain;                                                       \
    static constexpr const char* text = #name;                                   \
    static constexpr int arity = 1;                                              \
    template <class T>                                                           \
    WEFT_HD WEFT_INLINE static constexpr auto value(T x) {                       \
      return value_;                                                             \
    }                                                                            \
    template <class T>                                                           \
    WEFT_HD static constexpr auto value(Dual<T> x) {                             \
      return math::chain(name{}, x);                                             \
    }                                                                            \
    template <int, class T, class Y>                                             \
    WEFT_HD WEFT_INLINE static constexpr auto derivative([[maybe_unused]] T x,   \
                                                         [[maybe_unused]] Y y) { \
      return derivative_;                                                        \
    }                                                                            \
  };                                                                             \
  }                                                                              \
  namespace weft {                                                               \
  template <ExpressionLike X>                                                    \
  constexpr auto name(X&& x) {                                                   \
    return lift(op::name{}, static_cast<X&&>(x));                                \
  }                                                                              \
  }

/// The same for two operands `x` and `y` with the value `z`; the derivatives with respect to each.
#define WEFT_BINARY(name, Domain, value_, derivative_x_, derivative_y_)          \
  namespace weft::op {                                                           \
  struct name {                                                                  \
    using domain = Domain;                                                       \
    static constexpr const char* text = #name;                                   \
    static constexpr int arity = 2;                                              \
    template <class T>                                                           \
    WEFT_HD WEFT_INLINE static constexpr auto value(T x, T y) {                  \
      return value_;                                                             \
    }                                                                            \
    template <class T>                                                           \
    WEFT_HD static constexpr auto value(Dual<T> x, Dual<T> y) {                  \
      return math::chain(name{}, x, y);                                          \
    }                                                                            \
    template <int I, class T, class Z>                                           \
    WEFT_HD WEFT_INLINE static constexpr auto derivative([[maybe_unused]] T x,   \
                                                         [[maybe_unused]] T y,   \
                                                         [[maybe_unused]] Z z) { \
      if constexpr (I == 0) {                                                    \
        return derivative_x_;                                                    \
      } else {                                                                   \
        return derivative_y_;                                                    \
      }                                                                          \
    }                                                                            \
  };                                                                             \
  }                                                                              \
  namespace weft {                                                               \
  template <class X, class Y>                                                    \
    requires OperandsOrMistakes<X, Y>                                            \
  constexpr auto name(X&& x, Y&& y) {                                            \
    return lift(op::name{}, static_cast<X&&>(x), static_cast<Y&&>(y));           \
  }                                                                              \
  }

/// The same for three operands `x`, `y` and `z` with the value `v`.
#define WEFT_TERNARY(name, Domain, value_, derivative_x_, derivative_y_, derivative_z_)     \
  namespace weft::op {                                                                      \
  struct name {                                                                             \
    using domain = Domain;                                                                  \
    static constexpr const char* text = #name;                                              \
    static constexpr int arity = 3;                                                         \
    template <class T>                                                                      \
    WEFT_HD WEFT_INLINE static constexpr auto value(T x, T y, T z) {                        \
      return value_;                                                                        \
    }                                                                                       \
    template <class T>                                                                      \
    WEFT_HD static constexpr auto value(Dual<T> x, Dual<T> y, Dual<T> z) {                  \
      return math::chain(name{}, x, y, z);                                                  \
    }                                                                                       \
    template <int I, class T, class V>                                                      \
    WEFT_HD WEFT_INLINE static constexpr auto derivative([[maybe_unused]] T x,              \
                                                         [[maybe_unused]] T y,              \
                                                         [[maybe_unused]] T z,              \
                                                         [[maybe_unused]] V v) {            \
      if constexpr (I == 0) {                                                               \
        return derivative_x_;                                                               \
      } else if constexpr (I == 1) {                                                        \
        return derivative_y_;                                                               \
      } else {                                                                              \
        return derivative_z_;                                                               \
      }                                                                                     \
    }                                                                                       \
  };                                                                                        \
  }                                                                                         \
  namespace weft {                                                                          \
  template <class X, class Y, class Z>                                                      \
    requires OperandsOrMistakes<X, Y, Z>                                                    \
  constexpr auto name(X&& x, Y&& y, Z&& z) {                                                \
    return lift(op::name{}, static_cast<X&&>(x), static_cast<Y&&>(y), static_cast<Z&&>(z)); \
  }                                                                                         \
  }

/// Makes a C++ operator stand for the binary operation `name`.
#define WEFT_OPERATOR(symbol, name)                                    \
  namespace weft {                                                     \
  template <class X, class Y>                                          \
    requires OperandsOrMistakes<X, Y>                                  \
  constexpr auto operator symbol(X&& x, Y&& y) {                       \
    return lift(op::name{}, static_cast<X&&>(x), static_cast<Y&&>(y)); \
  }                                                                    \
  }

/// Makes a compound assignment stand for `z = name(z, x)`, in place.
#define WEFT_UPDATE(symbol, name)                                          \
  namespace weft {                                                         \
  template <class T, Device D, OperandOrMistake X>                         \
  const Tensor<T, D>& operator symbol(const Tensor<T, D>& target, X&& x) { \
    return target.assign(lift(op::name{}, target, static_cast<X&&>(x)));   \
  }                                                                        \
  }
