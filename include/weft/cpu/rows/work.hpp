// The rows of a row program: each is reduced and written while it is in the cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because the ways through the rows are one class.

#include <vector>

#include "weft/cpu/parallel.hpp"
#include "weft/cpu/rows/flat.hpp"

namespace weft::cpu::detail {

/// Runs a task of a row program.
struct RowRunner : RowScratch {
  template <class = void>  // as weft::lib holds it
  WEFT_OUTLINED void run() const {
    const int64_t rows = outer.count();
    const int64_t length = inner.count();
    if (task.target >= 0 && length > 0 && run_columns()) return;
    if (rows < 32 && length > elements_a_piece && reduces_leaves()) return run_pieces(rows, length);
    parallel(rows, rows * length, [&](int64_t first, int64_t last) { run_rows(first, last); });
  }

 private:
  static constexpr int64_t elements_a_piece = 1 << 16;
  static constexpr int64_t beside = 32;             // columns at once
  static constexpr int64_t most_shared = 1 << 20;   // bytes, of the part that they share
  static constexpr int64_t column_block = 32 * 16;  // elements that they need room for
  WEFT_OUTLINED void run_rows(int64_t first, int64_t last) const {
    with_memory([&](Memory& memory, Block& block) {
      const int64_t length = inner.count();
      alignas(64) char kept[most_kept];
      memory.whole = inner.rank == 1 && length > 0 && length <= min(run_size, block.length());
      if (memory.whole) {
        const FlatRows flat{*this};
        if (flat.possible(memory)) return flat.run(memory, block, first, last);
      }
      const bool columns =
          length > 0 && !memory.whole && are_columns(memory) && block.length() >= column_block;
      const int64_t bytes_a_row = part != nullptr ? length * part->bytes : 0;
      const int64_t most = memory.whole      ? rows_in(min(run_size, block.length()), length)
                           : !columns        ? 1
                           : part == nullptr ? beside
                                             : min(beside, 1 + most_shared / bytes_a_row);
      std::vector<char> shared(static_cast<std::size_t>(most * bytes_a_row));
      if (columns) memory.most = most;
      memory.lines = length > 0 && !columns && takes_lines(memory, block.length());
      if (shares_last(memory)) {
        const int64_t bytes = length * loops.reduce[loops.reductions - 1]->run->value_bytes;
        if (memory.whole) {
          memory.kept = memory.computed;
        } else if (bytes <= most_kept && !columns) {
          memory.kept = kept;
        }
      }
      weft::detail::Cursor cursor;
      if (first > 0) cursor.seek(outer, outer.rank, operands, count(), memory.row, first);
      const int last_axis = outer.rank - 1;
      const bool fixed = part_is_fixed();
      int64_t shared_rows = 0;
      while (first < last) {
        const int64_t rows =
            min(min(outer.size[last_axis] - cursor.index[last_axis], most), last - first);
        if (part != nullptr) memory.row[part->leaf] = shared.data();
        if (part != nullptr && (!fixed || shared_rows < rows)) {
          compute_part(memory, block, rows, shared.data());
          shared_rows = rows;
        }
        if (memory.whole) set_rows(memory, memory.row);
        for (int r = 0; r < loops.reductions; ++r) reduce(memory, block, r, rows);
        if (task.target < 0) store(memory, block, rows);
        first += rows;
        if (first == last) break;
        cursor.skip(outer.rank, operands, count(), memory.row, rows - 1);
        cursor.next(outer, outer.rank, operands, count(), memory.row);
      }
    });
  }

