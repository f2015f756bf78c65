// SPDX-License-Identifier: Apache-2.0
#include <weft/core/layout.hpp>

#include <numeric>

#include "array.hpp"

using test::Index;
using weft::Layout;
using weft::Shape;
using weft::Strides;

namespace {

/// The memory positions of a layout's elements, in row-major order.
Index positions(const Layout& x) {
  Index all;
  test::each_index(x.shape, [&](const Index& i) {
    std::int64_t at = x.offset;
    for (int d = 0; d < x.rank(); ++d) at += i[d] * x.strides[d];
    all.push_back(at);
  });
  return all;
}

/// A layout with axes in any order and direction, with gaps, and some of stride 0.
Layout random_layout(test::Random& r) {
  const Shape shape = r.shape(5, 4);
  Layout x = weft::layout::contiguous(shape);
  for (int d = 0; d < x.rank(); ++d) x.strides[d] *= r.between(0, 5) == 0 ? 2 : 1;
  for (int n = x.rank() > 0 ? 3 : 0; n > 0; --n) {
    const auto axis = r.between(0, x.rank() - 1);
    if (r.between(0, 1) == 0) x = weft::layout::transpose(x, axis, r.between(0, x.rank() - 1));
    if (r.between(0, 5) == 0) x = weft::layout::flip(x, axis);
    if (r.between(0, 5) == 0) x.strides[static_cast<int>(axis)] = 0;
  }
  return x;
}

/// A shape of as many elements.
Shape refactored(test::Random& r, std::int64_t size) {
  Shape shape;
  for (std::int64_t factor : {2, 2, 3, 3, 4}) {
    if (size % factor != 0 || r.between(0, 2) == 0) continue;
    shape.push_back(factor);
    size /= factor;
  }
  shape.insert(static_cast<int>(r.between(0, shape.rank())), size);
  if (r.between(0, 2) == 0) shape.insert(static_cast<int>(r.between(0, shape.rank())), 1);
  return shape;
}

/// Whether strides exist that put `at`, in row-major order, under the shape.
bool is_strided(const Index& at, const Shape& shape) {
  const Strides row = weft::contiguous_strides(shape);
  bool fits = true;
  std::size_t k = 0;
  test::each_index(shape, [&](const Index& i) {
    std::int64_t expected = at[0];
    for (int d = 0; d < shape.rank(); ++d) {
      if (shape[d] > 1) expected += i[d] * (at[static_cast<std::size_t>(row[d])] - at[0]);
    }
    fits = fits && at[k++] == expected;
  });
  return fits;
}

}  // namespace

TEST_CASE("is_contiguous, has_overlap and extent say what a walk finds") {
  test::Random r(1);
  for (int n = 0; n < 2000; ++n) {
    const Layout x = random_layout(r);
    Index at = positions(x);
    Index in_order(at.size());
    std::iota(in_order.begin(), in_order.end(), x.offset);
    CHECK(x.is_contiguous() == (at == in_order));
    std::int64_t first = 0;
    std::int64_t last = 0;
    x.extent(first, last);
    std::sort(at.begin(), at.end());
    CHECK(first == at.front());
    CHECK(last == at.back() + 1);
    const bool twice = std::adjacent_find(at.begin(), at.end()) != at.end();
    CHECK(x.has_overlap() == twice);
    Layout y = x;
    for (std::int64_t& step : y.strides) step = r.between(-5, 9);
    at = positions(y);
    std::sort(at.begin(), at.end());
    CHECK(y.has_overlap() == (std::adjacent_find(at.begin(), at.end()) != at.end()));
  }
  CHECK(Layout{{3, 4}, {1, 1}, 0}.has_overlap());        // windows
  CHECK(Layout{{3, 4}, {-1, 1}, 9}.has_overlap());       // mirrored windows
  CHECK_FALSE(Layout{{2, 3}, {3, 2}, 0}.has_overlap());  // 0 2 4 3 5 7
  CHECK(Layout{{2, 4}, {4, 2}, 0}.has_overlap());
  CHECK_FALSE(Layout{{2, 0}, {0, 0}, 0}.has_overlap());
  CHECK(Layout{{0, 3}, {7, 2}, 0}.is_contiguous());
  std::int64_t first = 1;
  std::int64_t last = 0;
  Layout{{4, 0}, {9, 1}, 5}.extent(first, last);
  CHECK(first == last);
}

