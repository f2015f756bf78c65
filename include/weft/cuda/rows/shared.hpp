// Which values the row kernels keep for parts of a program that have them too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/evaluation.hpp"
#include "weft/cuda/rows/grid.hpp"
#include "weft/cuda/rows/hoist.hpp"
#include "weft/cuda/rows/reuse.hpp"

namespace weft::on_cuda::detail {

/// What the kernel for short rows keeps of its programs' values, and the one that loops, which
/// keeps it for one item only.
template <class Program>
using NarrowShared = weft::detail::SharedPatterns<Program, 11>;
template <class Program>
using LoopedShared = weft::detail::SharedPatterns<Program, 24>;

/// The same of the part that the kernel with registers computes before the reductions.
template <class Part>
using PartShared = weft::detail::SharedPatterns<RowProgram<Pack<>, Pack<Part>>, 11>;

/// A kernel's operands and reductions, as weft::detail::ShareValues asks for them.
struct FirstInRow {
  SameInRow same;
  int operand(int i) const {
    int first = 0;
    while (!same.same_operand(i, first)) ++first;
    return first;
  }
  int number(int r) const { return same.number(r); }
};

/// See RegisterKernel::share.
template <class Program>
void share_in_part(const void* program, RowLoops& grid, const RowOperand* operands) {
  const auto& part = weft::detail::KeptPart<Program>::of(*static_cast<const Program*>(program));
  using Part = std::remove_cvref_t<decltype(part)>;
  const FirstInRow row{{grid, operands}};
  weft::detail::ShareValues<PartShared<Part>, FirstInRow> sharing(row);
  sharing.run(part);
  grid.shared = sharing.values();
  grid.needed = sharing.needed();
}

}  // namespace weft::on_cuda::detail
