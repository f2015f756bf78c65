// Generator: a seed and a count of draws, from which all random numbers follow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/philox.hpp"

namespace weft {

/// One draw of random numbers: all bits of all its elements, as functions of their positions.
struct Draw {
  std::uint64_t seed = 0;
  std::uint64_t number = 0;  ///< how many draws the generator had made before

  WEFT_HD constexpr PhiloxBlock block(std::uint64_t index) const {
    return philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                   static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number >> 32)},
                  seed);
  }
  /// The 32 bits of element i, a quarter of block i / 4.
  WEFT_HD constexpr std::uint32_t bits32(std::uint64_t i) const {
    return block(i / 4).word(static_cast<int>(i % 4));
  }
  /// The 64 bits of element i, half of block i / 2.
  WEFT_HD constexpr std::uint64_t bits64(std::uint64_t i) const {
    const PhiloxBlock x = block(i / 2);
    return i % 2 == 0 ? std::uint64_t{x.a} << 32 | x.b : std::uint64_t{x.c} << 32 | x.d;
  }
};

/// Where random numbers come from, on every device: each draw takes the next number, and threads
/// may draw at once. `Generator(g.seed(), g.offset())` continues where g stands.
class Generator {
 public:
  explicit constexpr Generator(std::uint64_t seed = 0, std::uint64_t offset = 0)
      : seed_(seed), offset_(offset) {}

  std::uint64_t seed() const { return __atomic_load_n(&seed_, __ATOMIC_RELAXED); }
  /// How many draws were made since the seed was set.
  std::uint64_t offset() const { return __atomic_load_n(&offset_, __ATOMIC_RELAXED); }

  /// Starts again from `seed`; not while another thread draws.
  void manual_seed(std::uint64_t seed) {
    __atomic_store_n(&seed_, seed, __ATOMIC_RELAXED);
    __atomic_store_n(&offset_, std::uint64_t{0}, __ATOMIC_RELAXED);
  }

  Draw draw() { return {seed(), __atomic_fetch_add(&offset_, std::uint64_t{1}, __ATOMIC_RELAXED)}; }

 private:
  std::uint64_t seed_;
  std::uint64_t offset_;
};

namespace detail {
[[gnu::visibility("default")]] inline constinit Generator default_generator_instance{};
}

/// The generator of whoever names none; one for all devices and threads, seeded with 0.
inline Generator& default_generator() { return detail::default_generator_instance; }

/// Seeds the default generator.
inline void manual_seed(std::uint64_t seed) { default_generator().manual_seed(seed); }

}  // namespace weft
