// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/halves.hpp>

#include <bit>
#include <vector>

#include "test.hpp"

using weft::cpu::detail::narrow_to_halves;
using weft::cpu::detail::widen_halves;

TEST_CASE("every half to float and back, as one by one") {
  std::vector<weft::half> halves;
  for (int bits = 0; bits < 1 << 16; ++bits) {
    halves.push_back(weft::half::from_bits(static_cast<std::uint16_t>(bits)));
  }
  std::vector<float> wide(halves.size());
  std::vector<weft::half> back(halves.size());
  widen_halves(halves.data(), wide.data(), 1 << 16);
  narrow_to_halves(wide.data(), back.data(), 1 << 16);
  int wrong = 0;
  for (std::size_t i = 0; i < wide.size(); ++i) {
    const float x = static_cast<float>(halves[i]);
    wrong += x == x ? std::bit_cast<int>(wide[i]) != std::bit_cast<int>(x) : wide[i] == wide[i];
    wrong += back[i].bits != weft::half(x).bits;
  }
  CHECK(wrong == 0);
}

TEST_CASE("floats of every size and sign round as one by one") {
  std::vector<float> floats;
  for (std::uint32_t bits = 0; bits < 0xFFFF0000U; bits += 0x11231U) {
    floats.push_back(std::bit_cast<float>(bits));
    floats.push_back(std::bit_cast<float>(bits & 0xFFFFF000U));  // of these many lie halfway
  }
  std::vector<weft::half> halves(floats.size());
  narrow_to_halves(floats.data(), halves.data(), static_cast<std::int64_t>(floats.size()));
  int wrong = 0;
  for (std::size_t i = 0; i < floats.size(); ++i) {
    wrong += halves[i].bits != weft::half(floats[i]).bits;
  }
  CHECK(wrong == 0);
}

TEST_CASE("short runs, and nothing past their ends") {
  for (int n = 0; n < 20; ++n) {
    std::vector<weft::half> halves(24, weft::half(1.5F));
    std::vector<float> wide(24, -1.0F);
    widen_halves(halves.data(), wide.data(), n);
    for (int i = 0; i < 24; ++i) CHECK(wide[static_cast<std::size_t>(i)] == (i < n ? 1.5F : -1.0F));
    for (float& x : wide) x = 2.25F;
    narrow_to_halves(wide.data(), halves.data(), n);
    for (int i = 0; i < 24; ++i) {
      CHECK(static_cast<float>(halves[static_cast<std::size_t>(i)]) == (i < n ? 2.25F : 1.5F));
    }
  }
}
