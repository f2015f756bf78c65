// The CPU's row programs: each row is reduced and written while it is in the cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/row_kernel.hpp"
#include "weft/eval/rows.hpp"

namespace weft {

namespace cpu::detail {

/// A task of a row program over the places of `outer`, each with a row of `inner`.
struct RowWork {
  const weft::detail::RowTask& task;
  const void* program;
  int outputs;
  int leaves;
  int reductions;
  const bool* computed;  // which leaves are positions
  const RowReduceLoops* const* reduce_loops;
  const RowOutputLoop* const* output_loops;
  const weft::detail::Loops& outer;
  const weft::detail::Operand* operands;
  const weft::detail::Loops& inner;
  const weft::detail::Operand* inside;

  bool varies;  // reductions' values, loaded, are others at each element of a row

  int n() const { return outputs + leaves + reductions; }

  [[gnu::noinline]] void run() const {
    const int64_t rows = outer.count();
    parallel(rows, rows * inner.count(),
             [&](int64_t first, int64_t last) { run_rows(first, last); });
  }

 private:
  static constexpr int most = 64;         // operands
  static constexpr int value_bytes = 16;  // the largest value
  struct Memory {
    Side sides[most];
    char* row[most];
    char* line[most];
    char* at[most];
    int64_t step[most];
    alignas(16) char values[most][value_bytes];
    alignas(64) char room[Block::room_bytes];
    alignas(64) char state[4096];
  };

  void run_rows(int64_t first, int64_t last) const {
    using weft::detail::RowMode;
    Memory memory;
    __builtin_memset(memory.values, 0, sizeof(memory.values));
    const int count = n();
    const int depth = inner.rank - 1;
    for (int i = 0; i < count; ++i) {
      memory.step[i] = inside[i].stride[depth];
      memory.row[i] = operands[i].data;
      // A loop takes all values with it, those that it does not read too.
      const int value = i - outputs - leaves;
      memory.at[i] = value >= 0 ? memory.values[value] : nullptr;
      Side& side = memory.sides[i];
      side.stride = memory.step[i];
      side.itemsize = inside[i].itemsize;
      if (i < outputs) {
        // Where there are several, all see the operands as they were.
        side.direct = outputs == 1 && (side.stride == 1 || !task.along_row[i]);
      } else if (i < outputs + leaves) {
        side.direct = side.stride == 1 || computed[i - outputs];
      } else {
        const int r = i - outputs - leaves;
        side.itemsize = reduce_loops[r]->value_bytes;
        if (task.mode[r] != RowMode::load) side.stride = 0;
        side.direct = !varies || side.stride == 1;
      }
    }
    Block block(memory.sides, count, outputs, memory.room);
    weft::detail::Cursor cursor;
    cursor.seek(outer, outer.rank, operands, count, memory.row, first);
    for (int64_t k = first; k < last; ++k) {
      for (int r = 0; r < reductions; ++r) reduce(memory, block, r);
      if (task.target < 0) store(memory, block);
      cursor.next(outer, outer.rank, operands, count, memory.row);
    }
  }

  /// f(start, position, m) for the runs of a row, sides' rows being set to its lines.
  template <class F>
  void walk(Memory& memory, const Block& block, const F& f) const {
    const int depth = inner.rank - 1;
    const int64_t size = inner.size[depth];
    const int64_t length = inner.count();
    const int64_t longest = block.length() < block_size ? block.length() : block_size;
    const int count = n();
    for (int i = 0; i < count; ++i) memory.line[i] = memory.row[i];
    weft::detail::Cursor within;
    for (int64_t start = 0; start < length; start += size) {
      for (int i = 0; i < count; ++i) {
        const int r = i - outputs - leaves;
        const bool known = r >= 0 && task.mode[r] != weft::detail::RowMode::load;
        memory.sides[i].row = known ? memory.values[r] : memory.line[i];
      }
      for (int64_t j = 0; j < size; j += longest) {
        f(j, start + j, size - j < longest ? size - j : longest);
      }
      if (depth > 0) within.next(inner, depth, inside, count, memory.line);
    }
  }

