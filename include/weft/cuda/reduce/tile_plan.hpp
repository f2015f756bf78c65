// Planning reductions of broadcast products: tiles of the operands in shared memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/launch.hpp"

namespace weft::on_cuda {

/// A tile of results of short rows, such as sum(square(x(all, newaxis) - y), axis(-1)): those of
/// some of the innermost kept dimension, its columns, and of some of the one next to it, its rows.
/// Its block has both operands' part in shared memory: of the one that changes along the columns
/// transposed, so that a thread has a vector of neighbouring columns.
struct ReduceTile {
  unsigned width = 1;    // threads side by side, with a vector of columns each
  unsigned threads = 1;  // of the block
  unsigned rows = 0;
  unsigned across = 0;  // tiles
  unsigned down = 0;
  unsigned pitch = 0;  // vectors of columns, from one element of their rows to the next
  int shared_bytes = 0;
};

namespace detail {

/// The most elements of a row that tiles have.
inline constexpr int64_t most_of_tiled_row = 128;
/// The fewest results down, and in all for each multiprocessor, that are worth tiles.
inline constexpr int64_t least_down_tiles = 16, least_by_tiles = 512;
/// Threads side by side at most, and results that a thread has below each other.
inline constexpr unsigned tile_threads_across = 16, results_down_tile = 8;

/// Elements from one row to the next in shared memory: an odd number, so that they begin in
/// different banks.
WEFT_HD constexpr unsigned tiled_row_pitch(unsigned length) { return length | 1U; }

/// The bytes of an operand's part of a tile.
inline int tiled_bytes(bool columns, int itemsize, unsigned length, int lanes,
                       const ReduceTile& tile) {
  const unsigned elements = columns ? length * tile.pitch * static_cast<unsigned>(lanes)
                                    : tile.rows * tiled_row_pitch(length);
  return (static_cast<int>(elements) * itemsize + 31) / 32 * 32;
}

/// Where in shared memory the operands' parts begin.
inline void place_in_tile(const Operand* operands, const int* lane, unsigned length, int lanes,
                          const ReduceTile& tile, int64_t* place) {
  place[1] = 0;
  place[2] = tiled_bytes(lane[1] != 0, operands[1].itemsize, length, lanes, tile);
}

/// Whether one of two operands changes along the columns of results, the other one along the rows.
inline bool is_product_of_rows(const Loops& kept, const Operand* operands) {
  const auto changes = [&](int i, int d) { return operands[i].stride[kept.rank - d] != 0; };
  const int across = changes(1, 1) ? 1 : 2;
  return operands[1].gathered == 0 && operands[2].gathered == 0 && changes(across, 1) &&
         !changes(across, 2) && !changes(3 - across, 1) && changes(3 - across, 2);
}

/// Chooses a tile that fits; false if there is none, or if no tiles would serve these results.
inline bool plan_tile(const Loops& kept, const Operand* operands, const Loops& reduced, int lanes,
                      int multiprocessors, ReduceTile& out) {
  if (kept.rank < 2 || reduced.rank != 1 || reduced.size[0] > most_of_tiled_row) return false;
  const int64_t across = kept.size[kept.rank - 1];
  const int64_t down = kept.size[kept.rank - 2];
  const int64_t results = kept.count();
  if (across < lanes || down < least_down_tiles || results < least_by_tiles * multiprocessors ||
      !is_product_of_rows(kept, operands)) {
    return false;
  }
  const auto length = static_cast<unsigned>(reduced.size[0]);
  const auto tiles = [&](unsigned w) { return (across + w * lanes - 1) / (w * lanes); };
  unsigned widest = power_of_two((across + lanes - 1) / lanes);
  if (widest > tile_threads_across) widest = tile_threads_across;
  if (widest > 1 && 16 * tiles(widest) > 9 * tiles(widest / 2)) widest /= 2;
  for (out.threads = block_threads; out.threads >= block_threads / 2; out.threads /= 2) {
    for (out.width = widest; out.width > 0 && 2 * out.width >= widest; out.width /= 2) {
      out.pitch = out.width + 1;
      for (unsigned each = results_down_tile; each > 0; each /= 2) {
        out.rows = each * (out.threads / out.width);
        out.across = static_cast<unsigned>(tiles(out.width));
        out.down = static_cast<unsigned>((down + out.rows - 1) / out.rows);
        out.shared_bytes = 0;
        for (int i = 1; i < 3; ++i) {
          const bool columns = operands[i].stride[kept.rank - 1] != 0;
          out.shared_bytes += tiled_bytes(columns, operands[i].itemsize, length, lanes, out);
        }
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
