// Planning a reduction on CUDA: which form of kernel, how many blocks, how each output is split.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/launch.hpp"

namespace weft::cuda {

/// Threads a block that together reduce one row, or one piece of it.
inline constexpr int row_threads = 512;
/// The threads of a block of the column form, across the outputs and along the reduced axes.
inline constexpr int column_width = 32;
inline constexpr int column_depth = 16;

/// The loops of a reduction: kept dimensions (one output at each coordinate) and reduced ones,
/// both innermost first. The form decides which innermost dimension the lanes of a thread run on.
struct ReduceLoops {
  enum Form { warps, blocks, columns };
  Form form = warps;
  unsigned outputs = 1;
  long long count = 1;  // elements that make one output
  long long inner = 1;  // of them along the innermost reduced dimension
  int kept_rank = 0;
  int reduced_rank = 0;
  Divider kept[max_rank];
  Divider reduced[max_rank];
  Divider items;        // rows: vectors along the innermost reduced dimension;
                        // columns: tiles of vectors across the innermost kept one
  unsigned length = 1;  // rows: vectors a row; columns: coordinates of the reduced axes
  Divider splits{1};    // pieces that each row or column is cut into
  unsigned piece = 1;   // of `length`
  unsigned blocks_needed = 1;
};

/// The same with the addresses and strides of N operands, the target first.
template <int N>
struct ReduceGrid : ReduceLoops {
  char* data[N];
  int lane[N];                       // strides along the lanes
  int64_t kept_stride[N][max_rank];  // innermost first
  int64_t reduced_stride[N][max_rank];
};

namespace detail {

inline unsigned checked(const char* name, int64_t n, const char* what) {
  if (n > INT32_MAX) {
    fail<ShapeError>(name, n, " ", what, " on CUDA, expected below 2^31: reduce a part at a time");
  }
  return static_cast<unsigned>(n);
}

/// True when neighbouring outputs are neighbours in some operand's memory and the elements that
/// make one output are not.
inline bool prefers_columns(const Loops& kept, const Operand* operands, const Loops& reduced,
                            const Operand* inside, int n) {
  if (kept.rank == 0 || reduced.rank == 0 || kept.size[kept.rank - 1] < 8) return false;
  for (int i = 1; i < n; ++i) {
    const int64_t along = inside[i].stride[reduced.rank - 1];
    if (operands[i].stride[kept.rank - 1] == 1 && along != 0 && along != 1) return true;
  }
  return false;
}

inline unsigned divide_up(int64_t a, int64_t b) { return static_cast<unsigned>((a + b - 1) / b); }

/// The dividers of the reduced dimensions from `first`, counted from the innermost.
inline void divide_reduced(const char* name, const Loops& reduced, int first, ReduceLoops& out) {
  for (int d = first; d < reduced.rank; ++d) {
    out.reduced[d] =
        Divider(checked(name, reduced.size[reduced.rank - 1 - d], "elements along an axis"));
  }
}

/// Chooses form, split and launch of a reduction; `lanes` are a thread's elements at a time in the
/// row forms, `column_lanes` in the column form.
inline void plan_reduction(const char* name, const Loops& kept, const Operand* operands,
                           const Loops& reduced, const Operand* inside, int n, int lanes,
                           int column_lanes, int multiprocessors, ReduceLoops& out) {
  out.outputs = checked(name, kept.count(), "results");
  out.count = reduced.count();
  out.kept_rank = kept.rank;
  out.reduced_rank = reduced.rank;
  for (int d = 0; d < kept.rank; ++d) {
    out.kept[d] = Divider(checked(name, kept.size[kept.rank - 1 - d], "results along an axis"));
  }
  const int64_t wanted = int64_t{4} * multiprocessors;
  int64_t most = 1;  // splits that still give each thread work
  int64_t groups = 1;
  if (prefers_columns(kept, operands, reduced, inside, n)) {
    out.form = ReduceLoops::columns;
    divide_reduced(name, reduced, 0, out);
    const int64_t across = kept.size[kept.rank - 1];
    const unsigned tiles = divide_up(across, column_width * column_lanes);
    out.items = Divider(tiles);
    out.length = checked(name, out.count, "elements for each result");
    groups = out.outputs / across * tiles;
    most = divide_up(out.length, column_depth * 8);
  } else {
    const int64_t inner = reduced.rank > 0 ? reduced.size[reduced.rank - 1] : 1;
    out.inner = inner;
    divide_reduced(name, reduced, 1, out);
    const unsigned items = divide_up(inner, lanes);
    out.items = Divider(items > 0 ? items : 1);
    out.length =
        checked(name, inner > 0 ? out.count / inner * items : 0, "vectors for each result");
    const bool few = out.length > 256 || out.outputs < 8 * static_cast<unsigned>(multiprocessors);
    out.form = few && out.length > 32 ? ReduceLoops::blocks : ReduceLoops::warps;
    groups = out.outputs;
    if (out.form == ReduceLoops::blocks) most = divide_up(out.length, row_threads * 4);
  }
  int64_t splits = groups < wanted ? divide_up(wanted, groups) : 1;
  if (splits > most) splits = most;
  if (splits < 1) splits = 1;
  out.piece = divide_up(out.length > 0 ? out.length : 1, splits);
  splits = divide_up(out.length > 0 ? out.length : 1, out.piece);
  out.splits = Divider(static_cast<unsigned>(splits));
  const unsigned pieces = checked(name, groups * splits, "pieces of work");
  constexpr int warps_a_block = block_threads / 32;
  out.blocks_needed = out.form == ReduceLoops::warps ? divide_up(pieces, warps_a_block) : pieces;
}

/// Addresses and strides of a reduction's operands.
template <int N>
void plan_reduced_operands(const Loops& kept, const Operand* operands, const Loops& reduced,
                           const Operand* inside, ReduceGrid<N>& grid) {
  for (int i = 0; i < N; ++i) {
    grid.data[i] = operands[i].data;
    for (int d = 0; d < kept.rank; ++d) {
      grid.kept_stride[i][d] = operands[i].stride[kept.rank - 1 - d];
    }
    for (int d = 0; d < reduced.rank; ++d) {
      grid.reduced_stride[i][d] = inside[i].stride[reduced.rank - 1 - d];
    }
    const bool columns = grid.form == ReduceLoops::columns;
    const int64_t lane = columns            ? grid.kept_stride[i][0]
                         : reduced.rank > 0 ? grid.reduced_stride[i][0]
                                            : 0;
    grid.lane[i] = static_cast<int>(lane);
  }
}

}  // namespace detail
}  // namespace weft::cuda
