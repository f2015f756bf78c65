// What the tests of Hessian-vector products include: hvp compared with differences.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "gradients.hpp"
#include "weft/autograd/hvp.hpp"

namespace test {

/// Whether hvp's gradient is the slope of its value along a vector, and its product that of its
/// gradient, by central differences.
template <class D, class F>
bool hvp_agrees(const F& f, const weft::Tensor<double, D>& x) {
  using namespace weft;
  const auto v = numbers<D>(x.shape(), 0.7);
  const double step = 1e-5;
  const auto at = [&](double distance) { return hvp(f, Tensor<double, D>(x + distance * v), v); };
  const auto found = at(0);
  const auto above = at(step);
  const auto below = at(-step);
  const double slope = (above.value.item() - below.value.item()) / (2 * step);
  CHECK(Tensor<double, D>(sum(found.gradient * v)).item() == doctest::Approx(slope).epsilon(1e-6));
  const Tensor<double, D> expected = (above.gradient - below.gradient) / (2 * step);
  const bool same = allclose(found.product, expected, {1e-6, 1e-6});
  if (!same) {
    const std::string product = to_string(found.product);
    const std::string difference = to_string(expected);
    MESSAGE(product, "\nexpected ", difference);
  }
  return same;
}

}  // namespace test
