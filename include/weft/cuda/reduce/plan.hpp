// Planning a reduction on CUDA: which form of kernel, how many threads, how each output is split.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because a reduction's form is chosen among all of them.

#include "weft/cuda/reduce/tile_plan.hpp"
#include "weft/cuda/reduce/vector_layout.hpp"
#include "weft/eval/program/weight.hpp"
#include "weft/ops/reduce/rule.hpp"

namespace weft::on_cuda {

/// The most threads per block of each form, and of those that merge many pieces of one output.
inline constexpr unsigned row_threads = 256;
inline constexpr unsigned column_threads = 256;
inline constexpr unsigned merge_threads = 512;

/// The loops of a reduction: kept dimensions (one output at each coordinate) and reduced ones, both
/// innermost first. An item is what a thread reads at once, a vector of lanes or one element: along
/// the innermost reduced dimension in the row form, along the innermost kept one in the others. In
/// all, `width` threads read adjacent items.
struct ReduceLoops {
  enum Form { rows, columns, by_tiles };
  Form form = rows;
  bool vectors = false;  // items are vectors
  bool ragged = false;   // rows: which may begin and end between vectors
  bool flat = false;     // items are numbered along short lines, one after the other: rows: along
                         // the two innermost reduced dimensions; columns: along all kept ones
  int lead = 0;  // the operand that tells where vectors begin; 0: at multiples of their size
  unsigned next_inner = 0;  // flat rows: by how many items of a line a thread goes on
  unsigned outputs = 1;
  long long count = 1;  // elements that make one output
  long long inner = 1;  // of them along the innermost reduced dimension
  unsigned outer = 1;   // coordinates of the other reduced dimensions
  int kept_rank = 0;
  int reduced_rank = 0;
  FastDivmod kept[max_rank];
  FastDivmod reduced[max_rank];
  unsigned length = 1;  // rows: items along `inner`; columns: `inner`
  unsigned outer_piece = 1;
  FastDivmod splits{1};        // parts that each output's elements are cut into
  FastDivmod inner_splits{1};  // of them along `length`, each with a few items at a time
  FastDivmod tiles;            // columns: `width` items of neighbouring columns; tiles: down
  FastDivmod tiles_across;     // of them across the innermost kept dimension; flat: items across it
  ReduceTile tile;
  unsigned width = 32;  // rows: a power of two up to 32, or all of a block
  unsigned depth = 1;   // columns: threads along the reduced axes, likewise
  unsigned threads = row_threads;
  unsigned blocks = 1;
  unsigned merge_width = 32;  // threads that merge the pieces of one output
  bool whole = false;         // not rows: the results of a vector's lanes are a vector too
  std::uint64_t alike = 0;    // bit i: operand i is the same in all lanes of a vector
  std::uint64_t apart = 0;    // bit i: operand i is contiguous, but its vectors begin elsewhere
  std::uint64_t along = 0;    // columns: bit i: operand i is the same down the column
};

/// The same with the addresses and strides (in bytes) of N operands, the target first.
template <int N>
struct ReduceGrid : ReduceLoops {
  char* data[N];
  int lane[N];  // along a vector's lanes: 0: one element, 1: a vector, 2: elements read one by one
  int64_t step[N];       // between neighbouring items
  int64_t next_item[N];  // flat rows: from an item of a thread to its next
  int64_t next_line[N];  // the same where that is in a line further down
  int64_t kept_stride[N][max_rank];
  int64_t reduced_stride[N][max_rank];
};

namespace detail {

inline unsigned checked(const char* name, int64_t n, const char* what) {
  if (n > INT32_MAX) {
    fail<ShapeError>(name, n, " ", what, " on CUDA, expected below 2^31: reduce a part at a time");
  }
  return static_cast<unsigned>(n);
}

inline unsigned divide_up(int64_t a, int64_t b) { return static_cast<unsigned>((a + b - 1) / b); }

/// The distance in memory of neighbours along a dimension, at most what a warp reads at once.
inline int64_t spread(const Operand& operand, int dimension) {
  const int64_t stride = operand.stride[dimension];
  const int64_t bytes = (stride < 0 ? -stride : stride) * operand.itemsize;
  return bytes < 128 ? bytes : 128;
}

/// True when neighbouring outputs lie closer in memory than the elements that make one output.
inline bool prefers_columns(const Loops& kept, const Operand* operands, const Loops& reduced,
                            const Operand* inside, int n) {
  if (kept.rank == 0 || reduced.rank == 0) return false;
  int64_t across = 0;
  int64_t along = 0;
  for (int i = 1; i < n; ++i) {
    across += spread(operands[i], kept.rank - 1);
    along += spread(inside[i], reduced.rank - 1);
  }
  return across < along;
}

/// The program weight from which a thread should only compute elements that exist.
inline constexpr int costly_element = 24;
/// What computing an element weighs, as weft::detail::program_weight counts. States that take
/// several exchanges to merge count as costly elements: threads then merge fewer of them.
template <class R, class State, class Program>
inline constexpr int reduction_weight = weft::detail::program_weight<Program> +
                                        (MergesAmongThreads<R, State> ? costly_element : 0);
/// The least vectors of a thread, in rounds of four loads: in short rows, in others, in long ones.
inline constexpr int items_of_short_row = 4, items_of_row = 8, items_of_long_row = 16;
/// The least elements of a thread where they are numbered along short lines.
inline constexpr int items_of_short_lines = 128;
/// The most vectors of a short row, and of one that is not long.
inline constexpr unsigned most_of_short_row = 64, most_of_row = 1024;
/// The least items of a thread in a column; the most of a short column; the least width of a tile.
inline constexpr int items_of_column = 16, most_of_short_column = 1024, least_tile_width = 8;
/// Lines of fewer vectors or elements than these are short: a group of threads would soon be done
/// with each, and numbers the items of all of them instead.
inline constexpr unsigned least_vectors_of_loop = 256, least_elements_of_loop = 128;

/// What planning needs to know about the kernels and the GPU.
struct ReduceLimits {
  int lanes = 1;         // of a vector in the form of rows
  int column_lanes = 1;  // the same in that of columns; 0 where there is no such kernel
  int multiprocessors = 1;
  int weight = 0;         // see reduction_weight
  int row_blocks = 12;    // of a multiprocessor, that results are split for; three or four run
  int column_blocks = 0;  // the same in the form of columns at a time; 0: by their operands
  int items = 0;          // the least vectors of a thread; 0: by the row's length and weight
  bool tiles = false;     // whether there is a kernel for tiles, with as many lanes as for columns
  int together = 0;       // vectors of a row that a thread adds at once, or half of them; 0: any
};

/// Splits each output's elements into `splits` pieces or about as many; `least` is the smallest
/// part of `length` that a piece gets. All pieces work on one range of memory at a
/// time, which DRAM reads 4 % faster than many ranges.
inline void plan_splits(int64_t splits, int64_t least, ReduceLoops& out) {
  const int64_t length = out.length > 0 ? out.length : 1;
  const int64_t outer = out.outer > 0 ? out.outer : 1;
  out.outer_piece = divide_up(outer, splits < outer ? splits : outer);
  const int64_t outer_splits = divide_up(outer, out.outer_piece);
  int64_t inner_splits = divide_up(splits, outer_splits);
  const int64_t most = divide_up(length, least);
  if (inner_splits > most) inner_splits = most;
  out.inner_splits = FastDivmod(static_cast<unsigned>(inner_splits));
  const auto total = static_cast<unsigned>(outer_splits) * out.inner_splits.divisor;
  out.splits = FastDivmod(total);
  out.merge_width = total > 64 ? merge_threads : power_of_two(total < 32 ? total : 32);
}

/// The blocks of a reduction of columns over n operands that a multiprocessor's registers serve.
inline int blocks_of_columns(int n) { return n > 2 ? 4 : 5; }

inline void plan_column_reduction(const char* name, const Loops& kept, const Operand* operands,
                                  const Loops& reduced, const Operand* inside, int n,
                                  const ReduceLimits& limits, ReduceLoops& out) {
  const int lanes = limits.column_lanes;
  const VectorLayout layout =
      vector_layout(kept, operands, reduced, inside, n, lanes, kept.rank - 1);
  out.form = ReduceLoops::columns;
  out.vectors = lanes > 1 && layout.possible && layout.aligned;
  if (out.vectors) out.apart = layout.apart;
  const int64_t across = kept.size[kept.rank - 1];
  const unsigned items = divide_up(across, out.vectors ? lanes : 1);
  out.length = checked(name, out.inner, "elements for each result");
  out.width = power_of_two(items < 32 ? items : 32);
  // If short columns fill few tiles, narrower tiles keep more blocks busy and need no merge.
  while (out.width > least_tile_width && out.length <= most_of_short_column &&
         int64_t{out.outputs} / across * divide_up(items, out.width) < limits.multiprocessors) {
    out.width /= 2;
  }
  // Where many lanes would be idle, tiles go on in the next line of results.
  out.flat =
      kept.rank > 1 && (items > out.width ? items % out.width != 0 : 3 * items < 2 * out.width);
  out.tiles_across = FastDivmod(out.flat ? items : divide_up(items, out.width));
  out.threads = column_threads;
  out.depth = column_threads / out.width;
  while (out.depth > 1 && out.depth * items_of_column > out.length) out.depth /= 2;
  int64_t tiles = int64_t{out.outputs} / across * out.tiles_across.divisor;
  if (out.flat) tiles = divide_up(tiles, out.width);
  out.tiles = FastDivmod(checked(name, tiles, "tiles of results"));
  const unsigned tiles_a_block = out.threads / (out.width * out.depth);
  // As many as run at a time: a few more would run alone, after all others.
  const int blocks = limits.column_blocks > 0 ? limits.column_blocks : blocks_of_columns(n);
  const int64_t resident = int64_t{blocks} * limits.multiprocessors * tiles_a_block;
  const int64_t splits = tiles > 0 && tiles < resident ? resident / tiles : 1;
  plan_splits(splits, int64_t{out.depth} * items_of_column, out);
  const int64_t pieces = tiles * out.splits.divisor;
  out.blocks = divide_up(checked(name, pieces, "pieces of work"), tiles_a_block);
}

/// The vectors that `width` threads of a row add, with those that it does not have.
inline int64_t added_at_once(unsigned length, unsigned width, int together) {
  const int half = together / 2;
  return int64_t{width} * half * divide_up(divide_up(length, width), half);
}

inline void plan_row_reduction(const char* name, const Loops& kept, const Operand* operands,
                               const Loops& reduced, const Operand* inside, int n,
                               const ReduceLimits& limits, ReduceLoops& out) {
  if (reduced.rank > 0 && limits.lanes > 1) {
    const VectorLayout layout = vector_layout(kept, operands, reduced, inside, n, limits.lanes,
                                              kept.rank + reduced.rank - 1);
    const bool many_vectors = out.inner >= (limits.lanes > 4 ? 4 : 32) * limits.lanes;
    // Rows that begin anywhere have vectors where all operands are alike.
    out.vectors = layout.possible && (layout.aligned || (many_vectors && layout.apart == 0));
    out.ragged = !layout.aligned;
    out.lead = layout.aligned ? 0 : layout.lead;
    if (out.vectors) out.apart = layout.apart;
  }
  const int lanes = out.vectors ? limits.lanes : 1;
  out.length = checked(name, (out.inner + lanes - 1) / lanes, "vectors for each result");
  const int64_t lines = reduced.rank > 1 ? reduced.size[reduced.rank - 2] : 1;
  const int64_t items = lines * out.length;
  const unsigned least = out.vectors ? least_vectors_of_loop : least_elements_of_loop;
  out.flat = !(out.vectors && out.ragged) && lines > 1 && out.length < least && items <= INT32_MAX;
  if (out.flat) {
    out.reduced[0] = FastDivmod(out.length);
    out.length = static_cast<unsigned>(items);
    out.inner *= lines;
    out.outer = static_cast<unsigned>(out.outer / lines);
  }
  const bool is_short = out.length <= most_of_short_row && limits.weight < costly_element;
  const int64_t each = limits.items > 0                           ? limits.items
                       : out.flat && !out.vectors                 ? items_of_short_lines
                       : !out.vectors || out.length > most_of_row ? items_of_long_row
                       : is_short                                 ? items_of_short_row
                                                                  : items_of_row;
  unsigned wide = power_of_two(divide_up(out.length, each));
  if (out.flat && !out.vectors && wide < 32) {
    const unsigned fewer = power_of_two(divide_up(out.length, items_of_long_row));
    wide = fewer < 32 ? fewer : 32;
  }
  out.width = wide < row_threads ? wide : row_threads;
  if (out.vectors && limits.together > 1 && limits.items == 0) {
    const int64_t fill = int64_t{limits.multiprocessors} * 2048;
    while (out.width > least_tile_width && out.width <= 64 &&
           int64_t{out.outputs} * out.width > fill &&
           added_at_once(out.length, out.width / 2, limits.together) <
               added_at_once(out.length, out.width, limits.together)) {
      out.width /= 2;
    }
  }
  if (out.flat) out.next_inner = out.width % out.reduced[0].divisor;
  out.threads = out.width > 32 ? out.width : row_threads / 2;  // wide groups meet in shared memory
  const unsigned groups_a_block = out.threads / out.width;
  const int64_t wanted = int64_t{limits.row_blocks} * limits.multiprocessors * groups_a_block;
  const int64_t groups = out.outputs;  // too few of them to fill the GPU are split
  plan_splits(groups < wanted ? divide_up(wanted, groups) : 1,
              int64_t{out.width} * items_of_long_row, out);
  const int64_t pieces = int64_t{out.outputs} * out.splits.divisor;
  out.blocks = divide_up(checked(name, pieces, "pieces of work"), groups_a_block);
}

/// Chooses form, split and launch of a reduction.
inline void plan_reduction(const char* name, const Loops& kept, const Operand* operands,
                           const Loops& reduced, const Operand* inside, int n,
                           const ReduceLimits& limits, ReduceLoops& out) {
  out.outputs = checked(name, kept.count(), "results");
  out.count = reduced.count();
  out.kept_rank = kept.rank;
  out.reduced_rank = reduced.rank;
  for (int d = 0; d < kept.rank; ++d) {
    out.kept[d] = FastDivmod(checked(name, kept.size[kept.rank - 1 - d], "results along an axis"));
  }
  out.inner = reduced.rank > 0 ? reduced.size[reduced.rank - 1] : 1;
  out.outer = checked(name, out.inner > 0 ? out.count / out.inner : 0, "rows for each result");
  for (int d = 1; d < reduced.rank; ++d) {
    out.reduced[d] = FastDivmod(static_cast<unsigned>(reduced.size[reduced.rank - 1 - d]));
  }
  const int units = limits.multiprocessors;
  if (limits.tiles && plan_tile(kept, operands, reduced, limits.column_lanes, units, out.tile)) {
    out.form = ReduceLoops::by_tiles;
    out.vectors = true;
    out.length = static_cast<unsigned>(out.inner);
    out.width = out.tile.width;
    out.threads = out.tile.threads;
    out.tiles_across = FastDivmod(out.tile.across);
    out.tiles = FastDivmod(out.tile.down);
    const int64_t batches = kept.count() / kept.size[kept.rank - 1] / kept.size[kept.rank - 2];
    out.blocks = checked(name, batches * out.tile.across * out.tile.down, "tiles of results");
    return;
  }
  out.tile = {};
  if (limits.column_lanes > 0 && prefers_columns(kept, operands, reduced, inside, n)) {
    plan_column_reduction(name, kept, operands, reduced, inside, n, limits, out);
  } else {
    plan_row_reduction(name, kept, operands, reduced, inside, n, limits, out);
  }
}

/// The loops of a reduction: over its results, and over the elements of each.
struct ReductionLoops {
  Loops kept;
  Loops reduced;
};

/// Plans a reduction over n operands, whose strides are those along `kept`, then along `reduced`;
/// afterwards they have those along the loops over the results, and `inside` along the others.
WEFT_OUTLINED inline ReductionLoops plan_reduction(const char* name, const Shape& kept,
                                                   const Shape& reduced, Operand* operands,
                                                   Operand* inside, int n,
                                                   const ReduceLimits& limits, ReduceLoops& out) {
  ReductionLoops loops{weft::detail::loops_over(kept), weft::detail::loops_over(reduced)};
  weft::detail::inner_operands(operands, n, loops.kept.rank, loops.reduced.rank, inside);
  weft::detail::simplify(loops.kept, operands, n);
  for (int i = 0; i < n; ++i) inside[i].data = operands[i].data;
  weft::detail::simplify(loops.reduced, inside, n, true);
  plan_reduction(name, loops.kept, operands, loops.reduced, inside, n, limits, out);
  return loops;
}

/// Whether every `lanes` adjacent results form one aligned vector.
inline bool is_vector_target(const Loops& kept, const Operand& target, int lanes) {
  bool aligned = target.itemsize > 0 && target.stride[kept.rank - 1] == 1 &&
                 reinterpret_cast<std::uintptr_t>(target.data) %
                         static_cast<std::uintptr_t>(target.itemsize * lanes) ==
                     0;
  for (int d = 0; d + 1 < kept.rank; ++d) aligned = aligned && target.stride[d] % lanes == 0;
  return aligned;
}

/// Addresses and strides of a reduction's operands.
template <int N>
void plan_reduced_operands(const Loops& kept, const Operand* operands, const Loops& reduced,
                           const Operand* inside, int lanes, ReduceGrid<N>& grid) {
  for (int i = 0; i < N; ++i) {
    const int64_t bytes = operands[i].itemsize;
    grid.data[i] = operands[i].data;
    for (int d = 0; d < kept.rank; ++d) {
      grid.kept_stride[i][d] = operands[i].stride[kept.rank - 1 - d] * bytes;
    }
    for (int d = 0; d < reduced.rank; ++d) {
      grid.reduced_stride[i][d] = inside[i].stride[reduced.rank - 1 - d] * bytes;
    }
    const bool columns = grid.form != ReduceLoops::rows;
    const int64_t stride = columns            ? operands[i].stride[kept.rank - 1]
                           : reduced.rank > 0 ? inside[i].stride[reduced.rank - 1]
                                              : 0;
    grid.lane[i] = stride == 0 ? 0 : (grid.apart >> i & 1U) != 0 ? 2 : 1;
    if (stride == 0) grid.alike |= std::uint64_t{1} << i;
    if (columns && grid.reduced_stride[i][0] == 0) grid.along |= std::uint64_t{1} << i;
    grid.step[i] = stride * bytes * (grid.vectors ? lanes : 1);
    if (!columns && grid.flat) {
      const int64_t line = grid.reduced[0].divisor;
      const int64_t lines = grid.width / line;
      const int64_t to_line = grid.reduced_stride[i][1];
      grid.next_item[i] = grid.next_inner * grid.step[i] + lines * to_line;
      grid.next_line[i] = grid.next_item[i] + to_line - line * grid.step[i];
    }
  }
  grid.whole = grid.form != ReduceLoops::rows && grid.vectors && grid.tile.columns == 0 &&
               is_vector_target(kept, operands[0], lanes);
}

}  // namespace detail
}  // namespace weft::on_cuda
