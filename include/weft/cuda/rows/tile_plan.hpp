// Planning many short rows on CUDA: what a block keeps of them in shared memory, and where.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/rows/ragged.hpp"

namespace weft::on_cuda::detail {

/// Plans one task of a row program for row_tile_kernel, which is for many short rows that other
/// kernels read in small pieces.
class TilePlan {
 public:
  TilePlan(const RowTask& task, const RowKernel& kernel, const Properties& device, RowLoops& grid,
           RowOperand* operand)
      : task_(task), kernel_(kernel), device_(device), grid_(grid), operand_(operand) {}

  /// Fills in what the kernel reads, if the task suits it; whether it does.
  [[gnu::noinline]] bool run(RowLaunch& launch) {
    if (!kernel_.tiles || grid_.varies != 0 || grid_.reduced_rank != 1) return false;
    if (grid_.count < least_elements || grid_.count > most_elements) return false;
    if (grid_.count > most_heavy && kernel_.weight > heavy) return false;
    if (grid_.rows < device_.multiprocessors * 1024U) return false;
    if ((has_rows_of_words() && !suits_words()) || !describe_all()) return false;
    choose_rows();
    place_all();
    const auto most = static_cast<unsigned>(device_.shared_memory_per_block);
    const unsigned permitted = most < most_bytes ? most : most_bytes;
    if (bytes_ > permitted) return false;
    launch = {};
    launch.tile = true;
    launch.threads = tile_block;
    launch.blocks = (grid_.rows + grid_.rows_a_block - 1) / grid_.rows_a_block;
    launch.shared_bytes = bytes_;
    launch.permitted_bytes = permitted;
    grid_.group = grid_.warps = grid_.splits = 1;
    grid_.parts = FastDivmod(1);
    grid_.width = {};
    grid_.columns = grid_.cluster = false;
    grid_.stage = RowLoops::whole;
    grid_.shared = {};
    grid_.constants = 0;
    return true;
  }

  /// Whether the rows, or results along them, are several whole words of 16 bytes, which the kernel
  /// that keeps them in registers serves better, if it does.
  bool has_rows_of_words() const {
    if (grid_.columns) return false;
    for (int i = 0; i < end(); ++i) {
      const int64_t bytes = grid_.count * operand_[i].itemsize;
      if (is_moved(i) && is_rows(operand_[i]) && bytes % 16 == 0 && bytes > 16) return true;
    }
    return false;
  }

 private:
  /// Whether rows of several words run faster here than in the kernel for short rows, as measured:
  /// gathered rows do, and rows of elements of at most 16 bits that exceed one vector of its
  /// threads.
  bool suits_words() const {
    for (int i = kernel_.outputs; i < end(); ++i) {
      const RowOperand& x = operand_[i];
      const bool pieces = x.itemsize <= 2 && grid_.count > kernel_.narrow_lanes;
      if (is_moved(i) && is_rows(x) && (pieces || x.rows != nullptr)) return true;
    }
    return false;
  }

  // Each pass recomputes what reductions and outputs share, which takes longer than moving the
  // elements where it is a lot (docs/notes/measurements.md).
  static constexpr int64_t least_elements = 3;
  static constexpr int64_t most_elements = 64;
  static constexpr int64_t most_heavy = 40;
  static constexpr int heavy = 40;
  static constexpr unsigned most_bytes = 72 * 1024;  // three blocks for a multiprocessor

  int end() const { return kernel_.outputs + kernel_.leaves; }
  bool has_memory(int i) const { return (kernel_.positions >> i & 1U) == 0; }
  /// Whether the task reads operand i, or stores it along the row.
  bool is_moved(int i) const {
    if (!has_memory(i)) return false;
    return i < kernel_.outputs ? (grid_.along_row >> i & 1U) != 0 : readings(task_, kernel_, i) > 0;
  }
  /// Whether an operand has other elements in each row, and several there.
  bool is_rows(const RowOperand& x) const {
    return x.reduced_stride[0] != 0 && (x.rows != nullptr || is_by_row(grid_, x));
  }

