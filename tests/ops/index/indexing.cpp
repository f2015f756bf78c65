// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/index/indexing.hpp>

#include <climits>

#include "test.hpp"

using weft::Indexing;
using weft::Layout;
using weft::Shape;
using weft::Strides;

TEST_CASE("indices count from either end, whatever their type") {
  weft::Failure record;
  const weft::IndexRange range{5, &record, "take", -1};
  CHECK(range.place(0) == 0);
  CHECK(range.place(4L) == 4);
  CHECK(range.place(std::int8_t{-1}) == 4);
  CHECK(range.place(std::uint8_t{3}) == 3);
  CHECK(range.place(-5LL) == 0);
  CHECK(record.state == 0);
  for (long long bad : {5LL, -6LL, LLONG_MAX, LLONG_MIN}) {
    record.state = 0;
    CHECK(range.place(bad) == -1);
    CHECK(record.state == 2);
    CHECK(record.index == bad);
    CHECK(record.low == -5);
    CHECK(record.high == 4);
  }
  record.state = 0;
  CHECK(range.place(UINT64_MAX) == -1);  // not the last element
  CHECK(record.state == 2);
}

TEST_CASE("labels do not count from the end") {
  weft::Failure record;
  const weft::IndexRange range{5, &record, "cross_entropy", -1, true};
  CHECK(range.place(4) == 4);
  CHECK(record.state == 0);
  CHECK(range.place(-1) == -1);
  CHECK(record.index == -1);
  CHECK(record.low == 0);
  CHECK(record.labels);
}

TEST_CASE("positions in a tensor of any strides") {
  weft::Failure record;
  const Layout x{{3, 1, 4, 2}, {-8, 77, 2, 1}, 0};  // the last two axes are one in memory
  const weft::IndexRange range{24, &record, "take", -1};
  const auto at = weft::detail::finder(static_cast<weft::AtPosition*>(nullptr), range, x, 0);
  CHECK(at.rank == 2);
  for (long long i = 0; i < 24; ++i) {
    long long offset = 100;
    CHECK(at.find(offset, i));
    CHECK(offset == 100 - i / 8 * 8 + i % 8);
  }
  long long offset = 0;
  CHECK(!at.find(offset, 24));
}

TEST_CASE("shapes and strides of what indices name") {
  using weft::detail::indexed_shape;
  using weft::detail::offset_strides;
  const Layout x{{2, 3, 4}, {12, 4, 1}, 0};
  CHECK(indexed_shape("take", Indexing::whole, x.shape, 0, {5, 6}) == Shape{5, 6});
  CHECK(indexed_shape("take", Indexing::instead, x.shape, 1, {5, 6}) == Shape{2, 5, 6, 4});
  CHECK(indexed_shape("take", Indexing::instead, x.shape, 1, {}) == Shape{2, 4});
  CHECK(indexed_shape("take", Indexing::along, x.shape, 1, {2, 7, 4}) == Shape{2, 7, 4});
  CHECK(indexed_shape("take", Indexing::along, {2, 3, 1}, 1, {1, 7, 4}) == Shape{2, 7, 4});
  CHECK_SAYS(
      "[gather] indices of shape (2, 7, 5) along axis 1 of (2, 3, 4), expected the same rank, "
      "and along other axes at most x's size unless that is 1",
      indexed_shape("gather", Indexing::along, x.shape, 1, {2, 7, 5}));
  CHECK(indexed_shape("gather", Indexing::along, x.shape, 1, {1, 7, 3}) == Shape{2, 7, 3});
  CHECK_SAYS("expected the same rank",
             indexed_shape("gather", Indexing::along, x.shape, 1, {2, 7}));
  CHECK(offset_strides(Indexing::whole, x, 0, 2) == Strides{0, 0});
  CHECK(offset_strides(Indexing::instead, x, 1, 2) == Strides{12, 0, 0, 1});
  CHECK(offset_strides(Indexing::along, x, 2, 3) == Strides{12, 4, 0});
  CHECK(offset_strides(Indexing::along, {{1, 3}, {3, 1}, 0}, 1, 2) == Strides{0, 0});
}

TEST_CASE("the axis of an operation") {
  CHECK(weft::detail::one_axis("take", weft::axis(-1), 3) == 2);
  CHECK_SAYS("[take] axes (0, 1), expected one axis",
             weft::detail::one_axis("take", weft::axis(0, 1), 3));
  CHECK_SAYS("[take] axis 3 of a tensor of rank 3, expected -3 to 2",
             weft::detail::one_axis("take", weft::axis(3), 3));
}
