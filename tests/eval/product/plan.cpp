// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/product/plan.hpp>

#include "test.hpp"

using weft::Layout;
using weft::Shape;
using weft::Strides;
using weft::detail::blas_matrix;
using weft::detail::MatrixPlace;
using weft::detail::multiplies_in_place;
using weft::detail::plan_product;
using weft::detail::ProductPlan;
using weft::layout::contiguous;
using weft::layout::expand;
using weft::layout::transpose;

namespace {
ProductPlan planned(const Layout& a, const Layout& b, const Shape& c) {
  return plan_product(a, b, contiguous(c), nullptr);
}
MatrixPlace place(std::int64_t row, std::int64_t column) {
  MatrixPlace p;
  p.row = row;
  p.column = column;
  return p;
}
}  // namespace

TEST_CASE("two matrices") {
  const auto p = planned(contiguous({2, 3}), contiguous({3, 4}), {2, 4});
  CHECK(p.m == 2);
  CHECK(p.n == 4);
  CHECK(p.k == 3);
  CHECK(p.rank == 0);
  CHECK(p.batches() == 1);
  CHECK(p.a.row == 3);
  CHECK(p.b.row == 4);
  CHECK(p.c.row == 4);
  CHECK(p.c.column == 1);
}

TEST_CASE("vectors are a row on the left and a column on the right") {
  const auto left = planned(contiguous({3}), contiguous({3, 4}), {4});
  CHECK(left.m == 1);
  CHECK(left.n == 4);
  CHECK(left.a.column == 1);
  CHECK(left.c.column == 1);
  const auto right = planned(contiguous({2, 3}), contiguous({3}), {2});
  CHECK(right.m == 2);
  CHECK(right.n == 1);
  CHECK(right.b.row == 1);
  CHECK(right.b.column == 0);
  CHECK(right.c.row == 1);
  const auto both = planned(contiguous({3}), contiguous({3}), {});
  CHECK(both.m * both.n == 1);
  CHECK(both.k == 3);
}

TEST_CASE("a batch against one matrix becomes rows") {
  const auto p = planned(contiguous({5, 2, 3}), contiguous({3, 4}), {5, 2, 4});
  CHECK(p.m == 10);
  CHECK(p.rank == 0);
  const auto rows = planned(contiguous({5, 1, 3}), contiguous({3, 4}), {5, 1, 4});
  CHECK(rows.m == 5);
  CHECK(rows.a.row == 3);
  CHECK(rows.c.row == 4);
  const auto four = planned(contiguous({7, 5, 2, 3}), contiguous({1, 1, 3, 4}), {7, 5, 2, 4});
  CHECK(four.m == 70);
  const auto transposed =
      planned(transpose(contiguous({5, 3, 2}), 1, 2), contiguous({3, 4}), {5, 2, 4});
  CHECK(transposed.m == 2);
  CHECK(transposed.rank == 1);
  CHECK(transposed.size[0] == 5);
  CHECK(transposed.a.row == 1);
  CHECK(transposed.a.column == 2);
}

TEST_CASE("axes of a batch merge where all operands walk them as one") {
  const auto p = planned(contiguous({2, 5, 2, 3}), contiguous({2, 5, 3, 4}), {2, 5, 2, 4});
  CHECK(p.rank == 1);
  CHECK(p.size[0] == 10);
  CHECK(p.a.batch[0] == 6);
  CHECK(p.b.batch[0] == 12);
  CHECK(p.offset(p.c, 3) == 24);
  const auto apart = planned(contiguous({2, 1, 2, 3}), contiguous({1, 5, 3, 4}), {2, 5, 2, 4});
  CHECK(apart.rank == 2);
  CHECK(apart.batches() == 10);
  CHECK(apart.a.batch[0] == 6);
  CHECK(apart.a.batch[1] == 0);
  CHECK(apart.b.batch[0] == 0);
  CHECK(apart.offset(apart.a, 7) == 6);
  CHECK(apart.offset(apart.b, 7) == 24);
  CHECK(apart.offset(apart.c, 7) == 56);
}

TEST_CASE("an addend is a vector or has rows of its own") {
  const Layout c = contiguous({5, 2, 4});
  const Layout bias = expand(contiguous({4}), c.shape);
  const auto p = plan_product(contiguous({5, 2, 3}), contiguous({3, 4}), c, &bias);
  CHECK(p.m == 10);
  CHECK(p.adds_vector());
  const auto whole = plan_product(contiguous({5, 2, 3}), contiguous({3, 4}), c, &c);
  CHECK(whole.m == 10);
  CHECK(!whole.adds_vector());
  CHECK(whole.d.row == 4);
  const Layout rows = expand(contiguous({2, 4}), c.shape);
  const auto kept = plan_product(contiguous({5, 2, 3}), contiguous({3, 4}), c, &rows);
  CHECK(kept.m == 2);
  CHECK(kept.rank == 1);
  CHECK(kept.d.batch[0] == 0);
  CHECK(!kept.adds_vector());
}

TEST_CASE("matrices as BLAS takes them") {
  CHECK(blas_matrix(place(5, 1), 3, 4).step == 5);
  CHECK(!blas_matrix(place(5, 1), 3, 4).transposed);
  CHECK(blas_matrix(place(1, 5), 3, 4).transposed);
  CHECK(blas_matrix(place(1, 5), 3, 4).step == 5);
  CHECK(blas_matrix(place(3, 1), 3, 4).step == 0);
  CHECK(blas_matrix(place(0, 1), 3, 4).step == 0);
  CHECK(blas_matrix(place(8, 2), 3, 4).step == 0);
  CHECK(blas_matrix(place(0, 1), 1, 4).step == 4);
  CHECK(blas_matrix(place(0, 2), 1, 4).transposed);
  CHECK(blas_matrix(place(0, 2), 1, 4).step == 2);
  CHECK(blas_matrix(place(7, 0), 3, 1).step == 7);
  CHECK(blas_matrix(place(0, 0), 1, 1).step == 1);
}

TEST_CASE("which operands are read where they are") {
  CHECK(multiplies_in_place(contiguous({3, 4})));
  CHECK(multiplies_in_place(transpose(contiguous({3, 4}), 0, 1)));
  CHECK(multiplies_in_place(contiguous({2, 3, 4})));
  CHECK(multiplies_in_place(expand(contiguous({1, 3, 4}), {5, 3, 4})));
  CHECK(multiplies_in_place({{4}, {3}}));
  CHECK(multiplies_in_place({{3, 4}, {9, 1}}));
  CHECK(!multiplies_in_place({{3, 4}, {8, 2}}));
  CHECK(!multiplies_in_place(expand(contiguous({1, 4}), {3, 4})));
  CHECK(!multiplies_in_place(weft::layout::flip(contiguous({3, 4}), 0)));
  CHECK(!multiplies_in_place(expand(contiguous({1}), {4})));
}