  /// How the operands come into the tile and the outputs leave it; whether the kernel can do that,
  /// fast.
  bool describe_all() {
    grid_.needed = grid_.vectors = 0;
    for (int i = 0; i < end(); ++i) {
      RowOperand& x = operand_[i];
      x.staging = RowOperand::none;
      x.hop = 0;
      const bool output = i < kernel_.outputs;
      if (!output && readings(task_, kernel_, i) > 0) grid_.needed |= std::uint64_t{1} << i;
      if (!is_moved(i)) continue;
      if (!describe(i) || (output && x.staging == RowOperand::gathered)) return false;
    }
    return true;
  }
  bool describe(int i) {
    RowOperand& x = operand_[i];
    const bool along = x.reduced_stride[0] != 0;
    const bool by_row = x.rows != nullptr || is_by_row(grid_, x);
    const auto one = static_cast<unsigned>(x.itemsize);
    const auto row = along ? static_cast<unsigned>(grid_.count) * one : one;
    if (one > 8 || (one & (one - 1)) != 0) return false;
    const bool words = along && row % 16 == 0;
    x.pitch = by_row ? row : 0;
    // With an odd number of words from a row to the next, four neighbouring threads that read
    // vectors of single bytes meet at a bank of shared memory, two of elements of 2 or 8 bytes,
    // none of 4.
    if (words && by_row && row % 32 == 0) x.pitch += 16;
    x.hop = along ? x.itemsize : 0;
    x.along = FastDivmod(along ? static_cast<unsigned>(grid_.count) : 1);
    const bool aligned = reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0;
    const bool together = (!along || x.lane == 1) && by_row && adjoins(x, row);
    if (aligned && together) {
      x.staging = x.pitch == row ? RowOperand::whole : RowOperand::spread;
    } else if (const unsigned char word = along && by_row ? word_across(x) : 0; word != 0) {
      x.word = word;
      x.staging = RowOperand::across;
      x.pitch = one;
    } else if (words && is_row_aligned(grid_, x, 16 / x.itemsize)) {
      x.staging = RowOperand::words;
    } else {
      x.staging = RowOperand::gathered;
    }
    if (words && x.staging != RowOperand::across) {
      if (one <= 4) grid_.vectors |= std::uint64_t{1} << i;
      if (x.staging != RowOperand::gathered) x.along = FastDivmod(row / 16);
    }
    return x.staging != RowOperand::gathered || x.rows != nullptr || !(along && by_row);
  }
  /// The bytes of the largest words that neighbouring rows are, where they are neighbours in
  /// memory; 0 if they are no whole words.
  unsigned char word_across(const RowOperand& x) const {
    if (x.rows != nullptr || x.kept_stride[0] != x.itemsize) return 0;
    auto all = reinterpret_cast<std::uintptr_t>(x.data) | 16U;
    all |= static_cast<std::uintptr_t>(grid_.kept[0].divisor * int64_t{x.itemsize});
    all |= static_cast<std::uintptr_t>(x.reduced_stride[0]);
    for (int d = 1; d < grid_.kept_rank; ++d) all |= static_cast<std::uintptr_t>(x.kept_stride[d]);
    const auto word = static_cast<unsigned char>(all & (~all + 1));
    // Words that are no full ones take a thread as long each (docs/notes/measurements.md).
    const bool few = word == 16 || grid_.count * x.itemsize <= 128;
    return word >= 4 && word >= x.itemsize && few ? word : 0;
  }
  /// Whether each row of an operand lies behind the one before it.
  bool adjoins(const RowOperand& x, int64_t stride) const {
    if (x.rows != nullptr) return false;
    for (int d = 0; d < grid_.kept_rank; ++d) {
      if (x.kept_stride[d] != stride) return false;
      stride *= grid_.kept[d].divisor;
    }
    return true;
  }

