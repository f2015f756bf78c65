// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/statistics/low_rank.hpp>

#include "linear_algebra.hpp"

using test::off;
using weft::Shape;
using weft::Tensor;

TEST_CASE_TEMPLATE("the largest singular values from random directions", D, TEST_DEVICES) {
  weft::Generator g(3);
  const auto left = test::some_matrices<double, D>({2, 60, 4});
  const auto right = test::some_matrices<double, D>({2, 4, 45}, 0, 2);
  const Tensor<double, D> a = matmul(left, right);
  const auto [u, s, vh] = weft::svd_lowrank(a, {.rank = 4}, g);
  CHECK(off(matmul(u * s.unsqueeze(-2), vh), a) < 1e-11);
  CHECK(off(s, svdvals(a).narrow(1, 0, 4)) < 1e-11);
  const Tensor<double, D> centred = a - mean(a, weft::axis(-2), weft::keepdims);
  const auto parts = weft::pca_lowrank(a, {.rank = 5, .iterations = 1}, g);
  CHECK(parts.vh.shape() == Shape{2, 5, 45});
  CHECK(off(parts.s, svdvals(centred).narrow(1, 0, 5)) < 1e-11);
  CHECK_SAYS("[svd_lowrank] a rank of 46 and 2 iterations for matrices of shape (2, 60, 45)",
             weft::svd_lowrank(a, {.rank = 46}, g));
}
