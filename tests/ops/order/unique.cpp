// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/order/unique.hpp>

#include <cmath>
#include <map>

#ifdef __CUDACC__
#include <weft/cuda/algorithms.hpp>
#endif

#include "array.hpp"

using weft::Shape;

TEST_CASE_TEMPLATE("distinct elements, counts and inverse", D, TEST_DEVICES) {
  test::Random r(12);
  for (const Shape& shape : {Shape{1}, Shape{40}, Shape{7, 300}, Shape{0}, Shape{2, 0, 3}}) {
    const auto a = r.array<float>(shape);
    std::map<float, std::int64_t> counted;
    for (float v : a.values) ++counted[v];
    std::vector<float> values;
    std::vector<std::int64_t> counts;
    for (const auto& [v, n] : counted) {
      values.push_back(v);
      counts.push_back(n);
    }
    const auto x = a.on(D{});
    CHECK(unique(x).to_vector() == values);
    const auto [v, n] = unique_counts(x);
    CHECK(v.to_vector() == values);
    CHECK(n.to_vector() == counts);
    const auto full = unique_all(x + 0);
    CHECK(full.counts.to_vector() == counts);
    CHECK(full.inverse.shape() == shape);
    const auto inverse = full.inverse.to_vector();
    for (std::size_t i = 0; i < inverse.size(); ++i) {
      CHECK(values[static_cast<std::size_t>(inverse[i])] == a.values[i]);
    }
  }
}

TEST_CASE_TEMPLATE("each NaN is distinct", D, TEST_DEVICES) {
  const float nan = std::nanf("");
  const auto found = unique_counts(weft::tensor({nan, 1.F, nan, 1.F}, D{}));
  CHECK(found.values.size() == 3);
  CHECK(found.counts.to_vector() == std::vector<std::int64_t>{2, 1, 1});
  const auto x = weft::tensor({{nan, 1.F}, {nan, -2.F}, {1.F, nan}}, D{});
  const auto all = unique_all(x);
  CHECK(all.values.size() == 5);
  CHECK(all.counts.to_vector() == std::vector<std::int64_t>{1, 2, 1, 1, 1});
  CHECK(all.inverse.shape() == Shape{3, 2});
  CHECK(all.inverse.to_vector() == std::vector<std::int64_t>{2, 1, 3, 0, 1, 4});
}
