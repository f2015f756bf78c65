// + - * / and == of tensors of Small, each matrix or vector an element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/small/lift.hpp"
#include "weft/ops/small/value.hpp"

namespace weft::op {

struct small_add : OfSmall {
  static constexpr const char* text = "add";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes,
                  "weft: + of Small takes two of the same rows, columns and number type: a number "
                  "is added by x + Small<T, R, C>::full(v)");
    return takes;
  }
  template <class T, int R, int C>
  WEFT_HD static constexpr auto value(const Small<T, R, C>& x, const Small<T, R, C>& y) {
    return x + y;
  }
  template <int, class G, class X>
  WEFT_HD static constexpr G vjp(const G& g, const X&, const X&, const X&) {
    return g;
  }
};

struct small_sub : OfSmall {
  static constexpr const char* text = "sub";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes,
                  "weft: - of Small takes two of the same rows, columns and number type: a number "
                  "is subtracted by x - Small<T, R, C>::full(v)");
    return takes;
  }
  template <class T, int R, int C>
  WEFT_HD static constexpr auto value(const Small<T, R, C>& x, const Small<T, R, C>& y) {
    return x - y;
  }
  template <int I, class G, class X>
  WEFT_HD static constexpr G vjp(const G& g, const X&, const X&, const X&) {
    return I == 0 ? g : -g;
  }
};

struct small_neg : OfSmall {
  static constexpr const char* text = "neg";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: - takes Small");
    return takes;
  }
  template <class T, int R, int C>
  WEFT_HD static constexpr auto value(const Small<T, R, C>& x) {
    return -x;
  }
  template <int, class G, class X>
  WEFT_HD static constexpr G vjp(const G& g, const X&, const X&) {
    return -g;
  }
};

/// A product of matrices, or with a number.
struct small_mul : OfSmall {
  static constexpr const char* text = "mul";
  template <bool takes>
  static constexpr bool report() {
    static_assert(
        takes,
        "weft: * of Small is the matrix product, rows by columns of one size, or a product with a "
        "number, of one number type: write dot, outer, cross or hadamard(x, y) for two vectors");
    return takes;
  }
  template <class T, int R, int K, int C>
  WEFT_HD static constexpr auto value(const Small<T, R, K>& x, const Small<T, K, C>& y) {
    return x * y;
  }
  template <class T, int R, int C>
  WEFT_HD static constexpr auto value(const Small<T, R, C>& x, T y) {
    return x * y;
  }
  template <class T, int R, int C>
  WEFT_HD static constexpr auto value(T x, const Small<T, R, C>& y) {
    return x * y;
  }
  template <int I, class T, int R, int K, int C>
  WEFT_HD static constexpr auto vjp(const Small<T, R, C>& g, const Small<T, R, K>& x,
                                    const Small<T, K, C>& y, const Small<T, R, C>&) {
    if constexpr (I == 0) {
      return g * transpose(y);
    } else {
      return transpose(x) * g;
    }
  }
  template <int I, class T, int R, int C>
  WEFT_HD static constexpr auto vjp(const Small<T, R, C>& g, const Small<T, R, C>& x, T y,
                                    const Small<T, R, C>&) {
    if constexpr (I == 0) {
      return g * y;
    } else {
      return dot(g, x);
    }
  }
  template <int I, class T, int R, int C>
  WEFT_HD static constexpr auto vjp(const Small<T, R, C>& g, T x, const Small<T, R, C>& y,
                                    const Small<T, R, C>&) {
    if constexpr (I == 0) {
      return dot(g, y);
    } else {
      return g * x;
    }
  }
};

struct small_div : OfSmall {
  static constexpr const char* text = "div";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes,
                  "weft: a Small is divided by a number of its type: write inv(b) * a or solve(b, "
                  "a) for matrices");
    return takes;
  }
  template <class T, int R, int C>
  WEFT_HD static constexpr auto value(const Small<T, R, C>& x, T y) {
    return x / y;
  }
  template <int I, class T, int R, int C>
  WEFT_HD static constexpr auto vjp(const Small<T, R, C>& g, const Small<T, R, C>&, T y,
                                    const Small<T, R, C>& z) {
    if constexpr (I == 0) {
      return g / y;
    } else {
      return -dot(g, z) / y;
    }
  }
};

struct small_eq : OfSmall {
  static constexpr const char* text = "eq";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: == of Small takes two of the same rows, columns and number type");
    return takes;
  }
  template <class T, int R, int C>
  WEFT_HD static constexpr bool value(const Small<T, R, C>& x, const Small<T, R, C>& y) {
    return x == y;
  }
};
struct small_ne : OfSmall {
  static constexpr const char* text = "ne";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: != of Small takes two of the same rows, columns and number type");
    return takes;
  }
  template <class T, int R, int C>
  WEFT_HD static constexpr bool value(const Small<T, R, C>& x, const Small<T, R, C>& y) {
    return !(x == y);
  }
};

}  // namespace weft::op

namespace weft {

template <class X, class Y>
  requires SmallOperands<X, Y>
constexpr auto operator+(X&& x, Y&& y) {
  return detail::lift_small(op::small_add{}, static_cast<X&&>(x), static_cast<Y&&>(y));
}
template <class X, class Y>
  requires SmallOperands<X, Y>
constexpr auto operator-(X&& x, Y&& y) {
  return detail::lift_small(op::small_sub{}, static_cast<X&&>(x), static_cast<Y&&>(y));
}
template <SmallLike X>
constexpr auto operator-(X&& x) {
  return detail::lift_small(op::small_neg{}, static_cast<X&&>(x));
}
/// The product of matrices, of a matrix and a vector, or with a number.
template <class X, class Y>
  requires SmallOperands<X, Y>
constexpr auto operator*(X&& x, Y&& y) {
  return detail::lift_small(op::small_mul{}, static_cast<X&&>(x), static_cast<Y&&>(y));
}
template <class X, class Y>
  requires SmallOperands<X, Y>
constexpr auto matmul(X&& x, Y&& y) {
  return detail::lift_small(op::small_mul{}, static_cast<X&&>(x), static_cast<Y&&>(y));
}
template <class X, class Y>
  requires SmallOperands<X, Y>
constexpr auto operator/(X&& x, Y&& y) {
  return detail::lift_small(op::small_div{}, static_cast<X&&>(x), static_cast<Y&&>(y));
}
/// Whether all numbers of an element are equal.
template <class X, class Y>
  requires SmallOperands<X, Y>
constexpr auto operator==(X&& x, Y&& y) {
  return detail::lift_small(op::small_eq{}, static_cast<X&&>(x), static_cast<Y&&>(y));
}
template <class X, class Y>
  requires SmallOperands<X, Y>
constexpr auto operator!=(X&& x, Y&& y) {
  return detail::lift_small(op::small_ne{}, static_cast<X&&>(x), static_cast<Y&&>(y));
}
template <class X, class Y>
  requires SmallOperands<X, Y>
constexpr auto eq(X&& x, Y&& y) {
  return detail::lift_small(op::small_eq{}, static_cast<X&&>(x), static_cast<Y&&>(y));
}
template <class X, class Y>
  requires SmallOperands<X, Y>
constexpr auto ne(X&& x, Y&& y) {
  return detail::lift_small(op::small_ne{}, static_cast<X&&>(x), static_cast<Y&&>(y));
}

}  // namespace weft