  /// Several rows for each thread where they are that short, since a block takes its time.
  void choose_rows() {
    int64_t widest = 1;
    int64_t all = 0;
    for (int i = kernel_.outputs; i < end(); ++i) {
      const RowOperand& x = operand_[i];
      if (x.staging == RowOperand::none || first_same(i) < i) continue;
      const int64_t bytes = bytes_of_row(x);
      if (bytes > widest) widest = bytes;
      all += bytes;
    }
    for (int k = 0; k < kernel_.outputs; ++k) {
      if (operand_[k].staging != RowOperand::none && !may_replace_any(operand_[k])) {
        all += bytes_of_row(operand_[k]);
      }
    }
    unsigned rows = tile_block;
    while (rows < 8 * tile_block && 2 * rows * widest <= 12 * 1024 && 2 * rows * all <= 48 * 1024) {
      rows *= 2;
    }
    grid_.rows_a_block = rows;
    for (int i = 0; i < end(); ++i) {
      RowOperand& x = operand_[i];
      if (x.staging == RowOperand::across) x.hop = int64_t{rows} * x.itemsize;
      x.step = x.hop * tile_lanes;
    }
  }
  /// Whether an output may take an operand's place.
  static bool may_replace(const RowOperand& out, const RowOperand& x) {
    return x.staging != RowOperand::none && x.pitch == out.pitch && x.hop == out.hop &&
           x.itemsize == out.itemsize;
  }
  bool may_replace_any(const RowOperand& out) const {
    for (int i = kernel_.outputs; i < end(); ++i) {
      if (may_replace(out, operand_[i])) return true;
    }
    return false;
  }
  int64_t bytes_of_row(const RowOperand& x) const {
    return x.staging == RowOperand::across ? grid_.count * x.itemsize : x.pitch;
  }
  /// The first of the operands that are the same as operand i.
  int first_same(int i) const {
    for (int j = kernel_.outputs; j < i; ++j) {
      const bool moved = readings(task_, kernel_, j) > 0 && has_memory(j);
      if (moved && is_same_operand(grid_, operand_[i], operand_[j])) return j;
    }
    return i;
  }

  void place_all() {
    bytes_ = 0;
    for (int i = kernel_.outputs; i < end(); ++i) {
      if (operand_[i].staging != RowOperand::none && !share_place(i)) place(operand_[i]);
    }
    std::uint64_t taken = 0;
    for (int k = 0; k < kernel_.outputs; ++k) {
      if (operand_[k].staging != RowOperand::none && !replace_operand(k, taken)) place(operand_[k]);
    }
  }
  void place(RowOperand& x) {
    x.tile = bytes_;
    const int64_t one = x.hop != 0 ? grid_.count * x.itemsize : x.itemsize;
    const auto all =
        static_cast<unsigned>(x.pitch != 0 ? grid_.rows_a_block * bytes_of_row(x) : one);
    bytes_ = round_up(bytes_ + all, 16);
  }
  /// Has an operand that is the same as one before it be read there.
  bool share_place(int i) {
    const int first = first_same(i);
    if (first == i) return false;
    operand_[i].tile = operand_[first].tile;
    operand_[i].staging = RowOperand::none;
    return true;
  }
  /// Has an output take the place of an operand, each element of which a thread reads before it
  /// writes there.
  bool replace_operand(int k, std::uint64_t& taken) {
    RowOperand& out = operand_[k];
    for (int i = kernel_.outputs; i < end(); ++i) {
      const RowOperand& x = operand_[i];
      if (!may_replace(out, x) || (taken >> i & 1U) != 0) continue;
      taken |= std::uint64_t{1} << i;
      out.tile = x.tile;
      return true;
    }
    return false;
  }

  const RowTask& task_;
  const RowKernel& kernel_;
  const Properties& device_;
  RowLoops& grid_;
  RowOperand* operand_;
  unsigned bytes_ = 0;
};

}  // namespace weft::on_cuda::detail
