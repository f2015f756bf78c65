// Scatters on the CPU: elements with different targets in parallel, those that share one in order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/for_each.hpp"
#include "weft/eval/scatter.hpp"

namespace weft {

template <>
struct Scatterer<Cpu> {
  /// Runs the program at every coordinate of `shape`, in row-major order for each target element.
  template <class T, class Types, class Program>
  static void run(const detail::Name&, Cpu, const Shape& shape, detail::Operand* operands,
                  const Program& program) {
    constexpr int n = detail::count(Types{}) + 1;
    detail::Loops loops = detail::loops_over(shape);
    detail::simplify(loops, operands, n, true);
    const int axis = axis_of_targets(loops, operands[1]);
    const int64_t items = axis < 0 ? 1 : loops.size[axis];
    cpu::parallel(items, axis < 0 ? 1 : loops.count(), [&](int64_t first, int64_t last) {
      detail::Loops mine = loops;
      char* row[n];
      for (int i = 0; i < n; ++i) {
        row[i] = operands[i].data;
        if (axis >= 0) row[i] += first * operands[i].stride[axis] * operands[i].itemsize;
      }
      if (axis >= 0) mine.size[axis] = last - first;
      in_order<Types>(program, mine, operands, row);
    });
  }

 private:
  /// The longest axis along which no two positions share a target element; -1 if there is none.
  static int axis_of_targets(const detail::Loops& loops, const detail::Operand& offsets) {
    int longest = -1;
    for (int d = 0; d < loops.rank; ++d) {
      if (offsets.stride[d] == 0) continue;
      if (longest < 0 || loops.size[d] > loops.size[longest]) longest = d;
    }
    return longest;
  }

  template <class Types, class Program>
  static void in_order(const Program& program, const detail::Loops& loops,
                       const detail::Operand* operands, char** row) {
    constexpr int n = detail::count(Types{}) + 1;
    const int inner = loops.rank - 1;
    const int64_t length = inner < 0 ? 1 : loops.size[inner];
    const int64_t rows = loops.count() / length;
    using Operands = cpu::OperandElements<Types>;
    alignas(64) char scratch[cpu::Block::scratch_bytes];
    cpu::BlockOperand blocked[n];
    int64_t step[n];
    char* at[n];
    for (int i = 0; i < n; ++i) {
      step[i] = inner < 0 ? 0 : operands[i].stride[inner];
      blocked[i].stride = step[i];
      blocked[i].itemsize = operands[i].itemsize;
      blocked[i].direct = i == 0 || step[i] == 1 || Operands::computed[i - 1];
    }
    cpu::Block block(blocked, n, 1, scratch);
    const int64_t most = block.length() < cpu::block_size ? block.length() : cpu::block_size;
    detail::Cursor cursor;
    for (int64_t k = 0; k < rows; ++k) {
      for (int i = 0; i < n; ++i) blocked[i].row = row[i];
      for (int64_t start = 0; start < length; start += most) {
        const int64_t m = length - start < most ? length - start : most;
        block.load(start, m, at);
        const auto inputs = Operands::at(at + 1, step + 1);
        for (int64_t i = 0; i < m; ++i) {
          program(cpu::ElementAt<1, typename Operands::type>{inputs, i});
        }
      }
      cursor.next(loops, inner, operands, n, row);
    }
  }
};

WEFT_MODEL(ScatteringDevice<Cpu>);

}  // namespace weft
