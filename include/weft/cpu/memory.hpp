// The CPU's memory: 64-byte aligned blocks, counted, with statistics.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <new>

#include "weft/tensor/storage.hpp"

namespace weft {

namespace cpu {
/// Every block starts at a multiple of this many bytes.
inline constexpr int64_t alignment = 64;

namespace detail {
struct MemoryCounters {
  int64_t allocated = 0;
  int64_t peak = 0;
};
[[gnu::visibility("default")]] inline MemoryCounters memory_counters;

inline void count(int64_t bytes) {
  const int64_t now = __atomic_add_fetch(&memory_counters.allocated, bytes, __ATOMIC_RELAXED);
  int64_t peak = __atomic_load_n(&memory_counters.peak, __ATOMIC_RELAXED);
  while (now > peak && !__atomic_compare_exchange_n(&memory_counters.peak, &peak, now, true,
                                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}
}  // namespace detail

/// Bytes held by tensors on the CPU now, borrowed memory not counted.
inline int64_t memory_allocated() {
  return __atomic_load_n(&detail::memory_counters.allocated, __ATOMIC_RELAXED);
}

/// The largest memory_allocated() since the start or the last reset.
inline int64_t max_memory_allocated() {
  return __atomic_load_n(&detail::memory_counters.peak, __ATOMIC_RELAXED);
}

inline void reset_peak_memory_stats() {
  __atomic_store_n(&detail::memory_counters.peak, memory_allocated(), __ATOMIC_RELAXED);
}
}  // namespace cpu

template <>
struct Memory<Cpu> {
  static Storage* allocate(Cpu, int64_t bytes) {
    static_assert(sizeof(Storage) <= cpu::alignment);
    constexpr int64_t limit = INT64_MAX - 2 * cpu::alignment;
    const int64_t rounded = bytes > limit ? limit : (bytes + cpu::alignment - 1) & -cpu::alignment;
    void* block = bytes > limit
                      ? nullptr
                      : std::aligned_alloc(static_cast<std::size_t>(cpu::alignment),
                                           static_cast<std::size_t>(rounded + cpu::alignment));
    if (block == nullptr) {
      fail<OutOfMemory>("allocate", bytes, " bytes could not be had on cpu, where weft holds ",
                        cpu::memory_allocated());
    }
    auto* storage = ::new (block) Storage;
    storage->data = static_cast<char*>(block) + cpu::alignment;
    storage->bytes = bytes;
    storage->release = [](Storage* s) noexcept {
      cpu::detail::count(-s->bytes);
      std::free(s);
    };
    cpu::detail::count(bytes);
    return storage;
  }

  static Storage* borrow(Cpu, void* data, int64_t bytes) {
    auto* storage = new Storage;
    storage->data = data;
    storage->bytes = bytes;
    storage->borrowed = true;
    storage->release = [](Storage* s) noexcept { delete s; };
    return storage;
  }
};

}  // namespace weft
