// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/scatter.hpp>

#include <vector>

#include "test.hpp"

TEST_CASE("additions of floats come in the order of the source, on any number of threads") {
  const std::int64_t rows = 1001;
  const std::int64_t width = 130;
  const auto ids = weft::arange<int>(rows) % 5;
  const auto values = weft::rand({rows, width});
  auto x = weft::zeros({5, width});
  index_add(x, weft::axis(0), ids, values);
  std::vector<float> expected(static_cast<std::size_t>(5 * width));
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = 0; c < width; ++c)
      expected[static_cast<std::size_t>(r % 5 * width + c)] += values.at(r, c);
  }
  CHECK(x.to_vector() == expected);
  auto y = weft::zeros({width, 5}).t();
  index_add(y, weft::axis(0), ids, values, weft::deterministic);
  CHECK(y.to_vector() == expected);
}
