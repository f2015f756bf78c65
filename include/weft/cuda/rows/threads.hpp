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
  unsigned coordinate[2] = {};  // of the row along its two kept axes; of one, the row and 0
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
  place.coordinate[0] = place.row;
  if (grid.kept_rank == 2) {
    place.coordinate[1] = grid.kept[0].divide(place.row);
    place.coordinate[0] = place.row - place.coordinate[1] * grid.kept[0].divisor;
  }
  return place;
}

/// What the coordinates of linear position `index` in some dimensions, innermost first, add to an
/// address.
__device__ __forceinline__ int64_t bytes_by_axes(const FastDivmod* size, int rank,
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
/// Where a row begins in an operand: one function for rows of all shapes, which calls no others, so
/// that its callers keep their registers.
inline __device__ __noinline__ char* row_start_by_axes(const RowLoops& grid, const RowOperand& x,
                                                       unsigned row) {
  return x.data + row_bytes(grid, x, row);
}
/// The same in the operands that `uses` names, at coordinate `outer` of the row's outer dimensions.
inline __device__ __noinline__ void row_starts_by_axes(const RowLoops& grid,
                                                       const RowOperand* operand,
                                                       std::uint64_t uses, unsigned row,
                                                       unsigned outer, char** at) {
#pragma unroll 1
  for (int i = 0; uses != 0; ++i, uses >>= 1) {
    if ((uses & 1U) == 0) continue;
    const RowOperand& x = operand[i];
    at[i] = x.data + row_bytes(grid, x, row) +
            bytes_by_axes(grid.reduced + 1, grid.reduced_rank - 1, x.reduced_stride + 1, outer);
  }
}

/// Where a row begins in an operand.
__device__ __forceinline__ char* row_start(const RowLoops& grid, const RowOperand& x,
                                           unsigned row) {
  return grid.simple ? x.data + row * x.kept_stride[0] : row_start_by_axes(grid, x, row);
}
/// The same of a thread's row where the grid is planar, and of any grid.
__device__ __forceinline__ char* planar_start(const RowOperand& x, const RowPlace& place) {
  return x.data + place.coordinate[0] * x.kept_stride[0] + place.coordinate[1] * x.kept_stride[1];
}
__device__ __forceinline__ char* row_start(const RowLoops& grid, const RowOperand& x,
                                           const RowPlace& place) {
  return grid.planar ? planar_start(x, place) : row_start_by_axes(grid, x, place.row);
}
/// The same in the kernel that keeps rows in registers, where row_start_by_axes makes the compiler
/// spill some (docs/notes/measurements.md).
inline __device__ __noinline__ int64_t kept_bytes(const RowLoops& grid, const int64_t* stride,
                                                  unsigned row) {
  return bytes_by_axes(grid.kept, grid.kept_rank, stride, row);
}
__device__ __forceinline__ char* kept_row_start(const RowLoops& grid, const RowOperand& x,
                                                const RowPlace& place) {
  if (grid.planar) return planar_start(x, place);
  if (x.rows != nullptr) return x.data + x.rows[place.row];
  return x.data + kept_bytes(grid, x.kept_stride, place.row);
}

/// Fills in where a thread's row begins in the operands I that Uses names, at coordinate `outer` of
/// the row's outer dimensions. One branch for all: a call for each would be most of a kernel.
template <std::uint64_t Uses, int N, std::size_t... I>
__device__ __forceinline__ void row_starts(const RowGrid<N>& grid, const RowPlace& place,
                                           unsigned outer, char** at, std::index_sequence<I...>) {
  if constexpr (Uses == 0) return;
  if (grid.planar) {
    const auto begin = [&](const RowOperand& x) {
      return planar_start(x, place) + outer * x.reduced_stride[1];
    };
    ((Uses >> I & 1U ? void(at[I] = begin(grid.operand[I])) : void()), ...);
  } else {
    char* found[N];
    row_starts_by_axes(grid, grid.operand, Uses, place.row, outer, found);
    ((Uses >> I & 1U ? void(at[I] = found[I]) : void()), ...);
  }
}

/// Where an element of a row lies.
inline __device__ __noinline__ char* element(const RowLoops& grid, const RowOperand& x,
                                             unsigned row, long long index) {
  char* const first = x.data + row_bytes(grid, x, row);
  if (grid.reduced_rank <= 1) return first + index * x.reduced_stride[0];
  return first + bytes_by_axes(grid.reduced, grid.reduced_rank, x.reduced_stride,
                               static_cast<unsigned>(index));
}

}  // namespace weft::on_cuda::detail

#endif
