// SPDX-License-Identifier: Apache-2.0
#include <weft/tensor/slice.hpp>

#include "array.hpp"

using test::Array;
using test::Index;
using weft::all;
using weft::ellipsis;
using weft::newaxis;
using weft::none;
using weft::Shape;
using weft::slice;

TEST_CASE("a slice is Python's") {
  constexpr auto unset = weft::Slice::unset;
  const std::int64_t bounds[] = {unset, -100, -6, -5, -4, -2,  -1,        0,
                                 1,     2,    4,  5,  6,  100, INT64_MAX, INT64_MIN + 1};
  for (std::int64_t size : {0, 1, 2, 5}) {
    for (std::int64_t step : {1, 2, 3, 7, -1, -2, -5}) {
      for (std::int64_t from : bounds) {
        for (std::int64_t to : bounds) {
          std::int64_t start = 0;
          std::int64_t length = 0;
          weft::layout::cut({from, to, step}, size, start, length);
          const Index expected = test::sliced(size, from, to, step);
          CHECK(length == static_cast<std::int64_t>(expected.size()));
          if (length > 0) CHECK(start == expected[0]);
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("entries of an index", D, TEST_DEVICES) {
  test::Random r(1);
  const auto a = r.array<float>({4, 5, 6});
  const auto x = a.on(D{});
  CHECK(test::same(x(), a));
  CHECK(test::same(x(2), a.pick({5, 6}, [](Index i) { return Index{2, i[0], i[1]}; })));
  CHECK(test::same(x(all, -1), a.pick({4, 6}, [](Index i) { return Index{i[0], 4, i[1]}; })));
  CHECK(test::same(x(ellipsis, 3), a.pick({4, 5}, [](Index i) { return Index{i[0], i[1], 3}; })));
  CHECK(test::same(x(1, ellipsis, 3), a.pick({5}, [](Index i) { return Index{1, i[0], 3}; })));
  CHECK(test::same(x(ellipsis), a));
  CHECK(test::same(x(0, 0, 0, ellipsis), a.pick({}, [](Index) { return Index{0, 0, 0}; })));
  CHECK(test::same(x(newaxis, all, newaxis), a.pick({1, 4, 1, 5, 6}, [](Index i) {
    return Index{i[1], i[3], i[4]};
  })));
  CHECK(test::same(x(ellipsis, newaxis), a.pick({4, 5, 6, 1}, [](Index i) {
    return Index{i[0], i[1], i[2]};
  })));
  CHECK(test::same(x(slice(1, 3), slice(none, none, -2), slice(4, 1, -1)),
                   a.pick({2, 3, 3}, [](Index i) {
                     return Index{1 + i[0], 4 - 2 * i[1], 4 - i[2]};
                   })));
  CHECK(test::same(x[3], a.pick({5, 6}, [](Index i) { return Index{3, i[0], i[1]}; })));
  CHECK(x(slice(2, 2)).shape() == Shape{0, 5, 6});
  CHECK(x(slice(9, none)).eval().to_vector().empty());
}

TEST_CASE_TEMPLATE("slices of slices", D, TEST_DEVICES) {
  test::Random r(2);
  for (int n = 0; n < 100; ++n) {
    auto a = r.array<float>({r.between(1, 30)});
    auto x = a.on(D{});
    for (int times = 0; times < 3; ++times) {
      const auto size = a.shape[0];
      const auto from = r.between(-size - 2, size + 2);
      const auto to = r.between(-size - 2, size + 2);
      const auto step = r.between(0, 1) == 0 ? r.between(1, 4) : r.between(-4, -1);
      const Index at = test::sliced(size, from, to, step);
      a = a.pick({static_cast<std::int64_t>(at.size())},
                 [&](Index i) { return Index{at[static_cast<std::size_t>(i[0])]}; });
      x = x(slice(from, to, step));
      CHECK(test::same(x, a));
    }
  }
}

TEST_CASE_TEMPLATE("wrong indices", D, TEST_DEVICES) {
  const auto x = weft::ones({2, 3}, D{});
  CHECK_THROWS_WITH_AS(x(2), "[index] index 2 at axis 0 of shape (2, 3), expected -2 to 1",
                       weft::IndexError);
  CHECK_THROWS_WITH_AS(x(all, -4), "[index] index -4 at axis 1 of shape (2, 3), expected -3 to 2",
                       weft::IndexError);
  CHECK_THROWS_WITH_AS(
      x(0, 0, all), "[index] 3 indices and 0 ellipses for shape (2, 3), expected at most 2 and 1",
      weft::IndexError);
  CHECK_THROWS_WITH_AS(
      x(ellipsis, 0, ellipsis),
      "[index] 1 indices and 2 ellipses for shape (2, 3), expected at most 2 and 1",
      weft::IndexError);
  CHECK_THROWS_WITH_AS(x(slice(0, 2, 0)), "[slice] step 0, expected any other integer",
                       weft::ValueError);
  CHECK_THROWS_AS(weft::ones({0}, D{})(0), weft::IndexError);
  CHECK_SAYS("[shape] more than 8 dimensions",
             x(newaxis, newaxis, newaxis, newaxis, newaxis, newaxis, newaxis));
}

TEST_CASE("a step beyond the axis") {
  const auto x = weft::ones({2, 3});
  CHECK(x(slice(0, none, INT64_MAX)).shape() == Shape{1, 3});
  CHECK(x(slice(none, none, -INT64_MAX)).shape() == Shape{1, 3});
}
