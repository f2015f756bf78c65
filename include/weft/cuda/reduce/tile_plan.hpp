// Planning reductions of broadcast products: tiles of the operands in shared memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/launch.hpp"

namespace weft::on_cuda {

/// A tile of results of short rows, such as sum(square(x(all, newaxis) - y), axis(-1)): its columns
/// are some rows of the second operand, its rows some of the first. Its block has both in shared
/// memory, the second operand's transposed, so that a thread has a vector of neighbouring columns.
struct ReduceTile {
  unsigned width = 1;    // threads side by side, with a vector of columns each
  unsigned threads = 1;  // of the block
  unsigned columns = 0;  // along kept dimension 0, the innermost, or 1; rows are along the other
  unsigned rows = 0;     // of the tile
  unsigned across = 0;   // tiles
  unsigned down = 0;
  unsigned pitch = 0;  // vectors of columns, from one element of their rows to the next
  unsigned place = 0;  // in shared memory, of the columns
  int shared_bytes = 0;
};

namespace detail {

/// The most elements of a row that tiles have.
inline constexpr int64_t most_of_tiled_row = 128;
/// The fewest results down, and in all for each multiprocessor, that are worth tiles.
inline constexpr int64_t least_down_tiles = 16, least_by_tiles = 512;
/// Threads side by side at most, and where neighbouring threads had better have neighbouring rows,
/// since these are neighbours in memory; results that a thread has below each other.
inline constexpr unsigned tile_threads_across = 16, tile_threads_beside = 4, results_down_tile = 8;

/// Elements from one row to the next in shared memory: an odd number, so that they begin in
/// different banks.
WEFT_HD constexpr unsigned tiled_row_pitch(unsigned length) { return length | 1U; }

/// Whether an operand changes along one of the two innermost kept dimensions, but not the other.
inline bool changes_along(const Loops& kept, const Operand& x, unsigned dimension) {
  const auto stride = [&](unsigned d) { return x.stride[kept.rank - 1 - static_cast<int>(d)]; };
  return x.gathered == 0 && stride(dimension) != 0 && stride(1 - dimension) == 0;
}

/// Chooses a tile that fits; false if there is none, or if no tiles would serve these results.
inline bool plan_tile(const Loops& kept, const Operand* operands, const Loops& reduced, int lanes,
                      int multiprocessors, ReduceTile& out) {
  if (kept.rank < 2 || reduced.rank != 1 || reduced.size[0] > most_of_tiled_row) return false;
  out.columns = changes_along(kept, operands[2], 0) ? 0 : 1;
  const int64_t across = kept.size[kept.rank - 1 - static_cast<int>(out.columns)];
  const int64_t down = kept.size[kept.rank - 2 + static_cast<int>(out.columns)];
  const int64_t results = kept.count();
  if (across < lanes || down < least_down_tiles || results < least_by_tiles * multiprocessors ||
      !changes_along(kept, operands[2], out.columns) ||
      !changes_along(kept, operands[1], 1 - out.columns)) {
    return false;
  }
  const auto length = static_cast<unsigned>(reduced.size[0]);
  const auto tiles = [&](unsigned w) { return (across + w * lanes - 1) / (w * lanes); };
  const unsigned most = out.columns == 0 ? tile_threads_across : tile_threads_beside;
  unsigned widest = power_of_two((across + lanes - 1) / lanes);
  if (widest > most) widest = most;
  if (widest > 1 && 16 * tiles(widest) > 9 * tiles(widest / 2)) widest /= 2;
  for (out.threads = block_threads; out.threads >= block_threads / 4; out.threads /= 2) {
    for (out.width = widest; out.width > 0 && 2 * out.width >= widest; out.width /= 2) {
      out.pitch = out.width + 1;
      const auto columns = static_cast<int>(length * out.pitch) * lanes * operands[2].itemsize;
      for (unsigned each = results_down_tile; each > 0; each /= 2) {
        out.rows = each * (out.threads / out.width);
        out.across = static_cast<unsigned>(tiles(out.width));
        out.down = static_cast<unsigned>((down + out.rows - 1) / out.rows);
        const unsigned rows =
            out.rows * tiled_row_pitch(length) * static_cast<unsigned>(operands[1].itemsize);
        out.place = (rows + 31) / 32 * 32;
        out.shared_bytes = static_cast<int>(out.place) + columns;
        const bool few = results / (across * down) * out.across * out.down < 8 * multiprocessors ||
                         out.rows >= 2 * down;
        if (out.shared_bytes <= granted_shared_bytes && (each == 1 || !few)) return true;
      }
    }
  }
  return false;
}

}  // namespace detail
}  // namespace weft::on_cuda
