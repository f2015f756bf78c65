// Quaternions as Small<T, 4>{w, x, y, z}: single values, and tensors of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/small/lift.hpp"
#include "weft/ops/small/value.hpp"

namespace weft::quaternion {

// Single values, for kernels of one's own and as what the operations below compute.

/// Hamilton's product: as rotations, first q and then p.
template <class T>
WEFT_HD constexpr Small<T, 4> multiply(const Small<T, 4>& p, const Small<T, 4>& q) {
  return {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
          p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
          p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
          p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
}
/// {w, -x, -y, -z}: of a unit quaternion the inverse rotation.
template <class T>
WEFT_HD constexpr Small<T, 4> conjugate(const Small<T, 4>& q) {
  return {q[0], -q[1], -q[2], -q[3]};
}
/// v turned by the unit quaternion q: v + 2 w (u x v) + 2 u x (u x v) with u = (x, y, z).
template <class T>
WEFT_HD constexpr Small<T, 3> rotate(const Small<T, 4>& q, const Small<T, 3>& v) {
  const Small<T, 3> u{q[1], q[2], q[3]};
  const Small<T, 3> t = cross(u, v) * T(2);
  return v + t * q[0] + cross(u, t);
}
/// The rotation matrix of a unit quaternion.
template <class T>
WEFT_HD constexpr Small<T, 3, 3> matrix(const Small<T, 4>& q) {
  const T w = q[0];
  const T x = q[1];
  const T y = q[2];
  const T z = q[3];
  return {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
          2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
          2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
}
/// The unit quaternion of a rotation matrix, w not negative: the largest of its numbers by a square
/// root, the others from differences (Shepperd 1978).
template <class T>
WEFT_HD Small<T, 4> from_matrix(const Small<T, 3, 3>& m) {
  const T trace = m[0] + m[4] + m[8];
  Small<T, 4> q{};
  if (trace > 0) {
    q = {1 + trace, m[7] - m[5], m[2] - m[6], m[3] - m[1]};
  } else if (m[0] >= m[4] && m[0] >= m[8]) {
    q = {m[7] - m[5], 1 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6]};
  } else if (m[4] >= m[8]) {
    q = {m[2] - m[6], m[1] + m[3], 1 - m[0] + m[4] - m[8], m[5] + m[7]};
  } else {
    q = {m[3] - m[1], m[2] + m[6], m[5] + m[7], 1 - m[0] - m[4] + m[8]};
  }
  const T scale = 1 / norm(q);
  return q * (q[0] < 0 ? -scale : scale);
}
/// The rotation by |v| radians about v, from v / |v| and the angle's half; also where v is 0.
template <class T>
WEFT_HD Small<T, 4> from_rotation_vector(const Small<T, 3>& v) {
  const T half = norm(v) / 2;
  // sin(h) / 2h, by its series where the quotient would be 0 / 0.
  const T scale = half < T(1e-3) ? T(0.5) - half * half / 12 : std::sin(half) / (2 * half);
  return {std::cos(half), v[0] * scale, v[1] * scale, v[2] * scale};
}
/// The rotation by `angle` radians about an axis of length 1.
template <class T>
WEFT_HD Small<T, 4> from_axis_angle(const Small<T, 3>& axis, T angle) {
  const T s = std::sin(angle / 2);
  return {std::cos(angle / 2), axis[0] * s, axis[1] * s, axis[2] * s};
}
/// The rotation a part t of the shorter way from p to q, both of length 1 (Shoemake 1985).
template <class T>
WEFT_HD Small<T, 4> slerp(const Small<T, 4>& p, const Small<T, 4>& q, T t) {
  T cosine = dot(p, q);
  const T sign = cosine < 0 ? T(-1) : T(1);
  cosine *= sign;
  if (cosine > T(0.9995)) return normalize(p * (1 - t) + q * (sign * t));
  const T angle = std::acos(cosine);
  const T scale = 1 / std::sin(angle);
  return p * (std::sin((1 - t) * angle) * scale) + q * (sign * std::sin(t * angle) * scale);
}

}  // namespace weft::quaternion

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
