// Copies of elements between strides, and of rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "weft/cpu/elementwise/transpose.hpp"
#include "weft/eval/program/plan.hpp"

namespace weft::cpu {

using std::int64_t;

namespace detail {

/// out[i] = in[2 * i]: loads twice as wide that are narrowed, for which there are vectors. The last
/// ones are upper halves, since nothing may follow them. No number is stored by itself: what reads
/// `out` next in vectors would wait for it.
[[gnu::noinline
#if defined(__OPTIMIZE__) && !defined(__clang__)
  ,
  gnu::optimize("tree-loop-vectorize", "vect-cost-model=dynamic")
#endif
]] inline void
copy_every_second(const std::uint32_t* in, std::uint32_t* out, int64_t n) {
  typedef std::uint64_t Both __attribute__((aligned(4), may_alias));
  constexpr int64_t several = 16;
  if (n <= several) {
    for (int64_t i = 0; i < n; ++i) out[i] = in[2 * i];
    return;
  }
  const int64_t whole = (n - 1) & -several;
  const Both* const lower = reinterpret_cast<const Both*>(in);
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (int64_t i = 0; i < whole; ++i) out[i] = static_cast<std::uint32_t>(lower[i]);
  const Both* const upper = reinterpret_cast<const Both*>(in + 2 * (n - several) - 1);
  std::uint32_t* const last = out + n - several;
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (int64_t i = 0; i < several; ++i) last[i] = static_cast<std::uint32_t>(upper[i] >> 32);
}

/// `bytes` bytes that repeat the 16 of `pattern`, in vectors. The last one overlaps what is before
/// it, so that elements must divide 16 bytes and fill at least as many.
WEFT_OUTLINED inline void fill_bytes(char* to, const char* pattern, int64_t bytes) {
  typedef char Vector __attribute__((vector_size(16)));
  Vector value;
  __builtin_memcpy(&value, pattern, 16);
  char* const last = to + bytes - 16;
  for (; last - to >= 64; to += 64) {
    __builtin_memcpy(to, &value, 16);
    __builtin_memcpy(to + 16, &value, 16);
    __builtin_memcpy(to + 32, &value, 16);
    __builtin_memcpy(to + 48, &value, 16);
  }
  for (; to < last; to += 16) __builtin_memcpy(to, &value, 16);
  __builtin_memcpy(last, &value, 16);
}

/// Copies `rows` rows of `bytes` bytes, short ones in vectors that overlap at the end.
WEFT_OUTLINED inline void copy_rows(const char* from, int64_t from_pitch, char* to,
                                    int64_t to_pitch, int64_t bytes, int64_t rows) {
  if (from_pitch == bytes && to_pitch == bytes) {
    bytes *= rows;
    rows = 1;
  }
  constexpr int64_t vector = 16;
  constexpr int64_t longest = 512;  // above which the C library's copy is faster
  for (int64_t r = 0; r < rows; ++r, from += from_pitch, to += to_pitch) {
    if (bytes < vector || bytes > longest) {
      __builtin_memcpy(to, from, static_cast<std::size_t>(bytes));
      continue;
    }
    for (int64_t i = 0; i < bytes - vector; i += vector) __builtin_memcpy(to + i, from + i, vector);
    __builtin_memcpy(to + bytes - vector, from + bytes - vector, vector);
  }
}

template <class T>
[[gnu::noinline]] void copy_elements(const char* from, int64_t from_stride, char* to,
                                     int64_t to_stride, int64_t n) {
  const T* in = reinterpret_cast<const T*>(from);
  T* out = reinterpret_cast<T*>(to);
  if (from_stride == 1 && to_stride == 1) {
    __builtin_memcpy(out, in, static_cast<std::size_t>(n) * sizeof(T));
  } else if (from_stride == 0) {
    const T value = *in;
    constexpr int64_t lanes = 16 / static_cast<int64_t>(sizeof(T));
    if (to_stride == 1 && n >= lanes) {
      T pattern[lanes];
      for (T& lane : pattern) lane = value;
      return fill_bytes(to, reinterpret_cast<const char*>(pattern),
                        n * static_cast<int64_t>(sizeof(T)));
    }
    for (int64_t i = 0; i < n; ++i) out[i * to_stride] = value;
  } else if (to_stride == 1) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if constexpr (sizeof(T) == 4) {
      if (from_stride == 2) return copy_every_second(in, out, n);
    }
#endif
    for (int64_t i = 0; i < n; ++i) out[i] = in[i * from_stride];
  } else {
    for (int64_t i = 0; i < n; ++i) out[i * to_stride] = in[i * from_stride];
  }
}
}  // namespace detail

/// Copies n elements of `itemsize` bytes between strides; sizes in Sizes have loops of their own.
template <int Sizes>
void copy_strided(const char* from, int64_t from_stride, char* to, int64_t to_stride, int64_t n,
                  int itemsize) {
  if constexpr ((Sizes & 1) != 0) {
    if (itemsize == 1)
      return detail::copy_elements<std::uint8_t>(from, from_stride, to, to_stride, n);
  }
  if constexpr ((Sizes & 2) != 0) {
    if (itemsize == 2)
      return detail::copy_elements<std::uint16_t>(from, from_stride, to, to_stride, n);
  }
  if constexpr ((Sizes & 4) != 0) {
    if (itemsize == 4)
      return detail::copy_elements<std::uint32_t>(from, from_stride, to, to_stride, n);
  }
  if constexpr ((Sizes & 8) != 0) {
    if (itemsize == 8)
      return detail::copy_elements<std::uint64_t>(from, from_stride, to, to_stride, n);
  }
  if constexpr ((Sizes & 16) != 0) {
    if (itemsize == 16)
      return detail::copy_elements<detail::Sixteen>(from, from_stride, to, to_stride, n);
  }
  for (int64_t i = 0; i < n; ++i) {
    __builtin_memcpy(to + i * to_stride * itemsize, from + i * from_stride * itemsize,
                     static_cast<std::size_t>(itemsize));
  }
}

/// How the elements of a statement's operands are copied. Most statements have elements of one or
/// two sizes; a file compiles only the loops for its own.
struct Movers {
  void (*copy)(const char* from, int64_t from_stride, char* to, int64_t to_stride, int64_t n,
               int itemsize);
  void (*transpose)(const char* from, int64_t stride, char* to, int64_t pitch, int rows,
                    int columns, int itemsize);
};
template <int Sizes>
inline constexpr Movers movers{copy_strided<Sizes>, detail::transpose_tile<Sizes>};

}  // namespace weft::cpu
