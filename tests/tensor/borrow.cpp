// SPDX-License-Identifier: Apache-2.0
#include <weft/tensor/borrow.hpp>

#include "test.hpp"

using weft::Shape;
using weft::Tensor;

TEST_CASE("borrowed memory") {
  float values[] = {1, 2, 3, 4, 5, 6};
  {
    auto x = weft::borrow(values, {2, 3});
    x += 1;
    CHECK(values[5] == 7);
    CHECK(x.storage()->borrowed);
    x = x * 2;
    CHECK(x.data() != values);
    CHECK(values[5] == 7);
  }
  const auto column = weft::borrow(values + 1, {2}, {3});
  CHECK(column.to_vector() == std::vector<float>{3, 6});
  const auto backwards = weft::borrow(values + 5, {6}, {-1});
  CHECK(backwards.to_vector() == std::vector<float>{7, 6, 5, 4, 3, 2});
  const auto repeated = weft::borrow(values, {4, 3}, {1, 1});
  CHECK(repeated(3).to_vector() == std::vector<float>{5, 6, 7});
  const Tensor<const float> read = weft::borrow(static_cast<const float*>(values), {6});
  CHECK(weft::sum(read).item() == 27);
  CHECK(weft::borrow(static_cast<float*>(nullptr), {0}).size() == 0);
  CHECK_THROWS_WITH_AS(weft::borrow(static_cast<float*>(nullptr), {2}),
                       "[borrow] a null pointer for shape (2,), expected memory", weft::ValueError);
  CHECK_THROWS_WITH_AS(weft::borrow(values, {2, 3}, {1}),
                       "[borrow] strides (1,) for shape (2, 3), expected one stride for each axis",
                       weft::ShapeError);
}

TEST_CASE("borrowed memory that is given back") {
  int given_back = 0;
  auto* values = new double[3]{1, 2, 3};
  {
    Tensor<double> kept;
    {
      const auto x = weft::borrow(values, {3}, [&given_back](double* memory) {
        ++given_back;
        delete[] memory;
      });
      kept = x(weft::slice(1, weft::none));
    }
    CHECK(given_back == 0);
    CHECK(kept.to_vector() == std::vector<double>{2, 3});
    const auto e = kept + 1;
    kept = Tensor<double>();
    CHECK(given_back == 0);
    CHECK(e.eval().to_vector() == std::vector<double>{3, 4});
  }
  CHECK(given_back == 1);
}
