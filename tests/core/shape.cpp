// SPDX-License-Identifier: Apache-2.0
#include <weft/core/shape.hpp>

#include "test.hpp"

using weft::Shape;

TEST_CASE("a shape holds up to eight sizes") {
  Shape s{2, 3};
  s.push_back(4);
  CHECK(s == Shape{2, 3, 4});
  CHECK(s.rank() == 3);
  s.insert(1, 7);
  CHECK(s == Shape{2, 7, 3, 4});
  s.insert(4, 8);
  CHECK(s == Shape{2, 7, 3, 4, 8});
  s.erase(0);
  s.erase(3);
  CHECK(s == Shape{7, 3, 4});
  CHECK_FALSE(s == Shape{7, 3});
  CHECK_FALSE(s == Shape{7, 3, 5});
  CHECK(Shape{1, 2, 3, 4, 5, 6, 7, 8}.rank() == weft::max_rank);
  CHECK_THROWS_WITH_AS((Shape{1, 2, 3, 4, 5, 6, 7, 8, 9}), "[shape] more than 8 dimensions",
                       weft::ShapeError);
}

TEST_CASE("copies of every rank, and what they grow to") {
  Shape s;
  for (int rank = 0; rank <= weft::max_rank; ++rank) {
    Shape copy{9, 9, 9, 9, 9, 9, 9, 9};
    copy = s;
    const Shape again(copy);
    REQUIRE(again.rank() == rank);
    for (int i = 0; i < rank; ++i) CHECK(again[i] == i + 1);
    Shape grown(again);
    for (int i = rank; i < weft::max_rank; ++i) grown.push_back(i + 1);
    CHECK(Shape(grown) == Shape{1, 2, 3, 4, 5, 6, 7, 8});
    if (rank < weft::max_rank) s.push_back(rank + 1);
  }
  constexpr auto constant = [] {
    const Shape two{4, 5};
    Shape three(two);
    three.push_back(6);
    return Shape(three)[2];
  };
  static_assert(constant() == 6);
}

TEST_CASE("the number of elements") {
  CHECK(Shape{}.size() == 1);
  CHECK(Shape{5}.size() == 5);
  CHECK(Shape{5, 0, 7}.size() == 0);
  CHECK(Shape{std::int64_t{1} << 31, std::int64_t{1} << 31}.size() == std::int64_t{1} << 62);
  CHECK(Shape{INT64_MAX}.size() == INT64_MAX);
  CHECK(Shape{INT64_MAX, INT64_MAX, 0}.size() == 0);
  CHECK_THROWS_WITH_AS((Shape{std::int64_t{1} << 32, std::int64_t{1} << 31}.size()),
                       "[shape] the number of elements of (4294967296, 2147483648) does not fit in "
                       "63 bits",
                       weft::ShapeError);
}

TEST_CASE("row-major strides") {
  CHECK(weft::contiguous_strides({}) == weft::Strides{});
  CHECK(weft::contiguous_strides({2, 3, 4}) == weft::Strides{12, 4, 1});
  CHECK(weft::contiguous_strides({2, 0, 4}) == weft::Strides{4, 4, 1});
  CHECK(weft::contiguous_strides({3, 65536, 65536})[0] == std::int64_t{1} << 32);
}

TEST_CASE("axes count from either end") {
  CHECK(weft::normalize_axis("f", 0, 3) == 0);
  CHECK(weft::normalize_axis("f", -1, 3) == 2);
  CHECK(weft::normalize_axis("f", -3, 3) == 0);
  CHECK_THROWS_WITH_AS(weft::normalize_axis("f", 3, 3),
                       "[f] axis 3 of a tensor of rank 3, expected -3 to 2", weft::IndexError);
  CHECK_THROWS_AS(weft::normalize_axis("f", -4, 3), weft::IndexError);
  CHECK_THROWS_AS(weft::normalize_axis("f", 0, 0), weft::IndexError);
}

TEST_CASE("shapes are written as in Python") {
  CHECK(text(Shape{}) == "()");
  CHECK(text(Shape{3}) == "(3,)");
  CHECK(text(Shape{3, -1}) == "(3, -1)");
}
