#include "weft/ops/elementwise/spaced.hpp"

#include <cmath>

#include "array.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("numbers spaced by factors", D, TEST_DEVICES) {
  const auto x = logspace<double>(0, 3, 4, 10, D{}).to_vector();
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(test::ulps(x[i], std::pow(10.0L, static_cast<long double>(i))) <= 2);
  }
  CHECK(logspace<float>(1, 3, 3, 2, D{}).to_vector() == std::vector<float>{2, 4, 8});
  CHECK(logspace<float>(1, 3, 1, 2, D{}).to_vector() == std::vector<float>{2});
  const auto y = geomspace<double>(-1000, -0.1, 5, D{}).to_vector();
  CHECK(y[0] == -1000);
  CHECK(y[4] == -0.1);
  for (std::size_t i = 1; i < 4; ++i) {
    CHECK(y[i] == doctest::Approx(-1000 * std::pow(10.0, -static_cast<double>(i))));
  }
  CHECK(geomspace(1, 2, 0, D{}).size() == 0);
  CHECK_SAYS("[geomspace] from -1 to 1, expected nonzero numbers of the same sign",
             geomspace(-1, 1, 3));
  CHECK_SAYS("[logspace] -1 values", logspace(0, 1, -1));
}

TEST_CASE_TEMPLATE("coordinates of a space", D, TEST_DEVICES) {
  const auto x = indices({2, 3}, D{});
  CHECK(x.shape() == Shape{2, 2, 3});
  CHECK(x.to_vector() == std::vector<std::int64_t>{0, 0, 0, 1, 1, 1, 0, 1, 2, 0, 1, 2});
  CHECK(indices({2, 0}, D{}).shape() == Shape{2, 2, 0});
}
