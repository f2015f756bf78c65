// Short rows as one long run: what they share is repeated, so that no row has a rest of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/rows/walk.hpp"

namespace weft::cpu::detail {

/// to[r * m + j] = the value r, for all j < m: values of `itemsize` bytes, `pitch` bytes apart.
/// Writes up to repeat_slack bytes behind the last.
inline constexpr int64_t repeat_slack = 64;
template <class T>
inline void repeat_as(const char* from, int64_t pitch, int64_t rows, int64_t m, T* to) {
  typedef T Vector __attribute__((vector_size(32)));
  constexpr auto size = static_cast<int64_t>(sizeof(Vector) / sizeof(T));
  for (int64_t r = 0; r < rows; ++r) {
    const Vector all = Vector{} + *reinterpret_cast<const T*>(from + r * pitch);
    for (int64_t j = 0; j < m; j += size) __builtin_memcpy(to + r * m + j, &all, sizeof(all));
  }
}
WEFT_OUTLINED inline void repeat_values(const char* from, int64_t pitch, int64_t rows, int64_t m,
                                        int itemsize, char* to) {
  if (itemsize == 4) return repeat_as(from, pitch, rows, m, reinterpret_cast<std::uint32_t*>(to));
  if (itemsize == 8) return repeat_as(from, pitch, rows, m, reinterpret_cast<std::uint64_t*>(to));
  if (itemsize == 2) return repeat_as(from, pitch, rows, m, reinterpret_cast<std::uint16_t*>(to));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t j = 0; j < m; ++j) {
      __builtin_memcpy(to + (r * m + j) * itemsize, from + r * pitch,
                       static_cast<std::size_t>(itemsize));
    }
  }
}

/// Runs rows that are much shorter than a loop should be, of a task that computes one output.
struct FlatRows : RowScratch {
  static constexpr int64_t longest = 160;     // of such rows
  static constexpr int64_t elements = 1024;   // of a batch of rows
  static constexpr int64_t room = 64 * 1024;  // bytes for copies

  /// Whether a loop over rows of m elements is better one run.
  static bool pays(Flat flat, int64_t m) {
    if (flat == Flat::staged) return m <= 100;
    if (flat == Flat::functions) return m < 16 || m % 8 * 20 >= m;
    if (flat == Flat::choices) return m < 16 || m % 8 * 13 >= m;
    return m < (flat == Flat::arithmetic ? 16 : flat == Flat::once_a_row ? 8 : 0);
  }
  /// Whether some loops are better over a batch of rows, which are whole, as one run.
  WEFT_OUTLINED bool possible(const Memory& memory) const {
    const int64_t m = inner.size[0];
    if (task.target >= 0 || memory.varies || m > longest || loops.outputs != 1 ||
        outer.size[outer.rank - 1] * m < elements / 4) {
      return false;
    }
    bool better = pays(loops.output[0]->flat, m) || part != nullptr;
    for (int r = 0; r < loops.reductions; ++r) {
      if (task.mode[r] == RowMode::load) return false;
      better = better || (task.mode[r] == RowMode::compute && pays(loops.reduce[r]->flat, m));
    }
    const int64_t pitch = operands[0].stride[outer.rank - 1];
    const bool beside = task.along_row[0] ? step_of(0) == 1 && pitch == m : pitch == 1;
    if (!better || !beside) return false;
    for (int i = loops.outputs; i < value(0); ++i) {
      if ((memory.used >> i & 1U) != 0 && loops.computed[i - loops.outputs]) return false;
    }
    return copy_bytes(memory) <= room;
  }

