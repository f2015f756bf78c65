// The shape class of a launch, as text: what may differ without another choice being faster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/reduce/plan.hpp"
#include "weft/cuda/rows/grid.hpp"
#include "weft/cuda/runtime/tuner.hpp"
#include "weft/cuda/tune/record.hpp"

namespace weft::on_cuda::detail {

/// "327680x197 sc.sc.0c": the classes of the sizes, then for each operand and dimension whether
/// neighbours are contiguous (c), one element (0) or apart (s).
inline std::string shape_class(const Loops& loops, const Operand* operands, int n) {
  std::string out;
  for (int d = 0; d < loops.rank; ++d) {
    out += (d > 0 ? "x" : "") + std::to_string(size_class(loops.size[d]));
  }
  if (loops.rank == 0) out += "1";
  for (int i = 0; i < n; ++i) {
    out += i > 0 ? '.' : ' ';
    for (int d = 0; d < loops.rank; ++d) {
      const int64_t stride = operands[i].stride[d];
      out += stride == 0 ? '0' : stride == 1 ? 'c' : 's';
    }
  }
  return out;
}

/// "narrow 7168x8 c.c.0": which kernel, rows and their lengths, and for each operand how it lies
/// along the row; an operand that all rows share in capitals.
inline std::string shape_class(const RowKernel& kernel, const RowLaunch& launch,
                               const RowLoops& grid, const RowOperand* operands) {
  std::string out = launch.registers ? "registers"
                    : launch.narrow  ? "narrow"
                    : launch.tile    ? "tiled"
                                     : "looped";
  if (grid.columns) out += " columns";
  out += ' ' + std::to_string(size_class(grid.rows)) + 'x' +
         std::to_string(size_class(static_cast<int64_t>(grid.outer))) + 'x' +
         std::to_string(size_class(static_cast<int64_t>(grid.inner)));
  for (int i = 0; i < kernel.outputs + kernel.leaves; ++i) {
    const RowOperand& x = operands[i];
    bool shared = true;
    for (int d = 0; d < grid.kept_rank; ++d) shared = shared && x.kept_stride[d] == 0;
    const char along = is_constant(grid, x) ? 'o' : x.lane == 1 ? 'c' : 's';
    out += i > 0 ? '.' : ' ';
    out += shared ? static_cast<char>(along - 'a' + 'A') : along;
  }
  return out;
}

/// "columns 197x366948, vectors", also along lines, or beside operands that begin elsewhere
inline std::string shape_class(const ReduceLoops& grid) {
  std::string out = grid.form == ReduceLoops::columns ? "columns " : "rows ";
  out += std::to_string(size_class(grid.outputs)) + 'x' +
         std::to_string(size_class(static_cast<int64_t>(grid.outer))) + 'x' +
         std::to_string(size_class(grid.inner));
  if (grid.vectors) out += grid.ragged ? " ragged vectors" : " vectors";
  if (grid.flat) out += " lines";
  if (grid.apart != 0) out += " apart";
  return out;
}

/// "40960x40, 8 threads each, of 4 B"
inline std::string shape_class(const ThreadGroups& work) {
  return std::to_string(size_class(work.groups)) + 'x' + std::to_string(size_class(work.length)) +
         ", " + std::to_string(work.width) + (work.width == 1 ? " thread" : " threads") +
         " each, of " + std::to_string(work.element_bytes) + " B";
}

}  // namespace weft::on_cuda::detail
