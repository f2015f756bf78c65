// Compiler and version checks, and the few macros that weft defines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define WEFT_VERSION 100  ///< major * 10000 + minor * 100 + patch

#if __cplusplus < 202002L || (defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12) || \
    (defined(__clang__) && __clang_major__ < 14) ||                                         \
    (defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1206)
#error "weft needs C++20 (-std=c++20) with g++ 12, clang 14 or newer, and CUDA 12.6 or newer"
#endif

// x[i, j] is x[j] in C++20, so it must not pass for the element (i, j).
#if defined(__NVCC__)
#pragma nv_diag_error 3008
#elif defined(__clang__)
#pragma clang diagnostic error "-Wdeprecated-comma-subscript"
#elif defined(__GNUC__)
#pragma GCC diagnostic error "-Wcomma-subscript"
#endif

/// Marks a function that runs on the CPU and in CUDA kernels.
#if defined(__CUDACC__)
#define WEFT_HD __host__ __device__
#else
#define WEFT_HD
#endif

/// Inlined however large it is: a loop around a call does not vectorise.
#define WEFT_INLINE inline __attribute__((always_inline))

/// Marks a function with loops over a handful of operands or dimensions: not inlined, and not
/// vectorised, since vectors would have to wait for what was just stored.
#if defined(__GNUC__) && !defined(__clang__)
#define WEFT_OUTLINED                                                                             \
  [[gnu::noinline,                                                                                \
    gnu::optimize("no-tree-loop-vectorize", "no-tree-slp-vectorize", "no-tree-loop-distribution", \
                  "no-tree-loop-distribute-patterns", "no-version-loops-for-strides")]]
#else
#define WEFT_OUTLINED [[gnu::noinline]]
#endif

/// One line makes a unary operation: its struct in weft::op (usable as a value) and its function in
/// weft. `Domain` is the set of element types it takes (ops/elementwise/domain.hpp); `value_` is
/// written in terms of `x`; `derivative_` in terms of `x` and the value `y`, or `none`. Use it
/// outside every namespace; inside, weft's scalar functions are found as `math::name`.
#define WEFT_UNARY(name, Domain, value_, derivative_)                                      \
  namespace weft::op {                                                                     \
  struct name {                                                                            \
    using domain = Domain;                                                                 \
    static constexpr const char* text = #name;                                             \
    static constexpr int arity = 1;                                                        \
    template <class T>                                                                     \
    WEFT_HD WEFT_INLINE static constexpr auto value(T x) {                                 \
      return value_;                                                                       \
    }                                                                                      \
    template <class T>                                                                     \
    WEFT_HD static constexpr auto value(Dual<T> x) {                                       \
      return math::chain(name{}, x);                                                       \
    }                                                                                      \
    template <int, class T, class Y>                                                       \
    WEFT_HD static constexpr auto derivative([[maybe_unused]] T x, [[maybe_unused]] Y y) { \
      return derivative_;                                                                  \
    }                                                                                      \
  };                                                                                       \
  }                                                                                        \
  namespace weft {                                                                         \
  template <ExpressionLike X>                                                              \
  constexpr auto name(X&& x) {                                                             \
    return lift(op::name{}, static_cast<X&&>(x));                                          \
  }                                                                                        \
  }

/// The same for two operands `x` and `y` with the value `z`; the derivatives with respect to each.
#define WEFT_BINARY(name, Domain, value_, derivative_x_, derivative_y_)                  \
  namespace weft::op {                                                                   \
  struct name {                                                                          \
    using domain = Domain;                                                               \
    static constexpr const char* text = #name;                                           \
    static constexpr int arity = 2;                                                      \
    template <class T>                                                                   \
    WEFT_HD WEFT_INLINE static constexpr auto value(T x, T y) {                          \
      return value_;                                                                     \
    }                                                                                    \
    template <class T>                                                                   \
    WEFT_HD static constexpr auto value(Dual<T> x, Dual<T> y) {                          \
      return math::chain(name{}, x, y);                                                  \
    }                                                                                    \
    template <int I, class T, class Z>                                                   \
    WEFT_HD static constexpr auto derivative([[maybe_unused]] T x, [[maybe_unused]] T y, \
                                             [[maybe_unused]] Z z) {                     \
      if constexpr (I == 0) {                                                            \
        return derivative_x_;                                                            \
      } else {                                                                           \
        return derivative_y_;                                                            \
      }                                                                                  \
    }                                                                                    \
  };                                                                                     \
  }                                                                                      \
  namespace weft {                                                                       \
  template <class X, class Y>                                                            \
    requires OperandsOrMistakes<X, Y>                                                    \
  constexpr auto name(X&& x, Y&& y) {                                                    \
    return lift(op::name{}, static_cast<X&&>(x), static_cast<Y&&>(y));                   \
  }                                                                                      \
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
    WEFT_HD static constexpr auto derivative([[maybe_unused]] T x, [[maybe_unused]] T y,    \
                                             [[maybe_unused]] T z, [[maybe_unused]] V v) {  \
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
