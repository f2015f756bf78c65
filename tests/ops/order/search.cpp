// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/order/search.hpp>

#include <algorithm>
#include <cmath>

#include "array.hpp"

#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"
#endif

using weft::Shape;
using weft::Side;
using Positions = std::vector<std::int64_t>;

TEST_CASE_TEMPLATE("places in a sorted vector", D, TEST_DEVICES) {
  test::Random r(1);
  for (std::int64_t n : {0, 1, 2, 5, 31, 32, 100}) {
    auto a = r.array<float>({n});
    std::sort(a.values.begin(), a.values.end());
    const auto v = r.array<float>({3, 7});
    Positions left;
    Positions right;
    for (float x : v.values) {
      left.push_back(std::lower_bound(a.values.begin(), a.values.end(), x) - a.values.begin());
      right.push_back(std::upper_bound(a.values.begin(), a.values.end(), x) - a.values.begin());
    }
    const auto sorted = a.on(D{});
    const auto values = v.on(D{});
    CHECK(searchsorted(sorted, values).shape() == Shape{3, 7});
    CHECK(searchsorted(sorted, values).to_vector() == left);
    CHECK(searchsorted(sorted, values.t() + 0, Side::right).t().clone().to_vector() == right);
  }
}

TEST_CASE_TEMPLATE("special values, types and errors of a search", D, TEST_DEVICES) {
  const float nan = std::nanf("");
  const auto sorted = weft::tensor({-INFINITY, 0.F, nan, nan}, D{});
  const auto values = weft::tensor({-INFINITY, -0.F, INFINITY, nan}, D{});
  CHECK(searchsorted(sorted, values).to_vector() == Positions{0, 1, 2, 2});
  CHECK(searchsorted(sorted, values, Side::right).to_vector() == Positions{1, 2, 2, 4});
  const auto steps = weft::arange<std::int64_t>(0, 20, 2, D{});
  CHECK(searchsorted(steps.flip(0).flip(0), weft::tensor<std::int64_t>({5}, D{})).item() == 3);
  CHECK(searchsorted(steps(weft::slice(0, 10, 3)), weft::tensor<std::int64_t>({5, 12}, D{}))
            .to_vector() == Positions{1, 2});
  CHECK_THROWS_WITH_AS(searchsorted(weft::zeros({2, 2}, D{}), values),
                       "[searchsorted] sorted elements of shape (2, 2) and values of shape (4,), "
                       "expected a vector, or rows of the same shape but for the last axis",
                       weft::ShapeError);
  CHECK_THROWS_AS(searchsorted(weft::zeros({}, D{}), values), weft::ShapeError);
}

TEST_CASE_TEMPLATE("values in rows", D, TEST_DEVICES) {
  const auto rows = weft::tensor({{1, 3, 5}, {2, 4, 6}}, D{});
  const auto values = weft::tensor({{3, 6}, {0, 4}}, D{});
  CHECK(searchsorted(rows, values).to_vector() == Positions{1, 3, 0, 1});
  CHECK(searchsorted(rows, values, Side::right).to_vector() == Positions{2, 3, 0, 2});
  CHECK(searchsorted(rows.t().clone().t(), values.t().clone().t()).to_vector() ==
        Positions{1, 3, 0, 1});
  CHECK(searchsorted(rows, values * 2 - 1).to_vector() == Positions{2, 3, 0, 3});
  CHECK(searchsorted(rows, weft::zeros<int>({2, 0}, D{})).shape() == weft::Shape{2, 0});
  CHECK(searchsorted(weft::zeros<int>({2, 0}, D{}), values).to_vector() == Positions{0, 0, 0, 0});
  test::Random r(7);
  const auto a = sort(r.array<float>({4, 6, 9}).on(D{})).values;
  const auto v = r.array<float>({4, 6, 11}).on(D{});
  const auto found = searchsorted(a, v);
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 6; ++j) {
      CHECK(equal(found(i, j), searchsorted(a(i, j), v(i, j))));
    }
  }
  CHECK_SAYS("expected a vector, or rows", searchsorted(rows, weft::zeros<int>({3, 2}, D{})));
}
