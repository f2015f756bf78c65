// The arguments of the CPU's element-wise loops, the same for all expressions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program/multi_output.hpp"
#include "weft/eval/program/plan.hpp"

namespace weft::cpu {
struct Movers;
}

namespace weft::cpu::detail {

/// A loop over n elements in each of `rows` rows: at[k] points to operand k's first element, rows
/// are skip[k] bytes apart, and step[k] is the stride of positions.
using ElementLoop = void(const void* programs, char* const* at, const int64_t* step,
                         const int64_t* skip, int64_t rows, int64_t n);

/// What an element-wise loop is given, whatever the expression.
struct ElementWork {
  const weft::detail::Loops& loops;
  const weft::detail::Operand* operands;
  int n;
  int targets;
  const bool* computed;  // which of the operands after the targets are positions
  ElementLoop* loop;
  const void* programs;
  const Movers& movers;
  int64_t blocks;               // of a row
  Stores stores = {~0U, 0, 0};  // which targets are written, and which are added to
  bool packs = false;           // short rows are put behind each other
};

}  // namespace weft::cpu::detail
