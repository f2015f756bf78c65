// Non-temporal stores for results larger than the cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include "weft/core/pack.hpp"
#include "weft/cpu/elementwise/element_work.hpp"
#include "weft/eval/program/program.hpp"

namespace weft::cpu::detail {

/// Results of this many bytes or more are written by non-temporal stores; 0: decided by the
/// last-level cache.
[[gnu::visibility("default")]] inline constinit int64_t stream_limit_set = 0;

/// Shorter rows are mostly partial cache lines.
inline constexpr int64_t shortest_streamed = 256;

inline constexpr int64_t least_stream_limit = int64_t{1} << 23;

/// The size of the last-level cache, clamped to 8 to 32 MiB: on a machine with many cores a program
/// rarely has more to itself.
WEFT_OUTLINED inline int64_t stream_limit() {
  if (stream_limit_set > 0) return stream_limit_set;
  constexpr int64_t least = least_stream_limit;
  constexpr int64_t most = int64_t{1} << 25;
#if defined(_SC_LEVEL3_CACHE_SIZE)
  static const int64_t cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  if (cache > 0) return cache < least ? least : cache > most ? most : cache;
#endif
  return most;
}

/// A quick check: false if `count` elements of any type are too few.
inline bool may_stream(int64_t count) {
  return count >= least_stream_limit / 16 || stream_limit_set > 0;
}

/// A bit for each target (operands[0] and up) whose `count` elements are worth non-temporal stores.
/// Not if it is also read, since its lines are cached anyway, and not if its memory is fresh: the
/// system zeroes pages through the caches when they are first written.
WEFT_OUTLINED inline std::uint64_t find_streamed(
    [[maybe_unused]] int64_t count, [[maybe_unused]] const weft::detail::Operand* operands,
    [[maybe_unused]] int n, [[maybe_unused]] int targets) {
  std::uint64_t found = 0;
#if defined(__x86_64__)
  for (int k = 0; k < targets && k < 64; ++k) {
    const weft::detail::Operand& target = operands[k];
    if (count * target.itemsize < stream_limit()) continue;
    bool only_written = true;
    for (int i = targets; i < n && only_written; ++i) {
      only_written = operands[i].data != target.data;
    }
    if (target.storage != nullptr && target.storage->take_fresh()) only_written = false;
    if (only_written) found |= std::uint64_t{1} << k;
  }
#endif
  return found;
}

/// Stores sixteen bytes non-temporally if the machine can; `to` is aligned to 16 bytes.
WEFT_INLINE void stream_sixteen(char* to, const char* from) {
  typedef long long Vector __attribute__((vector_size(16), may_alias));
  Vector value;
  __builtin_memcpy(&value, from, 16);
#if defined(__clang__)
  __builtin_nontemporal_store(value, reinterpret_cast<Vector*>(to));
#elif defined(__x86_64__)
  __builtin_ia32_movntdq(reinterpret_cast<Vector*>(to), value);
#else
  __builtin_memcpy(to, &value, 16);
#endif
}
/// Ends a thread's non-temporal stores, so that other threads see them in order.
inline void stream_fence() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#endif
}

/// Writes `bytes` bytes, taken from from(i) at offset i: whole cache lines non-temporally, the
/// partial first and last ones by ordinary stores.
template <class From>
WEFT_INLINE void stream(char* to, int64_t bytes, const From& from) {
  constexpr int line = 64;
  const auto copy = [&](int64_t first, int64_t last) {
    __builtin_memcpy(to + first, from(first), static_cast<std::size_t>(last - first));
  };
  const auto before = static_cast<int64_t>(-reinterpret_cast<std::uintptr_t>(to) % line);
  int64_t i = before < bytes ? before : bytes;
  copy(0, i);
  for (; i + line <= bytes; i += line) {
    for (int j = 0; j < line; j += 16) stream_sixteen(to + i + j, from(i + j));
  }
  copy(i, bytes);
}
[[gnu::noinline]] inline void stream_bytes(char* to, const char* from, int64_t bytes) {
  stream(to, bytes, [from](int64_t i) { return from + i; });
}

/// An element-wise loop with non-temporal stores, for programs that only copy or fill. Compiled
/// once, not per type.
struct PastCaches {
  ElementLoop* loop;
  int itemsize;      // a power of two
  char element[16];  // the value of a fill

  /// Fills with the program's value.
  template <class Out, class V>
    requires(sizeof(Out) <= 16 && (sizeof(Out) & (sizeof(Out) - 1)) == 0)  // not Small
  static PastCaches of(weft::detail::TypeList<Out>, const Pack<Constant<V>>& programs) {
    PastCaches past{fill, sizeof(Out), {}};
    const Out value = store_element<Out>(programs.head.value);
    __builtin_memcpy(past.element, &value, sizeof(Out));
    return past;
  }
  /// Copies the only operand, of a type that is stored bit for bit; NaNs of half types are not.
  template <class T>
    requires std::is_same_v<compute_t<T>, T>
  static PastCaches of(weft::detail::TypeList<T>, const Pack<Arg<1, T>>&) {
    return {copy, sizeof(T), {}};
  }

 private:
  static const PastCaches& from(const void* context) {
    return *static_cast<const PastCaches*>(context);
  }
  static void copy(const void* context, char* const* at, const int64_t*, const int64_t* skip,
                   int64_t rows, int64_t n) {
    const int64_t bytes = n * from(context).itemsize;
    for (int64_t r = 0; r < rows; ++r) {
      stream_bytes(at[0] + r * skip[0], at[1] + r * skip[1], bytes);
    }
  }
  static void fill(const void* context, char* const* at, const int64_t*, const int64_t* skip,
                   int64_t rows, int64_t n) {
    const PastCaches& mine = from(context);
    const int64_t phases = mine.itemsize - 1;
    char repeated[80];
    for (int i = 0; i < 80; ++i) repeated[i] = mine.element[i & phases];
    for (int64_t r = 0; r < rows; ++r) {
      stream(at[0] + r * skip[0], n * mine.itemsize,
             [&](int64_t i) { return repeated + (i & phases); });
    }
  }
};

}  // namespace weft::cpu::detail
