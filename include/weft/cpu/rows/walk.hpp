// Walks the rows of a row program: a thread's memory, and where operands and values are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because where a task's rows and values are is one class.

#include "weft/cpu/rows/kernel.hpp"

namespace weft::cpu::detail {

/// A task of a row program over the places of `outer`, each with a row of `inner`.
struct RowScratch {
  const RowFunctions& loops;
  const weft::detail::RowTask& task;
  const void* program;
  const weft::detail::Loops& outer;
  const weft::detail::Operand* operands;
  const weft::detail::Loops& inner;
  /// With the strides along `inner`, from number inner_first on; `operands` where rows have one
  /// axis.
  const weft::detail::Operand* inside;
  int inner_first = 0;
  const SharedPart* part = nullptr;

  using RowMode = weft::detail::RowMode;
  static constexpr int slot = 16;                // bytes: the largest value
  static constexpr int64_t together = 64;        // rows, at most
  static constexpr int64_t most_kept = 1 << 17;  // bytes
  static constexpr int most_operands = 64;       // reductions' values included

  /// A thread's memory for its rows, and their state.
  struct Memory {
    /// As the block takes the operands; null where loops read and write all of them where they are,
    /// and `at` is `row`.
    BlockOperand* blocked;
    char** row;   // the first element of each operand's row
    char** line;  // and of its current line, along the innermost axis
    char** at;
    int64_t* step;
    int64_t* skip;
    char* slots;           // of the reductions' values, `together` each
    char* computed;        // what a reduction is of, in a run
    char* kept;            // what the last one is of, in whole rows; null where it is not kept
    std::uint64_t used;    // a bit for each operand that the task reads or writes
    std::uint64_t values;  // a bit for each reduction whose value is loaded
    bool varies;           // which may be another one at each element of a row
    bool whole;            // rows are short: many at once
    bool lines;            // a row has short lines: many of them at once, and rows one by one
    int64_t most;          // rows at once
  };

  int count() const { return loops.outputs + loops.leaves + loops.reductions; }
  int value(int r) const { return loops.outputs + loops.leaves + r; }
  /// The distance between operand i's elements along the row's innermost axis.
  int64_t step_of(int i) const { return inside[i].stride[inner_first + inner.rank - 1]; }
  bool is_known(int r) const { return task.mode[r] != RowMode::load; }
  char* slots_of(const Memory& memory, int r) const { return memory.slots + r * together * slot; }
  static int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
  /// How many rows of that length fit into a run, at most `together`.
  static int64_t rows_in(int64_t run, int64_t length) {
    return length * together <= run ? together : run / length;
  }

  /// Calls f(memory, block), the memory being set up and on the stack.
  template <class F>
  WEFT_ALWAYS_INLINE void with_memory(const F& f) const {
    // Arrays of fixed sizes: next to aligned ones, g++ divides to find the size of each alloca.
    alignas(64) char scratch[Block::scratch_bytes];
    alignas(64) char computed[run_size * slot];
    alignas(64) char slots[weft::detail::max_row_reductions * together * slot];
    alignas(64) char blocked[most_operands * sizeof(BlockOperand)];
    char* row[most_operands];
    char* line[most_operands];
    char* at[most_operands];
    int64_t step[most_operands];
    int64_t skip[most_operands];
    Memory memory{reinterpret_cast<BlockOperand*>(blocked),
                  row,
                  line,
                  at,
                  step,
                  skip,
                  slots,
                  computed,
                  nullptr,
                  0,
                  0,
                  has_varying_values(),
                  false,
                  false,
                  1};
    place(memory, scratch);
    Block block(memory.blocked, memory.blocked == nullptr ? 0 : count(), loops.outputs, scratch);
    f(memory, block);
  }