  /// Rows `first` to `last` - 1.
  WEFT_OUTLINED void run(const Memory& memory, Block& block, int64_t first, int64_t last) const {
    const auto n = static_cast<std::size_t>(count());
    const int64_t m = inner.size[0];
    int64_t most = min(elements, block.length()) / m;
    for (int r = 0; r < loops.reductions; ++r) {
      most = min(most, together * slot / loops.reduce[r]->run->out_bytes);
    }
    alignas(64) char values[elements * slot];
    alignas(64) char shared[elements * slot];
    Batch batch{static_cast<char**>(__builtin_alloca(n * sizeof(char*))),
                static_cast<char**>(__builtin_alloca(n * sizeof(char*))),
                static_cast<Copied*>(__builtin_alloca(n * sizeof(Copied))),
                values,
                shares_last(memory),
                0,
                0};
    char* free = static_cast<char*>(
        __builtin_alloca_with_align(static_cast<std::size_t>(copy_bytes(memory)) + 64, 512));
    __builtin_memset(values, 0, slot);
    for (int i = 0; i < count(); ++i) {
      batch.at[i] = values;  // some value, where a loop reads none
      batch.copy[i] = free;
      ::new (batch.copied + i) Copied{};
      if (operands[i].stride[outer.rank - 1] != 0) memory.step[i] = 1;  // varies along the run
      free += copy_bytes(memory, i);
    }
    weft::detail::Cursor cursor;
    if (first > 0) cursor.seek(outer, outer.rank, operands, count(), memory.row, first);
    const int last_axis = outer.rank - 1;
    const bool fixed = part_is_fixed();
    int64_t shared_rows = 0;
    while (first < last) {
      batch.rows = min(min(outer.size[last_axis] - cursor.index[last_axis], most), last - first);
      batch.repeated = 0;
      if (part != nullptr) memory.row[part->leaf] = shared;
      set_rows(memory, memory.row);
      if (part != nullptr && (!fixed || shared_rows < batch.rows)) {
        compute_part(memory, block, batch);
        shared_rows = batch.rows;
      }
      for (int r = 0; r < loops.reductions; ++r) {
        if (task.mode[r] == RowMode::compute) reduce(memory, block, batch, r);
      }
      store(memory, block, batch);
      first += batch.rows;
      if (first == last) break;
      cursor.skip(outer.rank, operands, count(), memory.row, batch.rows - 1);
      cursor.next(outer, outer.rank, operands, count(), memory.row);
    }
  }

 private:
  /// The row of an operand that is there several times.
  struct Copied {
    const char* row = nullptr;
    int64_t rows = 0;
  };
  /// Rows that are one run, and the operands as its loops read them.
  struct Batch {
    char** at;
    char** copy;  // room for a copy of each
    Copied* copied;
    char* values;  // what a reduction is of
    bool keeps;    // those of the last one for the output
    int64_t rows;
    std::uint64_t repeated;  // a bit for each reduction's value that is there for each element
  };

  int source(int r) const { return task.mode[r] == RowMode::same ? task.same[r] : r; }
  /// Elements of a row that the output, or a reduction, reads of operand i.
  int64_t width_of(int i) const {
    const bool alone = (loops.output[0]->uses >> i & 1U) != 0 && !task.along_row[0];
    return alone ? 1 : inner.size[0];
  }
  /// Bytes for a copy of operand i with all rows beside each other, in so far as one is needed.
  int64_t copy_bytes(const Memory& memory, int i) const {
    int itemsize = operands[i].itemsize;
    if (i >= value(0)) {
      if (task.mode[i - value(0)] != RowMode::compute) return 0;
      itemsize = loops.reduce[i - value(0)]->run->out_bytes;
    } else {
      const int64_t pitch = operands[i].stride[outer.rank - 1] * itemsize;
      const bool lies = is_direct(memory, i) ? pitch == width_of(i) * itemsize : pitch != 0;
      if (lies || i < loops.outputs || (memory.used >> i & 1U) == 0) return 0;
    }
    return (elements * itemsize + repeat_slack + 63) & -64;
  }
  int64_t copy_bytes(const Memory& memory) const {
    int64_t bytes = 0;
    for (int i = 0; i < count(); ++i) bytes += copy_bytes(memory, i);
    return bytes;
  }

