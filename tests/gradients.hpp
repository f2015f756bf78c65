// What the tests of gradients include: Var on the device they run on, and numbers to start from.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "test.hpp"

#ifdef __CUDACC__
#include "weft/cuda/gradient.hpp"
#include "weft/cuda/matmul.hpp"
#endif
#include "weft/autograd.hpp"

namespace test {

/// Different numbers between -1 and 1, moved by `first`; no two are equal, and none is near 0.
template <class D>
weft::Tensor<double, D> numbers(const weft::Shape& shape, double first = 0) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < shape.size(); ++i) {
    values.push_back(std::sin(1.7 * static_cast<double>(i) + first) + first);
  }
  return weft::tensor(values, shape).to(D{});
}

}  // namespace test
