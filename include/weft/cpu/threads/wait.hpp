// How a thread waits for others: awake for some microseconds where that has paid, then asleep.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include "weft/core/config.hpp"

namespace weft::cpu {

/// Sleeps until woken, if the word still holds `value`; may return for no reason.
inline void sleep_while(const void* word, std::uint32_t value) {
  syscall(SYS_futex, word, 128, value, nullptr, nullptr, 0);  // FUTEX_WAIT within a process
}
/// Wakes up to `count` of those that sleep at the word.
inline void wake(const void* word, int count) {
  syscall(SYS_futex, word, 129, count, nullptr, nullptr, 0);  // FUTEX_WAKE within a process
}

/// A thread's experience with waiting awake. One that has seldom found anything so, or that was
/// taken off its core meanwhile, does not try for some time.
class Patience {
 public:
  /// Looks for what others do until done() or for about as long as waking a thread takes; whether
  /// it was done.
  template <class F>
  bool stays_awake_until(const F& done) {
    if (luck_ <= 0 && ++luck_ <= 0) return false;
    for (std::int64_t start = now(), last = start; last - start < awake;) {
      for (int i = 0; i < 16; ++i) {
        if (done()) {
          luck_ = luck_ + 4 < most ? luck_ + 4 : most;
          return true;
        }
        pause();
      }
      const std::int64_t time = now();
      if (time - last > gap) {
        luck_ = -8 * most;
        return false;
      }
      last = time;
    }
    if (--luck_ == 0) luck_ = -most;
    return false;
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

}  // namespace weft::cpu