  /// Sets batch.at to what `uses` says, with `width` elements of a row behind those of another.
  WEFT_OUTLINED void line_up(const Memory& memory, Batch& batch, std::uint64_t uses,
                             int64_t width) const {
    for (int i = loops.outputs; i < value(0); ++i) {
      if ((uses >> i & 1U) == 0) continue;
      const int64_t bytes = width * operands[i].itemsize;
      const int64_t skip = memory.skip[i];
      batch.at[i] = memory.at[i];
      if (skip == bytes || batch.rows == 1) continue;
      batch.at[i] = batch.copy[i];
      Copied& copied = batch.copied[i];
      if (skip == 0 && copied.row == memory.row[i] && copied.rows >= batch.rows) continue;
      copied = {memory.row[i], batch.rows};
      for (int64_t r = 0; r < batch.rows; ++r) {
        __builtin_memcpy(batch.copy[i] + r * bytes, memory.at[i] + r * skip,
                         static_cast<std::size_t>(bytes));
      }
    }
    for (int r = 0; r < loops.reductions; ++r) {
      if ((uses >> value(r) & 1U) == 0) continue;
      const int from = source(r);
      batch.at[value(r)] = slots_of(memory, from);
      if (width == 1) continue;
      batch.at[value(r)] = batch.copy[value(from)];
      if ((batch.repeated >> from & 1U) != 0) continue;
      batch.repeated |= std::uint64_t{1} << from;
      const int itemsize = loops.reduce[from]->run->out_bytes;
      repeat_values(slots_of(memory, from), itemsize, batch.rows, width, itemsize,
                    batch.copy[value(from)]);
    }
  }

  void compute_part(const Memory& memory, Block& block, Batch& batch) const {
    const int64_t m = inner.size[0];
    block.load(0, m, memory.at, part->uses, batch.rows, memory.skip);
    line_up(memory, batch, part->uses, m);
    part->loop(part->program, batch.at, memory.step, memory.skip, 1, batch.rows * m,
               memory.row[part->leaf], 0, nullptr);
  }
  void reduce(const Memory& memory, Block& block, Batch& batch, int r) const {
    const ReductionFunctions& own = *loops.reduce[r];
    const RunLoops& run = *own.run;
    const int64_t m = inner.size[0];
    char* const slots = slots_of(memory, r);
    const bool keeps = batch.keeps && r == loops.reductions - 1;
    block.load(0, m, memory.at, own.uses, batch.rows, memory.skip);
    if (own.fused != nullptr && !keeps) {
      own.fused(program, memory.at, memory.step, memory.skip, batch.rows, m, slots, run.out_bytes,
                nullptr);
    } else {
      const char* values = batch.values;
      int64_t pitch = m * run.value_bytes;
      if (own.values == nullptr) {
        values = memory.at[own.in_place];
        pitch = memory.skip[own.in_place];
      } else if (pays(own.flat, m)) {
        line_up(memory, batch, own.uses, m);
        own.varying(program, batch.at, memory.step, memory.skip, 1, batch.rows * m, batch.values, 0,
                    nullptr);
      } else {
        own.values(program, memory.at, memory.step, memory.skip, batch.rows, m, batch.values, pitch,
                   nullptr);
      }
      run.rows(own.reducer(program), values, pitch, batch.rows, m, slots, run.out_bytes);
    }
    for (int q = r; q < loops.reductions; ++q) {
      if (source(q) != r) continue;
      memory.skip[value(q)] = run.out_bytes;
      if (memory.blocked != nullptr) memory.blocked[value(q)].pitch = run.out_bytes;
    }
  }
  void store(const Memory& memory, Block& block, Batch& batch) const {
    const OutputFunctions& own = *loops.output[0];
    const int64_t width = task.along_row[0] ? inner.size[0] : 1;
    const std::uint64_t uses = batch.keeps ? own.kept_uses : own.uses;
    block.load(0, width, memory.at, uses | 1U, batch.rows, memory.skip);
    if (pays(own.flat, inner.size[0]) && (own.kept == nullptr || batch.keeps)) {
      line_up(memory, batch, uses, width);
      own.varying(program, batch.at, memory.step, memory.skip, 1, batch.rows * width, memory.at[0],
                  0, batch.values);
    } else {
      (batch.keeps ? own.kept : own.store)(program, memory.at, memory.step, memory.skip, batch.rows,
                                           width, memory.at[0], memory.skip[0], batch.values);
    }
  }
};

}  // namespace weft::cpu::detail
