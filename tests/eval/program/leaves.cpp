// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/program/leaves.hpp>

#include <vector>

#include "test.hpp"

using weft::detail::count_handles;
using weft::detail::for_each_leaf;
using weft::detail::leaf_count;

TEST_CASE("leaves are visited from left to right") {
  const auto x = weft::zeros({3});
  const auto y = weft::zeros({4, 3});
  const auto e =
      cumsum(x * 2 + y, weft::axis(0)) / sum(exp(y(0)) - x) + weft::Positions({3}).size();
  std::vector<const void*> seen;
  for_each_leaf(e, [&](const auto& leaf) { seen.push_back(leaf.data()); });
  CHECK(seen == std::vector<const void*>{x.data(), y.data(), y.data(), x.data()});
  static_assert(leaf_count<decltype(e)> == 4);
  CHECK(count_handles(e, x.storage()) == 2);
  CHECK(count_handles(x, x.storage()) == 1);
  CHECK(count_handles(x, y.storage()) == 0);
}

TEST_CASE("numbers and positions are no leaves") {
  const auto e = weft::generated({3}, weft::op::affine<int>{1, 2}) * 3;
  static_assert(leaf_count<decltype(e)> == 0);
  int count = 0;
  for_each_leaf(e, [&](const auto&) { ++count; });
  CHECK(count == 0);
}
