// The CPU's loops over elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/block.hpp"
#include "weft/cpu/joint.hpp"
#include "weft/cpu/memory.hpp"
#include "weft/cpu/parallel.hpp"
#include "weft/eval/executor.hpp"

namespace weft {

template <>
struct Executor<Cpu> {
  /// Nothing on the CPU runs later than the call that started it.
  static bool may_overwrite(const Storage*, long others) { return others == 0; }

  /// Where the loops leave a failure.
  static Failure* failure_flag(Cpu) { return cpu::failure_flag(); }

  /// The targets = the programs over the other operands, at every coordinate of `shape`.
  template <class Out, class Types, class Program>
  static void for_each(const detail::Name&, Cpu, const Shape& shape, detail::Operand* operands,
                       const Program& program) {
    constexpr int n = detail::count(Types{}) + detail::target_count<Out>;
    detail::Loops loops = detail::loops_over(shape);
    detail::simplify(loops, operands, n);
    if (loops.rank == 0) {
      loops.rank = 1;
      loops.size[0] = 1;
      for (int i = 0; i < n; ++i) operands[i].stride[0] = 0;
    }
    const int inner = loops.rank - 1;
    const int64_t row = loops.size[inner];
    const int64_t blocks = (row + cpu::block_size - 1) / cpu::block_size;
    const int64_t total = loops.count();
    cpu::parallel(blocks * (row > 0 ? total / row : 0), total, [&](int64_t first, int64_t last) {
      run<Out, Types>(program, loops, operands, first, last, blocks);
    });
  }

 private:
  /// Blocks first to last - 1, counted through all rows.
  template <class Out, class Types, class Program>
  static void run(const Program& program, const detail::Loops& loops,
                  const detail::Operand* operands, int64_t first, int64_t last, int64_t blocks) {
    constexpr int n = detail::count(Types{}) + detail::target_count<Out>;
    const int inner = loops.rank - 1;
    int64_t stride[n];
    char* row[n];
    for (int i = 0; i < n; ++i) {
      stride[i] = operands[i].stride[inner];
      row[i] = operands[i].data;
    }
    detail::Cursor cursor;
    cursor.seek(loops, inner, operands, n, row, first / blocks);
    constexpr int behind = detail::target_count<Out> - 1;
    cpu::Block<Types> block;
    int64_t b = first % blocks;
    for (int64_t k = first; k < last; ++k) {
      char* at[n];
      const int64_t start = b * cpu::block_size;
      const int64_t left = loops.size[inner] - start;
      const int length = static_cast<int>(left < cpu::block_size ? left : cpu::block_size);
      for (int i = 0; i < n; ++i) at[i] = row[i] + start * stride[i] * operands[i].itemsize;
      block.load(at + behind, stride + behind, length);
      if constexpr (JointProgram<Program>) {
        cpu::write_joint<Out>(block, program, at, stride, length);
      } else if constexpr (behind > 0) {
        write(Out{}, block, program, at, stride, length);
      } else {
        write(detail::TypeList<Out>{}, block, Pack<const Program&>{program, {}}, at, stride,
              length);
      }
      if (++b == blocks) {
        b = 0;
        cursor.next(loops, inner, operands, n, row);
      }
    }
  }

  /// Computes all targets before it writes any, so that each may be an operand of the others.
  template <class Out, class... Outs, class Block, class Program, class... Programs>
  static void write(detail::TypeList<Out, Outs...>, const Block& block,
                    const Pack<Program, Programs...>& programs, char* const* at,
                    const int64_t* stride, int length) {
    auto* out = reinterpret_cast<Out*>(at[0]);
    if constexpr (sizeof...(Outs) == 0) {
      if (stride[0] == 1) return block.run(programs.head, out, length);
    }
    alignas(64) char result[cpu::block_size * sizeof(Out)];
    auto* values = reinterpret_cast<Out*>(result);
    block.run(programs.head, values, length);
    if constexpr (sizeof...(Outs) > 0) {
      write(detail::TypeList<Outs...>{}, block, programs.tail, at + 1, stride + 1, length);
    }
    for (int i = 0; i < length; ++i) out[i * stride[0]] = values[i];
  }
};

}  // namespace weft