  /// Values of a row program's reduction, for a loop over elements.
  struct ColumnValues {
    RowLoop* loop;
    const void* program;
    static void compute(const void* values, char* const* at, const int64_t* step,
                        const int64_t* skip, int64_t rows, int64_t m) {
      const auto& own = *static_cast<const ColumnValues*>(values);
      own.loop(own.program, at, step, skip, rows, m, at[0], skip[0], nullptr);
    }
  };
  /// Columns of one reduction that needs no other one of the row, side by side; false where rows
  /// are not columns. The reduction's value takes the place of the first output.
  WEFT_OUTLINED bool run_columns() const {
    for (int r = 0; r < loops.reductions; ++r) {
      if (r != task.target && (task.mode[r] == RowMode::compute || task.mode[r] == RowMode::same)) {
        return false;
      }
    }
    const ReductionFunctions& own = *loops.reduce[task.target];
    const int n = count();
    std::vector<weft::detail::Operand> mine(operands, operands + n);
    std::vector<weft::detail::Operand> within(inside, inside + n);
    for (auto& x : within) {
      for (int d = 0; d < inner.rank; ++d) x.stride[d] = x.stride[inner_first + d];
    }
    mine[0] = operands[value(task.target)];
    bool computed[64] = {};
    alignas(16) char none[16] = {};
    for (int i = 1; i < n; ++i) {
      const bool read = i >= loops.outputs && (own.uses >> i & 1U) != 0;
      const int leaf = i - loops.outputs;
      computed[i - 1] = !read || (leaf < loops.leaves && loops.computed[leaf]);
      if (read) continue;
      mine[i].data = none;
      for (int64_t& stride : mine[i].stride) stride = 0;
      for (int64_t& stride : within[i].stride) stride = 0;
    }
    const ColumnValues values{own.varying, program};
    const ReduceWork work{*own.run,
                          *own.columns,
                          own.reducer(program),
                          own.values == nullptr ? nullptr : ColumnValues::compute,
                          own.in_place,
                          &values,
                          outer,
                          mine.data(),
                          inner,
                          within.data(),
                          n,
                          computed};
    if (!work.columns_are_faster()) return false;
    work.run();
    return true;
  }

  /// Whether the task is one reduction, of one dimension, that needs no other one of the row.
  bool reduces_leaves() const {
    bool alone = task.target >= 0 && inner.rank == 1;
    for (int r = 0; r < loops.reductions; ++r) {
      alone = alone &&
              (r == task.target || task.mode[r] == RowMode::skip || task.mode[r] == RowMode::load);
    }
    return alone;
  }
  /// A few long rows, each in pieces that do not depend on the number of threads.
  WEFT_OUTLINED void run_pieces(int64_t rows, int64_t length) const {
    const RunLoops& run = *loops.reduce[task.target]->run;
    const void* const reducer = loops.reduce[task.target]->reducer(program);
    const int64_t pieces = (length + elements_a_piece - 1) / elements_a_piece;
    std::vector<char> states(static_cast<std::size_t>(rows * pieces * run.state_bytes));
    parallel(rows * pieces, rows * length, [&](int64_t first, int64_t last) {
      with_memory([&](Memory& memory, Block& block) {
        for (int64_t k = first; k < last; ++k) {
          const int64_t start = k % pieces * elements_a_piece;
          reduce_piece(memory, block, k / pieces, start, min(start + elements_a_piece, length),
                       states.data() + k * run.state_bytes);
        }
      });
    });
    char* out[1] = {operands[value(task.target)].data};
    weft::detail::Cursor cursor;
    for (int64_t k = 0; k < rows; ++k) {
      run.finish(reducer, length, states.data() + k * pieces * run.state_bytes, pieces, 1, out[0]);
      cursor.next(outer, outer.rank, operands + value(task.target), 1, out);
    }
  }
  WEFT_OUTLINED void reduce_piece(Memory& memory, Block& block, int64_t row, int64_t start,
                                  int64_t end, char* state) const {
    const RunLoops& run = *loops.reduce[task.target]->run;
    const int64_t longest = min(min(block.length(), block.run_length()), run_size);
    for (int i = 0; i < count(); ++i) memory.line[i] = operands[i].data;
    weft::detail::Cursor cursor;
    cursor.seek(outer, outer.rank, operands, count(), memory.line, row);
    set_rows(memory, memory.line);
    char* const running =
        static_cast<char*>(__builtin_alloca_with_align(static_cast<std::size_t>(run.bytes), 512));
    run.begin(loops.reduce[task.target]->reducer(program), running);
    for (int64_t j = start; j < end; j += longest) {
      add_run(memory, block, task.target, j, j, min(end - j, longest), running);
    }
    run.end(running, state);
  }

