// Planning a row program on CUDA: which threads share a row, and how they take its elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because the plan of a task is one class.

#include <utility>

#include "weft/cuda/allocator.hpp"
#include "weft/cuda/rows/grid.hpp"

namespace weft::on_cuda::detail {

/// The most threads of a column that the kernel for short rows serves; the kernel that loops reads
/// longer columns several times, and gives each thread at least this many items
/// (docs/notes/measurements.md).
inline constexpr int64_t narrow_columns = 2;
inline constexpr unsigned items_of_row_column = 8;

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
    row_number(name_, grid_.count, "elements of a row");
    grid_.sources = 0;
    grid_.shared = {};
    grid_.width = {};
    grid_.cluster = false;
    grid_.stage = RowLoops::whole;
    grid_.piece_level = 0;
    grid_.most = 0;
    lanes_ = kernel_.loop_lanes;
    launch_ = RowLaunch{};
    if (!choose_narrow()) choose_threads();
    choose_parts();
    if (keeps_states()) {
      grid_.stage = RowLoops::partial;
      grid_.piece_level = level_of(kernel_, task_.target);
      grid_.splits = 1;
    }
    choose_access();
    if (launch_.narrow) {
      const int64_t group = grid_.blocked ? 1 : grid_.group;
      const int64_t each = (grid_.count + group - 1) / group;
      grid_.most = static_cast<int>(each < lanes_ ? each : lanes_);
    }
    const unsigned places = (grid_.columns ? launch_.threads : 32U) +
                            (!grid_.cluster ? 0U : (grid_.columns ? 32U : 1U) * row_cluster);
    grid_.scratch = round_up(static_cast<unsigned>(kernel_.state_bytes) * places + 16, 128);
    launch_.shared_bytes = 2 * grid_.scratch;
    return launch_;
  }

 private:
  void describe(const Loops& outer, const Operand* operands, const Loops& inner,
                const Operand* inside, int n) {
    grid_.rows = row_number(name_, outer.count(), "rows");
    grid_.count = inner.count();
    const int64_t innermost = inner.rank > 0 ? inner.size[inner.rank - 1] : 1;
    grid_.inner = static_cast<unsigned>(innermost);
    grid_.outer = innermost > 0 ? static_cast<unsigned>(grid_.count / innermost) : 0;
    grid_.kept_rank = outer.rank;
    grid_.reduced_rank = inner.rank;
    grid_.planar = outer.rank <= 2 && inner.rank <= 2;
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
      x.rows = operands[i].rows;
      grid_.planar = grid_.planar && x.rows == nullptr;
      x.itemsize = operands[i].itemsize;
      x.whole_ends = has_whole_ends(operands[i], outer, inside[i], inner);
      for (int d = 0; d < outer.rank; ++d) {
        x.kept_stride[d] = operands[i].stride[outer.rank - 1 - d] * x.itemsize;
      }
      for (int d = 0; d < inner.rank; ++d) {
        x.reduced_stride[d] = inside[i].stride[inner.rank - 1 - d] * x.itemsize;
      }
      for (int d = outer.rank; d < 2; ++d) x.kept_stride[d] = 0;
      for (int d = inner.rank; d < 2; ++d) x.reduced_stride[d] = 0;
      x.lane = inner.rank > 0 ? static_cast<int>(inside[i].stride[inner.rank - 1]) : 0;
    }
    grid_.simple = grid_.planar && outer.rank <= 1 && inner.rank <= 1;
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
    const bool columns = rows_are_columns(outer, operands, inner, inside, kernel_.outputs, end());
    mixed_ = columns && prefers_rows();
    grid_.columns = columns && !mixed_;
  }
  /// Whether the aligned vectors that an operand's first and last byte lie in may be read.
  bool has_whole_ends(const Operand& x, const Loops& outer, const Operand& inside,
                      const Loops& inner) const {
    if (kernel_.lanes * x.itemsize > memory_word) return false;
    if (x.storage == nullptr || !x.storage->borrowed) return true;
    if (x.rows != nullptr) return false;
    int64_t first = 0;
    int64_t last = 0;
    const auto reach = [&](int64_t stride, int64_t size) {
      (stride < 0 ? first : last) += stride * (size - 1);
    };
    for (int d = 0; d < outer.rank; ++d) reach(x.stride[d], outer.size[d]);
    for (int d = 0; d < inner.rank; ++d) reach(inside.stride[d], inner.size[d]);
    constexpr auto word = static_cast<std::uintptr_t>(memory_word);
    const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
    const std::uintptr_t begin = address(x.data + first * x.itemsize) / word * word;
    const std::uintptr_t end = (address(x.data + (last + 1) * x.itemsize) + word - 1) / word * word;
    const std::uintptr_t memory = address(x.storage->data);
    return begin >= memory && end <= memory + static_cast<std::uintptr_t>(x.storage->bytes);
  }
  /// Operands in both orders: a block's short rows are whole sectors of either, read once, while
  /// the kernel that loops over columns would go over them several times.
  bool prefers_rows() const {
    const int64_t lanes = kernel_.narrow_lanes;
    if (grid_.count <= narrow_columns * lanes || grid_.count > 16 * lanes) return false;
    if (grid_.varies != 0 || grid_.reduced_rank > 1 || grid_.kept_rank == 0) return false;
    bool rows = false;
    for (int i = kernel_.outputs; i < end(); ++i) {
      const RowOperand& x = operand_[i];
      rows = rows || (is_along(i) && has_memory(i) && x.lane == 1 && x.kept_stride[0] != 0);
    }
    return rows;
  }

  bool keeps_states() const { return weft::on_cuda::detail::keeps_states(task_, kernel_); }
  int end() const { return kernel_.outputs + kernel_.leaves; }
  bool has_memory(int i) const { return (kernel_.positions >> i & 1U) == 0; }
  bool is_along(int i) const {
    return i < kernel_.outputs
               ? (grid_.along_row >> i & 1U) != 0
               : readings(task_, kernel_, i) > 0 && !is_constant(grid_, operand_[i]);
  }

  /// Short rows: each thread has all of its elements at a time.
  bool choose_narrow() {
    const int64_t lanes = kernel_.narrow_lanes;
    const int64_t most = (grid_.columns ? narrow_columns : int64_t{32}) * lanes;
    if (lanes == 0 || grid_.count == 0 || grid_.count > most || grid_.varies != 0 ||
        grid_.reduced_rank > 1 || keeps_states()) {
      return false;
    }
    if (is_only_reduced() && grid_.count > 16 * widest_along()) return false;
    launch_.narrow = true;
    lanes_ = kernel_.narrow_lanes;
    work_ = (grid_.count + lanes - 1) / lanes;
    set_group(power_of_two(work_), grid_.columns || mixed_ ? 256 : 128);
    if (grid_.columns) grid_.width_shift = 5 - grid_.group_shift;  // a warp has all of its columns
    return true;
  }
  /// Whether rows are read once, one after the other, and nothing is stored along them.
  bool is_only_reduced() const {
    return !grid_.columns && !mixed_ && grid_.varies == 0 && grid_.reduced_rank == 1 &&
           kernel_.leaves > 0 && passes() == 1 && !grid_.any_along_row;
  }
  /// Bytes of the largest element that the row has several of.
  int widest_along() const {
    int bytes = 1;
    for (int i = kernel_.outputs; i < end(); ++i) {
      if (is_along(i) && has_memory(i) && operand_[i].itemsize > bytes)
        bytes = operand_[i].itemsize;
    }
    return bytes;
  }
  /// Threads of a row of up to 1,024 elements that is only reduced: such that each has some 40, as
  /// what a thread does besides costs it as much; more threads where rows are few.
  unsigned threads_of_reduced(unsigned most) const {
    unsigned group = 1;
    while (group < 8 && int64_t{3200} * group * group <= grid_.count * grid_.count) group *= 2;
    const int64_t wanted = int64_t{device_.multiprocessors} * 2048;
    while (group < most && int64_t{grid_.rows} * group < wanted) group *= 2;
    return group < most ? group : most;
  }
  void set_group(unsigned group, unsigned threads) {
    grid_.group = group;
    launch_.threads = threads;
    grid_.rows_a_block = threads / group;
    grid_.group_shift = grid_.width_shift = 0;
    while (1U << grid_.group_shift < group) ++grid_.group_shift;
    while (1U << grid_.width_shift < grid_.rows_a_block) ++grid_.width_shift;
    grid_.warps = power_of_two((group + 31) / 32);
  }

  /// Threads that share a row, a few items each; or a tile of rows whose elements are neighbours.
  void choose_threads() {
    const int64_t count = grid_.count > 0 ? grid_.count : 1;
    work_ = (count + lanes_ - 1) / lanes_;
    if (grid_.columns && choose_packed()) return;
    if (grid_.columns) {
      unsigned group = 1;
      while (group < 16 && work_ >= items_of_row_column * group) group *= 2;
      set_group(group, group == 16 ? row_loop_block : 256);
    } else if (work_ * lanes_ <= 1024) {
      const unsigned most = power_of_two(work_) < 32 ? power_of_two(work_) : 32;
      set_group(is_only_reduced() ? threads_of_reduced(most) : most, 128);
    } else {
      const auto wanted =
          static_cast<unsigned>(work_ < 4 * row_loop_block ? (work_ + 3) / 4 : row_loop_block);
      set_group(round_up(wanted, 32), round_up(wanted, 32));
    }
  }

  /// Few long columns, which blocks share: all of them side by side where a warp's threads, with
  /// one each, would be idle ones.
  bool choose_packed() {
    int levels = 0;
    passes(&levels);
    if (grid_.rows > row_loop_block / 4 || levels != 1 || grid_.varies != 0) return false;
    const unsigned group = row_loop_block / grid_.rows;
    const unsigned threads = round_up(grid_.rows, 32);
    if (9 * group * threads < 10 * row_loop_block) return false;
    if (grid_.reduced_rank > 1 || work_ < int64_t{256} * group) return false;
    set_group(group, row_loop_block);
    grid_.rows_a_block = grid_.rows;
    grid_.width = FastDivmod(grid_.rows);
    return true;
  }

  /// How often the task goes over a row: once for each level of reductions, once for the outputs.
  int passes(int* levels = nullptr) const {
    std::uint64_t seen = 0;
    for (int r = 0; r < kernel_.reductions; ++r) {
      if (task_.mode[r] == RowMode::compute) seen |= std::uint64_t{1} << level_of(kernel_, r);
    }
    int n = 0;
    for (; seen != 0; seen &= seen - 1) ++n;
    if (levels != nullptr) *levels = n;
    return n + (task_.target < 0 && grid_.any_along_row ? 1 : 0);
  }

  /// How many reductions the task computes.
  int computed() const {
    int n = 0;
    for (int r = 0; r < kernel_.reductions; ++r) n += task_.mode[r] == RowMode::compute;
    return n;
  }

  /// Blocks that share a row, where rows are few.
  void choose_parts() {
    const unsigned row_blocks = (grid_.rows + grid_.rows_a_block - 1) / grid_.rows_a_block;
    const auto units = static_cast<unsigned>(device_.multiprocessors);
    const unsigned resident = units * (1024U / launch_.threads);
    int levels = 0;
    passes(&levels);
    const bool packed = grid_.width.divisor > 1;
    const bool tile = !grid_.columns ? grid_.group > 32 : grid_.rows_a_block == 32;
    unsigned parts = 1;
    // Merging costs each thread about as much as several items of its own.
    const auto splits = [&](unsigned least) {
      return tile && work_ >= int64_t{least} * 2 * grid_.group * parts;
    };
    if (device_.major >= 9 && !packed && row_blocks < INT32_MAX / row_cluster) {
      while (parts < most_parts_ && row_blocks * parts < resident && splits(2)) parts *= 2;
    }
    // Pieces of rows, which a second kernel merges, where a cluster is too small or there is none,
    // and where large ones are so few that they do not fill the GPU evenly.
    const int64_t pieces = work_ / (4 * int64_t{grid_.group});
    const bool few = row_blocks * parts < units || (parts == row_cluster && 4 * row_blocks < units);
    const bool fits = grid_.varies == 0 || computed() == 1;  // see RowReductions::run_alone
    if (!keeps_states() && (tile || packed) && levels == 1 && fits && few && pieces > 2 * parts) {
      // As many as run in two turns, or in one of packed columns, whose blocks are the largest: a
      // few more would have the GPU to themselves.
      const unsigned wanted = (packed ? 2 : 4) * units / row_blocks;
      parts = static_cast<unsigned>(wanted < pieces ? wanted : pieces);
      grid_.stage = RowLoops::partial;
    }
    grid_.cluster = parts > 1 && grid_.stage == RowLoops::whole;
    grid_.parts = FastDivmod(parts);
    grid_.splits = parts;
    launch_.blocks = row_number(name_, int64_t{row_blocks} * parts, "blocks");
  }

  void choose_access() {
    const unsigned threads = grid_.group * grid_.parts.divisor;
    if (grid_.turned) turn();
    choose_vectors();
    grid_.apart = threads;
    grid_.outer_stride = 1;
    if (grid_.reduced_rank > 1) choose_across(threads);
    const int64_t hop = grid_.blocked ? 1 : grid_.apart;
    grid_.needed = grid_.fetched = grid_.constants = grid_.read_once = 0;
    for (int i = 0; i < end(); ++i) {
      RowOperand& x = operand_[i];
      x.hop = x.reduced_stride[0] * hop;
      x.step = x.reduced_stride[0] * grid_.apart * lanes_;
      if (readings(task_, kernel_, i) > 0) grid_.needed |= std::uint64_t{1} << i;
      if (is_constant(grid_, x)) grid_.constants |= std::uint64_t{1} << i;
    }
    choose_fetched();
  }
  /// Rows of several dimensions: how many threads are side by side along the innermost. Of full,
  /// aligned vectors, a power of two: any other number leaves fewer threads idle, but was slower
  /// (docs/notes/measurements.md).
  void choose_across(unsigned threads) {
    unsigned across = 1;
    bool turns = false;
    if (grid_.blocked) {
      const unsigned items = (grid_.inner + lanes_ - 1) / static_cast<unsigned>(lanes_);
      const unsigned wanted = power_of_two(items);
      while (across < wanted && threads % (2 * across) == 0) across *= 2;
      // Several items each rather than one for most of the threads and none for the others.
      const auto idle = [&] { return (items + across - 1) / across * across - items; };
      while (across > 32 && 8 * idle() > items) across /= 2;
      while (across > 32 && items <= across) across /= 2;  // pairs: see RowWalk::walk
    } else {
      deal_out(threads, across, turns);
    }
    grid_.across = FastDivmod(across);
    grid_.apart = across;
    grid_.outer_stride = threads / across;
    if (turns) turn();
  }
  /// Where elements are read one by one: such that the busiest thread has the fewest items. An item
  /// may run along the other dimension: it is then a full one whatever the size of the innermost.
  void deal_out(unsigned threads, unsigned& across, bool& turns) const {
    std::uint64_t least = UINT64_MAX;
    const unsigned inner = grid_.inner > 0 ? grid_.inner : 1;
    const auto lanes = static_cast<unsigned>(lanes_);
    const auto consider = [&](bool turned) {
      const unsigned unit = turned ? 1 : lanes;  // elements of an item along the innermost
      const unsigned first = (inner + threads * unit - 1) / (threads * unit);
      for (unsigned rounds = first; rounds < first + 16; ++rounds) {
        const unsigned beside = (inner + rounds * unit - 1) / (rounds * unit);
        if (rounds > first && beside < 32) break;
        const unsigned down = threads / beside * (turned ? lanes : 1);
        const unsigned items = rounds * ((grid_.outer + down - 1) / down);
        // An item that is not full costs more than one that is.
        const std::uint64_t cost = std::uint64_t{items} * (turned ? 8 : 9);
        if (cost >= least) continue;
        least = cost;
        across = beside;
        turns = turned;
      }
    };
    consider(false);
    if (grid_.reduced_rank == 2 && !grid_.columns && grid_.varies == 0) consider(true);
  }
  /// Exchanges the two dimensions of rows.
  void turn() {
    grid_.turned = !grid_.turned;
    std::swap(grid_.inner, grid_.outer);
    std::swap(grid_.apart, grid_.outer_stride);
    std::swap(grid_.reduced[0], grid_.reduced[1]);
    for (int i = 0; i < end() + kernel_.reductions; ++i) {
      std::swap(operand_[i].reduced_stride[0], operand_[i].reduced_stride[1]);
    }
  }
  /// Where operands along the row are full, aligned vectors, a thread has neighbours of them.
  void choose_vectors() {
    grid_.vectors = 0;
    if (!grid_.columns && grid_.varies == 0 && grid_.inner % lanes_ == 0) {
      for (int i = 0; i < end(); ++i) {
        const bool whole =
            is_along(i) && has_memory(i) && is_row_aligned(grid_, operand_[i], lanes_);
        if (whole) grid_.vectors |= std::uint64_t{1} << i;
      }
    }
    grid_.blocked = grid_.vectors != 0;
  }
  /// Operands whose rows a block has L2 fetch as it begins: a thread has few loads under way, and
  /// those find their elements sooner there. L2 takes whole words of 16 bytes, which elements of
  /// Small cross.
  void choose_fetched() {
    if (device_.major < 9 || grid_.columns || grid_.group < 128 || grid_.reduced_rank > 1) return;
    for (int i = kernel_.outputs; i < end(); ++i) {
      const RowOperand& x = operand_[i];
      if (!is_along(i) || !has_memory(i) || 16 % x.itemsize != 0) continue;
      if (!is_row_aligned(grid_, x, 16 / x.itemsize)) continue;
      if (grid_.count * x.itemsize % 16 != 0) continue;
      bool first = grid_.kept_rank > 0 && x.kept_stride[0] != 0;
      for (int j = kernel_.outputs; j < i; ++j) {
        const bool other = (grid_.fetched >> j & 1U) != 0;
        first = first && !(other && is_same_operand(grid_, operand_[j], x));
      }
      if (first) grid_.fetched |= std::uint64_t{1} << i;
    }
  }

  const char* name_;
  const RowTask& task_;
  const RowKernel& kernel_;
  const Properties& device_;
  RowLoops& grid_;
  RowOperand* operand_;
  unsigned most_parts_ = row_cluster;
  bool mixed_ = false;  // rows of neighbours, of which an operand has neighbouring rows together
  int lanes_ = 1;       // elements that a thread has at a time
  int64_t work_ = 0;    // steps of a row, one thread's
  RowLaunch launch_;
};

}  // namespace weft::on_cuda::detail
