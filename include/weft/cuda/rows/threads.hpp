// A row kernel's thread: which part of which row it has, and where that lies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/vector.hpp"
#include "weft/cuda/rows/grid.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

/// What a thread has of its block's rows: elements `lane` and on along the innermost dimension, at
/// coordinates `outer` and on of the others.
struct RowPlace {
  unsigned row = 0;
  unsigned coordinate[2] = {};  // of the row along its two kept axes, where there are two
  unsigned part = 0;            // the block's, of those that share the row
  unsigned thread = 0;          // among those of the block that do
  unsigned lane = 0;
  unsigned outer = 0;
  bool active = false;
};

/// Which of a block's columns a thread has in the kernel that loops.
__device__ __forceinline__ unsigned column_in_block(const RowLoops& grid) {
  if (grid.width.divisor == 1) return threadIdx.x & (grid.rows_a_block - 1);
  return threadIdx.x - grid.width.divide(threadIdx.x) * grid.width.divisor;
}

/// `Plain`: rows have one dimension and are not columns.
template <bool Plain = false>
__device__ __forceinline__ RowPlace place_in_block(const RowLoops& grid) {
  RowPlace place;
  const unsigned block = grid.parts.divide(blockIdx.x);
  place.part = blockIdx.x - block * grid.parts.divisor;
  if (!Plain && grid.width.divisor > 1) {
    place.thread = grid.width.divide(threadIdx.x);
    place.row = block * grid.rows_a_block + column_in_block(grid);
  } else if (!Plain && grid.columns) {
    const unsigned shift = grid.width_shift;
    place.thread = threadIdx.x >> shift & (grid.group - 1);
    place.row = block * grid.rows_a_block + (threadIdx.x >> (shift + grid.group_shift) << shift) +
                (threadIdx.x & ((1U << shift) - 1));
  } else {
    place.thread = threadIdx.x & (grid.group - 1);
    place.row = block;
    if (grid.group < blockDim.x) {
      place.row = block * grid.rows_a_block + (threadIdx.x >> grid.group_shift);
    } else {
      place.thread = threadIdx.x;
    }
  }
  const unsigned among = place.part * grid.group + place.thread;
  if (!Plain && grid.reduced_rank > 1) {
    const unsigned next = grid.across.divide(among);
    const unsigned here = among - next * grid.across.divisor;
    place.lane = grid.turned ? next : here;
    place.outer = grid.turned ? here : next;
    // The last few threads may have no part of the row: they only help to merge.
    if ((grid.turned ? place.lane >= grid.apart : place.outer >= grid.outer_stride)) {
      place.outer = grid.outer;
    }
  } else {
    place.lane = among;
  }
  place.active = place.row < grid.rows && place.thread < grid.group;
  if (!place.active) place.row = 0;
  if (grid.kept_rank == 2) {
    place.coordinate[1] = grid.kept[0].divide(place.row);
    place.coordinate[0] = place.row - place.coordinate[1] * grid.kept[0].divisor;
  }
  return place;
}

/// What the coordinates of linear position `index` in some dimensions, innermost first, add to an
/// address.
inline __device__ __noinline__ int64_t bytes_by_axes(const FastDivmod* size, int rank,
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

/// From an operand's address to a row.
__device__ __forceinline__ int64_t row_bytes(const RowLoops& grid, const RowOperand& x,
                                             unsigned row) {
  if (x.rows != nullptr) return x.rows[row];
  return bytes_by_axes(grid.kept, grid.kept_rank, x.kept_stride, row);
}

/// Where a row begins in an operand.
__device__ __forceinline__ char* row_start(const RowLoops& grid, const RowOperand& x,
                                           unsigned row) {
  if (grid.simple) return x.data + row * x.row;
  return x.data + row_bytes(grid, x, row);
}

/// The same of a thread's row.
__device__ __forceinline__ char* row_start(const RowLoops& grid, const RowOperand& x,
                                           const RowPlace& place) {
  if (grid.simple) return x.data + place.row * x.row;
  if (grid.kept_rank == 2 && x.rows == nullptr) {
    return x.data + place.coordinate[0] * x.kept_stride[0] + place.coordinate[1] * x.kept_stride[1];
  }
  return x.data + row_bytes(grid, x, place.row);
}

/// The same at coordinate `outer` of the row's outer dimensions, for the kernel that loops: one
/// function.
inline __device__ __noinline__ char* row_start_by_axes(const RowLoops& grid, const RowOperand& x,
                                                       unsigned row, unsigned outer) {
  return row_start(grid, x, row) +
         bytes_by_axes(grid.reduced + 1, grid.reduced_rank - 1, x.reduced_stride + 1, outer);
}
__device__ __forceinline__ char* row_start(const RowLoops& grid, const RowOperand& x, unsigned row,
                                           unsigned outer) {
  if (grid.simple) return x.data + row * x.row;
  return row_start_by_axes(grid, x, row, outer);
}

/// Where an element of a row lies.
inline __device__ __noinline__ char* element(const RowLoops& grid, const RowOperand& x,
                                             unsigned row, long long index) {
  char* at = row_start(grid, x, row);
  if (grid.reduced_rank <= 1) return at + index * x.reduced_stride[0];
  return at + bytes_by_axes(grid.reduced, grid.reduced_rank, x.reduced_stride,
                            static_cast<unsigned>(index));
}

}  // namespace weft::on_cuda::detail

#endif
