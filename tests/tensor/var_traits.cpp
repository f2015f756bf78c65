// SPDX-License-Identifier: Apache-2.0
#include <weft/tensor/var_traits.hpp>

#include <weft/autograd.hpp>

#include "test.hpp"

using weft::Cpu;
using weft::Differentiable;
using weft::Tensor;
using weft::Var;
using weft::detail::var_count;

using X = Tensor<float>;
using V = Var<float, Cpu>;

static_assert(!Differentiable<X> && Differentiable<V>);
static_assert(!Differentiable<decltype(X() + 1)> && Differentiable<decltype(X() * V())>);
static_assert(var_count<decltype(V() * X() + V())> == 2);
static_assert(var_count<decltype(sum(exp(V())))> == 1);

TEST_CASE("an expression with a Var in it evaluates to a Var") {
  const V v(weft::ones({2}));
  static_assert(std::is_same_v<decltype((v + 1).eval()), V>);
  static_assert(std::is_same_v<decltype((X() + 1).eval()), X>);
  CHECK(sum(v + 1).item() == 4);
}
