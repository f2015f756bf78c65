// dot, cross, outer and hadamard of tensors of Small, each vector or matrix an element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/small/lift.hpp"
#include "weft/ops/small/value.hpp"

namespace weft::op {

struct small_hadamard : OfSmall {
  static constexpr const char* text = "hadamard";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes,
                  "weft: hadamard takes two Small of the same rows, columns and number type");
    return takes;
  }
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
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: dot of Small takes two of the same rows, columns and number type");
    return takes;
  }
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
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: cross of Small takes two Small<T, 3> of the same T");
    return takes;
  }
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
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: outer of Small takes two vectors of the same number type");
    return takes;
  }
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

}  // namespace weft::op

namespace weft {

/// The element-wise product of the numbers.
template <class X, class Y>
  requires SmallOperands<X, Y>
constexpr auto hadamard(X&& x, Y&& y) {
  return detail::lift_small(op::small_hadamard{}, static_cast<X&&>(x), static_cast<Y&&>(y));
}
// Each for two expressions, and for one beside a Small: tensors have a function of the same name.

/// The sum of the products of corresponding numbers of each element.
template <SmallLike X, SmallLike Y>
constexpr auto dot(X&& x, Y&& y) {
  return detail::lift_small(op::small_dot{}, static_cast<X&&>(x), static_cast<Y&&>(y));
}
template <SmallLike X, SmallValue Y>
constexpr auto dot(X&& x, const Y& y) {
  return detail::lift_small(op::small_dot{}, static_cast<X&&>(x), y);
}
template <SmallValue X, SmallLike Y>
constexpr auto dot(const X& x, Y&& y) {
  return detail::lift_small(op::small_dot{}, x, static_cast<Y&&>(y));
}

/// The cross products of 3-vectors. (The axis is a parameter of the same function for tensors.)
template <SmallLike X, SmallLike Y>
constexpr auto cross(X&& x, Y&& y, int64_t = -1) {
  return detail::lift_small(op::small_cross{}, static_cast<X&&>(x), static_cast<Y&&>(y));
}
template <SmallLike X, SmallValue Y>
constexpr auto cross(X&& x, const Y& y) {
  return detail::lift_small(op::small_cross{}, static_cast<X&&>(x), y);
}
template <SmallValue X, SmallLike Y>
constexpr auto cross(const X& x, Y&& y) {
  return detail::lift_small(op::small_cross{}, x, static_cast<Y&&>(y));
}

/// x y^T of vectors.
template <SmallLike X, SmallLike Y>
constexpr auto outer(X&& x, Y&& y) {
  return detail::lift_small(op::small_outer{}, static_cast<X&&>(x), static_cast<Y&&>(y));
}
template <SmallLike X, SmallValue Y>
constexpr auto outer(X&& x, const Y& y) {
  return detail::lift_small(op::small_outer{}, static_cast<X&&>(x), y);
}
template <SmallValue X, SmallLike Y>
constexpr auto outer(const X& x, Y&& y) {
  return detail::lift_small(op::small_outer{}, x, static_cast<Y&&>(y));
}

}  // namespace weft
