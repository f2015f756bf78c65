// SPDX-License-Identifier: Apache-2.0
#include <weft/core/broadcast.hpp>

#include "array.hpp"

using test::Index;
using weft::Shape;

namespace {

/// NumPy's rule, size by size from the right; false where the shapes do not go together.
bool reference(const Shape& a, const Shape& b, Shape& out) {
  out = {};
  for (int i = 1; i <= std::max(a.rank(), b.rank()); ++i) {
    const std::int64_t x = i <= a.rank() ? a[a.rank() - i] : 1;
    const std::int64_t y = i <= b.rank() ? b[b.rank() - i] : 1;
    if (x != y && x != 1 && y != 1) return false;
    out.insert(0, x == 1 ? y : x);
  }
  return true;
}

}  // namespace

TEST_CASE("shapes broadcast as in NumPy") {
  CHECK(weft::broadcast("f", {3, 4}, {4}) == Shape{3, 4});
  CHECK(weft::broadcast("f", {3, 1}, {1, 4}) == Shape{3, 4});
  CHECK(weft::broadcast("f", {}, {2, 0}) == Shape{2, 0});
  CHECK(weft::broadcast("f", {0}, {1}) == Shape{0});
  CHECK_THROWS_WITH_AS(weft::broadcast("add", {3, 4}, {5}),
                       "[add] shapes do not broadcast: (3, 4) and (5,), expected trailing sizes "
                       "equal or 1",
                       weft::ShapeError);
  CHECK_THROWS_AS(weft::broadcast("f", {0}, {2}), weft::ShapeError);
  test::Random r(1);
  for (int n = 0; n < 3000; ++n) {
    const Shape a = r.shape(4, 3, 0);
    const Shape b = r.shape(4, 3, 0);
    Shape both;
    if (reference(a, b, both)) {
      CHECK(weft::broadcast("f", a, b) == both);
      Shape with = a;
      weft::broadcast_with("f", with, b);
      CHECK(with == both);
      CHECK(weft::broadcasts_to(a, both));
      CHECK(weft::broadcasts_to(b, both));
      CHECK(weft::broadcasts_to(a, b) == (both == b));
    } else {
      CHECK_THROWS_AS(weft::broadcast("f", a, b), weft::ShapeError);
      CHECK_FALSE(weft::broadcasts_to(a, b));
    }
  }
}

TEST_CASE_TEMPLATE("operands of random shapes and views broadcast", D, TEST_DEVICES) {
  test::Random r(2);
  for (int n = 0; n < 150; ++n) {
    test::Array<float> arrays[3];
    weft::Tensor<float, D> x[3];
    for (int k = 0; k < 3; ++k) {
      Shape shape = r.shape(3, 6);
      shape.push_back(r.between(1, 40));
      arrays[k] = r.array<float>(shape);
      x[k] = arrays[k].on(D{});
      if (k == 0) {
        for (int times = 3; times > 0; --times) r.vary(x[k], arrays[k]);
      } else {
        arrays[k] = r.array<float>(r.shrunk(arrays[0].shape));
        x[k] = arrays[k].on(D{});
      }
    }
    test::Array<float> expected{arrays[0].shape, {}};
    test::each_index(expected.shape, [&](const Index& i) {
      expected.values.push_back((arrays[1].at(i) - arrays[0].at(i)) * arrays[2].at(i) + 2);
    });
    CHECK(test::same((x[1] - x[0]) * x[2] + 2, expected));
  }
}

TEST_CASE_TEMPLATE("operands without elements", D, TEST_DEVICES) {
  const auto x = weft::zeros({0, 1, 3}, D{});
  const auto y = weft::ones({4, 1}, D{});
  CHECK((x + y).shape() == Shape{0, 4, 3});
  CHECK((x + y).eval().to_vector().empty());
  CHECK_SAYS("[mul] shapes do not broadcast: (0, 1, 3) and (0,)", x * weft::zeros({0}, D{}));
}

TEST_CASE_TEMPLATE("nine axes are too many, eight are not", D, TEST_DEVICES) {
  const auto x = weft::tensor(std::vector<float>{1, 2, 3, 4}, {2, 1, 1, 1, 1, 1, 1, 2}, D{});
  const auto y = weft::tensor(std::vector<float>{1, 2}, {2, 1, 1, 1}, D{});
  const auto z = (x * y).eval();
  CHECK(z.shape() == Shape{2, 1, 1, 1, 2, 1, 1, 2});
  CHECK(z.to_vector() == std::vector<float>{1, 2, 2, 4, 3, 4, 6, 8});
  CHECK_SAYS("[shape] more than 8 dimensions", x.unsqueeze(0));
}