TEST_CASE("reshape keeps the order, and finds a view whenever there is one") {
  test::Random r(2);
  int views = 0;
  int copies = 0;
  for (int n = 0; n < 5000; ++n) {
    const Layout x = random_layout(r);
    const Shape shape = refactored(r, x.shape.size());
    const Index at = positions(x);
    Layout out;
    const bool is_view = weft::layout::reshape(x, shape, out);
    CHECK(is_view == is_strided(at, shape));
    if (is_view) CHECK(positions(out) == at);
    ++(is_view ? views : copies);
  }
  CHECK(views > 500);
  CHECK(copies > 500);
  Layout out;
  CHECK(weft::layout::reshape({{0, 3}, {7, 2}, 0}, {3, 0, 5}, out));
}

TEST_CASE("infer fills in one size") {
  using weft::layout::infer;
  CHECK(infer("f", {2, -1}, 6, {6}) == Shape{2, 3});
  CHECK(infer("f", {-1}, 0, {0, 4}) == Shape{0});
  CHECK(infer("f", {}, 1, {1, 1}) == Shape{});
  CHECK_THROWS_WITH_AS(infer("reshape", {4, -1}, 6, {2, 3}),
                       "[reshape] shape (2, 3) of 6 elements cannot become (4, -1)",
                       weft::ShapeError);
  CHECK_THROWS_WITH_AS(infer("reshape", {7}, 6, {2, 3}),
                       "[reshape] shape (2, 3) of 6 elements cannot become (7,)", weft::ShapeError);
  CHECK_THROWS_WITH_AS(
      infer("reshape", {-1, -1}, 6, {2, 3}),
      "[reshape] size -1 in (-1, -1), expected sizes of at least 0 and at most one "
      "-1",
      weft::ShapeError);
  CHECK_THROWS_AS(infer("f", {-2, -3}, 6, {6}), weft::ShapeError);
  CHECK_THROWS_AS(infer("f", {0, -1}, 0, {0}), weft::ShapeError);
  const std::int64_t big = std::int64_t{1} << 32;
  CHECK_THROWS_AS(infer("f", {big, big}, 0, {0}), weft::ShapeError);
}

TEST_CASE("permute, transpose and squeeze") {
  const Layout x = weft::layout::contiguous({2, 1, 3});
  const Layout p = weft::layout::permute(x, Shape{-1, 0, 1});
  CHECK(p.shape == Shape{3, 2, 1});
  CHECK(p.strides == Strides{1, 3, 3});
  CHECK(weft::layout::transpose(x, 0, -1).shape == Shape{3, 1, 2});
  CHECK(weft::layout::squeeze(x).shape == Shape{2, 3});
  CHECK(weft::layout::squeeze(x, -2).shape == Shape{2, 3});
  CHECK(weft::layout::unsqueeze(x, -1).shape == Shape{2, 1, 3, 1});
  CHECK(weft::layout::unsqueeze(x, 0).shape == Shape{1, 2, 1, 3});
  CHECK_THROWS_WITH_AS(weft::layout::permute(x, Shape{0, 1}),
                       "[permute] axes (0, 1) for shape (2, 1, 3), expected 3 axes",
                       weft::ShapeError);
  CHECK_THROWS_WITH_AS(weft::layout::permute(x, Shape{0, 1, -2}),
                       "[permute] axis -2 appears twice in (0, 1, -2)", weft::ShapeError);
  CHECK_THROWS_WITH_AS(weft::layout::squeeze(x, 2),
                       "[squeeze] axis 2 of (2, 1, 3) has size 3, expected 1", weft::ShapeError);
  CHECK_THROWS_AS(weft::layout::unsqueeze(x, 4), weft::IndexError);
}

