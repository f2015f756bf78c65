// Quaternions as elements of tensors: products, rotations, what they are made of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/small/lift.hpp"
#include "weft/ops/small/quaternion_value.hpp"

namespace weft::op {

struct small_quaternion_multiply : OfSmall {
  static constexpr const char* text = "quaternion::multiply";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: quaternion::multiply takes two Small<T, 4> of the same T");
    return takes;
  }
  template <class T>
  WEFT_HD static constexpr auto value(const Small<T, 4>& p, const Small<T, 4>& q) {
    return quaternion::multiply(p, q);
  }
  template <int I, class Q>
  WEFT_HD static constexpr Q vjp(const Q& g, const Q& p, const Q& q, const Q&) {
    if constexpr (I == 0) {
      return quaternion::multiply(g, quaternion::conjugate(q));
    } else {
      return quaternion::multiply(quaternion::conjugate(p), g);
    }
  }
};
struct small_quaternion_conjugate : OfSmall {
  static constexpr const char* text = "quaternion::conjugate";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: quaternion::conjugate takes Small<T, 4>");
    return takes;
  }
  template <class T>
  WEFT_HD static constexpr auto value(const Small<T, 4>& q) {
    return quaternion::conjugate(q);
  }
  template <int, class Q>
  WEFT_HD static constexpr Q vjp(const Q& g, const Q&, const Q&) {
    return quaternion::conjugate(g);
  }
};
struct small_quaternion_rotate : OfSmall {
  static constexpr const char* text = "quaternion::rotate";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: quaternion::rotate takes a Small<T, 4> and a Small<T, 3>");
    return takes;
  }
  template <class T>
  WEFT_HD static constexpr auto value(const Small<T, 4>& q, const Small<T, 3>& v) {
    return quaternion::rotate(q, v);
  }
  template <int I, class T>
  WEFT_HD static constexpr auto vjp(const Small<T, 3>& g, const Small<T, 4>& q,
                                    const Small<T, 3>& v, const Small<T, 3>&) {
    if constexpr (I == 1) {
      return quaternion::rotate(quaternion::conjugate(q), g);
    } else {
      // Of g . (v + 2 w (u x v) + 2 (u (u . v) - v (u . u))).
      const Small<T, 3> u{q[1], q[2], q[3]};
      const T w = 2 * dot(g, cross(u, v));
      const Small<T, 3> du = cross(v, g) * (2 * q[0]) + g * (2 * dot(u, v)) + v * (2 * dot(g, u)) -
                             u * (4 * dot(g, v));
      return Small<T, 4>{w, du[0], du[1], du[2]};
    }
  }
};
struct small_quaternion_matrix : OfSmall {
  static constexpr const char* text = "quaternion::matrix";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: quaternion::matrix takes Small<T, 4>");
    return takes;
  }
  template <class T>
  WEFT_HD static constexpr auto value(const Small<T, 4>& q) {
    return quaternion::matrix(q);
  }
  template <int, class T>
  WEFT_HD static constexpr Small<T, 4> vjp(const Small<T, 3, 3>& g, const Small<T, 4>& q,
                                           const Small<T, 3, 3>&) {
    const T w = q[0];
    const T x = q[1];
    const T y = q[2];
    const T z = q[3];
    // Elements on either side of the diagonal enter by sums and differences.
    const T xy = g[1] + g[3];
    const T xz = g[2] + g[6];
    const T yz = g[5] + g[7];
    const T about_x = g[7] - g[5];
    const T about_y = g[2] - g[6];
    const T about_z = g[3] - g[1];
    return Small<T, 4>{x * about_x + y * about_y + z * about_z,
                       w * about_x + y * xy + z * xz - 2 * x * (g[4] + g[8]),
                       w * about_y + x * xy + z * yz - 2 * y * (g[0] + g[8]),
                       w * about_z + x * xz + y * yz - 2 * z * (g[0] + g[4])} *
           T(2);
  }
};
struct small_quaternion_from_matrix : OfSmall {
  static constexpr const char* text = "quaternion::from_matrix";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: quaternion::from_matrix takes Small<T, 3, 3>");
    return takes;
  }
  template <class T>
  WEFT_HD static auto value(const Small<T, 3, 3>& m) {
    return quaternion::from_matrix(m);
  }
};
struct small_quaternion_from_rotation_vector : OfSmall {
  static constexpr const char* text = "quaternion::from_rotation_vector";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: quaternion::from_rotation_vector takes Small<T, 3>");
    return takes;
  }
  template <class T>
  WEFT_HD static auto value(const Small<T, 3>& v) {
    return quaternion::from_rotation_vector(v);
  }
  template <int, class T>
  WEFT_HD static Small<T, 3> vjp(const Small<T, 4>& g, const Small<T, 3>& v, const Small<T, 4>& q) {
    const T half = norm(v) / 2;
    const T squared = half * half;
    // sin(h) / 2h, and (cos(h) - sin(h) / h) / 8h^2, by their series where they would be 0 / 0.
    const T scale = half < T(1e-3) ? T(0.5) - squared / 12 : std::sin(half) / (2 * half);
    const T curve = half < T(0.05) ? squared / 240 - T(1) / 24 : (q[0] - 2 * scale) / (8 * squared);
    const Small<T, 3> along{g[1], g[2], g[3]};
    return along * scale + v * (dot(along, v) * curve - g[0] * scale / 2);
  }
};
struct small_quaternion_from_axis_angle : OfSmall {
  static constexpr const char* text = "quaternion::from_axis_angle";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: quaternion::from_axis_angle takes a Small<T, 3> and numbers of T");
    return takes;
  }
  template <class T>
  WEFT_HD static auto value(const Small<T, 3>& axis, T angle) {
    return quaternion::from_axis_angle(axis, angle);
  }
  template <int I, class T>
  WEFT_HD static auto vjp(const Small<T, 4>& g, const Small<T, 3>& axis, T angle,
                          const Small<T, 4>& q) {
    const Small<T, 3> along{g[1], g[2], g[3]};
    const T sine = std::sin(angle / 2);
    if constexpr (I == 0) {
      return along * sine;
    } else {
      return (q[0] * dot(along, axis) - sine * g[0]) / 2;
    }
  }
};
struct small_quaternion_slerp : OfSmall {
  static constexpr const char* text = "quaternion::slerp";
  template <bool takes>
  static constexpr bool report() {
    static_assert(takes, "weft: quaternion::slerp takes two Small<T, 4> and numbers of T");
    return takes;
  }
  template <class T>
  WEFT_HD static auto value(const Small<T, 4>& p, const Small<T, 4>& q, T t) {
    return quaternion::slerp(p, q, t);
  }
};

}  // namespace weft::op

