// What a row kernel gets: loops, operands, and which threads share a row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/launch.hpp"
#include "weft/eval/rows/plan.hpp"

namespace weft::on_cuda {

/// The most threads of a block.
inline constexpr int row_block = 256;
/// The most blocks that a cluster has.
inline constexpr int row_cluster = 16;
/// Vectors of a row that a thread takes, where the row is long enough.
inline constexpr int vectors_a_thread = 16;
/// The same where a part of a warp has a row.
inline constexpr int short_row = 8;
/// Bytes of a row that a block keeps in shared memory where several blocks fit a multiprocessor.
inline constexpr int64_t row_share = 64 * 1024;

/// The loops of a row kernel: kept dimensions (a row at each coordinate) and those along the row,
/// both innermost first. A thread takes vectors of a row, `stride` vectors apart.
struct RowLoops {
  static constexpr int max_slots = 16;
  enum Stage : unsigned char { whole, partial, merge };
  unsigned rows = 1;
  int kept_rank = 0;
  int reduced_rank = 0;
  FastDivmod kept[max_rank];
  FastDivmod reduced[max_rank];
  long long count = 1;  // elements of a row
  long long inner = 1;  // of them along the innermost dimension
  FastDivmod items;     // full vectors along it, where there are several dimensions
  unsigned length = 0;  // full vectors of a row, at most
  unsigned group = 1;   // threads of a block that share a row
  unsigned warps = 1;   // of the group, rounded up to a power of two
  unsigned group_shift = 0;
  unsigned rows_a_block = 1;
  FastDivmod stride;
  FastDivmod parts;      // blocks that share a row
  unsigned splits = 1;   // pieces to merge
  unsigned scratch = 0;  // bytes of one of the two areas where threads exchange values
  bool columns = false;  // neighbouring threads take neighbouring rows
  bool cluster = false;  // the blocks that share a row exchange values
  bool simple = false;   // at most one dimension of each kind
  bool any_along_row = false;
  Stage stage = whole;
  unsigned ahead = 0;     // L2 prefetch distance in rows; 0 disables it
  int head_operand = -1;  // whose alignment the vectors follow
  unsigned chunk = 16;    // vectors that a thread takes at a time
  int slots = 0;          // operands that pass through shared memory
  int slot_operand[max_slots];
  std::uint64_t slot_readers[max_slots];  // bit i: operand i is this one
  bool slot_kept[max_slots];              // for the whole row, not a chunk at a time
  int target = -1;
  unsigned varies = 0;     // bit r: reduction r, loaded, is another one at each element
  unsigned along_row = 0;  // bit k: output k has an element for each of the row
  weft::detail::RowMode mode[weft::detail::max_row_reductions] = {};
  signed char same[weft::detail::max_row_reductions] = {};
};

/// An operand of a row kernel, all strides in bytes.
struct RowOperand {
  /// How a vector is read or written: through shared memory, as one element for all lanes, at its
  /// own address, or there lane by lane.
  enum Access : int { slot, one_element, whole_vector, by_lane };
  char* data;
  int64_t row;     // from a row to the next, where `simple`
  int64_t vector;  // from a vector to the next
  int64_t step;    // from a thread's vector to its next
  Access access = by_lane;
  unsigned slot_offset = 0;  // in shared memory, of thread 0
  unsigned slot_step = 0;    // there, from a vector to the next
  bool keeps_row = false;    // the slot holds the whole row, not a chunk of it
  int itemsize;
  int lane;  // elements from a lane to the next
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
  bool registers = false;  // of the kernel that keeps rows in registers
  int carveout = 0;        // percent of the caches that shared memory gets; 0: as the driver likes
};

/// What planning knows of the kernel that keeps rows in registers, if there is one.
struct RegisterKernel {
  const void* address = nullptr;
  int vectors = 0;                // of each slot, in a thread; 0: there is none
  int slots = 0;                  // operands that a thread keeps
  std::uint64_t slot_leaves = 0;  // bit i: operand i has a slot's type
  std::uint64_t always_kept = 0;  // bit i: operand i must be the only slot's
  bool independent = false;       // no reduction needs another
  bool effects = false;           // the outputs do more than give a value
  /// Where the outputs read what the last reduction's program left behind: whether that has the
  /// value of their own.
  bool (*reuses)(const void* program, const RowLoops&, const RowOperand*) = nullptr;
};

/// What planning knows of a kernel: `uses[r]` has bit i where reduction r reads operand i, the last
/// of them for the outputs.
struct RowKernel {
  const void* address = nullptr;
  int outputs = 0;
  int leaves = 0;
  int reductions = 0;
  int lanes = 1;
  int state_bytes = 0;
  const std::uint64_t* uses = nullptr;
  std::uint64_t positions = 0;  // bit i: operand i has no memory
  RegisterKernel registers;

  const void* of(const RowLaunch& launch) const {
    return launch.registers ? registers.address : address;
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

/// Whether a task that stores one reduction computes others on the way.
inline bool computes_others(const RowTask& task) {
  for (int r = 0; r < weft::detail::max_row_reductions; ++r) {
    if (r != task.target && task.mode[r] == RowMode::compute) return true;
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
/// and its barrier; or of each thread.
inline unsigned scratch_bytes(const RowKernel& kernel, unsigned threads) {
  const unsigned states = threads > 32 + row_cluster ? threads : 32U + row_cluster;
  return round_up(static_cast<unsigned>(kernel.state_bytes) * states + 16, 128);
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

/// Whether an operand's vectors are aligned wherever those of `head` are.
inline bool is_aligned_as(const RowLoops& grid, const RowOperand& x, const RowOperand& head,
                          int lanes) {
  if (x.lane != 1) return false;
  const auto place = [](const RowOperand& y) {
    return static_cast<int64_t>(reinterpret_cast<std::uintptr_t>(y.data)) / y.itemsize;
  };
  bool same = (place(x) - place(head)) % lanes == 0;
  for (int d = 0; d < grid.kept_rank; ++d) {
    const int64_t apart = x.kept_stride[d] / x.itemsize - head.kept_stride[d] / head.itemsize;
    same = same && apart % lanes == 0;
  }
  return same;
}

/// Whether two operands are the same elements.
inline bool is_same_operand(const RowLoops& grid, const RowOperand& x, const RowOperand& y) {
  bool same = x.data == y.data && x.itemsize == y.itemsize;
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

/// The percentage of the caches that is shared memory where they should hold what all rows share;
/// 0 where that is little, or leaves less than three blocks theirs.
inline int carveout(const Properties& device, int64_t cached_bytes, unsigned shared_bytes) {
  const int64_t all = device.shared_memory_per_block + 29 * 1024;  // and the least cache
  const int64_t left = all - cached_bytes * 5 / 4 - 8 * 1024;
  if (cached_bytes < 8 * 1024 || left < int64_t{3} * shared_bytes) return 0;
  return static_cast<int>(left * 100 / all);
}

}  // namespace detail
}  // namespace weft::on_cuda
