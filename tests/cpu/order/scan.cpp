// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/order/scan.hpp>

#include "array.hpp"

static_assert(weft::detail::can_scan<weft::Cpu>());

TEST_CASE("rows beside each other, past the widths that are scanned together") {
  for (std::int64_t across : {1, 63, 64, 65, 130}) {
    const auto x = weft::ones<double>({2, 50, across});
    const auto y = cumsum(x, weft::axis(1)).eval();
    CHECK(weft::equal(y, weft::arange<double>(1, 51).unsqueeze(1).expand({2, 50, across})));
  }
}

TEST_CASE("many rows on many threads") {
  const auto x = weft::ones<int>({1000, 100});
  const auto y = cumsum(x, weft::axis(1)).eval();
  CHECK(weft::equal(y(999), weft::arange<std::int64_t>(1, 101)));
  CHECK(sum(y).item() == 1000 * 5050);
}
