// Planning the row kernel that keeps rows in registers, and deciding whether a task suits it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because the plan of a task is one class.

#include <bit>

#include "weft/cuda/rows/plan.hpp"
#include "weft/cuda/rows/ragged.hpp"
#include "weft/cuda/rows/tile_plan.hpp"

namespace weft::on_cuda::detail {

/// Plans a task whose operands a RowPlan has described.
class RegisterPlan {
 public:
  RegisterPlan(const RowTask& task, const RowKernel& kernel, const void* program,
               const Properties& device, RowLoops& grid, RowOperand* operand)
      : task_(task),
        kernel_(kernel),
        program_(program),
        device_(device),
        grid_(grid),
        operand_(operand) {}

  /// Fills in the grid and the launch. Null, or why the kernel does not serve; what else is planned
  /// then fills both in anew.
  [[gnu::noinline]] const char* run(RowLaunch& launch) {
    if (const char* why = refused()) return why;
    if (!choose_threads(launch)) return "rows are too long";
    if (suits_narrow()) return "the kernel for short rows takes no more threads";
    choose_kept();
    choose_ahead();
    if (program_ != nullptr && kernel_.registers.share != nullptr) {
      kernel_.registers.share(program_, grid_, operand_);
    }
    return nullptr;
  }

 private:
  int end() const { return kernel_.outputs + kernel_.leaves; }
  bool has_memory(int i) const { return (kernel_.positions >> i & 1U) == 0; }
  bool is_read(int i) const { return readings(task_, kernel_, i) > 0; }

  /// Null where the kernel serves, but for the length of rows.
  const char* refused() {
    const RegisterKernel& k = kernel_.registers;
    if (k.vectors == 0) return k.refused;
    if (grid_.count == 0) return "rows are empty";
    if (grid_.columns) return "a row's elements are not neighbours in memory";
    if (grid_.reduced_rank > 1) return "a row's axes do not merge into one";
    if (grid_.varies != 0) return "a reduction that ran before varies along the row";
    if (k.effects && grid_.any_along_row) return "the result reads elements by index";
    if (k.computes != nullptr && !serves_computed()) {
      return "the part that recurs has several operands, or is read beside others";
    }
    if (k.only_two && !grid_.any_along_row) return "a reduction reads several operands";
    grid_.blocked = true;
    grid_.ragged = !has_whole_vectors();
    if (grid_.ragged && !serves_ragged()) return "a row's elements are not neighbours in memory";
    if (!operands_are_kept()) {
      if (!grid_.ragged) return "its reductions read too many operands";
      return ends_within_vector() ? "its reductions read borrowed memory that ends within a vector"
                                  : "its reductions read operands that begin at different elements";
    }
    if (slots_ == 1 && k.reuses != nullptr && program_ != nullptr &&
        !k.reuses(program_, grid_, operand_)) {
      return "the last reduction and the result read different operands";
    }
    return nullptr;
  }
  bool is_along(int i) const {
    return i < kernel_.outputs ? (grid_.along_row >> i & 1U) != 0
                               : has_memory(i) && is_read(i) && !is_constant(grid_, operand_[i]);
  }
  /// Whether each operand along the row is full, aligned vectors.
  bool has_whole_vectors() const {
    if (grid_.count % kernel_.lanes != 0) return false;
    for (int i = 0; i < end(); ++i) {
      if (is_along(i) && !is_row_aligned(grid_, operand_[i], kernel_.lanes)) return false;
    }
    return true;
  }
  /// Rows that are not, of neighbouring elements: their first and last vector are not whole. Finds
  /// the operand that decides where vectors begin.
  bool serves_ragged() {
    if (grid_.count <= 2 * kernel_.lanes) return false;
    int best = -1;
    for (int i = 0; i < end(); ++i) {
      const RowOperand& x = operand_[i];
      if (!is_along(i)) continue;
      if (x.lane != 1 || !std::has_single_bit(static_cast<unsigned>(x.itemsize))) return false;
      const int merit = 8 * is_always_kept(i) + 4 * is_by_row(grid_, x) +
                        2 * (i < kernel_.outputs) + is_reduced(i);
      if (merit > best) grid_.origin = i;
      best = merit > best ? merit : best;
    }
    return best >= 0;
  }
  bool is_always_kept(int i) const {
    return is_reduced(i) && (kernel_.registers.always_kept >> i & 1U) != 0;
  }

