// SPDX-License-Identifier: Apache-2.0
#include "weft/autograd/expression/large.hpp"

#include "gradients.hpp"

using namespace weft;

namespace {
/// exp(x y / 8) + exp(y x / 8) ..., of N products.
template <int N, class X, class Y>
auto terms(const X& x, const Y& y) {
  if constexpr (N == 1) {
    return exp(x * y / 8.0F);
  } else {
    return terms<N / 2>(x, y) + terms<N - N / 2>(y, x);
  }
}
}  // namespace

TEST_CASE_TEMPLATE("a statement of more Vars than a backward kernel takes is recorded in parts", D,
                   TEST_DEVICES) {
  const Tensor<float, D> x = (arange<float>(6, D{}) * 0.5F - 1).reshape({2, 3});
  const Tensor<float, D> y = tensor({0.25F, 1.0F, -0.5F}, D{});
  const Var a = parameter(x.clone());
  const Var b = parameter(y.clone());
  const Var z = terms<40>(a, b);
  const Tensor<float, D> product = exp(x * y / 8.0F);
  CHECK(allclose(z.value(), (40.0F * product).eval()));
  sum(z).eval().backward();
  CHECK(allclose(a.grad(), (5.0F * y * product).eval()));
  CHECK(allclose(b.grad(), sum(5.0F * x * product, axis(0)).eval()));
}
