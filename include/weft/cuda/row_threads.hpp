// A row kernel's thread: which part of which row it has, and where that lies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/row_grid.hpp"
#include "weft/cuda/vector.hpp"

#if defined(__CUDACC__)

namespace weft::cuda::detail {

/// What a thread has of its block's rows: `vectors` full, aligned ones, and the elements before and
/// behind them one by one; or elements alone.
struct RowPlace {
  unsigned row = 0;
  unsigned lane = 0;  // among the threads of all blocks that share the row
  unsigned vectors = 0;
  unsigned mine = 0;  // of them, or of the elements, this thread's
  unsigned before = 0;
  unsigned singles = 0;  // elements in no full vector
  bool active = false;
};

__device__ __forceinline__ RowPlace place_in_block(const RowLoops& grid) {
  RowPlace place;
  const unsigned block = grid.parts.divide(blockIdx.x);
  const unsigned part = blockIdx.x - block * grid.parts.divisor;
  if (grid.columns) {
    place.lane = threadIdx.x >> grid.width_shift;
    place.row = block * grid.rows_a_block + (threadIdx.x & (grid.rows_a_block - 1));
  } else {
    place.lane = threadIdx.x & (grid.group - 1);
    place.row = block;
    if (grid.group < blockDim.x) {
      place.row = block * grid.rows_a_block + (threadIdx.x >> grid.group_shift);
    } else {
      place.lane = threadIdx.x;
    }
  }
  place.lane += part * grid.group;
  place.active = place.row < grid.rows;
  if (!place.active) place.row = 0;
  return place;
}

/// What the coordinates of linear position `index` in some dimensions, innermost first, add to an
/// address.
inline __device__ __noinline__ int64_t bytes_by_axes(const Divider* size, int rank,
                                                     const int64_t* stride, unsigned index) {
  int64_t bytes = 0;
#pragma unroll 1
  for (int d = 0; d < rank; ++d) {
    const unsigned next = size[d].divide(index);
    bytes += static_cast<int64_t>(index - next * size[d].divisor) * stride[d];
    index = next;
  }
  return bytes;
}

/// Where a row begins in an operand.
__device__ __forceinline__ char* row_start(const RowLoops& grid, const RowOperand& x,
                                           unsigned row) {
  if (grid.simple) return x.data + row * x.row;
  return x.data + bytes_by_axes(grid.kept, grid.kept_rank, x.kept_stride, row);
}

/// Where full vector k of a row begins.
inline __device__ __noinline__ char* vector_start_by_axes(const RowLoops& grid, const RowOperand& x,
                                                          unsigned row, unsigned before,
                                                          unsigned k) {
  char* at = x.data + bytes_by_axes(grid.kept, grid.kept_rank, x.kept_stride, row);
  if (grid.reduced_rank <= 1) return at + before * int64_t{x.lane} * x.itemsize + k * x.vector;
  const unsigned outer = grid.items.divide(k);
  return at + (k - outer * grid.items.divisor) * x.vector +
         bytes_by_axes(grid.reduced + 1, grid.reduced_rank - 1, x.reduced_stride + 1, outer);
}
__device__ __forceinline__ char* vector_start(const RowLoops& grid, const RowOperand& x,
                                              const RowPlace& place, unsigned k) {
  if (!grid.simple) return vector_start_by_axes(grid, x, place.row, place.before, k);
  return x.data + place.row * x.row + k * x.vector +
         static_cast<int>(place.before) * x.lane * x.itemsize;
}

/// Where an element of a row lies.
inline __device__ __noinline__ char* element(const RowLoops& grid, const RowOperand& x,
                                             unsigned row, long long index) {
  char* at = row_start(grid, x, row);
  if (grid.reduced_rank <= 1) return at + index * x.lane * x.itemsize;
  return at + bytes_by_axes(grid.reduced, grid.reduced_rank, x.reduced_stride,
                            static_cast<unsigned>(index));
}

/// How many of n items that threads of the row take in turn are this thread's.
__device__ __forceinline__ unsigned my_share(const RowLoops& grid, const RowPlace& place,
                                             unsigned n) {
  return n > place.lane ? grid.stride.divide(n - 1 - place.lane) + 1 : 0;
}

/// Counts the items of a row, whose vectors begin at an aligned address of `head`, or at the row's
/// own where that is null.
__device__ __forceinline__ void divide_row(const RowLoops& grid, RowPlace& place, int lanes,
                                           const char* head, int size) {
  if (!place.active) return;
  if (grid.length == 0) {
    place.mine = my_share(grid, place, static_cast<unsigned>(grid.count));
    return;
  }
  if (head != nullptr) {
    const auto elements =
        static_cast<unsigned>(reinterpret_cast<unsigned long long>(head) >> (__ffs(size) - 1));
    place.before = (0U - elements) & static_cast<unsigned>(lanes - 1);
    if (place.before > grid.count) place.before = static_cast<unsigned>(grid.count);
    place.vectors = static_cast<unsigned>((grid.count - place.before) / lanes);
  } else {
    place.vectors = grid.length;
  }
  place.singles = static_cast<unsigned>(grid.count - static_cast<long long>(place.vectors) * lanes);
  place.mine = my_share(grid, place, place.vectors);
}

}  // namespace weft::cuda::detail

#endif