  /// Whether the reductions read nothing but the kept values and operands that all rows share.
  bool serves_computed() const {
    const RegisterKernel& k = kernel_.registers;
    if (program_ != nullptr && !k.computes(program_, grid_, operand_)) return false;
    for (int i = kernel_.outputs; i < end(); ++i) {
      if ((k.beside >> i & 1U) == 0 || is_constant(grid_, operand_[i])) continue;
      if (is_by_row(grid_, operand_[i])) return false;
    }
    return true;
  }

  /// Whether the operands that the kernels assume to be kept are no more than one of them keeps.
  bool operands_are_kept() {
    const RowOperand* kept[2];
    int n = 0;
    for (int i = kernel_.outputs; i < end(); ++i) {
      if (!is_always_kept(i)) continue;
      const RowOperand& x = operand_[i];
      if (is_constant(grid_, x) || !is_loaded_whole(x)) return false;
      int k = 0;
      while (k < n && !is_same_operand(grid_, *kept[k], x)) ++k;
      if (k == kernel_.registers.slots) return false;
      if (k == n) kept[n++] = &x;
    }
    slots_ = n > 1 ? 2 : 1;
    return true;
  }
  /// Whether vectors at the ends of an operand that would be kept may not be loaded whole.
  bool ends_within_vector() const {
    for (int i = kernel_.outputs; i < end(); ++i) {
      if (is_always_kept(i) && !operand_[i].whole_ends) return true;
    }
    return false;
  }
  /// Whether an operand's vectors are aligned, and may be loaded whole where the row begins or ends
  /// inside of them.
  bool is_loaded_whole(const RowOperand& x) const {
    if (!grid_.ragged) return true;
    const bool stored = &x < operand_ + kernel_.outputs;
    return (stored || x.whole_ends) && is_in_step(grid_, x, operand_[grid_.origin], kernel_.lanes);
  }

  bool choose_threads(RowLaunch& launch) {
    const bool halves = !kernel_.registers.independent;  // a kernel may leave half of them out
    const int64_t edge = grid_.ragged ? kernel_.lanes - 1 : 0;
    const int64_t work = (edge + grid_.count + kernel_.lanes - 1) / kernel_.lanes;
    const int64_t most = kernel_.registers.vectors;
    const int64_t short_row = halves && work <= 16 * most ? (most + 1) / 2 : most;
    const auto threads_of = [&](int64_t parts) {
      return (work + most * parts - 1) / (most * parts);
    };
    const bool one_pass = halves || grid_.any_along_row;
    const int64_t block = one_pass ? row_block : row_block / 2;
    unsigned parts = 1;
    unsigned group = 1;
    launch.threads = 128;
    grid_.rows_a_block = 1;
    if (work <= 32 * short_row) {
      group = short_group(work, short_row, most);
      grid_.rows_a_block = launch.threads / group;
    } else {
      while (one_pass && parts < row_cluster && threads_of(parts) > block) parts *= 2;
      while (parts < row_cluster && threads_of(parts) > 128 &&
             grid_.rows * parts < static_cast<unsigned>(device_.multiprocessors)) {
        parts *= 2;
      }
      const int64_t wanted = one_pass || threads_of(parts) < block ? threads_of(parts) : block;
      if (wanted > row_block || (parts > 1 && device_.major < 9)) return false;
      // A few rows that even clusters go over many times: pieces of them have all of the GPU.
      if (threads_of(parts) > 4 * wanted &&
          grid_.rows * parts < static_cast<unsigned>(device_.multiprocessors)) {
        return false;
      }
      group = launch.threads = round_up(static_cast<unsigned>(wanted), 32);
    }
    if (grid_.ragged && group * parts < 2) return false;
    grid_.length = static_cast<unsigned>(work);
    grid_.group = group;
    grid_.group_shift = static_cast<unsigned>(std::countr_zero(power_of_two(group)));
    grid_.warps = power_of_two((group + 31) / 32);
    grid_.cluster = parts > 1;
    grid_.parts = FastDivmod(parts);
    grid_.stride = FastDivmod(group * parts);
    grid_.chunk = (static_cast<unsigned>(work) + group * parts - 1) / (group * parts);
    grid_.scratch = scratch_bytes(kernel_);
    launch.blocks = (grid_.rows + grid_.rows_a_block - 1) / grid_.rows_a_block * parts;
    launch.shared_bytes = 2 * grid_.scratch;
    launch.registers = true;
    launch.keeps_two = slots_ > 1;
    return true;
  }

