// What the tests of Hessian-vector products include: hvp compared with differences of gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "gradients.hpp"
#include "weft/autograd/hvp.hpp"

namespace test {

/// The gradient of f at x, by a plain backward pass.
template <class D, class F>
weft::Tensor<double, D> gradient_at(const F& f, const weft::Tensor<double, D>& x) {
  const weft::Var leaf = weft::parameter(x.clone());
  const weft::Var y = f(leaf);
  return weft::grad(y, leaf);
}

/// Checks hvp(f, x, v) against the value, the gradient, and central differences of gradients.
template <class D, class F>
bool hvp_agrees(const F& f, const weft::Tensor<double, D>& x, double tolerance = 1e-6) {
  using namespace weft;
  const auto v = numbers<D>(x.shape(), 0.7);
  const double step = 1e-5;
  const auto found = hvp(f, x, v);
  const Tensor<double, D> above = gradient_at(f, Tensor<double, D>(x + step * v));
  const Tensor<double, D> below = gradient_at(f, Tensor<double, D>(x - step * v));
  const Var leaf(x);
  const Var y = f(leaf);
  CHECK(found.value.shape() == y.shape());
  CHECK(allclose(found.value, y.detach()));
  CHECK(allclose(found.gradient, gradient_at(f, x)));
  const bool same = allclose(found.product, (above - below) / (2 * step), {tolerance, tolerance});
  if (!same) {
    const std::string expected = to_string((above - below) / (2 * step));
    const std::string product = to_string(found.product);
    MESSAGE(product, "\nexpected ", expected);
  }
  return same;
}

}  // namespace test
