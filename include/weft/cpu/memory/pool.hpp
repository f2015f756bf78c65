// The CPU's pool: large blocks that tensors no longer need are kept for the next ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <unistd.h>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstdlib>

#include "weft/core/shape.hpp"
#include "weft/tensor/storage.hpp"

namespace weft::cpu::detail {

/// A number that several threads count.
struct Counter {
  int64_t value = 0;
  int64_t peak = 0;

  int64_t now() const { return __atomic_load_n(&value, __ATOMIC_RELAXED); }
  void add(int64_t n) noexcept {
    if (weft::detail::single_threaded()) {
      __atomic_store_n(&value, value + n, __ATOMIC_RELAXED);
      if (value > peak) __atomic_store_n(&peak, value, __ATOMIC_RELAXED);
      return;
    }
    const int64_t sum = __atomic_add_fetch(&value, n, __ATOMIC_RELAXED);
    int64_t most = __atomic_load_n(&peak, __ATOMIC_RELAXED);
    while (sum > most && !__atomic_compare_exchange_n(&peak, &most, sum, true, __ATOMIC_RELAXED,
                                                      __ATOMIC_RELAXED)) {
    }
  }
};

/// Freed blocks by size. The C library returns large blocks to the system, and the first touch of
/// fresh memory costs five times as much as writing it again. Never destroyed: static tensors
/// outlive it.
class Pool {
 public:
  static constexpr int smallest_octave = 16;
  static constexpr int64_t smallest = 1 << smallest_octave;  // smaller blocks are the C library's
  static constexpr int64_t huge_page = 1 << 21;
  static constexpr int64_t page = 1 << 12;

  /// The size of a block for that many bytes: at most an eighth more.
  static constexpr int64_t rounded(int64_t bytes) {
    if (bytes < smallest) return (bytes + 63) & -64;
    const int64_t step = int64_t{1} << (60 - __builtin_clzll(static_cast<std::uint64_t>(bytes)));
    return (bytes + step - 1) & -step;
  }

  /// A block of rounded(bytes) at a multiple of 64 bytes, null if there is no memory; `fresh` is
  /// set if it is large and comes from the system.
  void* take(int64_t bytes, bool* fresh = nullptr) noexcept {
    const int64_t size = rounded(bytes);
    if (size >= smallest) {
      pthread_mutex_lock(&mutex_);
      Free*& list = lists_[list_of(size)];
      Free* const block = list;
      if (block != nullptr) {
        list = block->next;
        add_cached(-size);
      }
      pthread_mutex_unlock(&mutex_);
      if (block != nullptr) return block;
    }
    void* block = allocate(size);
    if (block == nullptr && size >= smallest) {
      trim(0);
      block = allocate(size);
    }
    if (block != nullptr) reserved.add(size);
    if (fresh != nullptr) *fresh = block != nullptr && size >= smallest;
    return block;
  }

  /// Takes the block back that take(bytes) gave.
  void give(void* block, int64_t bytes) noexcept {
    const int64_t size = rounded(bytes);
    if (size >= smallest) {
      const int64_t most = limit();
      if (size <= most) {
        if (cached() > most - size) trim(most - size);
        pthread_mutex_lock(&mutex_);
        Free*& list = lists_[list_of(size)];
        list = ::new (block) Free{list};
        add_cached(size);
        pthread_mutex_unlock(&mutex_);
        return;
      }
    }
    release(block, size);
    reserved.add(-size);
  }

  /// Frees kept blocks, the largest first, until no more than `most` bytes are left.
  WEFT_ONCE void trim(int64_t most) noexcept {
    pthread_mutex_lock(&mutex_);
    for (int i = lists - 1; i >= 0 && cached_ > most; --i) {
      while (lists_[i] != nullptr && cached_ > most) {
        Free* const block = lists_[i];
        lists_[i] = block->next;
        const int64_t size = size_of(i);
        add_cached(-size);
        reserved.add(-size);
        release(block, size);
      }
    }
    pthread_mutex_unlock(&mutex_);
  }

  int64_t cached() const { return __atomic_load_n(&cached_, __ATOMIC_RELAXED); }

  /// An eighth of the machine's memory unless set.
  int64_t limit() const {
    const int64_t set = ~__atomic_load_n(&not_limit_, __ATOMIC_RELAXED);
    if (set >= 0) return set;
    return static_cast<int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE) / 8;
  }
  void set_limit(int64_t bytes) {
    __atomic_store_n(&not_limit_, ~bytes, __ATOMIC_RELAXED);
    trim(bytes);
  }

  Counter allocated;  // what tensors hold
  Counter reserved;   // what came from the system

 private:
  static constexpr int lists = 8 * (63 - smallest_octave);
  struct Free {
    Free* next;
  };

  /// Eight sizes between a power of two and the next.
  static int list_of(int64_t size) {
    const int octave = 63 - __builtin_clzll(static_cast<std::uint64_t>(size));
    return 8 * (octave - smallest_octave) + static_cast<int>(size >> (octave - 3) & 7);
  }
  static int64_t size_of(int list) {
    return (8 + int64_t{list % 8}) << (list / 8 + smallest_octave - 3);
  }

  /// Under the mutex; atomic because cached() reads without it.
  void add_cached(int64_t bytes) { __atomic_store_n(&cached_, cached_ + bytes, __ATOMIC_RELAXED); }

  static bool is_huge(int64_t size) { return size >= 2 * huge_page; }

  /// Large blocks begin at the start of a page, every other one in the middle of it. Loads wait for
  /// earlier stores whose addresses have the same last 12 bits: often where a loop's operands begin
  /// some hundred bytes apart, as blocks of the C library's do.
  [[gnu::noinline]] void* allocate(int64_t size) noexcept {
    const bool large = size >= smallest;
    const auto bytes = static_cast<std::size_t>(size + (large ? page : 0));
    void* block = nullptr;
    if (posix_memalign(&block, is_huge(size) ? huge_page : large ? page : 64, bytes) != 0) {
      return nullptr;
    }
#if defined(__linux__)
    if (is_huge(size)) madvise(block, bytes, MADV_HUGEPAGE);
#endif
    if (!large) return block;
    const unsigned k = __atomic_fetch_add(&allocations_, 1U, __ATOMIC_RELAXED);
    return static_cast<char*>(block) + k % 2 * (page / 2);
  }
  static void release(void* block, int64_t size) noexcept {
    if (size >= smallest) {
      const auto at = reinterpret_cast<std::uintptr_t>(block);
      block = static_cast<char*>(block) - at % (is_huge(size) ? huge_page : page);
    }
    std::free(block);
  }

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  Free* lists_[lists] = {};
  int64_t cached_ = 0;
  int64_t not_limit_ = 0;     // ~limit, so that all bytes are 0 and take no room in the object
  unsigned allocations_ = 0;  // of large blocks
};

[[gnu::visibility("default")]] inline constinit Pool pool;

}  // namespace weft::cpu::detail
