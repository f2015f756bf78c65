// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/drawn_words.hpp>

#include <cstdint>

#include "test.hpp"

using weft::cpu::detail::DrawnWords;

TEST_CASE("blocks that are computed together are those that are computed one by one") {
  const weft::Draw draw{0x123456789ABCDEF0, (std::uint64_t{7} << 32) + 5};
  std::uint64_t index[DrawnWords::most];
  for (std::uint64_t i = 0; i < DrawnWords::most; ++i) {
    index[i] = i < 32 ? (std::uint64_t{1} << 32) - 16 + i : i * i * 0x9E3779B97F4A7C15;
  }
  for (int n = DrawnWords::unit; n <= DrawnWords::most; n += DrawnWords::unit) {
    DrawnWords words{};
    weft::cpu::detail::draw_words<>(draw, n, index, words);
    for (int i = 0; i < n; ++i) {
      CHECK(weft::PhiloxBlock{words.a[i], words.b[i], words.c[i], words.d[i]} ==
            draw.block(index[i]));
    }
  }
}
