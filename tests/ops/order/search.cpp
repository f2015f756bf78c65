// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/order/search.hpp>

#include <algorithm>
#include <cmath>

#include "array.hpp"

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
                       "[searchsorted] sorted elements of shape (2, 2), expected a vector",
                       weft::ShapeError);
}
