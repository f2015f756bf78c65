// The CPU's stopwatch for profile().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>

#include "weft/cpu/inspect/explain.hpp"
#include "weft/eval/inspect/profile.hpp"

namespace weft {

template <>
struct Stopwatch<Cpu> {
  static double seconds(Cpu, int64_t runs, void (*f)(void*), void* context) {
    const double begin = now();
    for (int64_t i = 0; i < runs; ++i) f(context);
    return now() - begin;
  }

 private:
  /// The steady clock; <chrono> would cost compile time.
  static double now() {
    std::timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }
};

}  // namespace weft
