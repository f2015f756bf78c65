// Rotations: a camera projects a million points in one kernel; a gradient finds its orientation.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <weft/autograd.hpp>
#include <weft/small.hpp>

using namespace weft;

using Vector = Small<float, 3>;
using Quaternion = Small<float, 4>;  // w, x, y, z
constexpr float pi = 3.14159265F;

template <class D>
int run(D device) {
  manual_seed(1);
  bool right = true;

  // A million points, each with its own rotation, seen by a camera eight units away. Every matrix
  // is an element, so this is one kernel: it reads 64 bytes a point and writes 8.
  const int64_t n = 1 << 20;
  const Tensor<Vector, D> points = as_small<3>(randn({n, 3}, device));
  const Tensor<Quaternion, D> turns = normalize(as_small<4>(randn({n, 4}, device)));
  const Tensor<Small<float, 3, 3>, D> rotations = quaternion::matrix(turns);
  const Small<float, 3, 3> lens{800, 0, 320, 0, 800, 240, 0, 0, 1};
  const auto seen = lens * (rotations * points + Vector{0, 0, 8});
  const Tensor<Small<float, 2>, D> pixels =
      small<2>(component<0>(seen), component<1>(seen)) / component<2>(seen);
  std::cout << "pixels " << pixels << "\n";

  // Rotations keep lengths, and their inverses are their transposes.
  right &= example::check("lengths are kept",
                          allclose(norm(rotations * points), norm(points), {.rtol = 1e-4}));
  right &= example::check("inverses are transposes",
                          allclose(inv(rotations), transpose(rotations), {.atol = 1e-4}));
  right &= example::check("quaternions turn as their matrices do",
                          allclose(quaternion::rotate(turns, points), rotations * points,
                                   {.rtol = 1e-4, .atol = 1e-4}));

  // 1000 tops, each spinning about its own axis for a second, in steps of a millisecond: a step is
  // one kernel, in place.
  const Tensor<Vector, D> spin = as_small<3>(randn({1000, 3}, device));  // radians a second
  const Quaternion upright{1, 0, 0, 0};
  Tensor<Quaternion, D> top = full({1000}, upright, device);
  const Tensor<Quaternion, D> step = quaternion::from_rotation_vector(0.001F * spin);
  for (int i = 0; i < 1000; ++i) top = normalize(quaternion::multiply(step, top));
  const Tensor<Quaternion, D> whole = quaternion::from_rotation_vector(spin);
  right &= example::check("a thousand steps are one turn", allclose(top, whole, {.atol = 1e-3}));

  // What is the orientation of the camera that sees the points like this? The gradient goes through
  // the rotation.
  const Tensor<Vector, D> some = points(slice(0, 1000));
  const Quaternion hidden = quaternion::from_axis_angle(Vector{0.6F, 0, 0.8F}, pi / 3);
  const Tensor<Vector, D> goal = quaternion::rotate(hidden, some);
  Var turn = parameter(full({1}, upright, device));
  for (int i = 0; i < 200; ++i) {
    const Var off = quaternion::rotate(normalize(turn), some) - goal;
    const Var loss = mean(dot(off, off));
    turn.zero_grad();
    loss.backward();
    const NoGrad guard;
    turn -= 0.1F * turn.grad();
  }
  const Quaternion found = normalize(turn.value()(0).item());
  std::cout << "found " << found << ", hidden " << hidden << "\n";
  right &= example::check("the gradient finds the turn", norm(found - hidden) < 1e-3F);
  return right ? 0 : 1;
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}
