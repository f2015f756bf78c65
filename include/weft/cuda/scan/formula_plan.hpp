// How a scan of a formula runs: its rows, its vectors, and the form that suits them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/plan_grid.hpp"
#include "weft/cuda/primitive/vector.hpp"

namespace weft::on_cuda {

/// Threads a block that scans tiles, and how many blocks of a small state a multiprocessor runs.
inline constexpr int tile_threads = 256;
inline constexpr int tile_blocks = 4;

namespace detail {

/// How many elements along a row a warp and a block of the tiled form scan at a time.
struct ScanTiles {
  int warp_items;
  int block_items;
};

/// Rows that are too few to fill a GPU by a warp each, and long, are scanned in tiles.
inline bool wants_tiles(int64_t rows, int64_t length, const ScanTiles& tiles, int multiprocessors) {
  return length > 4 * tiles.warp_items && rows < int64_t{32} * multiprocessors;
}

/// The loops of a scan's rows, followed by its axis; false if that is not the target's innermost
/// one, or there are too many elements for 32 bits.
WEFT_OUTLINED inline bool order_formula(const Shape& shape, int axis, Operand* operands, int n,
                                        Loops& loops) {
  loops = weft::detail::loops_over(shape);
  const int64_t length = loops.size[axis];
  int64_t along[64];
  if (n > 64 || length < 2 || operands[0].stride[axis] != 1) return false;
  for (int i = 0; i < n; ++i) along[i] = operands[i].stride[axis];
  Loops rows = loops;
  rows.size[axis] = 1;
  weft::detail::simplify(rows, operands, n, true);
  if (rows.rank == max_rank) return false;
  loops = rows;
  loops.size[loops.rank] = length;
  for (int i = 0; i < n; ++i) operands[i].stride[loops.rank] = along[i];
  ++loops.rank;
  return fits(loops, operands, n);
}

#if defined(__CUDACC__)
/// The vectors of a scan of states of S over a formula of type C, that reads and writes elements of
/// these types.
template <class S, class C, class Out, class Types>
struct FormulaVectors {
  static constexpr int bytes = 16 / lanes_of_widest<Out>(Types{});
  static constexpr int widest = static_cast<int>(sizeof(C)) > bytes ? static_cast<int>(sizeof(C))
                                                                    : bytes;
  static constexpr int lanes = 16 / widest > 0 ? 16 / widest : 1;
  static_assert((lanes & (lanes - 1)) == 0);
  static constexpr bool plain =
      std::is_arithmetic_v<typename S::template State<C>> && weft::detail::count(Types{}) <= 2;
  static constexpr int in_tiles = 4;  // a thread's at a time
  static constexpr int in_rows = plain ? 4 : 2;
  static constexpr ScanTiles items{32 * lanes * in_rows, tile_threads* lanes* in_tiles};
  /// For a state in two parts the look-back is slower than a scan in waves of a stored value.
  static constexpr bool tiles = std::is_arithmetic_v<typename S::template Carry<C>>;
};
#endif

/// How many threads scan a row, or that tiles are scanned.
struct FormulaScan {
  enum Form { apart, short_rows, rows, in_tiles };
  Form form = apart;  // apart: by a scan of the formula's value
  int64_t length = 0;
  int64_t count = 0;    // rows
  unsigned width = 32;  // threads of a row, but in tiles
  int64_t tiles = 0;    // of a row

  /// Blocks of block_threads, or of tile_threads.
  int64_t blocks() const {
    const auto rows_a_block = static_cast<int64_t>(block_threads / width);
    return form == in_tiles ? count * tiles : (count + rows_a_block - 1) / rows_a_block;
  }
};

/// Plans it over `n` operands, the target first; orders them as the loops.
WEFT_OUTLINED inline FormulaScan plan_formula(const Shape& shape, int axis, Operand* operands,
                                              int n, const ScanTiles& items, int lanes, bool tiles,
                                              int multiprocessors, Loops& loops) {
  FormulaScan plan;
  if (!order_formula(shape, axis, operands, n, loops)) return plan;
  plan.length = loops.size[loops.rank - 1];
  plan.count = loops.count() / plan.length;
  if (plan.length <= 32 * lanes) {
    plan.form = FormulaScan::short_rows;
    plan.width = 1;
    while (int64_t{plan.width} * lanes < plan.length) plan.width *= 2;
  } else if (!wants_tiles(plan.count, plan.length, items, multiprocessors)) {
    plan.form = FormulaScan::rows;
  } else if (tiles) {
    plan.form = FormulaScan::in_tiles;
    plan.tiles = (plan.length + items.block_items - 1) / items.block_items;
  }
  return plan;
}

}  // namespace detail
}  // namespace weft::on_cuda
