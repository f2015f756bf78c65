// SPDX-License-Identifier: Apache-2.0
#include "weft/ops/gates.hpp"

#include "gradients.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("glu, prelu and softmin are their formulas", D, TEST_DEVICES) {
  const Var x = parameter(test::numbers<D>({2, 4, 3}, 0.05));
  const Tensor<double, D> v = x.detach();
  const Tensor<double, D> halves = v.narrow(1, 0, 2) / (1.0 + exp(-v.narrow(1, 2, 2)));
  CHECK(allclose(Var(glu(x, 1)).detach(), halves));
  CHECK(allclose(glu(v + 0.0, 1), halves));
  CHECK(gradcheck([](const auto& a) { return Var(glu(a, -2)); }, x));
  const Var w = parameter(test::numbers<D>({4}));
  CHECK(gradcheck([](const auto& a, const auto& b) { return Var(prelu(a, b)); }, x, w));
  CHECK(allclose(prelu(v, full<double>({1}, 0.25, D{})), leaky_relu(v, 0.25)));
  CHECK(prelu(full<double>({}, -4.0, D{}), full<double>({1}, 0.25, D{})).eval().item() == -1);
  const Tensor<double, D> parts = exp(-v) / sum(exp(-v), axis(1), keepdims);
  CHECK(allclose(Var(softmin(x, axis(1))).detach(), parts));
  CHECK(gradcheck([](const auto& a) { return Var(softmin(a)); }, x));
  CHECK_SAYS("[glu] an input of shape (2, 4, 3), expected an even size of axis 2", glu(v, 2));
  CHECK_SAYS("[prelu] an input of shape (2, 4, 3) for 3 channels",
             prelu(v, ones<double>({3}, D{})));
  CHECK_SAYS("weight of shape (4, 1)", prelu(v, ones<double>({4, 1}, D{})));
}