  /// A run of long rows joins their running reductions, which are `bytes` apart.
  void add_run(const Memory& memory, Block& block, int r, int64_t start, int64_t position,
               int64_t m, char* running, int64_t rows = 1, int64_t bytes = 0) const {
    const ReductionFunctions& own = *loops.reduce[r];
    if (fuses(memory, r)) {
      load(memory, block, start, m, own.uses, rows);
      for (int64_t k = 0; k < rows; ++k) {
        own.fused_add(program, memory.at, memory.step, memory.skip, m, running + k * bytes);
        if (rows == 1) return;
        for (int i = 0; i < count(); ++i) memory.at[i] += memory.skip[i];
      }
      for (int i = 0; i < count(); ++i) memory.at[i] -= rows * memory.skip[i];
    } else {
      int64_t pitch = 0;
      const char* const values = values_of(memory, block, r, start, position, m, rows, pitch);
      for (int64_t k = 0; k < rows; ++k) {
        own.run->add(own.reducer(program), values + k * pitch, m, position, running + k * bytes);
      }
    }
  }
  /// Lines of a row join its running reduction, as one run.
  void add_lines(const Memory& memory, Block& block, int r, int64_t position, int64_t m,
                 int64_t lines, char* running) const {
    const ReductionFunctions& own = *loops.reduce[r];
    int64_t pitch = 0;
    const char* values = values_of(memory, block, r, 0, position, m, lines, pitch);
    const int64_t bytes = m * own.run->value_bytes;
    if (pitch != bytes) {  // they are an operand
      for (int64_t l = 0; l < lines; ++l) {
        __builtin_memcpy(memory.computed + l * bytes, values + l * pitch,
                         static_cast<std::size_t>(bytes));
      }
      values = memory.computed;
    }
    own.run->add(own.reducer(program), values, lines * m, position, running);
  }
  /// The values of a reduction of short rows.
  void reduce_whole(const Memory& memory, Block& block, int r, int64_t rows) const {
    const ReductionFunctions& own = *loops.reduce[r];
    char* const slots = slots_of(memory, r);
    const int64_t m = inner.size[0];
    if (fuses(memory, r)) {
      load(memory, block, 0, m, own.uses, rows);
      own.fused(program, memory.at, memory.step, memory.skip, rows, m, slots, slot, nullptr);
    } else {
      int64_t pitch = 0;
      const char* const values = values_of(memory, block, r, 0, 0, m, rows, pitch);
      own.run->rows(own.reducer(program), values, pitch, rows, m, slots, slot);
    }
  }
  /// The same of long ones, a run at a time.
  WEFT_OUTLINED void reduce_runs(const Memory& memory, Block& block, int r, int64_t rows) const {
    const ReductionFunctions& own = *loops.reduce[r];
    const RunLoops& run = *own.run;
    const void* const reducer = own.reducer(program);
    const int64_t bytes = (run.bytes + 63) & -64;
    char* const running = static_cast<char*>(
        __builtin_alloca_with_align(static_cast<std::size_t>(rows * bytes), 512));
    alignas(16) char state[64];
    for (int64_t k = 0; k < rows; ++k) run.begin(reducer, running + k * bytes);
    walk(memory, block, [&](int64_t start, int64_t position, int64_t m, int64_t lines) {
      if (memory.lines) {
        add_lines(memory, block, r, position, m, lines, running);
      } else {
        add_run(memory, block, r, start, position, m, running, rows, bytes);
      }
    });
    for (int64_t k = 0; k < rows; ++k) {
      run.end(running + k * bytes, state);
      run.finish(reducer, inner.count(), state, 1, 1, slots_of(memory, r) + k * slot);
    }
  }
  WEFT_OUTLINED void reduce(const Memory& memory, Block& block, int r, int64_t rows) const {
    const RowMode mode = task.mode[r];
    if (mode == RowMode::compute) {
      if (memory.whole) {
        reduce_whole(memory, block, r, rows);
      } else {
        reduce_runs(memory, block, r, rows);
      }
    }
    if (mode == RowMode::compute || mode == RowMode::same) {
      memory.skip[value(r)] = memory.lines ? 0 : slot;
      if (memory.blocked != nullptr) {
        memory.blocked[value(r)].pitch = memory.skip[value(r)];
        memory.blocked[value(r)].repeated = nullptr;
      }
    }
    if (task.target != r) return;
    for (int64_t k = 0; k < rows; ++k) {
      __builtin_memcpy(memory.row[value(r)] + k * operands[value(r)].stride[outer.rank - 1] *
                                                  operands[value(r)].itemsize,
                       slots_of(memory, r) + k * slot,
                       static_cast<std::size_t>(loops.reduce[r]->run->out_bytes));
    }
  }