  /// The threads of a row of at most 32 times `least` vectors: where rows are few, as many as have
  /// work; where they are more, those that leave the fewest vectors empty of what a thread goes
  /// over, which is from `least` to `most` of them. Where they are many, those that short_time()
  /// takes for the fastest.
  unsigned short_group(int64_t work, int64_t least, int64_t most) const {
    // One thread alone has a whole sector or two of memory. Ragged: its first and last vector are
    // two threads'.
    constexpr int64_t one_thread = 4;
    const int64_t enough = many_threads();
    const unsigned fewest = grid_.ragged || work > one_thread ? 2 : 1;
    unsigned best = power_of_two(static_cast<unsigned>((work + least - 1) / least));
    if (best < fewest) best = fewest;
    const auto over = [&](unsigned group) {
      const int64_t chunk = (work + group - 1) / group;
      return group * (chunk < least ? least : chunk);
    };
    if (device_.bandwidth > 0 && int64_t{grid_.rows} * best >= enough) {
      return fastest_group(work, least, most);
    }
    // A warp for each quarter of a multiprocessor hides nothing: the fewest steps are the fastest.
    if (int64_t{grid_.rows} * best <= int64_t{device_.multiprocessors} * 128) return best;
    for (unsigned group = best / 2; group >= fewest && work <= group * most; group /= 2) {
      const bool many = int64_t{grid_.rows} * group >= enough;
      if (over(group) < over(best) || (many && over(group) == over(best))) best = group;
    }
    return best;
  }
  /// Of groups that differ by less than a fortieth, the one of fewest threads.
  unsigned fastest_group(int64_t work, int64_t least, int64_t most) const {
    unsigned best = 0;
    double time = 0;
    for (unsigned group = grid_.ragged ? 2 : 1; group <= 32; group *= 2) {
      if (work > group * most) continue;
      const double other = short_time(work, least, group);
      if (best == 0 || other < 0.975 * time) {
        best = group;
        time = other;
      }
    }
    return best;
  }
  /// Threads that fill the GPU.
  int64_t many_threads() const { return int64_t{device_.multiprocessors} * 2048; }
  /// Whether the kernel for short rows, whose threads do less before and after their elements,
  /// takes no more of them, or has a few vectors of two operands to keep.
  bool suits_narrow() const {
    const int64_t lanes = kernel_.narrow_lanes;
    const bool few_of_two = kernel_.registers.only_two && !grid_.ragged && kernel_.lanes <= 4 &&
                            grid_.count <= 16 * kernel_.lanes && lanes > 0;
    if (few_of_two && int64_t{grid_.rows} * grid_.count >= lanes * many_threads()) return true;
    // One thread alone asks for a line several times, unless it computes most of the time; two of
    // the other kernel's have a full vector each.
    const bool alone = grid_.group == 1 && grid_.any_along_row && grid_.count == 2 * lanes &&
                       kernel_.registers.part_weight < 8;
    return (grid_.ragged || grid_.count <= 2 * lanes) && grid_.rows_a_block > 1 &&
           grid_.count <= lanes * (alone ? 2 : grid_.group) &&
           int64_t{grid_.rows} * grid_.group >= many_threads();
  }
  /// Picoseconds that one of many rows takes the GPU: the longest of moving its bytes, storing its
  /// lines and running its threads. The fewer bytes the threads have side by side, the more often a
  /// line of memory is asked for, and the more streams there are, the more often it has left L1 by
  /// then. Fitted to seven statements on an H100 (docs/notes/measurements.md).
  double short_time(int64_t work, int64_t least, unsigned group) const {
    int streams = 0;
    for (int i = 0; i < end(); ++i) streams += is_moved(i);
    int reductions = 0;
    for (int r = 0; r < kernel_.reductions; ++r) reductions += task_.mode[r] == RowMode::compute;
    const auto chunk = static_cast<double>((work + group - 1) / group);
    const double lines = group < 8 ? 8.0 / group : 1;  // a line's vectors for a thread
    const double again = (chunk < lines ? chunk : lines) - 1;
    const double asked = 1 + (group == 1 ? 0.02 : 0.0067) * streams * again * again;
    const double vector = 16e12 / (0.9 * device_.bandwidth);
    const double moving = static_cast<double>(work * streams) * vector * asked;

    double storing = 0;
    double thread = grid_.any_along_row ? 26 : 20;
    for (int i = 0; i < end(); ++i) {
      if (i < kernel_.outputs && is_moved(i)) storing += store_time(i, chunk, group);
      if (is_along(i) && has_memory(i) && !is_loaded_whole(operand_[i])) thread += 1.5 * chunk;
    }
    if (grid_.ragged) thread += 5;
    thread += 2 * kernel_.registers.part_weight;
    if (reductions > 2) thread += 12 * (reductions - 2);
    const double extra = chunk / static_cast<double>(least) - 1;
    const double running = group * thread * (extra > 0 ? 1 + extra / 2 : 1);
    const double memory = moving > storing ? moving : storing;
    return memory > running ? memory : running;
  }
  /// Picoseconds for writing an output's row that is not whole sectors of memory: for each line
  /// that each of the threads' stores reaches.
  double store_time(int i, double chunk, unsigned group) const {
    const int64_t row = grid_.count * operand_[i].itemsize;
    if (row % 32 == 0) return 0;
    const double reached = 1 + group * kernel_.lanes * operand_[i].itemsize / 128.0;
    const double lines = static_cast<double>(row) / 128;
    return 27 * chunk * (reached < lines ? reached : lines);
  }
  /// Whether a row has elements of its own in operand i, and no other operand the same.
  bool is_moved(int i) const {
    if (i < kernel_.outputs) return (grid_.along_row >> i & 1U) != 0;
    if (!is_along(i) || !is_by_row(grid_, operand_[i])) return false;
    for (int j = kernel_.outputs; j < i; ++j) {
      if (is_along(j) && is_same_operand(grid_, operand_[i], operand_[j])) return false;
    }
    return true;
  }

