// Functions of single quaternions, Small<T, 4>{w, x, y, z}.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/small/value.hpp"

namespace weft::quaternion {

// For your own kernels; the operations on tensors of quaternions compute the same.

/// Hamilton's product: as rotations, first q and then p.
template <class T>
WEFT_HD constexpr Small<T, 4> multiply(const Small<T, 4>& p, const Small<T, 4>& q) {
  return {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
          p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
          p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
          p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
}
/// {w, -x, -y, -z}: for a unit quaternion, the inverse rotation.
template <class T>
WEFT_HD constexpr Small<T, 4> conjugate(const Small<T, 4>& q) {
  return {q[0], -q[1], -q[2], -q[3]};
}
/// v rotated by the unit quaternion q: v + 2 w (u x v) + 2 u x (u x v) with u = (x, y, z).
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
/// The rotation by |v| radians about v, from v / |v| and half the angle; defined for v = 0 too.
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
/// The rotation at fraction t of the shorter path from p to q, both of length 1 (Shoemake 1985).
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