  void reduce(Memory& memory, Block& block, int r) const {
    using weft::detail::RowMode;
    const RowReduceLoops& loops = *reduce_loops[r];
    const auto bytes = static_cast<std::size_t>(loops.value_bytes);
    if (task.mode[r] == RowMode::compute) {
      loops.begin(program, memory.state);
      walk(memory, block, [&](int64_t start, int64_t position, int64_t m) {
        block.load(start, m, memory.at, loops.uses);
        (varies ? loops.add_varying : loops.add)(program, memory.at, memory.step, m, position,
                                                 memory.state);
      });
      loops.end(program, memory.state, inner.count(), memory.values[r]);
    } else if (task.mode[r] == RowMode::same) {
      __builtin_memcpy(memory.values[r], memory.values[task.same[r]], bytes);
    }
    const int side = outputs + leaves + r;
    if (task.mode[r] != RowMode::load) memory.sides[side].repeated = nullptr;
    if (task.target == r) __builtin_memcpy(memory.row[side], memory.values[r], bytes);
  }

  void store(Memory& memory, Block& block) const {
    std::uint64_t uses = (std::uint64_t{1} << outputs) - 1;
    for (int k = 0; k < outputs; ++k) uses |= output_loops[k]->uses;
    if (inner.count() == 0) return store_of_none(memory, block);
    walk(memory, block, [&](int64_t start, int64_t, int64_t m) {
      block.load(start, m, memory.at, uses);
      for (int k = 0; k < outputs; ++k) {
        output_loops[k]->store(program, memory.at, memory.step, task.along_row[k] ? m : 1);
      }
      block.store(start, m);
    });
  }
  /// The outputs of a row without elements that do not run along it.
  void store_of_none(Memory& memory, Block& block) const {
    for (int i = 0; i < n(); ++i) {
      const int r = i - outputs - leaves;
      const bool known = r >= 0 && task.mode[r] != weft::detail::RowMode::load;
      memory.sides[i].row = known ? memory.values[r] : memory.row[i];
    }
    for (int k = 0; k < outputs; ++k) {
      if (task.along_row[k]) continue;
      block.load(0, 1, memory.at, output_loops[k]->uses | std::uint64_t{1} << k);
      output_loops[k]->store(program, memory.at, memory.step, 1);
      const Side& side = memory.sides[k];
      if (!side.direct) copy_strided(side.buffer, 1, side.row, 0, 1, side.itemsize);
    }
  }
};

}  // namespace cpu::detail

template <>
struct RowExecutor<Cpu> {
  /// A row is one thread's work, so that few long rows are better reduced in pieces. Not by the
  /// number of threads: results do not depend on that.
  static bool fuses(int64_t rows, int64_t length) {
    return rows >= 32 || rows * length < int64_t{1} << 18;
  }

  template <class Outs, class Types, class Program>
  static void run(const detail::Name&, Cpu, const detail::RowTask& task, detail::Operand* operands,
                  const Program& program) {
    using Kernel = cpu::detail::RowKernel<Outs, Types, Program>;
    constexpr int n = Kernel::outputs + Kernel::leaves + Kernel::reductions;
    static_assert(n <= 64 && Kernel::fits,
                  "weft: the expression is too large for one loop: store a part of it in a Tensor");
    detail::Operand inside[n];
    detail::Loops outer = detail::loops_over(task.geometry.kept);
    detail::Loops inner = detail::loops_over(task.geometry.reduced);
    detail::inner_operands(operands, n, outer.rank, inner.rank, inside);
    detail::simplify(outer, operands, n);
    detail::simplify(inner, inside, n, true);
    cpu::detail::pad(outer, operands, n);
    cpu::detail::pad(inner, inside, n);
    cpu::detail::RowWork{task,
                         &program,
                         Kernel::outputs,
                         Kernel::leaves,
                         Kernel::reductions,
                         cpu::OperandElements<Types>::computed,
                         Kernel::reduce_loops,
                         Kernel::output_loops,
                         outer,
                         operands,
                         inner,
                         inside,
                         detail::varies_along_row(task, inside + n - Kernel::reductions,
                                                  Kernel::reductions, inner.rank)}
        .run();
  }
};

}  // namespace weft
