// SPDX-License-Identifier: Apache-2.0
#include <weft/small.hpp>

#include "test.hpp"

#include <weft/autograd.hpp>
#include <weft/autograd/gradcheck.hpp>
#ifdef __CUDACC__
#include <weft/cuda/gradient.hpp>
#endif

using namespace weft;

TEST_CASE_TEMPLATE("gradients flow through Small made of numbers", D, TEST_DEVICES) {
  manual_seed(3);
  const Var r = parameter(randn<double>({5, 3, 3}, D{}) + 3 * eye<double>(3, D{}));
  const Var p = parameter(randn<double>({5, 3}, D{}));
  const Var q = parameter(randn<double>({5, 4}, D{}));
  CHECK(gradcheck(
      [](const auto& m, const auto& v) {
        const auto a = as_small<3, 3>(m);
        const auto x = as_small<3>(v);
        return det(a) * norm(solve(a, x) + inv(a) * cross(x, Small<double, 3>{1, 2, 3}));
      },
      r, p));
  CHECK(gradcheck(
      [](const auto& m, const auto& v) {
        const auto a = as_small<3, 3>(m);
        const auto x = as_small<3>(v);
        const Var y = normalize(transpose(a) * x - 2 * hadamard(x, x) / norm(x));
        return dot(outer(x, y) * diagonal_matrix(y) * column<1>(a), -row<0>(a)) +
               trace(a) * component<2>(y) * dot(x, y);
      },
      r, p));
  CHECK(gradcheck(
      [](const auto& w, const auto& v) {
        const auto a = as_small<4>(w);
        const auto x = as_small<3>(v);
        const Var b = quaternion::multiply(a, quaternion::conjugate(normalize(a) + a));
        return component<0>(quaternion::rotate(b, x)) * component<1>(b);
      },
      q, p));
  CHECK(gradcheck(
      [](const auto& w, const auto& v) {
        const Var a = as_small<4>(w);
        const Var x = as_small<3>(v);
        const Var turn = quaternion::from_rotation_vector(x);
        const Var tiny = quaternion::from_rotation_vector(0.01 * x);
        const Var spin = quaternion::from_axis_angle(x, component<3>(a));
        return dot(quaternion::matrix(a) * x, x) * component<1>(turn) + dot(turn, tiny) +
               dot(spin, a);
      },
      q, p));
  CHECK(gradcheck(
      [](const auto& m, const auto& v) {
        const Var a = as_small<3, 3>(m);
        const Var x = as_small<3>(v);
        const Var middle = mean(a * x, axis(0));            // (1 Small)
        return components(sum(a, axis(0)) * (x - middle));  // both broadcast over the 5
      },
      r, p));
}

TEST_CASE_TEMPLATE("a Var of Small itself", D, TEST_DEVICES) {
  const Var turn = parameter(full({1}, Small<double, 4>{1, 0, 0, 0}, D{}));
  const Tensor<Small<double, 3>, D> p =
      tensor({Small<double, 3>{1, 0, 0}, Small<double, 3>{0, 1, 0}}, D{});
  const Tensor<Small<double, 3>, D> goal = quaternion::rotate(Small<double, 4>{0.6, 0, 0, 0.8}, p);
  for (int step = 0; step < 200; ++step) {
    const Var off = quaternion::rotate(normalize(turn), p) - goal;
    const Var loss = sum(dot(off, off));
    turn.zero_grad();
    loss.backward();
    turn.value().assign(turn.value() - 0.05 * turn.grad());
  }
  const Tensor<Small<double, 4>, D> found = normalize(turn.value());
  CHECK(allclose(found, full({1}, Small<double, 4>{0.6, 0, 0, 0.8}, D{}), {.atol = 1e-6}));
}

TEST_CASE_TEMPLATE("where passes a gradient of small matrices to the side it chose", D,
                   TEST_DEVICES) {
  const D device{};
  const Var a = parameter(as_small<2>(ones({3, 2}, device)));
  const Var b = parameter(as_small<2>(zeros({3, 2}, device)));
  const auto mask = tensor({true, false, true}).to(device);
  sum(components(where(mask, a, b))).backward();
  const std::vector<float> chosen{1, 1, 0, 0, 1, 1};
  CHECK(components(a.grad()).eval().to_vector() == chosen);
  CHECK(components(b.grad()).eval().to_vector() == std::vector<float>{0, 0, 1, 1, 0, 0});
}