  /// The operands that are kept, of those that reductions read, and others that are the same
  /// elements.
  void choose_kept() {
    grid_.sources = 0;
    grid_.constants = 0;
    for (int i = 0; i < end(); ++i) {
      RowOperand& x = operand_[i];
      x.step = x.reduced_stride[0] * kernel_.lanes * grid_.stride.divisor;
      x.hop = x.reduced_stride[0];
      x.access = RowOperand::whole_vector;
      if (i >= kernel_.outputs && is_constant(grid_, x)) {
        x.access = RowOperand::one_element;
        grid_.constants |= std::uint64_t{1} << i;
      } else if (has_memory(i) && !is_loaded_whole(x)) {
        x.access = RowOperand::by_element;
      }
      x.adjoining = grid_.ragged && grid_.group <= 16 && grid_.kept_rank == 1 && x.lane == 1 &&
                    x.access == RowOperand::whole_vector &&
                    x.kept_stride[0] == grid_.count * x.itemsize;
    }
    for (int i = kernel_.outputs; i < end() && grid_.sources < slots_; ++i) {
      if (is_reduced(i) && may_keep(i)) keep(i);
    }
    if (kernel_.registers.computes != nullptr) note_read();
  }
  void keep(int source) {
    const auto slot = grid_.sources == 0 ? RowOperand::kept : RowOperand::kept_second;
    const RowOperand kept = operand_[source];
    grid_.source[grid_.sources++] = source;
    for (int i = kernel_.outputs; i < end(); ++i) {
      if (may_keep(i) && is_same_operand(grid_, operand_[i], kept)) operand_[i].access = slot;
    }
  }
  /// Notes the operands that the kept values are computed from, for choose_ahead.
  void note_read() {
    for (int i = kernel_.outputs; i < end(); ++i) {
      const RowOperand& x = operand_[i];
      bool found =
          is_constant(grid_, x) || x.kept_stride[0] == 0 || !has_memory(i) || !is_reduced(i);
      for (int s = 0; s < grid_.sources && !found; ++s) {
        found = is_same_operand(grid_, x, operand_[grid_.source[s]]);
      }
      if (!found && grid_.sources < RowLoops::max_sources) grid_.source[grid_.sources++] = i;
    }
  }
  /// If each block reads one row and writes one, a multiprocessor cannot keep enough rows in
  /// flight, so blocks prefetch into L2 a row that another will read. Prefetching too far ahead
  /// delays what blocks wait for (docs/notes/measurements.md).
  void choose_ahead() {
    constexpr int64_t share = 32 * 1024;  // bytes for each multiprocessor
    grid_.ahead = 0;
    if (!grid_.any_along_row || !grid_.simple || grid_.sources < 1 || grid_.rows_a_block != 1 ||
        grid_.parts.divisor != 1 || device_.major < 9) {
      return;
    }
    int64_t bytes = 0;
    for (int s = 0; s < grid_.sources; ++s) {
      const RowOperand& x = operand_[grid_.source[s]];
      if (kernel_.lanes * x.itemsize % 16 != 0 || x.kept_stride[0] == 0) return;
      if (grid_.ragged && !is_fetchable(x)) return;
      bytes += grid_.count * x.itemsize;
    }
    const int64_t rows = (device_.multiprocessors * share + bytes - 1) / bytes;
    if (rows < grid_.rows) grid_.ahead = static_cast<unsigned>(rows);
  }
  /// L2 takes whole words of 16 bytes.
  bool is_fetchable(const RowOperand& x) const {
    return 16 % x.itemsize == 0 && grid_.count * x.itemsize % 16 == 0 &&
           is_row_aligned(grid_, x, 16 / x.itemsize);
  }
  bool is_reduced(int i) const {
    for (int r = 0; r < kernel_.reductions; ++r) {
      if (task_.mode[r] == RowMode::compute && (kernel_.uses[r] >> i & 1U) != 0) return true;
    }
    return false;
  }
  bool may_keep(int i) const {
    return (kernel_.registers.may_keep >> i & 1U) != 0 && is_read(i) &&
           operand_[i].access == RowOperand::whole_vector;
  }

