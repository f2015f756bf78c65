// Rows that are shorter than a vector, put side by side for a loop over whole vectors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/element_work.hpp"

namespace weft::cpu::detail {

/// Copies 4 to 64 bytes, a multiple of 4.
WEFT_INLINE void copy_few(char* to, const char* from, int64_t bytes) {
  if (bytes < 8) {
    __builtin_memcpy(to, from, 4);
  } else if (bytes < 16) {
    __builtin_memcpy(to, from, 8);
    __builtin_memcpy(to + bytes - 8, from + bytes - 8, 8);
  } else {
    for (int64_t i = 0; i + 16 < bytes; i += 16) __builtin_memcpy(to + i, from + i, 16);
    __builtin_memcpy(to + bytes - 16, from + bytes - 16, 16);
  }
}

/// Runs a loop over whole vectors of `vector` elements on rows of n, which are shorter: copies as
/// many rows as fit into a buffer, and the results back. All operands have elements of `itemsize`
/// bytes, 4 or 8; the first `targets` of `count` are written. `vector` is a power of two, at
/// most 64.
WEFT_OUTLINED inline void run_short_rows(ElementLoop* loop, const void* programs, char* const* at,
                                         const int64_t* skip, int64_t rows, int64_t n, int count,
                                         int targets, int itemsize, int64_t vector) {
  if (n <= 0) return;
  constexpr int64_t room = 512;  // bytes of an operand
  const int64_t row = n * itemsize;
  const int64_t most = rows == 1 ? 1 : room / 8 / n;  // rows at a time
  // The 64 bytes more are for its alignment and for a last store of 8 bytes.
  auto* buffer = static_cast<char*>(__builtin_alloca(static_cast<std::size_t>(count) * room + 64));
  buffer += -reinterpret_cast<std::uintptr_t>(buffer) % 32;
  auto** places =
      static_cast<char**>(__builtin_alloca(static_cast<std::size_t>(count) * sizeof(char*)));
  auto* step =
      static_cast<int64_t*>(__builtin_alloca(static_cast<std::size_t>(count) * sizeof(int64_t)));
  for (int k = 0; k < count; ++k) {
    places[k] = buffer + k * room;
    step[k] = 1;
  }
  for (int64_t first = 0; first < rows; first += most) {
    const int64_t some = rows - first < most ? rows - first : most;
    const int64_t whole = (some * n + vector - 1) & -vector;
    for (int k = targets; k < count; ++k) {
      const char* from = at[k] + first * skip[k];
      char* to = places[k];
      for (int64_t r = 0; r < some; ++r, from += skip[k], to += row) copy_few(to, from, row);
      // What follows is computed as well, from a number that occurs.
      from += row - skip[k] - itemsize;
      std::uint64_t value;
      if (itemsize == 4) {
        std::uint32_t once;
        __builtin_memcpy(&once, from, 4);
        value = once | std::uint64_t{once} << 32;
      } else {
        __builtin_memcpy(&value, from, 8);
      }
      for (char* const end = places[k] + whole * itemsize; to < end; to += 8) {
        __builtin_memcpy(to, &value, 8);
      }
    }
    loop(programs, places, step, step, 1, whole);
    for (int k = 0; k < targets; ++k) {
      const char* from = places[k];
      char* to = at[k] + first * skip[k];
      for (int64_t r = 0; r < some; ++r, from += row, to += skip[k]) copy_few(to, from, row);
    }
  }
}

}  // namespace weft::cpu::detail
