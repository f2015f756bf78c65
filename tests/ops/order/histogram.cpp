// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/order/histogram.hpp>

#include <cmath>

#ifdef __CUDACC__
#include <weft/cuda/order/histogram.hpp>
#endif

#include "array.hpp"

using weft::Shape;
using Counts = std::vector<std::int64_t>;

TEST_CASE_TEMPLATE("elements in bins, at their edges too", D, TEST_DEVICES) {
  const float nan = std::nanf("");
  const auto x = weft::tensor({0.F, 0.25F, 0.5F, 1.F, 1.5F, -0.1F, nan, INFINITY, 0.9999999F}, D{});
  CHECK(histogram(x, 4, 0, 1).to_vector() == Counts{1, 1, 1, 2});
  CHECK(histogram(x, 1, 0, 1).to_vector() == Counts{5});

  const auto y = (weft::arange<double>(1024, D{}) / 1024).eval();
  CHECK(histogram(y, 8, 0, 1).to_vector() == Counts(8, 128));
  for (std::int64_t bins : {3, 100, 9000}) {
    Counts expected(static_cast<std::size_t>(bins));
    for (double v : y.to_vector()) {
      std::int64_t i = 0;
      while (i + 1 < bins &&
             v >= -0.5 + static_cast<double>(i + 1) * (2.25 / static_cast<double>(bins)))
        ++i;
      ++expected[static_cast<std::size_t>(i)];
    }
    CHECK(histogram(y.reshape({16, 64}).t(), bins, -0.5, 1.75).to_vector() == expected);
  }
  CHECK(histogram(weft::tensor<std::int8_t>({1, 2, 3}, D{}) * 2, 2, 2, 6).to_vector() ==
        Counts{1, 2});
  CHECK(histogram(weft::zeros({0}, D{}), 2, 0, 1).to_vector() == Counts{0, 0});
}

TEST_CASE_TEMPLATE("bins that cannot be", D, TEST_DEVICES) {
  const auto x = weft::ones({3}, D{});
  CHECK_THROWS_WITH_AS(histogram(x, 0, 0, 1), "[histogram] 0 bins, expected at least 1",
                       weft::ValueError);
  CHECK_THROWS_AS(histogram(x, 2, 1, 1), weft::ValueError);
  CHECK_THROWS_AS(histogram(x, 2, 0, INFINITY), weft::ValueError);
  CHECK_THROWS_AS(histogram(x, 2, NAN, 1), weft::ValueError);
}

TEST_CASE_TEMPLATE("counts of small integers", D, TEST_DEVICES) {
  test::Random r(3);
  const auto a = r.array<int>({30, 1000});
  Counts expected(12);
  for (int v : a.values) ++expected[static_cast<std::size_t>(v)];
  CHECK(bincount(a.on(D{}), 12).to_vector() == expected);
  CHECK(bincount(weft::tensor<std::uint8_t>({5, 5, 0}, D{})).to_vector() ==
        Counts{1, 0, 0, 0, 0, 2});
  CHECK(bincount(weft::tensor({20'000, 3}, D{})).shape() == Shape{20'001});
  CHECK(bincount(weft::zeros<int>({0}, D{})).shape() == Shape{0});
  CHECK(bincount(weft::zeros<int>({0}, D{}), 2).to_vector() == Counts{0, 0});
  CHECK_THROWS_WITH_AS(bincount(weft::tensor({1, -2}, D{})),
                       "[bincount] an element is -2, expected at least 0", weft::ValueError);
}
