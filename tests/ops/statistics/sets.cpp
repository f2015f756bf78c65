// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/statistics/sets.hpp>

#include <weft/ops/statistics/order.hpp>

#include <cmath>

#include "test.hpp"

#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"
#endif

using namespace weft;
using Ints = std::vector<int>;
using At = std::vector<std::int64_t>;

TEST_CASE_TEMPLATE("distinct elements in other orders", D, TEST_DEVICES) {
  const auto x = tensor({3, 3, 1, 1, 1, 3, 2}).to(D{});
  const auto runs = unique_consecutive(x);
  CHECK(runs.values.to_vector() == Ints{3, 1, 3, 2});
  CHECK(runs.inverse.to_vector() == At{0, 0, 1, 1, 1, 2, 3});
  CHECK(runs.counts.to_vector() == At{2, 3, 1, 1});
  const auto seen = unique_in_order(x);
  CHECK(seen.values.to_vector() == Ints{3, 1, 2});
  CHECK(seen.inverse.to_vector() == At{0, 0, 1, 1, 1, 0, 2});
  CHECK(seen.counts.to_vector() == At{3, 3, 1});
  const auto rows = tensor({{2, 1}, {0, 5}, {2, 1}, {0, 3}}).to(D{});
  const auto found = unique(rows, axis(0));
  CHECK(found.values.shape() == Shape{3, 2});
  CHECK(found.values.to_vector() == Ints{0, 3, 0, 5, 2, 1});
  CHECK(found.inverse.to_vector() == At{2, 1, 2, 0});
  CHECK(found.counts.to_vector() == At{1, 1, 2});
  const auto columns = unique(rows.t(), axis(1));
  CHECK(columns.values.to_vector() == Ints{0, 0, 2, 3, 5, 1});
  CHECK(unique_consecutive(x.narrow(0, 0, 0)).values.size() == 0);
  CHECK(unique(zeros<int>({0, 2}, D{}), axis(0)).counts.size() == 0);
}

TEST_CASE_TEMPLATE("sets", D, TEST_DEVICES) {
  const auto a = tensor({3, 1, 2, 3}).to(D{});
  const auto b = tensor({{5, 3}, {3, 4}}).to(D{});
  CHECK(union1d(a, b).to_vector() == Ints{1, 2, 3, 4, 5});
  CHECK(intersect1d(a, b).to_vector() == Ints{3});
  CHECK(setdiff1d(a, b).to_vector() == Ints{1, 2});
  CHECK(setxor1d(a, b).to_vector() == Ints{1, 2, 4, 5});
  CHECK(isin(b, a).to_vector() == std::vector<bool>{false, true, true, false});
  CHECK(isin(b, a, true).to_vector() == std::vector<bool>{true, false, false, true});
  const auto nothing = a.narrow(0, 0, 0);
  CHECK(isin(b, nothing).shape() == Shape{2, 2});
  CHECK(setdiff1d(a, nothing).to_vector() == Ints{1, 2, 3});
}

TEST_CASE_TEMPLATE("orders", D, TEST_DEVICES) {
  const auto first = tensor({1, 5, 1, 4, 3}).to(D{});
  const auto second = tensor({9.0F, 4.0F, 0.0F, 4.0F, 0.0F}).to(D{});
  CHECK(lexsort(first, second).to_vector() == At{2, 4, 3, 1, 0});
  CHECK(lexsort(second, first).to_vector() == At{2, 0, 4, 3, 1});
  CHECK_SAYS("[lexsort] keys of shapes (5,) and (1,)", lexsort(first, second.narrow(0, 0, 1)));
  CHECK(partition(first, 2)(2).item() == 3);
  CHECK(take(first, argpartition(first, -1)).eval()(4).item() == 5);
  CHECK_SAYS("[partition] position 5 of 5 elements, expected -5 to 4", partition(first, 5));
  CHECK(cummax_with_indices(full<double>({}, 4.0, D{}), axis(0)).indices.item() == 0);
  const auto running = cummax_with_indices(first);
  CHECK(running.values.to_vector() == Ints{1, 5, 5, 5, 5});
  CHECK(running.indices.to_vector() == At{0, 1, 1, 1, 1});
  CHECK(cummin_with_indices(first).indices.to_vector() == At{0, 0, 2, 2, 2});
  const auto sorted = tensor({{1, 3, 5}, {2, 4, 6}}).to(D{});
  const auto values = tensor({{3, 6}, {3, 6}}).to(D{});
  CHECK(searchsorted_rows(sorted, values).to_vector() == At{1, 3, 1, 2});
  CHECK(searchsorted_rows(sorted, values.t().contiguous().t(), Side::right).to_vector() ==
        At{2, 3, 1, 3});
  CHECK_SAYS("rows of the same shape but for the last axis", searchsorted_rows(sorted, first));
  const auto edges = tensor({0.0F, 4.0F, 9.0F}).to(D{});
  CHECK(digitize(second, edges).to_vector() == At{3, 2, 1, 2, 1});
  CHECK(digitize(second, edges, true).to_vector() == At{2, 1, 0, 1, 0});
  CHECK(digitize(second, edges.flip(0)).to_vector() == At{0, 1, 2, 1, 2});
  CHECK_SAYS("[digitize] edge 2 beside 3, expected edges in order",
             digitize(tensor({1}), tensor({1, 3, 2, 4})));
  CHECK(bucketize(second, edges).to_vector() == At{2, 1, 0, 1, 0});
  CHECK(bucketize(second, edges, true).to_vector() == At{3, 2, 1, 2, 1});
}

TEST_CASE_TEMPLATE("values in braces", D, TEST_DEVICES) {
  const auto x = tensor({1, 2, 3}, D{});
  CHECK(isin(x, {2, 5}).to_vector() == tensor({false, true, false}).to_vector());
  CHECK(isin(x, {2, 5}, true).to_vector() == tensor({true, false, true}).to_vector());
}
