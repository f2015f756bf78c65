// Which values the row kernels keep for parts of a program that have them too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/evaluation.hpp"
#include "weft/cuda/rows/grid.hpp"
#include "weft/cuda/rows/hoist.hpp"

namespace weft::on_cuda::detail {

/// What the kernel for short rows keeps of its programs' values, and the one that loops, which
/// keeps it for one item only.
template <class Program>
using NarrowShared = weft::detail::SharedPatterns<Program, 12>;
template <class Program>
using LoopedShared = weft::detail::SharedPatterns<Program, 24>;

/// A kernel's operands and reductions, as weft::detail::ShareValues asks for them.
struct FirstInRow {
  const RowLoops& grid;
  const RowOperand* operands;
  int operand(int i) const {
    int first = i;
    for (int j = i - 1; j >= 0; --j) {
      if (is_same_operand(grid, operands[i], operands[j])) first = j;
    }
    return first;
  }
  int number(int r) const { return grid.mode[r] == RowMode::same ? grid.same[r] : r; }
};

}  // namespace weft::on_cuda::detail
