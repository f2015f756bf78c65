// CPU memory: reference-counted, 64-byte aligned blocks from a pool, with statistics.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>

#include "weft/cpu/memory/pool.hpp"

namespace weft {

namespace cpu {
/// Every block starts at a multiple of this many bytes.
inline constexpr int64_t alignment = 64;

/// Bytes held by tensors on the CPU now, borrowed memory not counted.
inline int64_t memory_allocated() { return detail::pool.allocated.now(); }

/// The largest memory_allocated() since the start or the last reset.
inline int64_t max_memory_allocated() {
  return __atomic_load_n(&detail::pool.allocated.peak, __ATOMIC_RELAXED);
}

/// Bytes that weft has reserved from the system, including those kept for later tensors.
inline int64_t memory_reserved() { return detail::pool.reserved.now(); }

/// The largest memory_reserved() since the start or the last reset.
inline int64_t max_memory_reserved() {
  return __atomic_load_n(&detail::pool.reserved.peak, __ATOMIC_RELAXED);
}

/// Resets both maxima to the current values.
inline void reset_peak_memory_stats() {
  __atomic_store_n(&detail::pool.allocated.peak, memory_allocated(), __ATOMIC_RELAXED);
  __atomic_store_n(&detail::pool.reserved.peak, memory_reserved(), __ATOMIC_RELAXED);
}

/// Returns memory that no tensor holds to the system.
inline void empty_cache() { detail::pool.trim(0); }

/// The maximum number of bytes kept for later tensors; by default an eighth of the machine's
/// memory.
inline int64_t cache_limit() { return detail::pool.limit(); }
/// Throws ValueError below 0; 0 keeps nothing.
inline void set_cache_limit(int64_t bytes) {
  if (bytes < 0) fail<ValueError>("set_cache_limit", bytes, " bytes, expected at least 0");
  detail::pool.set_limit(bytes);
}
}  // namespace cpu

template <>
struct Memory<Cpu> {
  [[gnu::noinline]] static Storage* allocate(Cpu, int64_t bytes) {
    static_assert(sizeof(Storage) <= cpu::alignment);
    constexpr int64_t limit = int64_t{1} << 62;
    bool fresh = false;
    void* const block =
        bytes > limit ? nullptr : cpu::detail::pool.take(bytes + cpu::alignment, &fresh);
    if (block == nullptr) {
      fail<OutOfMemory>("allocate", bytes, " bytes could not be had on cpu, where weft holds ",
                        cpu::memory_allocated());
    }
    auto* storage = ::new (block) Storage;
    storage->data = static_cast<char*>(block) + cpu::alignment;
    storage->bytes = bytes;
    storage->fresh = fresh;
    storage->release = [](Storage* s) noexcept {
      const int64_t size = s->bytes;
      cpu::detail::pool.allocated.add(-size);
      cpu::detail::pool.give(s, size + cpu::alignment);
    };
    cpu::detail::pool.allocated.add(bytes);
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

WEFT_MODEL(MemoryDevice<Cpu>);

}  // namespace weft