  /// Where all operands are before the first row.
  WEFT_OUTLINED void place(Memory& memory, char* scratch) const {
    memory.used = uses();
    char** const row = memory.row;
    int64_t* const step = memory.step;
    int64_t* const skip = memory.skip;
    const int across = outer.rank - 1;
    const int along = inner_first + inner.rank - 1;
    const int leaves = value(0);
    const weft::detail::Operand* x = operands;
    const weft::detail::Operand* in = inside;
    bool in_place = may_be_in_place(memory);
    for (int i = 0; i < leaves; ++i, ++x, ++in) {
      row[i] = x->data;
      skip[i] = x->stride[across] * x->itemsize;
      step[i] = in->stride[along];
      if (step[i] != 1 && !is_direct(memory, i)) in_place = false;
    }
    if (in_place) {
      memory.blocked = nullptr;
      memory.at = row;
    }
    for (int r = 0; r < loops.reductions; ++r, ++x, ++in) {
      const int i = leaves + r;
      const RowMode mode = task.mode[r];
      if (mode == RowMode::load || !in_place) {
        row[i] = x->data;
        skip[i] = x->stride[across] * x->itemsize;
        step[i] = in->stride[along];
        if (mode == RowMode::load) continue;
      }
      // A loop is given all values, even those that it does not read.
      char* const slots = slots_of(memory, mode == RowMode::same ? task.same[r] : r);
      if (mode != RowMode::same) __builtin_memset(slots, 0, slot);  // some value, until it is
      if (!in_place) continue;
      row[i] = slots;
      skip[i] = step[i] = 0;
    }
    if (!in_place) place_blocked(memory, scratch);
    for (int r = 0; r < loops.reductions; ++r) {
      if (memory.varies || !is_known(r)) memory.values |= std::uint64_t{1} << value(r);
    }
  }
  /// The same where a block copies operands to unit stride.
  void place_blocked(const Memory& memory, char* scratch) const {
    for (int i = 0; i < count(); ++i) {
      memory.at[i] = scratch;
      ::new (memory.blocked + i) BlockOperand{nullptr, memory.step[i], operands[i].itemsize,
                                              memory.skip[i], is_direct(memory, i)};
      memory.skip[i] = 0;
    }
    for (int r = 0; r < loops.reductions; ++r) {
      BlockOperand& x = memory.blocked[value(r)];
      x.itemsize = loops.reduce[r]->run->out_bytes;
      if (!is_known(r)) continue;
      x.row = slots_of(memory, task.mode[r] == RowMode::same ? task.same[r] : r);
      x.stride = 0;
      x.pitch = 0;
      x.direct = !memory.varies;
      memory.at[value(r)] = x.row;
    }
  }
  /// A bit for each operand that the task reads or writes.
  std::uint64_t uses() const {
    std::uint64_t all = part != nullptr ? part->uses : 0;
    for (int r = 0; r < loops.reductions; ++r) {
      if (task.mode[r] == RowMode::compute) all |= loops.reduce[r]->uses;
    }
    for (int k = 0; k < loops.outputs && task.target < 0; ++k) {
      all |= loops.output[k]->uses | std::uint64_t{1} << k;
    }
    return all;
  }
  /// Whether a loop can read or write operand i where it is.
  bool is_direct(const Memory& memory, int i) const {
    const int64_t step = step_of(i);
    if ((memory.used >> i & 1U) == 0) return true;
    if (i >= value(0)) return step == 1 || !memory.varies;
    if (i >= loops.outputs) return step == 1 || loops.computed[i - loops.outputs];
    // Where there are several outputs, all see the operands as they were.
    return loops.outputs == 1 && (step == 1 || !task.along_row[i]);
  }
  /// Whether rows are short: then there is less to keep track of if that holds for all operands.
  bool may_be_in_place(const Memory& memory) const {
    return loops.outputs == 1 && task.target < 0 && !memory.varies && inner.rank == 1 &&
           inner.size[0] > 0 && inner.size[0] <= run_size;
  }
  /// Whether a reduction loaded from memory varies along the row.
  bool has_varying_values() const {
    for (int r = 0; r < loops.reductions; ++r) {
      for (int d = inner_first; task.mode[r] == RowMode::load && d < inner_first + inner.rank;
           ++d) {
        if (inside[value(r)].stride[d] != 0) return true;
      }
    }
    return false;
  }

  /// Whether rows are adjacent and an operand's elements of one row far apart: such rows are long
  /// columns, copied to unit stride together.
  bool are_columns(const Memory& memory) const {
    const int across = outer.rank - 1;
    bool found = false;
    for (int i = loops.outputs; i < value(0); ++i) {
      const bool used = (memory.used >> i & 1U) != 0 && !loops.computed[i - loops.outputs];
      found = found || (used && step_of(i) > 1 && operands[i].stride[across] == 1);
    }
    return found && memory.blocked != nullptr && outer.size[across] >= 4;
  }

  /// Whether the outputs can read the last reduction's inputs.
  bool shares_last(const Memory& memory) const {
    return loops.shares != nullptr && task.target < 0 && !memory.varies &&
           task.mode[loops.reductions - 1] == RowMode::compute &&
           loops.shares(program,
                        SameInRow{task, operands, outer.rank, inside, inner_first, inner.rank});
  }

  void set_rows(const Memory& memory, char* const* from) const {
    if (memory.blocked == nullptr) return;
    const int n = value(0);
    for (int i = 0; i < n; ++i) memory.blocked[i].row = from[i];
    for (int r = 0; r < loops.reductions; ++r) {
      if (!is_known(r)) memory.blocked[value(r)].row = from[value(r)];
    }
  }

