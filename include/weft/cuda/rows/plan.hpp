// Planning a row program on CUDA: which threads share a row, and what of it is kept on the chip.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/rows/grid.hpp"

namespace weft::on_cuda::detail {

/// Plans one task of a row program.
class RowPlan {
 public:
  RowPlan(const char* name, const RowTask& task, const RowKernel& kernel, const Properties& device,
          RowLoops& grid, RowOperand* operand)
      : name_(name),
        task_(task),
        kernel_(kernel),
        device_(device),
        grid_(grid),
        operand_(operand) {}

  /// Describes the operands, whose strides are those along the kept, then the reduced dimensions.
  [[gnu::noinline]] void read(Operand* operands, Operand* inside) {
    const int n = kernel_.outputs + kernel_.leaves + kernel_.reductions;
    Loops outer = weft::detail::loops_over(task_.geometry.kept);
    Loops inner = weft::detail::loops_over(task_.geometry.reduced);
    weft::detail::inner_operands(operands, n, outer.rank, inner.rank, inside);
    weft::detail::simplify(outer, operands, n);
    weft::detail::simplify(inner, inside, n, true);
    describe(outer, operands, inner, inside, n);
  }

  /// Plans the kernel that serves every task, with clusters of so many blocks at most.
  [[gnu::noinline]] RowLaunch plan(unsigned most_parts = row_cluster) {
    most_parts_ = most_parts;
    forget();
    choose_head();
    divide_rows();
    list_slots();
    choose_threads();
    choose_slots();
    choose_access();
    launch_.carveout = carveout(device_, cached_bytes_, launch_.shared_bytes);
    return launch_;
  }

 private:
  /// Undoes what another plan chose.
  void forget() {
    cached_bytes_ = 0;
    grid_.slots = 0;
    grid_.cluster = false;
    for (int i = 0; i < kernel_.outputs + kernel_.leaves; ++i) {
      operand_[i].access = RowOperand::by_lane;
    }
  }

  void describe(const Loops& outer, const Operand* operands, const Loops& inner,
                const Operand* inside, int n) {
    grid_.rows = row_number(name_, outer.count(), "rows");
    grid_.count = inner.count();
    grid_.inner = inner.rank > 0 ? inner.size[inner.rank - 1] : 1;
    grid_.kept_rank = outer.rank;
    grid_.reduced_rank = inner.rank;
    grid_.simple = outer.rank <= 1 && inner.rank <= 1;
    for (int d = 0; d < outer.rank; ++d) {
      const int64_t size = outer.size[outer.rank - 1 - d];
      grid_.kept[d] = FastDivmod(row_number(name_, size, "rows along an axis"));
    }
    for (int d = 0; d < inner.rank && inner.rank > 1; ++d) {
      const int64_t size = inner.size[inner.rank - 1 - d];
      grid_.reduced[d] = FastDivmod(row_number(name_, size, "elements along an axis"));
    }
    for (int i = 0; i < n; ++i) {
      RowOperand& x = operand_[i];
      x.data = operands[i].data;
      x.itemsize = operands[i].itemsize;
      for (int d = 0; d < outer.rank; ++d) {
        x.kept_stride[d] = operands[i].stride[outer.rank - 1 - d] * x.itemsize;
      }
      for (int d = 0; d < inner.rank; ++d) {
        x.reduced_stride[d] = inside[i].stride[inner.rank - 1 - d] * x.itemsize;
      }
      x.row = outer.rank == 1 ? x.kept_stride[0] : 0;
      x.lane = inner.rank > 0 ? static_cast<int>(inside[i].stride[inner.rank - 1]) : 0;
      x.vector = inner.rank > 0 ? x.reduced_stride[0] * kernel_.lanes : 0;
    }
    grid_.target = task_.target;
    for (int r = 0; r < kernel_.reductions; ++r) {
      grid_.mode[r] = task_.mode[r];
      grid_.same[r] = static_cast<signed char>(task_.same[r]);
      const RowOperand& value = operand_[kernel_.outputs + kernel_.leaves + r];
      for (int d = 0; task_.mode[r] == RowMode::load && d < inner.rank; ++d) {
        if (value.reduced_stride[d] != 0) grid_.varies |= 1U << r;
      }
    }
    for (int k = 0; k < kernel_.outputs; ++k) {
      if (task_.target < 0 && task_.along_row[k]) grid_.along_row |= 1U << k;
    }
    grid_.any_along_row = grid_.along_row != 0;
    grid_.columns = rows_are_columns(outer, operands, inner, inside, kernel_.outputs,
                                     kernel_.outputs + kernel_.leaves);
  }

