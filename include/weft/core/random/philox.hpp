// Philox4x32-10: random bits as a pure function of a counter and a key, alike on every device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "weft/core/config.hpp"

namespace weft {

namespace detail {
WEFT_HD constexpr std::uint64_t wide_product(std::uint32_t a, std::uint32_t b) {
#if defined(__CUDA_ARCH__)
  // A 64-bit product would be three instructions; mul.wide in assembly is not shared by equal uses.
  if (!__builtin_is_constant_evaluated()) return std::uint64_t{__umulhi(a, b)} << 32 | a * b;
#endif
  return std::uint64_t{a} * b;
}
}  // namespace detail

/// Four words of 32 bits: a counter of Philox, or the random bits that it gives.
struct PhiloxBlock {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
  std::uint32_t d = 0;

  /// Word 0 to 3; by selection, since an index would put the block into a GPU's local memory.
  WEFT_HD constexpr std::uint32_t word(int i) const {
    return (i & 2) != 0 ? ((i & 1) != 0 ? d : c) : ((i & 1) != 0 ? b : a);
  }
  friend constexpr bool operator==(const PhiloxBlock&, const PhiloxBlock&) = default;
};

/// What word 0 or 2 of the counter is multiplied by in each round: factor 0 and 1.
WEFT_HD constexpr std::uint32_t philox_factor(int i) { return i == 0 ? 0xD2511F53U : 0xCD9E8D57U; }
/// One round of Philox4x32.
WEFT_HD constexpr PhiloxBlock philox_round(PhiloxBlock x, std::uint32_t k0, std::uint32_t k1) {
  const std::uint64_t p = detail::wide_product(philox_factor(0), x.a);
  const std::uint64_t q = detail::wide_product(philox_factor(1), x.c);
  return {static_cast<std::uint32_t>(q >> 32) ^ x.b ^ k0, static_cast<std::uint32_t>(q),
          static_cast<std::uint32_t>(p >> 32) ^ x.d ^ k1, static_cast<std::uint32_t>(p)};
}
/// What word 0 or 1 of the key grows by from round to round.
WEFT_HD constexpr std::uint32_t philox_step(int word) {
  return word == 0 ? 0x9E3779B9U : 0xBB67AE85U;
}

/// Ten rounds of Philox4x32 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2,
/// 3; 2011), as in Random123 and cuRAND; the low word of the key is Random123's first.
WEFT_HD constexpr PhiloxBlock philox(PhiloxBlock x, std::uint64_t key) {
  auto k0 = static_cast<std::uint32_t>(key);
  auto k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    x = philox_round(x, k0, k1);
    k0 += philox_step(0);
    k1 += philox_step(1);
  }
  return x;
}

}  // namespace weft