  const RowTask& task_;
  const RowKernel& kernel_;
  const void* program_;
  const Properties& device_;
  RowLoops& grid_;
  RowOperand* operand_;
  int slots_ = 1;  // operands that a thread keeps
};

/// Has the threads of short rows read an operand once that is read several times.
inline void keep_first_reading(const RowKernel& kernel, RowLoops& grid, const RowOperand* operand) {
  const std::uint64_t candidates = kernel.narrow_kept & grid.needed & ~grid.constants;
  if (candidates == 0) return;
  const int first = std::countr_zero(candidates);
  std::uint64_t same = 0;
  for (std::uint64_t left = candidates; left != 0; left &= left - 1) {
    const int i = std::countr_zero(left);
    if (is_same_operand(grid, operand[first], operand[i])) same |= std::uint64_t{1} << i;
  }
  if (std::popcount(same) < 2) return;
  grid.read_once = same;
  grid.once_operand = first;
  grid.needed &= ~same;
}

/// Plans a task whose operands' strides are those along the kept, then the reduced dimensions;
/// `runs` tells whether the device runs a launch's clusters, which is otherwise taken for granted.
/// Without a program, equal patterns are taken for equal values.
WEFT_OUTLINED inline RowLaunch plan_row_program(
    const char* name, const RowTask& task, const RowKernel& kernel, const void* program,
    const Properties& device, Operand* operands, Operand* inside, RowLoops& grid,
    RowOperand* operand, bool (*runs)(const char*, const void*, const RowLaunch&, unsigned)) {
  RowPlan planner(name, task, kernel, device, grid, operand);
  planner.read(operands, inside);
  RowLaunch launch;
  TilePlan tiles(task, kernel, device, grid, operand);
  const auto shared = [&] {
    if (kernel.share != nullptr && program != nullptr && grid.varies == 0) {
      kernel.share(program, launch.narrow, grid, operand);
    }
    return launch;
  };
  const bool words = tiles.has_rows_of_words();
  const bool states = keeps_states(task, kernel);
  if (!states && !words && tiles.run(launch)) return shared();
  const auto serves = [&] {
    return runs == nullptr ||
           runs(name, kernel.of(launch), launch, grid.cluster ? grid.parts.divisor : 1);
  };
  const char* refused =
      states ? "a total over rows is merged from states of each row"
             : RegisterPlan(task, kernel, program, device, grid, operand).run(launch);
  if (refused == nullptr) {
    if (serves()) return launch;
    refused = "the GPU does not run its clusters";
  }
  if (!states && words && tiles.run(launch)) return shared();
  launch = planner.plan();
  if (!serves()) launch = planner.plan(8);
  launch.refused = refused;
  shared();
  if (launch.narrow) keep_first_reading(kernel, grid, operand);
  return launch;
}

}  // namespace weft::on_cuda::detail
