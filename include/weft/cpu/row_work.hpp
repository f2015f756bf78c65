// The rows of a row program: each is reduced and written while it is in the cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/row_kernel.hpp"

namespace weft {

namespace cpu::detail {

/// A task of a row program over the places of `outer`, each with a row of `inner`.
struct RowWork {
  const RowLoops& loops;
  const weft::detail::RowTask& task;
  const void* program;
  const weft::detail::Loops& outer;
  const weft::detail::Operand* operands;
  const weft::detail::Loops& inner;
  const weft::detail::Operand* inside;

  WEFT_FEW_STEPS void run() const {
    const int64_t rows = outer.count();
    parallel(rows, rows * inner.count(),
             [&](int64_t first, int64_t last) { run_rows(first, last); });
  }

 private:
  using RowMode = weft::detail::RowMode;
  static constexpr int slot = 16;                // bytes: the largest value
  static constexpr int64_t together = 64;        // rows, at most
  static constexpr int64_t most_kept = 1 << 17;  // bytes

  /// Memory of a thread's rows, and what it knows of them.
  struct Memory {
    Side* sides;
    char** row;   // the first element of each operand's row
    char** line;  // and of a line of it
    char** at;
    int64_t* step;
    int64_t* skip;
    char* slots;           // of the reductions' values, `together` each
    char* computed;        // what a reduction is of, in a run
    char* kept;            // what the last one is of, in whole rows; null where it is not kept
    std::uint64_t values;  // a bit for each reduction whose value is loaded
    bool varies;           // which may be another one at each element of a row
    bool whole;            // rows are short: many at once
  };

  int count() const { return loops.outputs + loops.leaves + loops.reductions; }
  int value(int r) const { return loops.outputs + loops.leaves + r; }
  bool is_known(int r) const { return task.mode[r] != RowMode::load; }
  char* slots_of(const Memory& memory, int r) const { return memory.slots + r * together * slot; }
  static int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }

  WEFT_FEW_STEPS void run_rows(int64_t first, int64_t last) const {
    const auto n = static_cast<std::size_t>(count());
    const auto slot_bytes = static_cast<std::size_t>(loops.reductions * together * slot);
    const int64_t length = inner.count();
    alignas(64) char room[Block::room_bytes];
    alignas(64) char computed[run_size * slot];
    Memory memory{
        static_cast<Side*>(__builtin_alloca(n * sizeof(Side))),
        static_cast<char**>(__builtin_alloca(n * sizeof(char*))),
        static_cast<char**>(__builtin_alloca(n * sizeof(char*))),
        static_cast<char**>(__builtin_alloca(n * sizeof(char*))),
        static_cast<int64_t*>(__builtin_alloca(n * sizeof(int64_t))),
        static_cast<int64_t*>(__builtin_alloca(n * sizeof(int64_t))),
        static_cast<char*>(__builtin_alloca_with_align(slot_bytes, 128)),
        computed,
        nullptr,
        0,
        weft::detail::varies_along_row(task, inside + value(0), loops.reductions, inner.rank),
        false};
    place(memory, room);
    Block block(memory.sides, count(), loops.outputs, room);
    memory.whole = inner.rank == 1 && length > 0 && length <= min(run_size, block.length());
    const int64_t most =
        memory.whole ? min(min(together, run_size / length), block.length() / length) : 1;
    if (shares_last(memory)) {
      const int64_t bytes = length * loops.reduce[loops.reductions - 1]->run->value_bytes;
      if (memory.whole) {
        memory.kept = computed;
      } else if (bytes <= most_kept) {
        memory.kept =
            static_cast<char*>(__builtin_alloca_with_align(static_cast<std::size_t>(bytes), 512));
      }
    }
    weft::detail::Cursor cursor;
    cursor.seek(outer, outer.rank, operands, count(), memory.row, first);
    const int last_axis = outer.rank - 1;
    while (first < last) {
      const int64_t rows =
          min(min(outer.size[last_axis] - cursor.index[last_axis], most), last - first);
      if (memory.whole) set_sides(memory, memory.row);
      for (int r = 0; r < loops.reductions; ++r) reduce(memory, block, r, rows);
      if (task.target < 0) store(memory, block, rows);
      first += rows;
      if (first == last) break;
      cursor.skip(outer.rank, operands, count(), memory.row, rows - 1);
      cursor.next(outer, outer.rank, operands, count(), memory.row);
    }
  }

