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

}  // namespace weft::on_cuda::detail