  WEFT_OUTLINED void store(const Memory& memory, Block& block, int64_t rows) const {
    if (inner.count() == 0) return store_of_none(memory, block);
    const auto all = [&](int64_t start, int64_t position, int64_t m, int64_t lines) {
      store_run(memory, block, start, position, m, rows * lines);
    };
    bool along = false;
    for (int k = 0; k < loops.outputs; ++k) along = along || task.along_row[k];
    if (!along) {
      set_rows(memory, memory.row);
      all(0, 0, 1, 1);
    } else if (memory.whole) {
      all(0, 0, inner.size[0], 1);
    } else {
      walk(memory, block, all);
    }
  }
  void store_run(const Memory& memory, Block& block, int64_t start, int64_t position, int64_t m,
                 int64_t rows) const {
    std::uint64_t uses = (std::uint64_t{1} << loops.outputs) - 1;
    for (int k = 0; k < loops.outputs; ++k) {
      const OutputFunctions& own = *loops.output[k];
      uses |= memory.kept != nullptr ? own.kept_uses : own.uses;
    }
    load(memory, block, start, m, uses, rows);
    const char* kept = nullptr;
    if (memory.kept != nullptr) {
      kept = memory.kept + position * loops.reduce[loops.reductions - 1]->run->value_bytes;
    }
    for (int k = 0; k < loops.outputs; ++k) {
      const OutputFunctions& own = *loops.output[k];
      const bool reads_kept = kept != nullptr && own.kept != nullptr;
      (reads_kept ? own.kept : own.store)(program, memory.at, memory.step, memory.skip, rows,
                                          task.along_row[k] ? m : 1, memory.at[k], memory.skip[k],
                                          kept);
    }
    if (memory.blocked != nullptr) block.store(start, m, rows);
  }
  /// The outputs of a row without elements that do not run along it.
  void store_of_none(const Memory& memory, Block& block) const {
    set_rows(memory, memory.row);
    for (int k = 0; k < loops.outputs; ++k) {
      if (task.along_row[k]) continue;
      const std::uint64_t uses = loops.output[k]->uses | std::uint64_t{1} << k;
      load(memory, block, 0, 1, uses, 1);
      loops.output[k]->store(program, memory.at, memory.step, memory.skip, 1, 1, memory.at[k],
                             memory.skip[k], nullptr);
      const BlockOperand& x = memory.blocked[k];
      if (x.direct) continue;
      __builtin_memcpy(x.row, x.buffer, static_cast<std::size_t>(x.itemsize));
    }
  }
};

}  // namespace weft::cpu::detail
