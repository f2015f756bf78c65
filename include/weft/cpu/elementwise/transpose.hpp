// Transposes blocks of elements in memory, vectorised.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "weft/core/config.hpp"

namespace weft::cpu::detail {

using std::int64_t;

struct Sixteen {
  std::uint64_t low;
  std::uint64_t high;
};

/// to[j + i * pitch] = from[i + j * stride] for 4 x 4 elements of four bytes, in vectors.
WEFT_INLINE void transpose_4x4(const std::uint32_t* from, int64_t stride, std::uint32_t* to,
                               int64_t pitch) {
  typedef std::uint32_t Four __attribute__((vector_size(16)));
  Four a, b, c, d;
  __builtin_memcpy(&a, from, 16);
  __builtin_memcpy(&b, from + stride, 16);
  __builtin_memcpy(&c, from + 2 * stride, 16);
  __builtin_memcpy(&d, from + 3 * stride, 16);
  const Four ac_low = __builtin_shufflevector(a, c, 0, 4, 1, 5);
  const Four ac_high = __builtin_shufflevector(a, c, 2, 6, 3, 7);
  const Four bd_low = __builtin_shufflevector(b, d, 0, 4, 1, 5);
  const Four bd_high = __builtin_shufflevector(b, d, 2, 6, 3, 7);
  const Four out[] = {__builtin_shufflevector(ac_low, bd_low, 0, 4, 1, 5),
                      __builtin_shufflevector(ac_low, bd_low, 2, 6, 3, 7),
                      __builtin_shufflevector(ac_high, bd_high, 0, 4, 1, 5),
                      __builtin_shufflevector(ac_high, bd_high, 2, 6, 3, 7)};
  for (int i = 0; i < 4; ++i) __builtin_memcpy(to + i * pitch, &out[i], 16);
}

typedef std::uint16_t EightOfTwoBytes __attribute__((vector_size(16)));

/// Interleaves each vector with the one four vectors further on. No lambda: those are constexpr,
/// and nvcc --expt-relaxed-constexpr would compile the shuffle for the GPU.
WEFT_INLINE void interleave_halves(const EightOfTwoBytes* in, EightOfTwoBytes* out) {
  for (int j = 0; j < 4; ++j) {
    out[2 * j] = __builtin_shufflevector(in[j], in[j + 4], 0, 8, 1, 9, 2, 10, 3, 11);
    out[2 * j + 1] = __builtin_shufflevector(in[j], in[j + 4], 4, 12, 5, 13, 6, 14, 7, 15);
  }
}

/// The same for 8 x 8 elements of two bytes.
WEFT_INLINE void transpose_8x8(const std::uint16_t* from, int64_t stride, std::uint16_t* to,
                               int64_t pitch) {
  EightOfTwoBytes a[8], b[8];
  for (int j = 0; j < 8; ++j) __builtin_memcpy(&a[j], from + j * stride, 16);
  interleave_halves(a, b);
  interleave_halves(b, a);
  interleave_halves(a, b);
  for (int i = 0; i < 8; ++i) __builtin_memcpy(to + i * pitch, &b[i], 16);
}

/// to[i * pitch + j] = from[i + j * stride]: contiguous reads, and a pitch that spreads the writes
/// over the sets of the cache.
template <class T>
[[gnu::noinline]] void transpose_elements(const char* from, int64_t stride, char* to, int64_t pitch,
                                          int rows, int columns) {
  const T* const in = reinterpret_cast<const T*>(from);
  T* const out = reinterpret_cast<T*>(to);
  int column = 0;
  if constexpr (sizeof(T) == 4 || sizeof(T) == 2) {
    constexpr int step = 16 / static_cast<int>(sizeof(T));
    for (; column + step <= columns; column += step) {
      int i = 0;
      for (; i + step <= rows; i += step) {
        if constexpr (sizeof(T) == 4) {
          transpose_4x4(in + i + column * stride, stride, out + i * pitch + column, pitch);
        } else {
          transpose_8x8(in + i + column * stride, stride, out + i * pitch + column, pitch);
        }
      }
      for (; i < rows; ++i) {
        for (int j = column; j < column + step; ++j) out[i * pitch + j] = in[i + j * stride];
      }
    }
  }
  for (int j = column; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) out[i * pitch + j] = in[i + j * stride];
  }
}
/// Sizes of elements in bytes, a bit each: of a statement's operands, or all.
template <class... Ts>
inline constexpr int sizes_of = (0 | ... | (sizeof(Ts) <= 16 ? static_cast<int>(sizeof(Ts)) : 0));
inline constexpr int all_sizes = 1 | 2 | 4 | 8 | 16;

/// transpose_elements by size. Only the sizes in Sizes are compiled; others are copied one by one.
template <int Sizes>
void transpose_tile(const char* from, int64_t stride, char* to, int64_t pitch, int rows,
                    int columns, int itemsize) {
  if constexpr ((Sizes & 1) != 0) {
    if (itemsize == 1)
      return transpose_elements<std::uint8_t>(from, stride, to, pitch, rows, columns);
  }
  if constexpr ((Sizes & 2) != 0) {
    if (itemsize == 2)
      return transpose_elements<std::uint16_t>(from, stride, to, pitch, rows, columns);
  }
  if constexpr ((Sizes & 4) != 0) {
    if (itemsize == 4)
      return transpose_elements<std::uint32_t>(from, stride, to, pitch, rows, columns);
  }
  if constexpr ((Sizes & 8) != 0) {
    if (itemsize == 8)
      return transpose_elements<std::uint64_t>(from, stride, to, pitch, rows, columns);
  }
  if constexpr ((Sizes & 16) != 0) {
    if (itemsize == 16) return transpose_elements<Sixteen>(from, stride, to, pitch, rows, columns);
  }
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) {
      __builtin_memcpy(to + (i * pitch + j) * itemsize, from + (i + j * stride) * itemsize,
                       static_cast<std::size_t>(itemsize));
    }
  }
}

/// Whether elements of this size can be transposed.
inline bool can_transpose(int itemsize) {
  return itemsize <= 16 && (itemsize & (itemsize - 1)) == 0;
}

}  // namespace weft::cpu::detail
