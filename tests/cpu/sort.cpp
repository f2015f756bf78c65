// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/sort.hpp>

#include "array.hpp"

static_assert(weft::detail::can_sort<weft::Cpu>());

TEST_CASE("merge sort is stable at every length") {
  using Item = weft::cpu::detail::Indexed<int>;
  test::Random r(1);
  for (std::int64_t n = 0; n < 140; ++n) {
    std::vector<Item> items;
    for (std::int64_t i = 0; i < n; ++i) items.push_back({static_cast<int>(r.between(0, 9)), i});
    std::vector<Item> room(items.size());
    weft::cpu::detail::merge_sort<true>(items.data(), room.data(), n);
    for (std::size_t i = 1; i < items.size(); ++i) {
      CHECK((items[i - 1].value > items[i].value ||
             (items[i - 1].value == items[i].value && items[i - 1].index < items[i].index)));
    }
  }
}
