// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/small/quaternion.hpp>

#include "test.hpp"

#include <weft/ops/small/quaternion_value.hpp>

#include "small.hpp"

using namespace weft;

namespace {
using Q = Small<double, 4>;
using V = Small<double, 3>;
using M = Small<double, 3, 3>;
constexpr double allowed = 1e-14;

double apart(const auto& x, const auto& y) { return norm(x - y); }
}  // namespace

TEST_CASE_TEMPLATE("rotations compose, invert and agree with their matrices", D, TEST_DEVICES) {
  const auto p = normalize(test::smalls<Q, D>(150, 1));
  const auto q = normalize(test::smalls<Q, D>(150, 2));
  const auto v = test::smalls<V, D>(150, 3);
  const Tensor both = quaternion::rotate(quaternion::multiply(p, q), v);
  const Tensor steps = quaternion::rotate(p, quaternion::rotate(q, v));
  const Tensor matrices = quaternion::matrix(p) * (quaternion::matrix(q) * v);
  const Tensor back =
      quaternion::rotate(quaternion::conjugate(p), steps) - quaternion::rotate(q, v);
  CHECK(max(norm(both - steps)).item() < allowed);
  CHECK(max(norm(both - matrices)).item() < allowed);
  CHECK(max(norm(back)).item() < allowed);
  const Tensor again = quaternion::from_matrix(quaternion::matrix(p));  // p or -p, w not negative
  CHECK(max(norm(again - where(component<0>(p) < 0, -p, p))).item() < 4 * allowed);
  CHECK(min(component<0>(again)).item() >= 0);
}

TEST_CASE_TEMPLATE("from axes, angles and rotation vectors", D, TEST_DEVICES) {
  const Tensor<double, D> angle = (arange<double>(150, D{}) - 75) / 25;
  const Tensor q = quaternion::from_axis_angle(full({150}, V{0, 0, 1}, D{}), angle);
  const Tensor turned = quaternion::rotate(q, V{1, 0, 0});
  CHECK(max(norm(turned - small<3>(cos(angle), sin(angle), 0))).item() < allowed);
  const Tensor same = quaternion::from_rotation_vector(small<3>(0 * angle, 0, angle));
  CHECK(max(norm(same - q)).item() < allowed);
  // Halfway between no rotation and one is the half of it, also where they are nearly the same.
  const Tensor half = quaternion::slerp(Q{1, 0, 0, 0}, q, 0.5);
  const Tensor expected = quaternion::from_axis_angle(full({150}, V{0, 0, 1}, D{}), angle / 2);
  CHECK(max(norm(half - expected)).item() < 1e-9);
}

TEST_CASE("single values: the four forms of a matrix's quaternion, and tiny rotations") {
  const double turn = 3.1;  // the trace is negative, and each axis once the largest
  for (const V& axis : {V{1, 0.1, 0.1}, V{0.1, 1, 0.1}, V{0.1, 0.1, 1}}) {
    const Q q = quaternion::from_axis_angle(normalize(axis), turn);
    CHECK(apart(quaternion::from_matrix(quaternion::matrix(q)), q) < 1e-13);
  }
  const V tiny{3e-5, 0, -4e-5};
  CHECK(apart(quaternion::from_rotation_vector(tiny), Q{1 - 3.125e-10, 1.5e-5, 0, -2e-5}) < 1e-14);
  CHECK(apart(quaternion::from_rotation_vector(V{}), Q{1, 0, 0, 0}) == 0);
  CHECK(quaternion::multiply(Q{0, 1, 0, 0}, Q{0, 0, 1, 0}) == Q{0, 0, 0, 1});  // i j = k
}