  /// Aligns the vectors of each row with its output, or else with its first full operand.
  void choose_head() {
    if (grid_.reduced_rank != 1) return;
    for (int i = 0; i < kernel_.outputs + kernel_.leaves; ++i) {
      const RowOperand& x = operand_[i];
      const bool read = i < kernel_.outputs ? (grid_.along_row >> i & 1U) != 0
                                            : has_memory(i) && readings(task_, kernel_, i) > 0;
      if (!read || x.lane != 1 || (grid_.kept_rank > 0 && x.kept_stride[0] == 0)) continue;
      if (!is_row_aligned(grid_, x, kernel_.lanes)) grid_.head_operand = i;
      return;
    }
  }

  /// Full vectors of a row; none where its elements have to be taken one by one.
  void divide_rows() {
    const int lanes = kernel_.lanes;
    if (grid_.varies != 0 || (grid_.reduced_rank > 1 && grid_.inner % lanes != 0)) {
      grid_.length = 0;
      row_number(name_, grid_.count, "elements of a row");
    } else {
      grid_.length = row_number(name_, grid_.count / lanes, "vectors of a row");
      if (grid_.reduced_rank > 1) {
        grid_.items = FastDivmod(row_number(name_, grid_.inner / lanes, "vectors of a row"));
      }
    }
  }

  void choose_threads() {
    const int64_t work = grid_.length > 0 ? grid_.length : grid_.count;
    if (grid_.columns) {
      launch_.threads = row_block;
      grid_.rows_a_block = 32;
      grid_.group = launch_.threads / 32;
    } else if (work <= 32 * short_row) {
      const auto wanted = static_cast<unsigned>((work + short_row - 1) / short_row);
      grid_.group = work < 2 ? 1 : wanted < 2 ? 2 : power_of_two(wanted);
      while ((1U << grid_.group_shift) < grid_.group) ++grid_.group_shift;
      launch_.threads = 128;
      grid_.rows_a_block = launch_.threads / grid_.group;
    } else {
      const int64_t wanted = (work + vectors_a_thread - 1) / vectors_a_thread;
      launch_.threads = wanted < 32          ? 32
                        : wanted > row_block ? row_block
                                             : round_up(static_cast<unsigned>(wanted), 32);
      grid_.group = launch_.threads;
    }
    grid_.scratch = scratch_bytes(kernel_, grid_.columns ? launch_.threads : 0);
    const unsigned row_blocks = (grid_.rows + grid_.rows_a_block - 1) / grid_.rows_a_block;
    const auto units = static_cast<unsigned>(device_.multiprocessors);
    unsigned parts = 1;
    if (task_.target >= 0 && !computes_others(task_)) {
      const int64_t most = work / (32 * grid_.group);  // else merging costs more than it gains
      parts = (4 * units + row_blocks - 1) / row_blocks;
      if (parts > most) parts = static_cast<unsigned>(most);
      if (parts < 1) parts = 1;
      if (parts > 1) grid_.stage = RowLoops::partial;
    } else if (!grid_.columns && device_.major >= 9 && work > 32 * short_row) {
      const int64_t bytes = row_bytes();
      while (parts < most_parts_ && bytes > row_share * parts) parts *= 2;
      // Few rows: all multiprocessors work.
      while (parts < most_parts_ && row_blocks * parts < units &&
             work >= int64_t{4} * grid_.group * parts) {
        parts *= 2;
      }
      grid_.cluster = parts > 1;
    }
    grid_.warps = power_of_two((grid_.group + 31) / 32);
    grid_.parts = FastDivmod(parts);
    grid_.stride = FastDivmod(grid_.group * parts);
    launch_.blocks = row_number(name_, int64_t{row_blocks} * parts, "blocks");
  }

  bool has_memory(int i) const { return (kernel_.positions >> i & 1U) == 0; }

  /// How often the task reads an operand that is not one element for the row, counted for all
  /// operands that are the same.
  int readers(const RowOperand& x) const {
    int n = 0;
    for (int j = kernel_.outputs; j < kernel_.outputs + kernel_.leaves; ++j) {
      if (has_memory(j) && is_same_operand(grid_, x, operand_[j])) n += readings(task_, kernel_, j);
    }
    return n;
  }

  /// Whether an operand is the same in each row, and its vectors can be read as they are: the
  /// caches hold it.
  bool is_cached(const RowOperand& x) const {
    if (grid_.head_operand >= 0 || grid_.reduced_rank > 1 ||
        !is_row_aligned(grid_, x, kernel_.lanes))
      return false;
    for (int d = 0; d < grid_.kept_rank; ++d) {
      if (x.kept_stride[d] != 0) return false;
    }
    return grid_.kept_rank > 0;
  }

