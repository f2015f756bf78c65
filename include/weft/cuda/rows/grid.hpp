// What a row kernel gets: loops, operands, and which threads share a row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/expanded_operands.hpp"
#include "weft/cuda/primitive/launch.hpp"
#include "weft/eval/rows/plan.hpp"
#include "weft/eval/rows/sharing.hpp"

namespace weft::on_cuda {

/// The most threads of a block that keeps rows in registers.
inline constexpr int row_block = 256;
/// The most threads of a block that loops over rows.
inline constexpr int row_loop_block = 512;
/// Tiles: threads of a block, and elements that a thread has at a time.
inline constexpr int tile_block = 128;
inline constexpr int tile_lanes = 4;
/// The most blocks that a cluster has.
inline constexpr int row_cluster = 16;

/// The loops of a row kernel: kept dimensions (a row at each coordinate) and those along the row,
/// both innermost first.
struct RowLoops {
  static constexpr int max_sources = 16;
  /// Whether a row's states become its values, or pieces in memory, or come from pieces; `remerge`
  /// makes fewer pieces of many.
  enum Stage : unsigned char { whole, partial, remerge, merge };
  unsigned rows = 1;
  int kept_rank = 0;
  int reduced_rank = 0;
  FastDivmod kept[max_rank];
  FastDivmod reduced[max_rank];
  long long count = 1;  // elements of a row
  unsigned inner = 1;   // of them along the innermost dimension
  unsigned outer = 1;   // coordinates of the other dimensions of a row
  unsigned group = 1;   // threads of a block that share a row
  unsigned warps = 1;   // of the group, rounded up to a power of two
  unsigned group_shift = 0;
  unsigned rows_a_block = 1;
  unsigned width_shift = 0;   // columns: log2 of the rows that neighbouring threads take
  FastDivmod width;           // columns: the rows a block has, where they are no power of two
  unsigned apart = 1;         // along the innermost dimension from a thread's element to its next
  unsigned outer_stride = 1;  // along the others
  FastDivmod across;          // several dimensions: the threads side by side along the innermost
  bool turned = false;        // the two dimensions of a row are exchanged in all of the above
  FastDivmod parts;           // blocks that share a row
  unsigned splits = 1;        // pieces to merge
  unsigned pieces = 0;        // remerge: how many there are
  bool of_values = false;  // pieces are values of the target, one for each row, instead of states
  int piece_level = 0;     // the level whose states are pieces
  unsigned scratch = 0;    // bytes of one of the two areas where threads exchange values
  bool columns = false;    // neighbouring threads take neighbouring rows
  bool cluster = false;    // the blocks that share a row exchange values
  bool planar = false;     // at most two dimensions of each kind, no operand's rows found
  bool simple = false;     // the same with at most one
  bool any_along_row = false;
  Stage stage = whole;
  unsigned length = 0;  // registers: vectors of a row, the most where `ragged`
  FastDivmod stride;    // registers: from a thread's vector to its next
  unsigned ahead = 0;   // registers: how far behind its own the row is that L2 fetches
  unsigned chunk = 16;  // registers: vectors that a thread has
  int sources = 0;      // registers: operands that what a thread keeps is read from
  int source[max_sources];
  int most = 0;                 // short rows: the most elements that a thread has
  bool blocked = false;         // the elements that a thread has at a time are neighbours
  bool ragged = false;          // registers: rows begin or end within a vector
  int origin = 0;               // registers, ragged: the operand whose vectors are whole
  std::uint64_t vectors = 0;    // bit i: it moves those of operand i at once
  std::uint64_t needed = 0;     // bit i: the task reads operand i
  std::uint64_t constants = 0;  // bit i: operand i is one element for the whole row
  std::uint64_t read_once = 0;  // short rows: bit i: operand i is once_operand, which a thread
  int once_operand = 0;         // reads before all others and keeps
  std::uint64_t fetched = 0;    // bit i: a block has L2 fetch its part of operand i's row
  weft::detail::SharedValues shared;
  int target = -1;
  unsigned varies = 0;     // bit r: reduction r, loaded, is another one at each element
  unsigned along_row = 0;  // bit k: output k has an element for each of the row
  weft::detail::RowMode mode[weft::detail::max_row_reductions] = {};
  signed char same[weft::detail::max_row_reductions] = {};
};

/// An operand of a row kernel, all strides in bytes.
struct RowOperand {
  /// How a vector is read or written: as what a thread keeps, as the second operand that it keeps,
  /// as one element for all lanes, at its own address, or there element by element since it is not
  /// aligned.
  enum Access : int { kept, kept_second, one_element, whole_vector, by_element };
  char* data;
  const int64_t* rows =
      nullptr;   // where not null: from `data` to each row, which is not where strides say
  int64_t step;  // from what a thread has at a time to its next
  int64_t hop;   // from an element of a thread to its next
  Access access = whole_vector;
  int itemsize;
  int lane;                 // elements from one to the next
  bool adjoining = false;   // a warp's rows lie behind each other, and not all begin at a vector
  bool whole_ends = false;  // the whole vectors that it begins and ends in are its memory's
  /// How a block's rows reach a tile: not at all; in one piece; in words of 16 bytes of rows that
  /// lie behind each other, or anywhere; in words of 4, 8 or 16 bytes across the rows; or element
  /// by element.
  enum Staging : unsigned char { none, whole, spread, words, across, gathered };
  Staging staging = none;
  unsigned char word = 16;  // across: bytes that reach it at once
  unsigned tile = 0;        // bytes of shared memory before it
  unsigned pitch = 0;       // bytes from a row to the next there; 0: all rows have the same
  FastDivmod along;         // its elements in a row, or words
  int64_t kept_stride[max_rank];
  int64_t reduced_stride[max_rank];
};

/// The same with N operands.
template <int N>
struct RowGrid : RowLoops {
  RowOperand operand[N];
};

/// A launch.
struct RowLaunch {
  unsigned blocks = 1;
  unsigned threads = 32;
  unsigned shared_bytes = 0;
  bool registers = false;         // of the kernel that keeps rows of full vectors in registers
  bool keeps_two = false;         // of its form that keeps two operands
  bool narrow = false;            // of the kernel for short rows
  bool tile = false;              // of the kernel for many short rows
  unsigned permitted_bytes = 0;   // of shared memory, if more than this launch takes
  const char* refused = nullptr;  // why rows do not stay in registers, for explain
};

/// What planning knows of the kernel that keeps rows in registers, if there is one.
struct RegisterKernel {
  const void* address = nullptr;
  const void* keeps_two = nullptr;         // the kernel that keeps two operands
  int vectors = 0;                         // that a thread keeps of an operand; 0: there is none
  const char* refused = "no such kernel";  // why there is none
  int slots = 1;                           // operands that a thread keeps, at most
  std::uint64_t may_keep = 0;              // bit i: operand i has the type that a thread keeps
  std::uint64_t always_kept = 0;           // bit i: operand i must be one that a thread keeps
  bool independent = false;                // no reduction needs another
  bool only_two = false;                   // there is only the kernel that keeps two operands
  bool effects = false;                    // the outputs do more than give a value
  /// Where the outputs read what the last reduction's program left behind: whether that has the
  /// value of their own.
  bool (*reuses)(const void* program, const RowLoops&, const RowOperand*) = nullptr;
  /// Where a thread keeps values of a part of the program in place of operands: whether the part
  /// has one value wherever it occurs.
  bool (*computes)(const void* program, const RowLoops&, const RowOperand*) = nullptr;
  std::uint64_t beside = 0;  // bit i: a reduction then reads operand i beside them
  int part_weight = 0;       // of that part, beyond the least that a part is computed for
  /// Decides which parts of equal value within that part are computed once.
  void (*share)(const void* program, RowLoops&, const RowOperand*) = nullptr;
};

/// What planning knows of a kernel: `uses[r]` has bit i where reduction r reads operand i, the last
/// of them for the outputs.
struct RowKernel {
  const void* address = nullptr;
  const void* narrow = nullptr;
  const void* tile = nullptr;
  int outputs = 0;
  int leaves = 0;
  int reductions = 0;
  int lanes = 1;                  // of a vector
  int loop_lanes = 1;             // elements that a thread of the loop has at a time
  int narrow_lanes = 0;           // the same for short rows; 0: no such kernel
  bool tiles = false;             // whether there is a kernel for many short rows
  std::uint64_t narrow_kept = 0;  // short rows: bit i: operand i has the type that a thread keeps
  int weight = 0;                 // of an element, of all programs: see program_weight
  int state_bytes = 0;            // of all reductions of one pass, at most
  const std::uint64_t* uses = nullptr;
  const signed char* levels = nullptr;  // the pass of each reduction; null: each has its own
  std::uint32_t joins = 0;              // bit r: values of reduction r can be reduced again
  std::uint64_t positions = 0;          // bit i: operand i has no memory
  /// Decides which parts of equal value are computed once, by the kernel for short rows or the one
  /// that loops. Null: no part occurs twice.
  void (*share)(const void* program, bool narrow, RowLoops&, const RowOperand*) = nullptr;
  RegisterKernel registers;
  CopyKernels copies{};
  std::uint64_t waits = 0;  // waits_on of its file

