// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/order/histogram.hpp>

#include "test.hpp"

TEST_CASE("counts are added to what is there") {
  const auto counts = weft::ones<std::int64_t>({3});
  weft::Histogrammer<weft::Cpu>::count(weft::tensor({0, 2, 2, -1}), weft::op::own_bin{}, counts);
  CHECK(counts.to_vector() == std::vector<std::int64_t>{2, 1, 3});
}
