// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/order/select.hpp>

#include "test.hpp"

TEST_CASE("elements and positions where a mask holds") {
  const auto x = weft::tensor({1, 2, 3});
  const auto mask = weft::tensor({true, false, true});
  const auto out = weft::empty<int>({2});
  const auto at = weft::empty<std::int64_t>({2});
  weft::Selector<weft::Cpu>::select(x, mask, out);
  weft::Selector<weft::Cpu>::positions(mask, at);
  CHECK(out.to_vector() == std::vector<int>{1, 3});
  CHECK(at.to_vector() == std::vector<std::int64_t>{0, 2});
}
