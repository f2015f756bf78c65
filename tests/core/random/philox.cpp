// SPDX-License-Identifier: Apache-2.0
#include <weft/core/random/philox.hpp>

#include <cstdint>

#include "test.hpp"

using weft::philox;
using weft::PhiloxBlock;

namespace {
constexpr PhiloxBlock all_ones{~0U, ~0U, ~0U, ~0U};
constexpr PhiloxBlock pi_digits{0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344};
constexpr std::uint64_t pi_key = std::uint64_t{0x299F31D0} << 32 | 0xA4093822;

// The known answers of Random123's tests.
static_assert(philox({}, 0) == PhiloxBlock{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8});
static_assert(philox(all_ones, ~0ULL) ==
              PhiloxBlock{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD});
static_assert(philox(pi_digits, pi_key) ==
              PhiloxBlock{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1});
}  // namespace

TEST_CASE("philox gives the known answers at run time too") {
  volatile std::uint64_t key = pi_key;
  CHECK(philox(pi_digits, key) == PhiloxBlock{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1});
}

TEST_CASE("a philox block has four words") {
  constexpr PhiloxBlock x{1, 2, 3, 4};
  for (int i = 0; i < 4; ++i) CHECK(x.word(i) == static_cast<std::uint32_t>(i + 1));
}

TEST_CASE("every bit of counter and key changes about half of the bits") {
  const PhiloxBlock plain = philox(pi_digits, pi_key);
  auto changed = [&](const PhiloxBlock& x) {
    return __builtin_popcount(x.a ^ plain.a) + __builtin_popcount(x.b ^ plain.b) +
           __builtin_popcount(x.c ^ plain.c) + __builtin_popcount(x.d ^ plain.d);
  };
  for (int bit = 0; bit < 32; ++bit) {
    const std::uint32_t one = 1U << bit;
    CAPTURE(bit);
    for (int n :
         {changed(philox({pi_digits.a ^ one, pi_digits.b, pi_digits.c, pi_digits.d}, pi_key)),
          changed(philox({pi_digits.a, pi_digits.b ^ one, pi_digits.c, pi_digits.d}, pi_key)),
          changed(philox({pi_digits.a, pi_digits.b, pi_digits.c ^ one, pi_digits.d}, pi_key)),
          changed(philox({pi_digits.a, pi_digits.b, pi_digits.c, pi_digits.d ^ one}, pi_key)),
          changed(philox(pi_digits, pi_key ^ one)),
          changed(philox(pi_digits, pi_key ^ std::uint64_t{one} << 32))}) {
      CHECK(n > 36);
      CHECK(n < 92);
    }
  }
}