namespace weft::quaternion {

// The same for expressions, beside which single values may stand.

template <class P, class Q>
  requires SmallOperands<P, Q>
constexpr auto multiply(P&& p, Q&& q) {
  using Op = op::small_quaternion_multiply;
  return weft::detail::lift_small(Op{}, static_cast<P&&>(p), static_cast<Q&&>(q));
}
template <class Q, class V>
  requires SmallOperands<Q, V>
constexpr auto rotate(Q&& q, V&& v) {
  using Op = op::small_quaternion_rotate;
  return weft::detail::lift_small(Op{}, static_cast<Q&&>(q), static_cast<V&&>(v));
}
template <SmallLike Q>
constexpr auto conjugate(Q&& q) {
  using Op = op::small_quaternion_conjugate;
  return weft::detail::lift_small(Op{}, static_cast<Q&&>(q));
}
template <SmallLike Q>
constexpr auto matrix(Q&& q) {
  using Op = op::small_quaternion_matrix;
  return weft::detail::lift_small(Op{}, static_cast<Q&&>(q));
}
template <SmallLike M>
constexpr auto from_matrix(M&& m) {
  using Op = op::small_quaternion_from_matrix;
  return weft::detail::lift_small(Op{}, static_cast<M&&>(m));
}
template <SmallLike V>
constexpr auto from_rotation_vector(V&& v) {
  using Op = op::small_quaternion_from_rotation_vector;
  return weft::detail::lift_small(Op{}, static_cast<V&&>(v));
}
template <class V, class A>
  requires SmallOperands<V, A>
constexpr auto from_axis_angle(V&& axis, A&& angle) {
  using Op = op::small_quaternion_from_axis_angle;
  return weft::detail::lift_small(Op{}, static_cast<V&&>(axis), static_cast<A&&>(angle));
}
template <class P, class Q, class X>
  requires SmallOperands<P, Q, X>
constexpr auto slerp(P&& p, Q&& q, X&& t) {
  using Op = op::small_quaternion_slerp;
  return weft::detail::lift_small(Op{}, static_cast<P&&>(p), static_cast<Q&&>(q),
                                  static_cast<X&&>(t));
}

}  // namespace weft::quaternion
