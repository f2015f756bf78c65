// Tiles of operands that are contiguous along another axis than the target, in shared memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/ptx.hpp"
#include "weft/cuda/primitive/launch.hpp"

namespace weft::on_cuda {

/// A tile is 64 rows of the target by 256 bytes of the widest operand, which 16 threads compute
/// with a vector each. Operands in shared memory run along its columns.
inline constexpr int tile_rows = 64;
inline constexpr int tile_width = 16;
inline constexpr int tile_step = block_threads / tile_width;  // rows computed at a time

/// Elements between columns in shared memory: an odd number of 4-byte words, so that columns begin
/// in different banks.
WEFT_HD constexpr int tile_pitch(int itemsize) {
  return tile_rows + (itemsize < 4 ? 4 / itemsize : 1);
}

/// Shared memory for one operand.
inline constexpr int transposed_bytes = 16 * tile_width * tile_pitch(1);

#if defined(__CUDACC__)
namespace detail {
/// Copies `bytes` bytes to shared memory, where possible without waiting for them.
__device__ __forceinline__ void copy_word(char* to, const char* from, int bytes) {
#if __CUDA_ARCH__ >= 800
  const unsigned address = weft::detail::ptx::shared_address(to);
  if (bytes == 4) {
    weft::detail::ptx::cp_async<4>(address, from);
    return;
  }
#endif
  if (bytes == 2) {
    *reinterpret_cast<unsigned short*>(to) = *reinterpret_cast<const unsigned short*>(from);
    return;
  }
#pragma unroll 1
  for (int i = 0; i < bytes; i += 8) {
#if __CUDA_ARCH__ >= 800
    if (bytes >= 8) {
      weft::detail::ptx::cp_async<8>(address + static_cast<unsigned>(i), from + i);
      continue;
    }
#endif
#pragma unroll 1
    for (int b = i; b < bytes && b < i + 8; ++b) to[b] = from[b];
  }
}

/// Copies `columns` whole columns of `rows` 16-bit elements, contiguous in memory, 16 bytes at a
/// time.
__device__ __forceinline__ void copy_columns(char* shared, const char* from, int columns,
                                             const FastDivmod& rows, int pitch) {
  const int length = static_cast<int>(rows.divisor);
  const int count = columns * length;
  auto* to = reinterpret_cast<unsigned short*>(shared);
#pragma unroll 1
  for (int e = static_cast<int>(threadIdx.x) * 8; e < count; e += block_threads * 8) {
    const auto words = *reinterpret_cast<const ::uint4*>(from + 2 * e);
    int c = static_cast<int>(rows.divide(static_cast<unsigned>(e)));
    int r = e - c * length;
    const unsigned word[] = {words.x, words.y, words.z, words.w};
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      to[c * pitch + r] = static_cast<unsigned short>(word[k / 2] >> k % 2 * 16);
      const bool end = ++r == length;
      c += end ? 1 : 0;
      r = end ? 0 : r;
    }
  }
}
}  // namespace detail

/// Where a block's tile begins.
struct TilePlace {
  int column;
  int row;
  unsigned outer;  // counts the rows of the dimensions but the last two
};

__device__ __forceinline__ TilePlace tile_place(const Tiling& tiling, unsigned block) {
  const unsigned rest = tiling.across.divide(block);
  const unsigned outer = tiling.down.divide(rest);
  return {static_cast<int>(block - rest * tiling.across.divisor) * tiling.width,
          static_cast<int>(rest - outer * tiling.down.divisor) * tile_rows, outer};
}

/// Copies a tile of the transposed operands to shared memory, column by column. Not inlined, since
/// it would take as long to compile as a kernel.
__device__ __noinline__ inline void load_tile(const Tiling& tiling, TilePlace place, int inner,
                                              int outer, const FastDivmod* size, char* const* data,
                                              const int* lane, const int (*stride)[max_rank - 1],
                                              char* shared) {
#pragma unroll 1
  for (const TransposedOperand& x : tiling.transposed) {
    const int i = x.operand;
    if (i < 0) break;
    int offset = place.column * lane[i] + place.row * stride[i][0];
    unsigned rest = place.outer;
#pragma unroll 1
    for (int d = 1; d < outer; ++d) {
      const unsigned next = size[d].divide(rest);
      offset += static_cast<int>(rest - next * size[d].divisor) * stride[i][d];
      rest = next;
    }
    const int columns = ::min(inner - place.column, tiling.width);
    if (x.whole_columns) {
      detail::copy_columns(shared, data[i] + int64_t{offset} * 2, columns, size[0],
                           x.pitch * x.pack);
      shared += transposed_bytes;
      continue;
    }
    const int words = (static_cast<int>(size[0].divisor) - place.row) / x.pack;
    const int r = threadIdx.x & ((1 << x.shift) - 1);
    const int step = block_threads >> x.shift;
    int c = threadIdx.x >> x.shift;
    const char* from = data[i] + int64_t{offset / x.pack + c * x.lane + r * x.row} * x.word;
    char* to = shared + (c * x.pitch + r) * x.word;
    if (r >= words) c = columns;
    const int64_t forward = int64_t{step * x.lane} * x.word;
    const int to_forward = step * x.pitch * x.word;
#pragma unroll 1
    for (; c < columns; c += step) {
      detail::copy_word(to, from, x.word);
      from += forward;
      to += to_forward;
    }
    shared += transposed_bytes;
  }
#if __CUDA_ARCH__ >= 800
  weft::detail::ptx::cp_async_wait_all();
#endif
  __syncthreads();
}

