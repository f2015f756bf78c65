// SPDX-License-Identifier: Apache-2.0
#include <weft/autograd/fuse.hpp>

#include "gradients.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("what one pass computes has gradients of its own", D, TEST_DEVICES) {
  using V = Var<double, D>;
  const V x = parameter(numbers<D>({2, 3}));
  const Tensor<double, D> t = numbers<D>({2, 3}, 1);
  const auto [a, b, c, sign] = fuse(x * t + 1.0, exp(x), t * 2.0, x > 0.5);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(b)>, V>);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(c)>, Tensor<double, D>>);
  CHECK(equal(a.value(), (x.value() * t + 1.0).eval()));
  CHECK(equal(c, (t * 2.0).eval()));
  CHECK(equal(sign, (x.value() > 0.5).eval()));
  CHECK(gradcheck(
      [&](const V& v) {
        const auto [p, q] = fuse(v * t, exp(v));
        return V(p * 3.0 + q * q);
      },
      x));
  // With a product inside, and a reduction.
  CHECK(gradcheck(
      [&](const V& v) {
        const auto [p, q] =
            fuse(matmul(v, v.t()) * 2.0, sum(v, axis(1), keepdims) * ones<double>({2, 2}, D{}));
        return V(p * q);
      },
      x));
  const NoGrad guard;
  const auto [d, e] = fuse(x + 1.0, x);
  CHECK_FALSE(d.requires_grad());
  CHECK(equal(e.value(), x.value()));
}
