// The plan of the kernel for all gradients of a statement: its rows, and how targets are summed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/primitive/plan_grid.hpp"

namespace weft::on_cuda {

/// What the kernel does with one target.
enum class SumMode : int {
  skip,
  store,
  add,
  whole,    ///< written in the type it was computed in, as a temporary
  columns,  ///< summed along each row, then over those rows that share a value
  rows,     ///< summed over the rows: a value for each place of a row
  all
};

/// Where the kernel finds an operand, in elements from `data` on. Their offsets have 32 bits.
struct SumOperand {
  char* data = nullptr;
  int vector = 0;   ///< from a thread's vector to its neighbour's
  int lane = 0;     ///< from one lane to the next
  int advance = 0;  ///< from a thread's row to its next one, if rows have one dimension
  int stride[max_rank - 1] = {};  ///< of the dimensions but the innermost, innermost first
  bool whole = false;             ///< each thread has a full, aligned vector
  bool fetched = false;           ///< L2 prefetches a thread's next row
};

/// The loops of the kernel over N operands, the first K of them targets. A thread has Lanes
/// neighbours of the innermost dimension in every row_step-th row.
template <int N, int K>
struct SumGrid {
  SumOperand operand[N];
  FastDivmod size[max_rank - 1];
  int outer = 0;         // dimensions but the innermost
  int64_t inner = 1;     // elements of the innermost dimension
  int64_t pitch = 1;     // of the statement's, of which these loops may be a piece
  unsigned vectors = 1;  // of a row
  unsigned rows = 1;
  unsigned row_step = 1;
  unsigned steps = 1;
  FastDivmod width;    // threads side by side in a row
  unsigned lines = 1;  // rows that a block has at a time
  SumMode mode[K];
  char* sum[K];   // partial sums of those that have no place in the loops
  int parts = 1;  // of a row's sum
};

namespace detail {

/// How a target is summed, by its strides: along rows, along columns, entirely, or none of these.
/// `splits_rows`: pieces of the loops have parts of rows.
WEFT_OUTLINED inline SumMode sum_mode(const Loops& loops, const Operand& target, bool splits_rows) {
  const int last = loops.rank - 1;
  bool zero = true;
  for (int d = last - 1; d >= 0; --d) zero = zero && target.stride[d] == 0;
  if (last < 0 || (zero && target.stride[last] == 0)) return SumMode::all;
  if (zero && target.stride[last] == 1 && !splits_rows) return SumMode::rows;
  return target.stride[last] == 0 && !splits_rows ? SumMode::columns : SumMode::whole;
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

/// The blocks of one launch, or of several in a row.
struct SumBlocks {
  int64_t lines = 0;  ///< threads that share columns
  int64_t warps = 0;

  void add(dim3 blocks, unsigned row_step) {
    lines += row_step;
    warps += int64_t{blocks.x} * blocks.y * (block_threads / 32);
  }
  /// How many values they leave of a sum of that kind, for rows of so many elements; 0 for those
  /// that have a place in the loops.
  int64_t values(SumMode mode, int64_t row) const {
    return mode == SumMode::rows ? lines * row : mode == SumMode::all ? warps : 0;
  }
};

/// Sums along a row of so many elements that a warp each leaves.
inline int parts_of_row(int64_t elements, int lanes) {
  return static_cast<int>((elements + 32 * lanes - 1) / (32 * lanes));
}

/// Whether V elements are aligned, and moved together.
template <class T, int V>
inline constexpr bool moves_whole = false;
template <class T, int V>
  requires(!std::is_same_v<T, IndexOperand>)
inline constexpr bool moves_whole<T, V> =
    sizeof(T) * V <= 16 && (sizeof(T) * V & (sizeof(T) * V - 1)) == 0;

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

/// Threads of a block side by side in a row of so many vectors; where they sum along it, a power of
/// two. Others, of a few vectors, leave no thread without one but those at the block's end.
inline unsigned threads_of_row(unsigned vectors, bool sums_along) {
  if (vectors >= block_threads) return block_threads;
  unsigned width = 1;
  while (width < vectors) width *= 2;
  const bool fits = block_threads / vectors * vectors > block_threads / width * vectors;
  return sums_along || !fits ? width : vectors;
}

/// Fills the grid but for the operands: rows, and how threads share them. Gives the blocks.
template <int N, int K>
dim3 plan_sum_rows(const Loops& loops, int lanes, bool sums, bool sums_along, int multiprocessors,
                   SumGrid<N, K>& grid) {
  grid.outer = loops.rank > 0 ? loops.rank - 1 : 0;
  grid.inner = loops.rank > 0 ? loops.size[grid.outer] : 1;
  int64_t rows = 1;
  for (int d = 0; d < grid.outer; ++d) {
    grid.size[d] = FastDivmod(static_cast<unsigned>(loops.size[grid.outer - 1 - d]));
    rows *= loops.size[d];
  }
  grid.rows = static_cast<unsigned>(rows);
  grid.vectors = static_cast<unsigned>((grid.inner + lanes - 1) / lanes);
  const unsigned width = threads_of_row(grid.vectors, sums_along);
  grid.width = FastDivmod(width);
  grid.lines = block_threads / width;
  const unsigned across = (grid.vectors + width - 1) / width;
  const int64_t lines = grid.lines;
  // Partial sums are read again, so each covers at least 16 rows if enough remain to occupy all
  // multiprocessors: by whole waves of four or eight blocks each.
  int64_t blocks = (rows + lines - 1) / lines;
  if (sums) {
    const int64_t busy = (int64_t{8} * multiprocessors + across - 1) / across;
    const int64_t few = (rows + 16 * lines - 1) / (16 * lines);
    blocks = blocks < busy ? blocks : few > busy ? few : busy;
    if (blocks > 4 * busy) blocks = 4 * busy;
  }
  const auto down = static_cast<unsigned>(blocks < 65535 ? blocks : 65535);
  grid.row_step = static_cast<unsigned>(down * lines);
  grid.steps = (grid.rows + grid.row_step - 1) / grid.row_step;
  return {across, down};
}

/// Where the kernel finds x, in vectors of so many lanes, which `whole` says may be loaded or
/// stored at once.
WEFT_OUTLINED inline void plan_sum_operand(const Loops& loops, const Operand& x, int lanes,
                                           bool whole, unsigned row_step, SumOperand& out) {
  const int outer = loops.rank > 0 ? loops.rank - 1 : 0;
  const auto bytes = static_cast<std::uintptr_t>(lanes) * static_cast<std::uintptr_t>(x.itemsize);
  out.data = x.data;
  out.lane = loops.rank > 0 ? static_cast<int>(x.stride[outer]) : 0;
  out.vector = out.lane * lanes;
  bool aligned = loops.rank > 0 && loops.size[outer] % lanes == 0 &&
                 reinterpret_cast<std::uintptr_t>(x.data) % bytes == 0;
  for (int d = 0; d < outer; ++d) {
    out.stride[d] = static_cast<int>(x.stride[outer - 1 - d]);
    aligned = aligned && out.stride[d] % lanes == 0;
  }
  out.advance = outer == 1 ? static_cast<int>(static_cast<unsigned>(out.stride[0]) * row_step) : 0;
  out.whole = whole && out.lane == 1 && aligned;
  out.fetched = out.lane == 1 && out.advance != 0;
}
/// How the loops of a statement are launched.
struct SumLoops {
  bool fits = true;  ///< at once; otherwise in pieces
  bool splits_rows = false;
  bool sums_along = false;  ///< some target is summed along rows
};
/// Of n operands, the first k of them targets; bit j of `sums`: target j is summed.
WEFT_OUTLINED inline SumLoops plan_sum_loops(const Loops& loops, Operand* operands, int n, int k,
                                             unsigned sums) {
  SumLoops out;
  out.fits = fits(loops, operands, n);
  if (!out.fits) {
    const int last = loops.rank - 1;
    in_pieces(loops, operands, n, [&](const Loops& piece) {
      out.splits_rows = out.splits_rows || piece.size[last] != loops.size[last];
    });
  }
  for (int j = 0; j < k; ++j) {
    if ((sums >> j & 1U) == 0) continue;
    const SumMode mode = sum_mode(loops, operands[j], out.splits_rows);
    out.sums_along = out.sums_along || mode == SumMode::columns;
  }
  return out;
}

/// Decides what the kernel does with a target, and puts the partial sums of one that is summed, of
/// so many bytes each, in its place.
WEFT_OUTLINED inline void begin_sum(Cuda device, const Loops& loops, Operand& target, bool wanted,
                                    bool adds, bool sums, int bytes, int64_t row, int parts,
                                    const SumBlocks& all, bool splits_rows, SumMode& mode,
                                    StartedSum& begun) {
  mode = !wanted ? SumMode::skip : adds ? SumMode::add : SumMode::store;
  if (!sums) return;
  begun.mode = mode = sum_mode(loops, target, splits_rows);
  begun.target = target;
  int64_t next = mode == SumMode::columns ? parts : 1;
  for (int d = loops.rank - 1; d >= 0; --d) {
    const bool along = d == loops.rank - 1;
    const bool counts = mode == SumMode::whole || (mode == SumMode::columns && !along);
    target.stride[d] = counts ? next : along && mode == SumMode::rows ? 1 : 0;
    if (counts) next *= loops.size[d];
  }
  const bool placed = mode == SumMode::whole || mode == SumMode::columns;
  const int64_t count = placed ? next : all.values(mode, row);
  begun.memory = StorageHandle(Memory<Cuda>::allocate(device, count * bytes));
  target.data = static_cast<char*>(begun.memory->data);
  target.itemsize = bytes;
}

}  // namespace detail

}  // namespace weft::on_cuda
