// Grid: the argument of element-wise kernels, filled in by functions without templates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include "weft/cuda/memory.hpp"
#include "weft/eval/program/name.hpp"
#include "weft/eval/program/plan.hpp"
#include "weft/eval/rows/sharing.hpp"

namespace weft::on_cuda {

/// The GPUs on which kernels that this file compiles wait for the one before them: bit i for
/// compute capability 9.0 + i / 10. Only those for which it compiles, since others may run what it
/// compiles for older ones, which does not wait.
#if defined(__CUDA_ARCH_LIST__)
constexpr std::uint64_t waits_on = [] {
  std::uint64_t bits = 0;
  for (const int arch : {__CUDA_ARCH_LIST__}) {
    if (arch >= 900 && arch < 900 + 640) bits |= std::uint64_t{1} << (arch - 900) / 10;
  }
  return bits;
}();
#else
constexpr std::uint64_t waits_on = 0;
#endif

/// Threads per block of element-wise kernels.
inline constexpr int block_threads = 256;

/// Division by a number known before the launch (Granlund and Montgomery 1994), below 2^31.
struct FastDivmod {
  unsigned divisor = 1;
  unsigned multiplier = 0;
  unsigned shift = 0;

  FastDivmod() = default;
  /// 0 counts as 1: an empty axis has no coordinates to divide.
  explicit FastDivmod(unsigned d) : divisor(d > 0 ? d : 1) {
    if (divisor > 1) shift = 32U - static_cast<unsigned>(__builtin_clz(divisor - 1));
    const unsigned long long over = (1ULL << shift) - divisor;
    multiplier = static_cast<unsigned>(over == 0 ? 1 : (over << 32) / divisor + 1);
  }
  WEFT_HD unsigned divide(unsigned n) const {
#if defined(__CUDA_ARCH__)
    return (__umulhi(n, multiplier) + n) >> shift;
#else
    return (static_cast<unsigned>(std::uint64_t{n} * multiplier >> 32) + n) >> shift;
#endif
  }
};

/// An operand that is contiguous along another axis than the target, which a block transposes in
/// shared memory (cuda/elementwise/transpose_tile.hpp). It moves in words of one element, or of
/// several that make up 4 bytes.
struct TransposedOperand {
  int operand = -1;  // -1 for none
  int word = 0;      // bytes
  int pack = 0;      // elements in a word
  int shift = 0;     // log2 of the words of a tile's column
  int pitch = 0;     // words between columns in shared memory
  int lane = 0;      // strides in words
  int row = 0;
  bool whole_columns = false;  // are contiguous in memory
};

/// At most two operands are transposed; the rows of a tile are the dimension next to the innermost.
struct Tiling {
  FastDivmod across;  // tiles in a row of tiles
  FastDivmod down;    // rows of tiles
  int width = 0;      // columns of a tile; 0 if no operand is transposed
  TransposedOperand transposed[2];
};

/// The loops of an element-wise kernel. Each thread computes as many neighbours of the innermost
/// dimension as its vectors have lanes.
struct ElementwiseLoops {
  unsigned items = 0;        // threads with work
  int inner = 1;             // elements of the innermost dimension
  int head = 0;              // misalignment of the first row, in elements;
  int head_mask = 0;         // a row that starts at an offset has (head + offset) & head_mask
  int passes = 1;            // vectors per thread
  int outer = 0;             // dimensions but the innermost
  int rows_shift = 0;        // aligned: log2 of the rows per thread
  unsigned rows = 1;         // aligned: in the first dimension but the innermost
  unsigned row_step = 0;     // from one of a thread's to the next
  unsigned row_shift = 0;    // after 1 << row_shift first rows of threads come
  unsigned row_skip = 0;     // so many rows that are not the first
  bool slices = false;       // gathers along an axis read one slice for all lanes
  std::uint64_t apart = 0;   // aligned: bit i: operand i is read element by element
  std::uint64_t alike = 0;   // aligned: bit I: a thread's elements of Arg<I> are one
  unsigned row_ends = 0;     // where vectors cross ends of rows: bit j: j is a multiple of `inner`
  unsigned row_inverse = 0;  // found rows: of `inner`, times 2^32, rounded up
  FastDivmod row_items;      // vectors of a row
  FastDivmod row_elements;   // `inner`
  FastDivmod size[max_rank - 1];
  Tiling tiling;
  weft::detail::SharedValues shared;  // which parts of the program have one value
};

/// The argument of an element-wise kernel over N operands, targets first.
template <int N>
struct Grid : ElementwiseLoops {
  char* data[N];
  int transposed[N];            // an operand's place in shared memory, or -1
  int lane[N];                  // strides of the innermost dimension
  int stride[N][max_rank - 1];  // of the others, innermost first; then at `jump`, place_jumps'
};

/// Where vectors cross the ends of rows: the place, behind an operand's strides, of the one over
/// such an end. They have at most this many dimensions but the innermost.
inline constexpr int jump = max_rank - 2;

#if defined(__CUDACC__)
/// Sets each operand's offset to a row's; rows are counted over all dimensions but the innermost.
/// If it `Spreads`, they are the first ones of threads that compute several. Returns where the row
/// is in the first dimension. Statements of one or two dimensions take no branch.
template <bool Spreads = false, int N>
__device__ __forceinline__ unsigned go_to_row(const Grid<N>& grid, unsigned row, int (&offset)[N]) {
  unsigned next = grid.outer > 1 ? grid.size[0].divide(row) : 0;
  unsigned first = row - next * grid.size[0].divisor;
  if constexpr (Spreads) first += (first >> grid.row_shift) * grid.row_skip;
#pragma unroll
  for (int i = 0; i < N; ++i) offset[i] = static_cast<int>(first) * grid.stride[i][0];
#pragma unroll 1
  for (int d = 1; d < grid.outer; ++d) {
    row = next;
    next = d + 1 < grid.outer ? grid.size[d].divide(row) : 0;
    const int index = static_cast<int>(row - next * grid.size[d].divisor);
#pragma unroll
    for (int i = 0; i < N; ++i) offset[i] += index * grid.stride[i][d];
  }
  return first;
}
#endif

}  // namespace weft::on_cuda
