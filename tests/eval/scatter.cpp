// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/scatter.hpp>

#include "test.hpp"

using weft::Indexing;
using weft::Shape;

TEST_CASE("the shape that a scatter runs over") {
  using weft::detail::scattered_shape;
  CHECK(scattered_shape("f", Indexing::instead, {5, 6}, 0, {2, 3}, {6}) == Shape{2, 3, 6});
  CHECK(scattered_shape("f", Indexing::along, {5, 6}, 0, {2, 1}, {}) == Shape{2, 6});
  CHECK(scattered_shape("f", Indexing::whole, {5, 6}, 0, {7}, {1}) == Shape{7});
  CHECK_SAYS(
      "[f] source of shape (3,) does not broadcast to (2, 6), the shape of the indexed "
      "elements of (5, 6)",
      scattered_shape("f", Indexing::along, {5, 6}, 0, {2, 1}, {3}));
}

TEST_CASE("a scatter counts as a write") {
  const auto x = weft::zeros({3});
  const auto e = x + 1;
  put(x, weft::tensor({1}), 5);
  weft::detail::check_flag() = true;
  CHECK_SAYS("was written after the expression", e.eval());
  weft::detail::check_flag() = false;
}