  /// The sides of all operands, before the first row.
  WEFT_FEW_STEPS void place(Memory& memory, char* room) const {
    const int depth = inner.rank - 1;
    for (int i = 0; i < count(); ++i) {
      memory.step[i] = inside[i].stride[depth];
      memory.row[i] = operands[i].data;
      memory.at[i] = room;
      memory.skip[i] = 0;
      Side& side = *::new (memory.sides + i) Side{nullptr, memory.step[i], inside[i].itemsize};
      side.pitch = operands[i].stride[outer.rank - 1] * operands[i].itemsize;
      const int r = i - value(0);
      if (i < loops.outputs) {
        // Where there are several, all see the operands as they were.
        side.direct = loops.outputs == 1 && (side.stride == 1 || !task.along_row[i]);
      } else if (r < 0) {
        side.direct = side.stride == 1 || loops.computed[i - loops.outputs];
      } else {
        side.itemsize = loops.reduce[r]->run->out_bytes;
        // A loop takes all values with it, those that it does not read too.
        if (is_known(r)) {
          __builtin_memset(slots_of(memory, r), 0, slot);  // some value, until it is
          side.row = memory.at[i] = slots_of(memory, r);
          side.stride = 0;
          side.pitch = 0;
        }
        side.direct = !memory.varies || side.stride == 1;
        if (memory.varies || !is_known(r)) memory.values |= std::uint64_t{1} << i;
      }
    }
  }

  /// Whether the outputs can read what the last reduction is of.
  bool shares_last(const Memory& memory) const {
    return loops.shares != nullptr && task.target < 0 && !memory.varies &&
           task.mode[loops.reductions - 1] == RowMode::compute &&
           loops.shares(program, SameInRow{task, operands, outer.rank, inside, inner.rank});
  }

  void set_sides(const Memory& memory, char* const* from) const {
    for (int i = 0; i < value(0); ++i) memory.sides[i].row = from[i];
    for (int r = 0; r < loops.reductions; ++r) {
      if (!is_known(r)) memory.sides[value(r)].row = from[value(r)];
    }
  }

  /// f(start, position, m) for the runs of a row.
  template <class F>
  void walk(const Memory& memory, const Block& block, const F& f) const {
    const int depth = inner.rank - 1;
    const int64_t size = inner.size[depth];
    const int64_t length = inner.count();
    const int64_t longest = min(min(block.length(), block.run_length()), run_size);
    for (int i = 0; i < count(); ++i) memory.line[i] = memory.row[i];
    weft::detail::Cursor within;
    for (int64_t start = 0; start < length; start += size) {
      set_sides(memory, memory.line);
      for (int64_t j = 0; j < size; j += longest) f(j, start + j, min(size - j, longest));
      if (depth > 0) within.next(inner, depth, inside, count(), memory.line);
    }
  }

