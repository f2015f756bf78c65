// How a thread waits for others: spinning for some microseconds if that has paid off, then asleep.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include "weft/core/config.hpp"

namespace weft::cpu {

/// A thread's experience with spinning. If it has seldom found work, or lost its core meanwhile,
/// the thread does not spin for some time.
class Patience {
 public:
  /// Waits until *word no longer holds `value`, and returns what it holds: spinning for about as
  /// long as waking a thread takes, then asleep. *sleepers counts who must be woken.
  [[gnu::noinline]] std::uint32_t wait_while(const std::uint32_t* word, std::uint32_t value,
                                             int* sleepers) {
    std::uint32_t found = __atomic_load_n(word, __ATOMIC_SEQ_CST);
    if (found != value) return found;
    if (luck_ > 0 || ++luck_ > 0) {
      const std::int64_t start = now();
      for (std::int64_t last = start; last - start < awake;) {
        for (int i = 0; i < 16; ++i) {
          found = __atomic_load_n(word, __ATOMIC_SEQ_CST);
          if (found != value) {
            luck_ = luck_ + 4 < most ? luck_ + 4 : most;
            return found;
          }
          pause();
        }
        const std::int64_t time = now();
        if (time - last > gap) {
          luck_ = -8 * most;
          break;
        }
        last = time;
      }
      if (luck_ > 0 && --luck_ == 0) luck_ = -most;
    }
    __atomic_fetch_add(sleepers, 1, __ATOMIC_SEQ_CST);
    while ((found = __atomic_load_n(word, __ATOMIC_SEQ_CST)) == value) {
      syscall(SYS_futex, word, 128, value, nullptr, nullptr, 0);  // FUTEX_WAIT within a process
    }
    __atomic_fetch_sub(sleepers, 1, __ATOMIC_SEQ_CST);
    return found;
  }

 private:
  static constexpr std::int64_t awake = 30'000;  // nanoseconds
  static constexpr std::int64_t gap = 200'000;   // between two looks at the clock: off the core
  static constexpr int most = 16;

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
  static std::int64_t now() {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  }

  int luck_ = most / 2;
};

/// Wakes up to `count` of those that sleep at the word.
inline void wake(const std::uint32_t* word, int count) {
  syscall(SYS_futex, word, 129, count, nullptr, nullptr, 0);  // FUTEX_WAKE within a process
}

}  // namespace weft::cpu
