// The sets of element types that operations take, each with the error message for other types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/dtype.hpp"

namespace weft::op {

/// Every element type.
struct Any {
  template <class T>
  static constexpr bool accepts = true;
  template <class T>
  static constexpr bool report() {
    return true;
  }
};

/// Every type but bool.
struct Numeric {
  template <class T>
  static constexpr bool accepts = !is_bool<T>;
  template <class T>
  static constexpr bool report() {
    static_assert(accepts<T>, "weft: this operation takes numbers, not bool: write cast<T>(x)");
    return accepts<T>;
  }
};

/// Integers and floating-point types: what has an order and a magnitude.
struct Real {
  template <class T>
  static constexpr bool accepts = is_integer<T> || is_floating<T>;
  template <class T>
  static constexpr bool report() {
    static_assert(accepts<T>, "weft: this operation takes integers and floating-point numbers");
    return accepts<T>;
  }
};

/// What has an order: Real and bool.
struct Ordered {
  template <class T>
  static constexpr bool accepts = !is_complex<T> && !is_small<T>;
  template <class T>
  static constexpr bool report() {
    static_assert(accepts<T>,
                  "weft: this operation takes types with an order, not complex numbers or Small");
    return accepts<T>;
  }
};

/// float, double, half and bfloat16.
struct Floating {
  template <class T>
  static constexpr bool accepts = is_floating<T>;
  template <class T>
  static constexpr bool report() {
    static_assert(accepts<T>,
                  "weft: this operation takes floating-point numbers: write cast<float>(x)");
    return accepts<T>;
  }
};

/// The types that functions such as exp are defined on.
struct FloatingOrComplex {
  template <class T>
  static constexpr bool accepts = is_floating<T> || is_complex<T>;
  template <class T>
  static constexpr bool report() {
    static_assert(
        accepts<T>,
        "weft: this operation takes floating-point or complex numbers: write cast<float>(x)");
    return accepts<T>;
  }
};

/// complex<float> and complex<double>.
struct Complex {
  template <class T>
  static constexpr bool accepts = is_complex<T>;
  template <class T>
  static constexpr bool report() {
    static_assert(accepts<T>, "weft: this operation takes complex numbers");
    return accepts<T>;
  }
};

/// Signed and unsigned integers.
struct Integer {
  template <class T>
  static constexpr bool accepts = is_integer<T>;
  template <class T>
  static constexpr bool report() {
    static_assert(accepts<T>, "weft: this operation takes integers");
    return accepts<T>;
  }
};

/// What has bits to combine.
struct IntegerOrBool {
  template <class T>
  static constexpr bool accepts = is_integer<T> || is_bool<T>;
  template <class T>
  static constexpr bool report() {
    static_assert(accepts<T>, "weft: this operation takes integers or bool");
    return accepts<T>;
  }
};

/// bool alone.
struct Bool {
  template <class T>
  static constexpr bool accepts = is_bool<T>;
  template <class T>
  static constexpr bool report() {
    static_assert(accepts<T>, "weft: this operation takes bool: write x != 0 first");
    return accepts<T>;
  }
};

/// The derivative of an operation that has none.
struct NotDifferentiable {};
inline constexpr NotDifferentiable none{};

}  // namespace weft::op
