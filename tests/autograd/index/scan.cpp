// SPDX-License-Identifier: Apache-2.0
#include "weft/autograd/index/scan.hpp"

#include "gradients.hpp"

#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"
#endif

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("scans", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3, 4}));
  CHECK(gradcheck([](const auto& v) { return Var(cumprod(v, axis(1))); }, x));
  CHECK(gradcheck([](const auto& v) { return Var(cumprod(v * v, axis(0)) * v); }, x));
  CHECK(gradcheck([](const auto& v) { return Var(cummax(v, axis(0))); }, x));
  CHECK(gradcheck([](const auto& v) { return Var(cummin(v, axis(1)) * v); }, x));
  CHECK(gradcheck([](const auto& v) { return Var(logcumsumexp(v, axis(1))); }, x));
  CHECK(gradcheck([](const auto& v) { return Var(logcumsumexp(300.0 * v, axis(0))); }, x));
  const Var zeros_in = parameter(tensor<double>({2, 0, 3, 0, 5}).to(D{}));
  const Var products = cumprod(zeros_in, axis(0));
  products.backward(ones<double>({5}, D{}));
  CHECK(zeros_in.grad().to_vector() == std::vector<double>{1, 8, 0, 0, 0});
  const Var ties = parameter(tensor<double>({1, 3, 3, 2}).to(D{}));
  Var(cummax(ties, axis(0))).backward(ones<double>({4}, D{}));
  CHECK(ties.grad().to_vector() == std::vector<double>{1, 1, 2, 0});
}