/// Where Registers find the operands that are in shared memory.
struct Transposed {
  const int* place;  // by operand, -1 if not there
  const char* shared;
  int column = 0;
  int row = 0;

  template <int K, class T>
  __device__ __forceinline__ const T* find(const T* p, int& stride) const {
    if (place[K] >= 0) {
      stride = tile_pitch(sizeof(T));
      p = reinterpret_cast<const T*>(shared + place[K]) + column * stride + row;
    }
    return p;
  }
};

#endif

namespace detail {
/// Shorter axes are not worth a tile.
inline constexpr int64_t min_transposed = 16;

inline bool runs_along(const Operand& x, int d) {
  return x.storage != nullptr && !x.gathered && (x.stride[d] == 1 || x.stride[d] == -1);
}
inline bool is_transposed(const Operand& x, int axis, int last) {
  const auto alignment = static_cast<unsigned>(x.itemsize < 8 ? x.itemsize : 8);
  return runs_along(x, axis) && (x.stride[last] < -1 || x.stride[last] > 1) &&
         reinterpret_cast<std::uintptr_t>(x.data) % alignment == 0;
}

/// The dimension along which the most bytes of operands are contiguous instead of along the
/// target's innermost; -1 if there is none.
WEFT_OUTLINED inline int transposed_axis(const Loops& loops, const Operand* operands, int n,
                                         int targets) {
  const int last = loops.rank - 1;
  int axis = -1;
  int most = 0;
  for (int d = 0; d < last; ++d) {
    if (loops.size[d] < min_transposed || loops.size[last] < min_transposed) continue;
    int bytes = 0;
    for (int i = targets; i < n; ++i) {
      if (is_transposed(operands[i], d, last)) bytes += operands[i].itemsize;
    }
    if (bytes > most) {
      axis = d;
      most = bytes;
    }
  }
  return axis;
}

/// The bytes of an operand that can be moved at once along `axis`, at least an element.
WEFT_OUTLINED inline int word_of(const Loops& loops, const Operand& x, int axis) {
  const int per_word = x.itemsize < 4 ? 4 / x.itemsize : 1;
  if (per_word == 1 || x.stride[axis] != 1 || loops.size[axis] % per_word != 0 ||
      reinterpret_cast<std::uintptr_t>(x.data) % 4 != 0) {
    return x.itemsize;
  }
  for (int d = 0; d < loops.rank; ++d) {
    if (d != axis && x.stride[d] % per_word != 0) return x.itemsize;
  }
  return 4;
}

/// Whether a tile's columns of 16-bit elements are contiguous in memory, in multiples of 16 bytes.
WEFT_OUTLINED inline bool has_whole_columns(const Loops& loops, const Operand& x, int width) {
  const int last = loops.rank - 1;
  const int64_t rows = loops.size[last - 1];
  bool whole = x.itemsize == 2 && rows <= tile_rows && x.stride[last - 1] == 1 &&
               x.stride[last] == rows && width % 8 == 0 && loops.size[last] * rows % 8 == 0 &&
               reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0;
  for (int d = 0; d < last - 1; ++d) whole = whole && x.stride[d] * x.itemsize % 16 == 0;
  return whole;
}

/// Chooses the operands to transpose, which are contiguous along the dimension next to the
/// innermost, and fills in their tiles; returns the number of blocks.
WEFT_OUTLINED inline unsigned plan_tiles(const Loops& loops, const Operand* operands, int n,
                                         int targets, int lanes, Tiling& tiling, int* transposed,
                                         int& shared_bytes) {
  const int last = loops.rank - 1;
  const auto tiles = [](int64_t size, int each) {
    return FastDivmod(static_cast<unsigned>((size + each - 1) / each));
  };
  tiling.width = tile_width * lanes;
  tiling.across = tiles(loops.size[last], tiling.width);
  tiling.down = tiles(loops.size[last - 1], tile_rows);
  shared_bytes = 0;
  TransposedOperand* out = tiling.transposed;
  for (int i = targets; i < n && out != tiling.transposed + 2; ++i) {
    const Operand& x = operands[i];
    if (!is_transposed(x, last - 1, last)) continue;
    out->operand = i;
    out->word = word_of(loops, x, last - 1);
    out->pack = out->word / x.itemsize;
    while (tile_rows / out->pack >> out->shift > 1) ++out->shift;
    out->pitch = tile_pitch(x.itemsize) / out->pack;
    out->whole_columns = has_whole_columns(loops, x, tiling.width);
    out->lane = static_cast<int>(x.stride[last]) / out->pack;
    out->row = static_cast<int>(x.stride[last - 1]);
    transposed[i] = shared_bytes;
    shared_bytes += transposed_bytes;
    ++out;
  }
  int64_t blocks = int64_t{tiling.across.divisor} * tiling.down.divisor;
  for (int d = 0; d < last - 1; ++d) blocks *= loops.size[d];
  return static_cast<unsigned>(blocks);
}
}  // namespace detail

}  // namespace weft::on_cuda
