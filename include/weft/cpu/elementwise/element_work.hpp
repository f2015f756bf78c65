// What the CPU's loops over elements are given, whatever the expression.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program/multi_output.hpp"
#include "weft/eval/program/plan.hpp"

namespace weft::cpu {
struct Movers;
}

namespace weft::cpu::detail {

/// n elements of all operands in each of `rows` rows: at[k] points to the first, the next row's are
/// skip[k] bytes on, and step[k] counts for positions.
using ElementLoop = void(const void* programs, char* const* at, const int64_t* step,
                         const int64_t* skip, int64_t rows, int64_t n);

/// What a loop over elements is given, whatever the expression.
struct ElementWork {
  const weft::detail::Loops& loops;
  const weft::detail::Operand* operands;
  int n;
  int targets;
  const bool* computed;  // which of the operands behind the targets are positions
  ElementLoop* loop;
  const void* programs;
  const Movers& movers;
  int64_t blocks;               // of a row
  Stores stores = {~0U, 0, 0};  // which targets are written, and which are added to
};

}  // namespace weft::cpu::detail
