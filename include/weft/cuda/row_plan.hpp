// Planning a row program on CUDA: which threads share a row, and what of it is kept on the chip.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/launch.hpp"
#include "weft/eval/row_plan.hpp"

namespace weft::cuda {

/// The most threads of a block.
inline constexpr int row_block = 512;
/// The most blocks that a cluster has.
inline constexpr int row_cluster = 16;
/// Bytes of a row that a block keeps in shared memory where several blocks fit a multiprocessor.
inline constexpr int64_t row_share = 64 * 1024;

/// The loops of a row kernel: kept dimensions (a row at each coordinate) and those along the row,
/// both innermost first. A thread takes vectors of a row, `group` threads and `parts` blocks apart.
struct RowLoops {
  static constexpr unsigned not_kept = ~0U;
  enum Stage : unsigned char { whole, partial, merge };
  unsigned rows = 1;
  int kept_rank = 0;
  int reduced_rank = 0;
  Divider kept[max_rank];
  Divider reduced[max_rank];
  long long count = 1;   // elements of a row
  long long inner = 1;   // of them along the innermost dimension
  Divider items;         // vectors along it
  unsigned length = 1;   // vectors of a row
  unsigned group = 1;    // threads of a block that share a row
  bool columns = false;  // neighbouring threads take neighbouring rows
  bool cluster = false;  // the blocks that share a row exchange values
  bool any_along_row = false;
  Stage stage = whole;
  Divider parts;             // blocks that share a row
  unsigned splits = 1;       // pieces to merge
  unsigned scratch = 0;      // bytes of one of the two areas where threads exchange values
  int head_operand = -1;     // whose alignment the vectors follow
  int slots = 0;             // operands kept in shared memory
  unsigned slot_operand[8];  // at slot_offset[operand]
  int target = -1;
  weft::detail::RowMode mode[weft::detail::max_row_reductions] = {};
  signed char same[weft::detail::max_row_reductions] = {};
  unsigned varies = 0;  // bit r: reduction r, loaded, is another one at each element
  unsigned along_row = 0;
};

/// The same with the addresses and strides of N operands.
template <int N>
struct RowGrid : RowLoops {
  char* data[N];
  int itemsize[N];
  unsigned slot_offset[N];
  int lane[N];                       // strides along the innermost dimension
  int64_t kept_stride[N][max_rank];  // innermost first
  int64_t reduced_stride[N][max_rank];
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
};

/// A launch: blocks, threads a block, bytes of shared memory.
struct RowLaunch {
  unsigned blocks = 1;
  unsigned threads = 32;
  unsigned shared_bytes = 0;
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

/// Whether an operand has other elements in each row, all along it.
inline bool fills_rows(const RowLoops& loops, const int64_t* kept, const int64_t* reduced) {
  for (int d = 0; d < loops.reduced_rank; ++d) {
    if (reduced[d] == 0) return false;
  }
  for (int d = 0; d < loops.kept_rank; ++d) {
    if (kept[d] == 0) return false;
  }
  return loops.reduced_rank > 0;
}

/// How often a task reads operand i: once for each reduction it computes, once for the outputs.
inline int readings(const RowTask& task, const RowKernel& kernel, int i) {
  int n = 0;
  for (int r = 0; r <= kernel.reductions; ++r) {
    const bool runs =
        r < kernel.reductions ? task.mode[r] == RowMode::compute : task.target < 0;
    n += runs && (kernel.uses[r] >> i & 1U) != 0;
  }
  return n;
}

inline unsigned round_up(unsigned n, unsigned to) { return (n + to - 1) / to * to; }

inline unsigned power_of_two(unsigned n) {
  unsigned p = 1;
  while (p < n) p *= 2;
  return p;
}

/// Lets the vectors of each row begin where its output, or else its first full operand, is aligned.
template <int N>
void choose_head(const RowTask& task, const RowKernel& kernel, RowGrid<N>& grid) {
  if (grid.reduced_rank != 1) return;
  int chosen = -1;
  for (int i = 0; i < kernel.outputs + kernel.leaves && chosen < 0; ++i) {
    const bool read = i < kernel.outputs ? (grid.along_row >> i & 1U) != 0
                                         : readings(task, kernel, i) > 0;
    if (read && grid.lane[i] == 1 && grid.kept_stride[i][0] != 0) chosen = i;
  }
  if (chosen < 0) return;
  bool aligned = reinterpret_cast<std::uintptr_t>(grid.data[chosen]) %
                     static_cast<unsigned>(grid.itemsize[chosen] * kernel.lanes) == 0;
  for (int d = 0; d < grid.kept_rank; ++d) {
    aligned = aligned && grid.kept_stride[chosen][d] % kernel.lanes == 0;
  }
  if (!aligned) grid.head_operand = chosen;
}

template <int N>
bool is_same_operand(const RowGrid<N>& grid, int i, int j) {
  if (grid.data[i] != grid.data[j] || grid.itemsize[i] != grid.itemsize[j]) return false;
  for (int d = 0; d < grid.kept_rank; ++d) {
    if (grid.kept_stride[i][d] != grid.kept_stride[j][d]) return false;
  }
  for (int d = 0; d < grid.reduced_rank; ++d) {
    if (grid.reduced_stride[i][d] != grid.reduced_stride[j][d]) return false;
  }
  return true;
}

/// The operands that are read more than once and differ from row to row; equal ones share a slot.
template <int N>
unsigned choose_slots(const RowTask& task, const RowKernel& kernel, RowGrid<N>& grid,
                      unsigned* slot_of) {
  unsigned bytes = 0;  // of one vector of each
  for (int i = kernel.outputs; i < kernel.outputs + kernel.leaves; ++i) {
    slot_of[i] = RowLoops::not_kept;
    if (grid.itemsize[i] == 0 || readings(task, kernel, i) == 0 ||
        !fills_rows(grid, grid.kept_stride[i], grid.reduced_stride[i])) {
      continue;
    }
    int readers = 0;
    for (int j = kernel.outputs; j < kernel.outputs + kernel.leaves; ++j) {
      if (is_same_operand(grid, i, j)) readers += readings(task, kernel, j);
    }
    if (readers < 2) continue;
    int slot = 0;
    while (slot < grid.slots && !is_same_operand(grid, i, static_cast<int>(grid.slot_operand[slot]))) {
      ++slot;
    }
    if (slot == 8) continue;
    if (slot == grid.slots) {
      grid.slot_operand[grid.slots++] = static_cast<unsigned>(i);
      bytes += static_cast<unsigned>(grid.itemsize[i] * kernel.lanes);
    }
    slot_of[i] = static_cast<unsigned>(slot);
  }
  return bytes;
}

/// Whether a task that stores one reduction computes others on the way.
inline bool computes_others(const RowTask& task) {
  for (int r = 0; r < weft::detail::max_row_reductions; ++r) {
    if (r != task.target && task.mode[r] == RowMode::compute) return true;
  }
  return false;
}

template <int N>
RowLaunch choose_threads(const RowTask& task, const RowKernel& kernel, const Properties& device,
                         RowGrid<N>& grid) {
  RowLaunch launch;
  unsigned slot_of[N];
  const unsigned vector_bytes = choose_slots(task, kernel, grid, slot_of);
  const bool clusters = device.major >= 9;
  const auto units = static_cast<unsigned>(device.multiprocessors);
  unsigned rows_a_block = 1;
  unsigned parts = 1;
  if (grid.columns) {
    launch.threads = row_block;
    rows_a_block = 32;
    grid.group = launch.threads / 32;
  } else if (grid.length <= 128) {
    grid.group = grid.length < 32 ? power_of_two(grid.length) : 32;
    launch.threads = block_threads;
    rows_a_block = launch.threads / grid.group;
  } else {
    launch.threads = round_up((grid.length + 7) / 8, 32);
    if (launch.threads < 64) launch.threads = 64;
    if (launch.threads > row_block) launch.threads = row_block;
    grid.group = launch.threads;
  }
  const unsigned row_blocks = (grid.rows + rows_a_block - 1) / rows_a_block;
  auto bytes_a_block = [&](unsigned n) {
    const int64_t steps = (grid.length + int64_t{n} * grid.group - 1) / (int64_t{n} * grid.group);
    return steps * launch.threads * vector_bytes;
  };
  grid.scratch = round_up(static_cast<unsigned>(kernel.state_bytes) *
                              (grid.columns ? launch.threads : 40U), 128);
  const int64_t room = device.shared_memory_per_block - 2 * int64_t{grid.scratch} - 1024;
  if (!task.computes()) {
    while (parts < 65536 && row_blocks * parts < 16 * units &&
           grid.length > launch.threads * parts) {
      parts *= 2;
    }
  } else if (task.target >= 0 && !computes_others(task)) {
    const unsigned most = grid.length / (4 * grid.group);
    parts = (4 * units + row_blocks - 1) / row_blocks;
    if (parts > most) parts = most;
    if (parts < 1) parts = 1;
    if (parts > 1) grid.stage = RowLoops::partial;
  } else if (!grid.columns && clusters) {
    while (parts < row_cluster && bytes_a_block(parts) > row_share) parts *= 2;
    // Few rows: all multiprocessors work.
    while (parts < row_cluster && row_blocks * parts < units &&
           grid.length >= 4 * grid.group * parts) {
      parts *= 2;
    }
    grid.cluster = parts > 1;
  }
  if (grid.stage != RowLoops::whole) grid.slots = 0;
  if (grid.slots > 0 && bytes_a_block(parts) <= room) {
    unsigned at = 2 * grid.scratch;
    unsigned slot_at[8];
    for (int s = 0; s < grid.slots; ++s) {
      const auto bytes =
          static_cast<unsigned>(grid.itemsize[grid.slot_operand[s]] * kernel.lanes);
      slot_at[s] = at;
      at += static_cast<unsigned>(bytes_a_block(parts) / vector_bytes * bytes);
    }
    for (int i = kernel.outputs; i < kernel.outputs + kernel.leaves; ++i) {
      if (slot_of[i] != RowLoops::not_kept) grid.slot_offset[i] = slot_at[slot_of[i]];
    }
    launch.shared_bytes = at;
  } else {
    grid.slots = 0;
    launch.shared_bytes = 2 * grid.scratch;
  }
  grid.parts = Divider(parts);
  launch.blocks = row_number("reduce", int64_t{row_blocks} * parts, "blocks");
  return launch;
}

/// Fills everything of a grid but the addresses, and chooses the launch.
template <int N>
[[gnu::noinline]] RowLaunch plan_rows(const Name& name, const RowTask& task, Loops outer,
                                      Operand* operands, const RowKernel& kernel,
                                      const Properties& device, RowGrid<N>& grid) {
  Operand inside[N];
  Loops inner = weft::detail::loops_over(task.geometry.reduced);
  weft::detail::inner_operands(operands, N, outer.rank, inner.rank, inside);
  weft::detail::simplify(outer, operands, N);
  weft::detail::simplify(inner, inside, N, true);
  const char* const what = name.operation;
  grid.rows = row_number(what, outer.count(), "rows");
  grid.count = inner.count();
  grid.kept_rank = outer.rank;
  grid.reduced_rank = inner.rank;
  for (int d = 0; d < outer.rank; ++d) {
    grid.kept[d] = Divider(row_number(what, outer.size[outer.rank - 1 - d], "rows along an axis"));
  }
  for (int d = 1; d < inner.rank; ++d) {
    grid.reduced[d] =
        Divider(row_number(what, inner.size[inner.rank - 1 - d], "elements along an axis"));
  }
  grid.inner = inner.rank > 0 ? inner.size[inner.rank - 1] : 1;
  for (int i = 0; i < N; ++i) {
    grid.data[i] = operands[i].data;
    grid.itemsize[i] = operands[i].itemsize;
    grid.slot_offset[i] = RowLoops::not_kept;
    for (int d = 0; d < outer.rank; ++d) {
      grid.kept_stride[i][d] = operands[i].stride[outer.rank - 1 - d];
    }
    for (int d = 0; d < inner.rank; ++d) {
      grid.reduced_stride[i][d] = inside[i].stride[inner.rank - 1 - d];
    }
    grid.lane[i] = inner.rank > 0 ? static_cast<int>(grid.reduced_stride[i][0]) : 0;
  }
  grid.target = task.target;
  for (int r = 0; r < kernel.reductions; ++r) {
    grid.mode[r] = task.mode[r];
    grid.same[r] = static_cast<signed char>(task.same[r]);
    const int value = kernel.outputs + kernel.leaves + r;
    for (int d = 0; task.mode[r] == RowMode::load && d < inner.rank; ++d) {
      if (grid.reduced_stride[value][d] != 0) grid.varies |= 1U << r;
    }
  }
  for (int k = 0; k < kernel.outputs; ++k) {
    if (task.target < 0 && task.along_row[k]) grid.along_row |= 1U << k;
  }
  grid.any_along_row = grid.along_row != 0;

  const unsigned lanes = static_cast<unsigned>(kernel.lanes);
  choose_head(task, kernel, grid);
  const int64_t spare = grid.head_operand >= 0 ? lanes - 1 : 0;
  const auto items = static_cast<int64_t>((grid.inner + spare + lanes - 1) / lanes);
  grid.items = Divider(row_number(what, items, "vectors of a row"));
  grid.length = row_number(what, grid.inner > 0 ? grid.count / grid.inner * items : 0,
                           "vectors of a row");
  grid.columns = rows_are_columns(outer, operands, inner, inside, kernel.outputs,
                                  kernel.outputs + kernel.leaves);
  return choose_threads(task, kernel, device, grid);
}

}  // namespace detail
}  // namespace weft::cuda