  /// The values that reduction r is of: where they are, and how far a row is behind the one before.
  const char* values_of(const Memory& memory, Block& block, int r, int64_t start, int64_t position,
                        int64_t m, int64_t rows, int64_t& pitch) const {
    const RowReduceLoops& own = *loops.reduce[r];
    block.load(start, m, memory.at, own.uses | memory.values, rows, memory.skip);
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

  WEFT_FEW_STEPS void reduce(const Memory& memory, Block& block, int r, int64_t rows) const {
    const RunLoops& run = *loops.reduce[r]->run;
    const void* const reducer = loops.reduce[r]->reducer(program);
    char* const slots = slots_of(memory, r);
    int64_t pitch = 0;
    if (task.mode[r] == RowMode::same) {
      __builtin_memcpy(slots, slots_of(memory, task.same[r]),
                       static_cast<std::size_t>(rows * slot));
    } else if (task.mode[r] == RowMode::compute && memory.whole) {
      const int64_t m = inner.size[0];
      const char* const values = values_of(memory, block, r, 0, 0, m, rows, pitch);
      run.rows(reducer, values, pitch, rows, m, slots, slot);
    } else if (task.mode[r] == RowMode::compute) {
      void* const running = __builtin_alloca_with_align(static_cast<std::size_t>(run.bytes), 512);
      alignas(16) char state[64];
      run.begin(reducer, running);
      walk(memory, block, [&](int64_t start, int64_t position, int64_t m) {
        const char* const values = values_of(memory, block, r, start, position, m, 1, pitch);
        run.add(reducer, values, m, position, running);
      });
      run.end(running, state);
      run.finish(reducer, inner.count(), state, 1, 1, slots);
    }
    if (is_known(r)) {
      memory.sides[value(r)].pitch = memory.skip[value(r)] = slot;
      memory.sides[value(r)].repeated = nullptr;
    }
    if (task.target != r) return;
    for (int64_t k = 0; k < rows; ++k) {
      __builtin_memcpy(memory.row[value(r)] + k * operands[value(r)].stride[outer.rank - 1] *
                                                  operands[value(r)].itemsize,
                       slots + k * slot, static_cast<std::size_t>(run.out_bytes));
    }
  }

  WEFT_FEW_STEPS void store(const Memory& memory, Block& block, int64_t rows) const {
    if (inner.count() == 0) return store_of_none(memory, block);
    const auto all = [&](int64_t start, int64_t position, int64_t m) {
      store_run(memory, block, start, position, m, rows);
    };
    if (memory.whole) {
      all(0, 0, inner.size[0]);
    } else {
      walk(memory, block, all);
    }
  }
  void store_run(const Memory& memory, Block& block, int64_t start, int64_t position, int64_t m,
                 int64_t rows) const {
    std::uint64_t uses = (std::uint64_t{1} << loops.outputs) - 1;
    for (int k = 0; k < loops.outputs; ++k) {
      const RowOutputLoop& own = *loops.output[k];
      uses |= memory.kept != nullptr ? own.kept_uses : own.uses;
    }
    block.load(start, m, memory.at, uses | memory.values, rows, memory.skip);
    const char* kept = nullptr;
    if (memory.kept != nullptr) {
      kept = memory.kept + position * loops.reduce[loops.reductions - 1]->run->value_bytes;
    }
    for (int k = 0; k < loops.outputs; ++k) {
      const RowOutputLoop& own = *loops.output[k];
      const bool reads_kept = kept != nullptr && own.kept != nullptr;
      (reads_kept ? own.kept : own.store)(program, memory.at, memory.step, memory.skip, rows,
                                          task.along_row[k] ? m : 1, memory.at[k], memory.skip[k],
                                          kept);
    }
    block.store(start, m, rows);
  }
  /// The outputs of a row without elements that do not run along it.
  void store_of_none(const Memory& memory, Block& block) const {
    set_sides(memory, memory.row);
    for (int k = 0; k < loops.outputs; ++k) {
      if (task.along_row[k]) continue;
      const std::uint64_t uses = loops.output[k]->uses | std::uint64_t{1} << k;
      block.load(0, 1, memory.at, uses | memory.values, 1, memory.skip);
      loops.output[k]->store(program, memory.at, memory.step, memory.skip, 1, 1, memory.at[k],
                             memory.skip[k], nullptr);
      const Side& side = memory.sides[k];
      if (!side.direct) copy_strided(side.buffer, 1, side.row, 0, 1, side.itemsize);
    }
  }
};

}  // namespace cpu::detail

}  // namespace weft