  /// Lists the operands that pass through shared memory, equal ones once.
  void list_slots() {
    for (int i = kernel_.outputs; i < kernel_.outputs + kernel_.leaves; ++i) {
      const RowOperand& x = operand_[i];
      if (!has_memory(i) || readings(task_, kernel_, i) == 0 || is_constant(grid_, x)) continue;
      if (is_cached(x)) {
        operand_[i].access = RowOperand::whole_vector;
        cached_bytes_ += grid_.count * x.itemsize;
        continue;
      }
      int s = 0;
      while (s < grid_.slots && !is_same_operand(grid_, x, operand_[grid_.slot_operand[s]])) ++s;
      if (s == RowLoops::max_slots) {
        fail<ShapeError>(name_, "more than ", RowLoops::max_slots,
                         " operands along a row: store a part of the expression in a Tensor");
      }
      if (s == grid_.slots) {
        grid_.slot_operand[s] = i;
        grid_.slot_readers[s] = 0;
        grid_.slot_kept[s] = readers(x) > 1;
        ++grid_.slots;
      }
      grid_.slot_readers[s] |= std::uint64_t{1} << i;
    }
  }

  /// The bytes of a row's operands that are read more than once.
  int64_t row_bytes() const {
    int64_t bytes = 0;
    for (int s = 0; s < grid_.slots; ++s) {
      if (grid_.slot_kept[s]) bytes += grid_.count * operand_[grid_.slot_operand[s]].itemsize;
    }
    return bytes;
  }

  /// Gives the operands their places in shared memory: for the whole row, or for a chunk where the
  /// row does not fit or is read once.
  void choose_slots() {
    launch_.shared_bytes = 2 * grid_.scratch;
    if (grid_.length == 0) grid_.slots = 0;
    const unsigned steps = grid_.stride.divisor == 0
                               ? 1
                               : (grid_.length + grid_.stride.divisor - 1) / grid_.stride.divisor;
    const int64_t room = device_.shared_memory_per_block - 1024;
    grid_.chunk = steps < 8 ? (steps > 0 ? steps : 1) : 8;
    int64_t at = place_slots(steps, false);
    if (at > room) at = place_slots(steps, true);
    while (at > room && grid_.chunk > 1) {
      grid_.chunk /= 2;
      at = place_slots(steps, true);
    }
    launch_.shared_bytes = static_cast<unsigned>(at);
  }

  /// The bytes of shared memory that all slots take.
  int64_t place_slots(unsigned steps, bool chunks_only) {
    int64_t at = 2 * int64_t{grid_.scratch};
    for (int s = 0; s < grid_.slots; ++s) {
      if (chunks_only || grid_.stage != RowLoops::whole) grid_.slot_kept[s] = false;
      const int itemsize = operand_[grid_.slot_operand[s]].itemsize;
      const unsigned bytes = static_cast<unsigned>(itemsize * kernel_.lanes) * launch_.threads;
      for (int i = kernel_.outputs; i < kernel_.outputs + kernel_.leaves; ++i) {
        if ((grid_.slot_readers[s] >> i & 1U) == 0) continue;
        operand_[i].slot_offset = static_cast<unsigned>(at);
        operand_[i].slot_step = bytes;
        operand_[i].keeps_row = grid_.slot_kept[s];
        operand_[i].access = RowOperand::slot;
      }
      at += int64_t{grid_.slot_kept[s] ? steps : grid_.chunk} * bytes;
    }
    return at;
  }

  void choose_access() {
    for (int i = 0; i < kernel_.outputs + kernel_.leaves; ++i) {
      RowOperand& x = operand_[i];
      x.step = x.vector * grid_.stride.divisor;
      if (i >= kernel_.outputs) {
        if (x.access == RowOperand::by_lane) x.access = RowOperand::one_element;
      } else if ((grid_.along_row >> i & 1U) == 0) {
        x.access = RowOperand::one_element;
      } else if (grid_.head_operand < 0
                     ? is_row_aligned(grid_, x, kernel_.lanes)
                     : is_aligned_as(grid_, x, operand_[grid_.head_operand], kernel_.lanes)) {
        x.access = RowOperand::whole_vector;
      }
    }
  }

  const char* name_;
  const RowTask& task_;
  const RowKernel& kernel_;
  const Properties& device_;
  RowLoops& grid_;
  RowOperand* operand_;
  unsigned most_parts_ = row_cluster;
  RowLaunch launch_;
  int64_t cached_bytes_ = 0;  // of the operands that all rows share
};

}  // namespace weft::on_cuda::detail
