// The plan of the kernel for all gradients of a statement: its rows, and how targets are summed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/launch.hpp"

namespace weft::on_cuda {

/// What the kernel does with one target.
enum class SumMode : signed char {
  skip,
  store,
  add,
  whole,    ///< written in the type it was computed in, as a temporary
  rows,     ///< summed over the rows: a value for each place of a row
  columns,  ///< summed along each row, then over those rows that share a value
  all
};

/// The loops of the kernel over N operands, the first K of them targets. A thread has Lanes
/// neighbours of the innermost dimension in every row_step-th row.
template <int N, int K>
struct SumGrid {
  char* data[N];
  long long lane[N];                  // strides of the innermost dimension
  long long stride[N][max_rank - 1];  // of the others, innermost first
  FastDivmod size[max_rank - 1];
  int outer = 0;        // dimensions but the innermost
  long long inner = 1;  // elements of the innermost dimension
  long long vectors = 1;
  unsigned rows = 1;
  unsigned row_step = 1;
  unsigned steps = 1;
  int width = 1;  // threads side by side in a row, a power of two
  int shift = 0;  // its logarithm
  SumMode mode[K];
  char* sum[K];   // partial sums
  int parts = 1;  // of a row's sum
};

namespace detail {

/// How a target is summed, by its strides: along rows, along columns, entirely, or none of these.
WEFT_OUTLINED inline SumMode sum_mode(const Loops& loops, const Operand& target) {
  const int last = loops.rank - 1;
  bool zero = true;
  for (int d = last - 1; d >= 0; --d) zero = zero && target.stride[d] == 0;
  if (last < 0 || (zero && target.stride[last] == 0)) return SumMode::all;
  if (zero && target.stride[last] == 1) return SumMode::rows;
  return target.stride[last] == 0 ? SumMode::columns : SumMode::whole;
}

/// Whether an operand is contiguous along another dimension than the innermost, and large enough
/// that transposing it costs less than reading it that way.
WEFT_OUTLINED inline bool lies_across(const Loops& loops, const Operand& x) {
  constexpr int64_t least_bytes = 1 << 22;
  const int last = loops.rank - 1;
  if (last < 1 || x.gathered != 0) return false;
  const auto step = [&](int d) { return x.stride[d] < 0 ? -x.stride[d] : x.stride[d]; };
  int64_t elements = 1;
  int64_t least = step(last);
  for (int d = 0; d <= last; ++d) {
    if (x.stride[d] == 0) continue;
    elements *= loops.size[d];
    least = step(d) < least ? step(d) : least;
  }
  return step(last) * x.itemsize >= 32 && least < step(last) &&
         elements * x.itemsize >= least_bytes;
}

/// What the host keeps of a sum that the kernel has started.
struct StartedSum {
  Operand target;
  StorageHandle memory;
  SumMode mode = SumMode::skip;
};

/// The reduction of columns' partial sums, `parts` for each row, to the target.
WEFT_OUTLINED inline void plan_columns(const Loops& loops, int64_t parts, Operand* operands,
                                       Shape& kept, Shape& reduced) {
  const Operand target = operands[0];
  int64_t rows = 1;
  int64_t row[max_rank] = {};
  for (int d = loops.rank - 2; d >= 0; --d) {
    row[d] = rows;
    rows *= loops.size[d];
  }
  int at = 0;
  for (const bool keeps : {true, false}) {
    for (int d = 0; d < loops.rank - 1; ++d) {
      if ((target.stride[d] != 0) != keeps) continue;
      (keeps ? kept : reduced).push_back(loops.size[d]);
      operands[0].stride[at] = target.stride[d];
      operands[1].stride[at++] = row[d] * parts;
    }
  }
  reduced.push_back(parts);
  operands[0].stride[at] = 0;
  operands[1].stride[at] = 1;
}

/// Fills the grid but for the strides: rows, and how threads share them.
template <int N, int K>
void plan_sum_rows(const Loops& loops, int lanes, bool sums, int multiprocessors,
                   SumGrid<N, K>& grid, unsigned& blocks_x, unsigned& blocks_y) {
  grid.outer = loops.rank > 0 ? loops.rank - 1 : 0;
  grid.inner = loops.rank > 0 ? loops.size[grid.outer] : 1;
  int64_t rows = 1;
  for (int d = 0; d < grid.outer; ++d) {
    grid.size[d] = FastDivmod(static_cast<unsigned>(loops.size[grid.outer - 1 - d]));
    rows *= loops.size[d];
  }
  if (rows > INT32_MAX || grid.inner / lanes / block_threads >= INT32_MAX) {
    fail<ShapeError>("backward", "a gradient of ", rows, " rows of ", grid.inner,
                     " elements is too large for one kernel: split the statement");
  }
  grid.rows = static_cast<unsigned>(rows);
  grid.vectors = (grid.inner + lanes - 1) / lanes;
  while (grid.width < grid.vectors && grid.width < block_threads) {
    grid.width *= 2;
    ++grid.shift;
  }
  blocks_x = static_cast<unsigned>((grid.vectors + grid.width - 1) / grid.width);
  const auto lines = static_cast<int64_t>(block_threads >> grid.shift);
  // Partial sums are read again, so each covers at least 16 rows if enough remain to occupy all
  // multiprocessors: by whole waves of four or eight blocks each.
  int64_t blocks = (rows + lines - 1) / lines;
  if (sums) {
    const int64_t busy = (int64_t{8} * multiprocessors + blocks_x - 1) / blocks_x;
    const int64_t few = (rows + 16 * lines - 1) / (16 * lines);
    blocks = blocks < busy ? blocks : few > busy ? few : busy;
    if (blocks > 4 * busy) blocks = 4 * busy;
  }
  blocks_y = static_cast<unsigned>(blocks < 65535 ? blocks : 65535);
  grid.row_step = static_cast<unsigned>(blocks_y * lines);
  grid.steps = (grid.rows + grid.row_step - 1) / grid.row_step;
  grid.parts = static_cast<int>((grid.vectors + 31) / 32);
}

}  // namespace detail

}  // namespace weft::on_cuda
