// + - * / == and products of tensors of Small, each matrix or vector an element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/small/lift.hpp"
#include "weft/ops/small/value.hpp"

namespace weft::op {

struct small_add : OfSmall {
  static constexpr const char* text = "add";
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

struct small_hadamard : OfSmall {
  static constexpr const char* text = "hadamard";
  template <class T, int R, int C>
  WEFT_HD static constexpr auto value(const Small<T, R, C>& x, const Small<T, R, C>& y) {
    return hadamard(x, y);
  }
  template <int I, class G, class X>
  WEFT_HD static constexpr G vjp(const G& g, const X& x, const X& y, const X&) {
    return hadamard(g, I == 0 ? y : x);
  }
};

struct small_dot : OfSmall {
  static constexpr const char* text = "dot";
  template <class T, int R, int C>
  WEFT_HD static constexpr auto value(const Small<T, R, C>& x, const Small<T, R, C>& y) {
    return dot(x, y);
  }
  template <int I, class G, class X>
  WEFT_HD static constexpr X vjp(G g, const X& x, const X& y, G) {
    return g * (I == 0 ? y : x);
  }
};

struct small_cross : OfSmall {
  static constexpr const char* text = "cross";
  template <class T>
  WEFT_HD static constexpr auto value(const Small<T, 3>& x, const Small<T, 3>& y) {
    return cross(x, y);
  }
  template <int I, class G, class X>
  WEFT_HD static constexpr G vjp(const G& g, const X& x, const X& y, const X&) {
    return I == 0 ? cross(y, g) : cross(g, x);
  }
};

struct small_outer : OfSmall {
  static constexpr const char* text = "outer";
  template <class T, int R, int C>
  WEFT_HD static constexpr auto value(const Small<T, R>& x, const Small<T, C>& y) {
    return outer(x, y);
  }
  template <int I, class G, class X, class Y>
  WEFT_HD static constexpr auto vjp(const G& g, const X& x, const Y& y, const G&) {
    if constexpr (I == 0) {
      return g * y;
    } else {
      return transpose(g) * x;
    }
  }
};

struct small_eq : OfSmall {
  static constexpr const char* text = "eq";
  template <class T, int R, int C>
  WEFT_HD static constexpr bool value(const Small<T, R, C>& x, const Small<T, R, C>& y) {
    return x == y;
  }
};
struct small_ne : OfSmall {
  static constexpr const char* text = "ne";
  template <class T, int R, int C>
  WEFT_HD static constexpr bool value(const Small<T, R, C>& x, const Small<T, R, C>& y) {
    return !(x == y);
  }
};

}  // namespace weft::op

// clang-format off
WEFT_SMALL_BINARY(operator+, add, "weft: + of Small takes two of the same rows, columns and number type: a number is added by x + Small<T, R, C>::full(v)")
WEFT_SMALL_BINARY(operator-, sub, "weft: - of Small takes two of the same rows, columns and number type: a number is subtracted by x - Small<T, R, C>::full(v)")
WEFT_SMALL_BINARY(operator*, mul, "weft: * of Small is the matrix product, rows by columns of one size, or a product with a number of the same type: write dot(x, y), outer(x, y), cross(x, y) or hadamard(x, y) for two vectors")
WEFT_SMALL_BINARY(matmul, mul, "weft: matmul of Small takes rows by columns of one size and number type")
WEFT_SMALL_BINARY(operator/, div, "weft: a Small is divided by numbers of the same type: write inv(b) * a or solve(b, a) for matrices")
WEFT_SMALL_BINARY(hadamard, hadamard, "weft: hadamard takes two Small of the same rows, columns and number type")
WEFT_SMALL_BINARY(operator==, eq, "weft: == of Small takes two of the same rows, columns and number type")
WEFT_SMALL_BINARY(operator!=, ne, "weft: != of Small takes two of the same rows, columns and number type")
WEFT_SMALL_BINARY(eq, eq, "weft: eq of Small takes two of the same rows, columns and number type")
WEFT_SMALL_BINARY(ne, ne, "weft: ne of Small takes two of the same rows, columns and number type")
// clang-format on

namespace weft {

template <SmallLike X>
constexpr auto operator-(X&& x) {
  return lift(op::small_neg{}, static_cast<X&&>(x));
}

namespace detail {
template <class X, class Y>
constexpr auto small_dot(X&& x, Y&& y) {
  constexpr bool takes = takes_small<op::small_dot, X, Y>();
  static_assert(takes, "weft: dot of Small takes two of the same rows, columns and number type");
  return lift_small<takes, void>(op::small_dot{}, static_cast<X&&>(x), static_cast<Y&&>(y));
}
template <class X, class Y>
constexpr auto small_cross(X&& x, Y&& y) {
  constexpr bool takes = takes_small<op::small_cross, X, Y>();
  static_assert(takes, "weft: cross of Small takes two Small<T, 3> of the same T");
  return lift_small<takes, void>(op::small_cross{}, static_cast<X&&>(x), static_cast<Y&&>(y));
}
template <class X, class Y>
constexpr auto small_outer(X&& x, Y&& y) {
  constexpr bool takes = takes_small<op::small_outer, X, Y>();
  static_assert(takes, "weft: outer of Small takes two vectors of the same number type");
  return lift_small<takes, void>(op::small_outer{}, static_cast<X&&>(x), static_cast<Y&&>(y));
}
}  // namespace detail

// Each for two expressions, and for one beside a Small: tensors have a function of the same name.

/// The sum of the products of corresponding numbers of each element.
template <SmallLike X, SmallLike Y>
constexpr auto dot(X&& x, Y&& y) {
  return detail::small_dot(static_cast<X&&>(x), static_cast<Y&&>(y));
}
template <SmallLike X, SmallValue Y>
constexpr auto dot(X&& x, const Y& y) {
  return detail::small_dot(static_cast<X&&>(x), y);
}
template <SmallValue X, SmallLike Y>
constexpr auto dot(const X& x, Y&& y) {
  return detail::small_dot(x, static_cast<Y&&>(y));
}

/// The vector products of 3-vectors. (The axis is that of the same function of tensors.)
template <SmallLike X, SmallLike Y>
constexpr auto cross(X&& x, Y&& y, int64_t = -1) {
  return detail::small_cross(static_cast<X&&>(x), static_cast<Y&&>(y));
}
template <SmallLike X, SmallValue Y>
constexpr auto cross(X&& x, const Y& y) {
  return detail::small_cross(static_cast<X&&>(x), y);
}
template <SmallValue X, SmallLike Y>
constexpr auto cross(const X& x, Y&& y) {
  return detail::small_cross(x, static_cast<Y&&>(y));
}

/// x y^T of vectors.
template <SmallLike X, SmallLike Y>
constexpr auto outer(X&& x, Y&& y) {
  return detail::small_outer(static_cast<X&&>(x), static_cast<Y&&>(y));
}
template <SmallLike X, SmallValue Y>
constexpr auto outer(X&& x, const Y& y) {
  return detail::small_outer(static_cast<X&&>(x), y);
}
template <SmallValue X, SmallLike Y>
constexpr auto outer(const X& x, Y&& y) {
  return detail::small_outer(x, static_cast<Y&&>(y));
}

}  // namespace weft
