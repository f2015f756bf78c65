// What may be changed in the launch of a reduction, row program or scan without changing a bit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/reduce/plan.hpp"
#include "weft/cuda/rows/grid.hpp"
#include "weft/cuda/tune/choices.hpp"

namespace weft::on_cuda::detail {

// Row programs: as many threads share a row, each with the same elements in the same order.

/// A launch of a row kernel.
struct RowChoices {
  const RowKernel& kernel;
  RowLaunch& launch;
  RowLoops& grid;
  int64_t shared_memory;  // bytes, the most that a block may have

  ChoiceList choices() const {
    ChoiceList out;
    if (grid.stage != RowLoops::whole || grid.count == 0 || launch.tile) return out;
    if (has_several_rows()) {
      const unsigned most = launch.registers || launch.narrow ? 256 : row_loop_block;
      for (unsigned threads = 32; threads <= most; threads *= 2) {
        if (threads != launch.threads && threads >= least_threads()) {
          out.add("threads", static_cast<int>(threads));
        }
      }
    }
    if (launch.registers && grid.ahead > 0) {
      out.add("ahead", 0);
      out.add("ahead", 50);
      out.add("ahead", 200);
    }
    const bool looped = !launch.registers && !launch.narrow;
    if (looped && grid.fetched != 0) out.add("fetched", 0);
    if (launch.narrow && grid.read_once != 0) out.add("once", 0);
    if (looped && !grid.columns && !grid.cluster && launch.threads >= 128) {
      out.add("resident", static_cast<int>(1024 / launch.threads));
    }
    return out;
  }

  void apply(const LaunchChoice& choice) {
    const auto is = [&](const char* what) { return std::strcmp(choice.what, what) == 0; };
    if (is("threads")) {
      use_threads(static_cast<unsigned>(choice.value));
    } else if (is("ahead")) {
      const auto rows = std::uint64_t{grid.ahead} * static_cast<unsigned>(choice.value) / 100;
      grid.ahead = rows < grid.rows ? static_cast<unsigned>(rows) : 0;
    } else if (is("fetched")) {
      grid.fetched = 0;
    } else if (is("once")) {
      grid.needed |= grid.read_once;
      grid.read_once = 0;
    } else if (is("resident")) {  // what a block asks for leaves no room for more of them
      const int64_t share = (shared_memory + 1024) / choice.value - 1024;
      if (share > launch.shared_bytes)
        launch.shared_bytes = static_cast<unsigned>(share / 128 * 128);
    }
  }

 private:
  /// Whether a block has rows that do not know of each other.
  bool has_several_rows() const {
    return grid.parts.divisor == 1 && grid.width.divisor == 1 && grid.group <= 32 &&
           grid.rows_a_block * grid.group == launch.threads &&
           (!grid.columns || launch.narrow || grid.rows_a_block >= 32);
  }
  unsigned least_threads() const {
    if (grid.columns && !launch.narrow) return 32 * grid.group;
    return grid.group > 32 ? grid.group : 32;
  }
  void use_threads(unsigned threads) {
    launch.threads = threads;
    grid.rows_a_block = threads / grid.group;
    launch.blocks = (grid.rows + grid.rows_a_block - 1) / grid.rows_a_block;
    if (!grid.columns || launch.narrow) return;
    grid.width_shift = 0;
    while (1U << grid.width_shift < grid.rows_a_block) ++grid.width_shift;
    grid.scratch = round_up(static_cast<unsigned>(kernel.state_bytes) * threads + 16, 128);
    launch.shared_bytes = 2 * grid.scratch;
  }
};

// Groups of threads, as those that scan a row each.

/// The launch of such a kernel.
struct GroupChoices {
  unsigned& threads;

  ChoiceList choices() const {
    ChoiceList out;
    for (unsigned other = 32; other <= block_threads; other *= 2) {
      if (other != threads) out.add("threads", static_cast<int>(other));
    }
    return out;
  }
  void apply(const LaunchChoice& choice) { threads = static_cast<unsigned>(choice.value); }
};

// Reductions: as many threads share a result, each with the same elements in the same order, and as
// many pieces are merged.

/// A reduction's launch; `lanes` are those of a vector in the form of columns.
struct ReduceChoices {
  ReduceLoops& grid;
  int lanes;

  ChoiceList choices() const {
    ChoiceList out;
    if (grid.form == ReduceLoops::by_tiles) return out;
    if (grid.form == ReduceLoops::rows) {
      if (grid.width > 32) return out;
      for (unsigned threads = 32; threads <= row_threads; threads *= 2) {
        if (threads != grid.threads && threads >= grid.width) {
          out.add("threads", static_cast<int>(threads));
        }
      }
      return out;
    }
    const unsigned a_tile = grid.width * grid.depth;
    for (unsigned threads = 64; threads < grid.threads; threads *= 2) {
      if (threads >= a_tile) out.add("threads", static_cast<int>(threads));
    }
    for (unsigned width = 4; width <= 64; width *= 2) {
      const unsigned threads = width * grid.depth;
      if (width != grid.width && width < 2 * items() && threads >= 32 &&
          threads <= column_threads) {
        out.add("width", static_cast<int>(width));
      }
    }
    return out;
  }

  void apply(const LaunchChoice& choice) {
    const auto value = static_cast<unsigned>(choice.value);
    if (std::strcmp(choice.what, "threads") == 0) {
      grid.threads = value;
    } else if (std::strcmp(choice.what, "width") == 0) {
      const unsigned rows_of_tiles = grid.outputs / grid.kept[0].divisor;
      grid.width = value;
      if (!grid.flat) grid.tiles_across = FastDivmod(divide_up(items(), value));
      const unsigned tiles = rows_of_tiles * grid.tiles_across.divisor;
      grid.tiles = FastDivmod(grid.flat ? divide_up(tiles, value) : tiles);
      grid.threads = value * grid.depth;
    }
    const bool rows = grid.form == ReduceLoops::rows;
    const unsigned of_a_block = grid.threads / (rows ? grid.width : grid.width * grid.depth);
    const int64_t pieces = int64_t{rows ? grid.outputs : grid.tiles.divisor} * grid.splits.divisor;
    grid.blocks = divide_up(pieces, of_a_block);
  }

 private:
  unsigned items() const { return divide_up(grid.kept[0].divisor, grid.vectors ? lanes : 1); }
};

}  // namespace weft::on_cuda::detail
