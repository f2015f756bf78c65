// Generator: a seed and a count of draws, from which all random numbers follow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/error.hpp"
#include "weft/core/random/philox.hpp"

namespace weft {

/// In the GPU's memory, set before each replay of a graph: the seed, and the offset to add, that
/// replace the ones at capture.
struct DrawOrigin {
  std::uint64_t seed = 0;
  std::uint64_t shift = 0;
};

/// One draw of random numbers: all bits of all its elements, as functions of their positions.
struct Draw {
  std::uint64_t seed = 0;
  std::uint64_t number = 0;            ///< how many draws the generator had made before
  const DrawOrigin* origin = nullptr;  ///< for kernels of a graph; null for all others
  const void* drawn = nullptr;         ///< within loops on the CPU: numbers that are drawn ahead

  WEFT_HD constexpr PhiloxBlock block(std::uint64_t index) const {
#if defined(__CUDA_ARCH__)
    if (origin != nullptr) return block(index, number + origin->shift, origin->seed);
#endif
    return block(index, number, seed);
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

  /// The draw for a statement that is evaluated now: outside the capture in which it was made, it
  /// is the first replay's, as if the capture had been a run.
  Draw settled() const;

  /// For kernels: looks up once what block() would look up for each element, a fifth of its time.
  WEFT_HD constexpr void resolve() {
#if defined(__CUDA_ARCH__)
    if (origin != nullptr) {
      seed = origin->seed;
      number += origin->shift;
    }
    origin = nullptr;
#endif
  }

 private:
  WEFT_HD static constexpr PhiloxBlock block(std::uint64_t index, std::uint64_t count,
                                             std::uint64_t key) {
    return philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                   static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(count >> 32)},
                  key);
  }
};

class Generator;

/// The draws of a capture in progress. Generators stay as they are; each replay moves them on.
struct DrawRecorder {
  static constexpr int capacity = 16;
  struct Source {
    Generator* generator = nullptr;
    std::uint64_t start = 0;  // its offset when it was first drawn from
    std::uint64_t count = 0;
  };
  DrawOrigin* origins = nullptr;  ///< on the GPU, one for each source
  unsigned long serial = 0;       ///< which capture this is, counted from 1
  int size = 0;
  Source sources[capacity];

  Draw draw(Generator& generator);
};

namespace detail {
/// Of the calling thread; null outside of captures.
[[gnu::visibility("default")]] inline constinit thread_local DrawRecorder* draw_recorder = nullptr;
}  // namespace detail

/// Where random numbers come from, on every device: each draw takes the next number, and threads
/// may draw at once. `Generator(g.seed(), g.offset())` continues where g stands.
class Generator {
 public:
  explicit constexpr Generator(std::uint64_t seed = 0, std::uint64_t offset = 0)
      : seed_(seed), offset_(offset), made_in_(current_capture()) {}
  Generator(const Generator& other) : Generator(other.seed(), other.offset()) {}
  Generator& operator=(const Generator& other) {
    set(other.seed(), other.offset());
    return *this;
  }

  std::uint64_t seed() const { return __atomic_load_n(&seed_, __ATOMIC_RELAXED); }
  /// How many draws were made since the seed was set.
  std::uint64_t offset() const { return __atomic_load_n(&offset_, __ATOMIC_RELAXED); }

  /// Starts again from `seed`; not while another thread draws.
  void manual_seed(std::uint64_t seed) { set(seed, 0); }

  /// Takes the next draw. In a capture each replay takes a new one, unless the generator itself was
  /// made there and so would start again with each run.
  Draw draw() {
    DrawRecorder* const recorder = detail::draw_recorder;
    if (recorder != nullptr && recorder->serial != made_in_) return recorder->draw(*this);
    return {seed(), skip(1)};
  }

  /// Skips that many draws; returns the offset before.
  std::uint64_t skip(std::uint64_t draws) {
    return __atomic_fetch_add(&offset_, draws, __ATOMIC_RELAXED);
  }

 private:
  static constexpr unsigned long current_capture() {
    if (std::is_constant_evaluated() || detail::draw_recorder == nullptr) return 0;
    return detail::draw_recorder->serial;
  }
  void set(std::uint64_t seed, std::uint64_t offset) {
    if (detail::draw_recorder != nullptr && detail::draw_recorder->serial != made_in_) {
      fail<ValueError>("manual_seed", "a generator is seeded while statements are captured, which ",
                       "a replay would not repeat, expected that before the capture or a replay");
    }
    __atomic_store_n(&seed_, seed, __ATOMIC_RELAXED);
    __atomic_store_n(&offset_, offset, __ATOMIC_RELAXED);
  }

  std::uint64_t seed_;
  std::uint64_t offset_;
  unsigned long made_in_;  // the serial number of a capture; 0 for none
};

inline Draw DrawRecorder::draw(Generator& generator) {
  int i = 0;
  while (i < size && sources[i].generator != &generator) ++i;
  if (i == capacity) {
    fail<ValueError>("capture", "more than ", capacity, " generators are drawn from, expected ",
                     "captures of fewer");
  }
  if (i == size) sources[size++] = {&generator, generator.offset(), 0};
  return {generator.seed(), sources[i].start + sources[i].count++, origins + i};
}

inline Draw Draw::settled() const {
  const DrawRecorder* const recorder = detail::draw_recorder;
  const bool here = recorder != nullptr && origin >= recorder->origins &&
                    origin < recorder->origins + DrawRecorder::capacity;
  return {seed, number, here ? origin : nullptr};
}

namespace detail {
[[gnu::visibility("default")]] inline constinit Generator default_generator_instance{};
}

/// The default generator; one for all devices and threads, seeded with 0.
inline Generator& default_generator() { return detail::default_generator_instance; }

/// Seeds the default generator.
inline void manual_seed(std::uint64_t seed) { default_generator().manual_seed(seed); }

}  // namespace weft