TEST_CASE("expand") {
  const Layout x = weft::layout::contiguous({2, 1});
  CHECK(weft::layout::expand(x, {5, 2, 3}).strides == Strides{0, 1, 0});
  CHECK(weft::layout::expand(x, {-1, 3}).shape == Shape{2, 3});
  CHECK(weft::layout::expand(x, {2, 0}).shape == Shape{2, 0});
  CHECK_THROWS_WITH_AS(weft::layout::expand(x, {3, 3}),
                       "[expand] shape (2, 1) does not expand to (3, 3), expected trailing sizes "
                       "equal or 1",
                       weft::ShapeError);
  CHECK_THROWS_AS(weft::layout::expand(x, {-1, 2, 1}), weft::ShapeError);
  CHECK_THROWS_AS(weft::layout::expand(x, {1}), weft::ShapeError);
  CHECK_THROWS_AS(weft::layout::expand(x, {}), weft::ShapeError);
}

TEST_CASE("diagonal and narrow") {
  const Layout x = weft::layout::contiguous({3, 4});
  CHECK(positions(weft::layout::diagonal(x, 0, 0, 1)) == Index{0, 5, 10});
  CHECK(positions(weft::layout::diagonal(x, 1, 0, 1)) == Index{1, 6, 11});
  CHECK(positions(weft::layout::diagonal(x, 2, -2, -1)) == Index{2, 7});
  CHECK(positions(weft::layout::diagonal(x, -1, 0, 1)) == Index{4, 9});
  CHECK(positions(weft::layout::diagonal(x, 1, 1, 0)) == Index{4, 9});
  CHECK(positions(weft::layout::diagonal(x, 4, 0, 1)).empty());
  CHECK(positions(weft::layout::diagonal(x, -9, 0, 1)).empty());
  CHECK_THROWS_WITH_AS(weft::layout::diagonal(x, 0, 0, -2), "[diagonal] axes 0 and -2 are the same",
                       weft::ShapeError);
  CHECK(positions(weft::layout::narrow(x, 1, 2, 2)) == Index{2, 3, 6, 7, 10, 11});
  CHECK(weft::layout::narrow(x, 1, 4, 0).shape == Shape{3, 0});
  CHECK_THROWS_WITH_AS(weft::layout::narrow(x, 1, 3, 2),
                       "[narrow] elements 3 to 5 of axis 1 of (3, 4)", weft::IndexError);
  CHECK_THROWS_AS(weft::layout::narrow(x, 0, -1, 1), weft::IndexError);
  CHECK_THROWS_AS(weft::layout::narrow(x, 0, 0, -1), weft::IndexError);
}

TEST_CASE("positions just under and over 2^31 and 2^32") {
  for (std::int64_t size :
       {(std::int64_t{1} << 31) - 1, (std::int64_t{1} << 31) + 1, (std::int64_t{1} << 32) + 1}) {
    const Layout x = weft::layout::contiguous({3, size});
    CHECK(x.strides[0] == size);
    CHECK(weft::layout::flip(x, 1).offset == size - 1);
    CHECK(weft::layout::narrow(x, 1, size - 1, 1).offset == size - 1);
    std::int64_t first = 0;
    std::int64_t last = 0;
    weft::layout::flip(x, 0).extent(first, last);
    CHECK(first == 0);
    CHECK(last == 3 * size);
    Layout flat;
    CHECK(weft::layout::reshape(x, {3 * size}, flat));
    CHECK(weft::layout::reshape(weft::layout::expand({{1}, {0}, 0}, {3, size}), {size, 3}, flat));
  }
}