  const void* of(const RowLaunch& launch) const {
    if (launch.registers) return launch.keeps_two ? registers.keeps_two : registers.address;
    return launch.tile ? tile : launch.narrow ? narrow : address;
  }
};

namespace detail {

using weft::detail::RowMode;
using weft::detail::RowTask;

inline unsigned row_number(const char* name, int64_t n, const char* what) {
  if (n > INT32_MAX) {
    fail<ShapeError>(name, n, " ", what, " on CUDA, expected below 2^31: work on a part at a time");
  }
  return static_cast<unsigned>(n);
}

/// Whether neighbouring rows are neighbours in memory and neighbours in a row are not.
inline bool rows_are_columns(const Loops& kept, const Operand* operands, const Loops& reduced,
                             const Operand* inside, int first, int last) {
  if (kept.rank == 0 || reduced.rank == 0 || kept.size[kept.rank - 1] < 8) return false;
  for (int i = first; i < last; ++i) {
    const int64_t along = inside[i].stride[reduced.rank - 1];
    if (operands[i].stride[kept.rank - 1] == 1 && along != 0 && along != 1) return true;
  }
  return false;
}

/// How often a task reads operand i: once for each reduction it computes, once for the outputs.
inline int readings(const RowTask& task, const RowKernel& kernel, int i) {
  int n = 0;
  for (int r = 0; r <= kernel.reductions; ++r) {
    const bool runs = r < kernel.reductions ? task.mode[r] == RowMode::compute : task.target < 0;
    n += runs && (kernel.uses[r] >> i & 1U) != 0;
  }
  return n;
}

inline unsigned round_up(unsigned n, unsigned to) { return (n + to - 1) / to * to; }

/// The bytes where the threads of a row exchange states: of each warp, of each block of a cluster
/// and its barrier.
inline unsigned scratch_bytes(const RowKernel& kernel) {
  return round_up(static_cast<unsigned>(kernel.state_bytes) * (32U + row_cluster) + 16, 128);
}

/// Whether a kernel stores a state for each row of a total, rather than its value there.
inline bool keeps_states(const RowTask& task, const RowKernel& kernel) {
  return task.in_pieces && (kernel.joins >> task.target & 1U) == 0;
}

/// The pass in which a reduction is computed.
inline int level_of(const RowKernel& kernel, int reduction) {
  return kernel.levels != nullptr ? kernel.levels[reduction] : reduction;
}

/// Whether every full vector of an operand is aligned, when vectors begin with the row.
inline bool is_row_aligned(const RowLoops& grid, const RowOperand& x, int lanes) {
  if (x.lane != 1) return false;
  const int64_t bytes = int64_t{x.itemsize} * lanes;
  bool aligned = static_cast<int64_t>(reinterpret_cast<std::uintptr_t>(x.data)) % bytes == 0;
  for (int d = 0; d < grid.kept_rank; ++d) aligned = aligned && x.kept_stride[d] % bytes == 0;
  for (int d = 1; d < grid.reduced_rank; ++d) {
    aligned = aligned && x.reduced_stride[d] % bytes == 0;
  }
  return aligned;
}

/// Whether two operands are the same elements.
inline bool is_same_operand(const RowLoops& grid, const RowOperand& x, const RowOperand& y) {
  bool same = x.data == y.data && x.itemsize == y.itemsize && x.rows == y.rows;
  for (int d = 0; d < grid.kept_rank; ++d) same = same && x.kept_stride[d] == y.kept_stride[d];
  for (int d = 0; d < grid.reduced_rank; ++d) {
    same = same && x.reduced_stride[d] == y.reduced_stride[d];
  }
  return same;
}

/// Whether an operand is one element for the whole row.
inline bool is_constant(const RowLoops& grid, const RowOperand& x) {
  for (int d = 0; d < grid.reduced_rank; ++d) {
    if (x.reduced_stride[d] != 0) return false;
  }
  return true;
}

}  // namespace detail
}  // namespace weft::on_cuda
