// TotalMerge: how a total over rows comes from what an earlier kernel left of each row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "weft/cuda/rows/grid.hpp"

namespace weft::on_cuda::detail {

/// How a total over rows comes from a piece for each row, its value there or a state: by one block,
/// after blocks with a part of the pieces each where there are many.
class TotalMerge {
 public:
  static constexpr unsigned threads = 256;

  TotalMerge(const RowTask& task, const RowKernel& kernel, const RowLoops& grid)
      : of_values_(!keeps_states(task, kernel)),
        rows_(grid.rows),
        count_(grid.count),
        groups_(std::min(most, (grid.rows + most - 1) / most)),
        target_(task.target),
        reductions_(kernel.reductions),
        state_bytes_(kernel.state_bytes),
        scratch_(scratch_bytes(kernel)) {}

  unsigned launches() const { return groups_ > 1 ? 2 : 1; }
  int64_t bytes() const { return (int64_t{rows_} + groups_) * state_bytes_; }
  /// Calls f(launch, the first piece) for each launch, with its grid.
  template <class F>
  void run(RowLoops& grid, char* pieces, const F& f) const {
    grid.of_values = of_values_;
    grid.count = of_values_ ? rows_ : count_ * rows_;
    grid.pieces = grid.splits = rows_;
    if (groups_ > 1) {
      grid.splits = (rows_ + groups_ - 1) / groups_;
      grid.stage = RowLoops::remerge;
      f(prepare(grid, (rows_ + grid.splits - 1) / grid.splits), pieces);
      pieces += int64_t{rows_} * state_bytes_;
      grid.splits = grid.rows;
      grid.of_values = false;
    }
    grid.stage = RowLoops::merge;
    f(prepare(grid, 1), pieces);
  }

 private:
  static constexpr unsigned most = 2048;  // pieces that a block merges quickly

  RowLaunch prepare(RowLoops& grid, unsigned blocks) const {
    for (int r = 0; r < reductions_; ++r) {
      if (r != target_) grid.mode[r] = RowMode::skip;
    }
    grid.rows = blocks;
    grid.columns = grid.cluster = false;
    grid.parts = FastDivmod(1);
    grid.fetched = 0;
    grid.group = threads;
    grid.group_shift = __builtin_ctz(threads);
    grid.warps = threads / 32;
    grid.rows_a_block = 1;
    grid.width = {};
    grid.width_shift = 0;
    grid.scratch = scratch_;
    RowLaunch launch;
    launch.blocks = blocks;
    launch.threads = threads;
    launch.shared_bytes = 2 * grid.scratch;
    return launch;
  }

  bool of_values_;
  unsigned rows_;
  long long count_;
  unsigned groups_;
  int target_;
  int reductions_;
  int state_bytes_;
  unsigned scratch_;
};

}  // namespace weft::on_cuda::detail
