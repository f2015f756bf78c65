// What a row kernel keeps from its last reduction for the outputs, if it is one value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/rows/grid.hpp"
#include "weft/eval/rows/kept.hpp"

namespace weft::on_cuda::detail {

using weft::detail::Kept;
using weft::detail::Reuse;
using weft::detail::Reused;
using weft::detail::uses_of;
using weft::detail::with_leaf;

/// A kernel's operands and reductions, as weft::detail::SameValue asks for them.
struct SameInRow {
  const RowLoops& grid;
  const RowOperand* operand;
  bool same_operand(int i, int j) const { return is_same_operand(grid, operand[i], operand[j]); }
  bool computes(int r) const { return grid.mode[r] == RowMode::compute; }
  int number(int r) const { return grid.mode[r] == RowMode::same ? grid.same[r] : r; }
};

/// Whether, of the last reduction's pattern, a task's outputs read only the value that it left.
template <class Program>
bool keeps_last(const void* program, const RowLoops& grid, const RowOperand* operand) {
  return grid.target < 0 && grid.mode[Reuse<Program>::last] == RowMode::compute &&
         Reuse<Program>::same(program, SameInRow{grid, operand});
}

/// Whether the part that is computed before the reductions has one value wherever it occurs.
template <class Program>
bool keeps_part(const void* program, const RowLoops& grid, const RowOperand* operand) {
  return weft::detail::KeptPart<Program>::same(program, SameInRow{grid, operand});
}

}  // namespace weft::on_cuda::detail
