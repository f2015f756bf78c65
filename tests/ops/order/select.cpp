// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/order/select.hpp>

#ifdef __CUDACC__
#include <weft/cuda/order/select.hpp>
#endif

#include "array.hpp"

using test::Index;
using weft::Shape;

TEST_CASE_TEMPLATE("coordinates and elements that are not zero", D, TEST_DEVICES) {
  test::Random r(2);
  for (int n = 0; n < 20; ++n) {
    Shape shape = r.shape(3, 6);
    shape.push_back(r.between(1, 80));
    auto a = r.array<float>(shape);
    for (float& v : a.values) v = v < 6 ? 0 : v;
    auto x = a.on(D{});
    for (int times = 2; times > 0; --times) r.vary(x, a);
    std::vector<std::int64_t> coordinates;
    std::vector<float> elements;
    test::each_index(a.shape, [&](const Index& i) {
      if (a.at(i) == 0) return;
      coordinates.insert(coordinates.end(), i.begin(), i.end());
      elements.push_back(a.at(i));
    });
    const auto found = nonzero(x);
    CHECK(found.shape() == Shape{static_cast<std::int64_t>(elements.size()), x.rank()});
    CHECK(found.to_vector() == coordinates);
    CHECK(masked_select(x, x != 0).to_vector() == elements);
    CHECK(masked_select(x * 2, x < -1).shape() == Shape{0});
  }
}

TEST_CASE_TEMPLATE("masks that broadcast, and types", D, TEST_DEVICES) {
  const auto y = weft::arange<int>(6, D{}).reshape({2, 3});
  const auto columns = weft::tensor({true, false, true}, D{});
  CHECK(masked_select(y, columns).to_vector() == std::vector<int>{0, 2, 3, 5});
  CHECK(masked_select(y(0), y > 1).to_vector() == std::vector<int>{2, 0, 1, 2});
  CHECK(masked_select(weft::full({3}, weft::complex<double>(1, 2), D{}), columns).shape() ==
        Shape{2});
  CHECK(masked_select(weft::full({3}, std::int8_t{7}, D{}), columns).to_vector() ==
        std::vector<std::int8_t>{7, 7});
  CHECK(nonzero(columns).to_vector() == std::vector<std::int64_t>{0, 2});
  CHECK(nonzero(weft::full({}, 2.F, D{})).shape() == Shape{1, 0});
  CHECK(nonzero(weft::zeros({0, 2}, D{})).shape() == Shape{0, 2});
  CHECK_THROWS_AS(masked_select(y, weft::tensor({true, false}, D{})), weft::ShapeError);
}