  /// Brings the used operands, and the values that are loaded, to where loops read them.
  static void load(const Memory& memory, Block& block, int64_t start, int64_t m, std::uint64_t uses,
                   int64_t rows) {
    if (memory.blocked == nullptr) return;
    block.load(start, m, memory.at, uses | memory.values, rows, memory.skip);
  }

  /// Whether a row is lines that are much shorter than a loop should be: then several of them are
  /// taken at once, and operands as they lie along the axis before the lines'.
  static constexpr int64_t longest_line = 256;
  WEFT_OUTLINED bool takes_lines(const Memory& memory, int64_t room) const {
    const int depth = inner.rank - 1;
    if (depth == 0 || memory.blocked == nullptr || inner.size[depth] > min(longest_line, room) ||
        inner.size[depth - 1] == 1) {
      return false;
    }
    for (int i = 0; i < count(); ++i) {
      BlockOperand& x = memory.blocked[i];
      x.pitch = inside[i].stride[depth - 1] * x.itemsize;
    }
    return true;
  }

  /// f(start, position, m, lines) for the runs of a row, of `lines` lines of m elements.
  template <class F>
  void walk(const Memory& memory, const Block& block, const F& f) const {
    const int depth = inner.rank - 1;
    const int64_t size = inner.size[depth];
    const int64_t length = inner.count();
    const int64_t fit = min(min(block.length(), block.run_length()), run_size);
    const int64_t longest = memory.most == 1 ? fit : min(block.length(), run_size) / memory.most;
    const int64_t most = memory.lines ? min(block.length(), run_size) / size : 1;
    for (int i = 0; i < count(); ++i) memory.line[i] = memory.row[i];
    weft::detail::Cursor within;
    for (int64_t start = 0; start < length;) {
      set_rows(memory, memory.line);
      int64_t lines = 1;
      if (memory.lines) {
        lines = min(most, inner.size[depth - 1] - within.index[depth - 1]);
        f(0, start, size, lines);
        within.skip(depth, inside, count(), memory.line, lines - 1);
      } else {
        for (int64_t j = 0; j < size; j += longest) f(j, start + j, min(size - j, longest), 1);
      }
      if (depth > 0) within.next(inner, depth, inside, count(), memory.line);
      start += lines * size;
    }
  }

  /// Whether reduction r joins its values while it computes them, and keeps none.
  bool fuses(const Memory& memory, int r) const {
    return loops.reduce[r]->fused != nullptr && !memory.varies &&
           (memory.kept == nullptr || r != loops.reductions - 1);
  }
  /// Whether what is shared is the same in all rows.
  bool part_is_fixed() const {
    if (part == nullptr) return false;
    for (int i = loops.outputs; i < value(0); ++i) {
      for (int d = 0; (part->uses >> i & 1U) != 0 && d < outer.rank; ++d) {
        if (operands[i].stride[d] != 0 && outer.size[d] != 1) return false;
      }
    }
    return true;
  }
  /// Computes what reductions and outputs share, for rows that begin at memory.row, to `to`.
  WEFT_OUTLINED void compute_part(const Memory& memory, Block& block, int64_t rows,
                                  char* to) const {
    const int64_t pitch = (memory.lines ? inner.size[inner.rank - 1] : inner.count()) * part->bytes;
    const auto run = [&](int64_t start, int64_t position, int64_t m, int64_t lines) {
      block.load(start, m, memory.at, part->uses, rows * lines, memory.skip);
      part->loop(part->program, memory.at, memory.step, memory.skip, rows * lines, m,
                 to + position * part->bytes, pitch, nullptr);
    };
    memory.row[part->leaf] = to;
    if (memory.whole) {
      set_rows(memory, memory.row);
      run(0, 0, inner.size[0], 1);
    } else {
      walk(memory, block, run);
    }
  }

  /// The inputs of reduction r: where they are, and the distance between rows.
  const char* values_of(const Memory& memory, Block& block, int r, int64_t start, int64_t position,
                        int64_t m, int64_t rows, int64_t& pitch) const {
    const ReductionFunctions& own = *loops.reduce[r];
    load(memory, block, start, m, own.uses, rows);
    if (own.values == nullptr) {
      pitch = memory.skip[own.in_place];
      return memory.at[own.in_place];
    }
    const bool keeps = memory.kept != nullptr && r == loops.reductions - 1;
    char* const out = keeps ? memory.kept + position * own.run->value_bytes : memory.computed;
    pitch = m * own.run->value_bytes;
    (memory.varies ? own.varying : own.values)(program, memory.at, memory.step, memory.skip, rows,
                                               m, out, pitch, nullptr);
    return out;
  }
};

}  // namespace weft::cpu::detail
