// Planning and launching element-wise kernels, without their types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/copy.hpp"
#include "weft/cuda/elementwise/thread_rows.hpp"
#include "weft/cuda/elementwise/transpose_tile.hpp"
#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/runtime/tuner.hpp"
#include "weft/eval/program/name.hpp"

namespace weft::on_cuda {

/// Vectors of a thread that reads nothing.
inline constexpr int stores_a_thread = 4;

/// The kernel that finds a block's gathered rows first: elements of a thread, and the gathers.
struct FoundRows {
  /// With longer rows the product of a place in a tile and row_inverse would be inexact.
  static constexpr int64_t longest = 1 << 14;
  int lanes = 0;  // 0: there is no such kernel
  int gathers = 0;
};

/// The kernels of one expression, without their types.
struct ForEachKernels {
  int targets;
  int lanes;
  bool has_aligned = false;
  RowOperands rows = {};  // the slices that the aligned kernel gathers
  FoundRows found_rows = {};
  bool transposes = true;  // whether the general kernel can transpose operands in shared memory
  const void* general = nullptr;
  const void* aligned = nullptr;
  bool crosses = false;           // the aligned kernel's vectors may cross into the next rows
  int least_apart = 4;            // bytes of an operand that it reads element by element then
  const void* finding = nullptr;  // the kernel that `found_rows` describes
  bool copies = false;            // one operand, unchanged
  std::uint64_t waits = 0;        // waits_on of its file
  /// run_copy if `copies`; other statements do not instantiate the planning of copies.
  bool (*copy)(const weft::detail::Name& name, const Shape& shape, const weft::detail::Loops& loops,
               const detail::Operand* operands, const Stream& stream) = nullptr;
  /// The aligned kernel where parts of the program occur several times: its form for parts that
  /// have one value each, and whether they have: has_assumed_parts.
  const void* assuming = nullptr;
  int distinct = 0;  // operands that it reads, and targets; 0: all
  bool (*assumed)(const void* program, const detail::Operand* operands, int before,
                  int rank) = nullptr;
  /// Where parts of the program have one value: share_parts.
  void (*share)(const void* program, const detail::Operand* operands, int before, int rank,
                ElementwiseLoops& grid) = nullptr;
};

namespace detail {

/// How one piece of an element-wise statement is launched.
struct ForEachLaunch {
  bool aligned = false;
  bool flat = false;        // aligned, and vectors cross into the next row
  bool finds_rows = false;  // by the kernel that finds gathered rows first
  unsigned blocks = 0;
  int threads = block_threads;
  int shared_bytes = 0;
};

/// Merges the dimensions of a statement and puts the axis along which operands are transposed next
/// to the innermost; returns it, or -1.
inline int order_dimensions(Loops& loops, Operand* operands, int n, const ForEachKernels& kernels) {
  weft::detail::simplify(loops, operands, n);
  const int axis = kernels.transposes ? transposed_axis(loops, operands, n, kernels.targets) : -1;
  for (int d = axis; d >= 0 && d + 2 < loops.rank; ++d) {
    weft::detail::swap_dimensions(loops, operands, n, d, d + 1);
  }
  return axis;
}

/// Whether neighbouring rows are one stretch of the target, no vectors divide them, and each other
/// operand has one step from a row to the next; gathers may have several, once a row.
inline bool finds_rows(const Loops& loops, const Operand* operands, int n,
                       const ForEachKernels& kernels) {
  const int last = loops.rank - 1;
  if (kernels.found_rows.lanes == 0 || last < 1) return false;
  const int64_t inner = loops.size[last];
  if (inner % kernels.lanes == 0 || inner < 2 || inner > FoundRows::longest) return false;
  if (operands[0].stride[last] != 1 || operands[0].stride[last - 1] != inner) return false;
  for (int i = 0; i < n; ++i) {
    if (((kernels.rows.indices | kernels.rows.offsets) >> i & 1U) != 0) continue;
    for (int d = 0; d + 1 < last; ++d) {
      if (operands[i].stride[d] != operands[i].stride[d + 1] * loops.size[d + 1]) return false;
    }
  }
  return names_slices(loops, operands, n, kernels.rows);
}

/// Plans a piece whose blocks find their gathered rows first.
WEFT_OUTLINED inline void plan_found_rows(const Loops& piece, const FoundRows& kernel,
                                          ElementwiseLoops& grid, ForEachLaunch& out) {
  const int64_t inner = piece.size[piece.rank - 1];
  const int64_t tile = int64_t{block_threads} * kernel.lanes;
  out.finds_rows = true;
  grid.items = static_cast<unsigned>(piece.count());
  grid.passes = kernel.lanes;
  grid.row_items = FastDivmod(static_cast<unsigned>(inner));
  grid.row_inverse = static_cast<unsigned>(((int64_t{1} << 32) + inner - 1) / inner);
  out.shared_bytes = static_cast<int>(((tile + inner - 2) / inner + 1) * kernel.gathers * 8);
  out.blocks = static_cast<unsigned>((piece.count() + tile - 1) / tile);
}

/// Plans one piece; `transposed` is filled with an operand's place in shared memory, or -1.
WEFT_OUTLINED inline ForEachLaunch plan_for_each(const Loops& piece, const Operand* operands, int n,
                                                 bool transposes, const ForEachKernels& kernels,
                                                 ElementwiseLoops& grid, int* transposed) {
  ForEachLaunch out;
  const int wide = kernels.rows.lanes != 0 ? kernels.rows.lanes : kernels.lanes;
  out.aligned = !transposes && kernels.has_aligned &&
                is_aligned(piece, operands, n, kernels.targets, wide, kernels.rows, grid.apart);
  out.flat = !out.aligned && !transposes && kernels.has_aligned && kernels.crosses &&
             is_flat(piece, operands, n, kernels.targets, wide, kernels.least_apart,
                     kernels.rows.positions, grid.apart);
  out.aligned = out.aligned || out.flat;
  plan_row_items(piece, operands[0], out.aligned ? wide : kernels.lanes, grid);
  grid.slices =
      kernels.rows.indices != 0 && !transposes && names_slices(piece, operands, n, kernels.rows);
  for (int i = 0; i < n; ++i) transposed[i] = -1;
  if (transposes) {
    grid.head_mask = 0;
    grid.passes = tile_rows / tile_step;
    out.blocks = plan_tiles(piece, operands, n, kernels.targets, kernels.lanes, grid.tiling,
                            transposed, out.shared_bytes);
  } else if (!out.aligned && finds_rows(piece, operands, n, kernels)) {
    plan_found_rows(piece, kernels.found_rows, grid, out);
  } else {
    if (out.flat) {
      grid.row_ends = row_ends(piece.size[piece.rank - 1]);
      plan_flat_rows(piece, kernels.distinct > 0 ? kernels.distinct : n, wide, grid);
    } else if (out.aligned) {
      plan_thread_rows(piece, operands, n, kernels.distinct > 0 ? kernels.distinct : n, wide, grid);
    }
    // Threads that only store end so soon that starting them would take longer.
    const bool only_stores = n == kernels.targets && !out.aligned;
    if (only_stores && grid.items >= least_threads_of_several_rows) grid.passes = stores_a_thread;
    const auto a_block = static_cast<unsigned>(block_threads * grid.passes);
    out.blocks = (grid.items + a_block - 1) / a_block;
  }
  return out;
}

/// The kernels for a piece of `rank` dimensions: the one that assumes equal parts, if they are
/// equal.
inline ForEachKernels chosen_for(const ForEachKernels& kernels, const void* program,
                                 const Operand* operands, int rank) {
  ForEachKernels chosen = kernels;
  if (kernels.assumed != nullptr && kernels.assumed(program, operands, kernels.targets - 1, rank)) {
    chosen.aligned = kernels.assuming;
  } else {
    chosen.distinct = 0;
  }
  return chosen;
}

/// The elements from which a second launch, of the few that fill no vectors, costs less than the
/// general kernel for all would.
inline constexpr int64_t least_elements_of_two_launches = int64_t{1} << 23;

/// How much of the outermost dimension is left for a second launch so that the first one's vectors
/// are full and aligned; 0 if there is no need or no use.
WEFT_OUTLINED inline int64_t rest_of_vectors(const Loops& piece, const Operand* operands, int n,
                                             const ForEachKernels& kernels) {
  const int last = piece.rank - 1;
  const int lanes = kernels.rows.lanes;
  if (!kernels.has_aligned || !kernels.crosses || last < 0 || last > 1) return 0;
  if (piece.count() < least_elements_of_two_launches) return 0;
  const int64_t rest = piece.size[0] % lanes;
  if (last == 1 && (piece.size[1] % lanes == 0 || rest * 32 > piece.size[0])) return 0;
  Loops full = piece;
  full.size[0] -= rest;
  std::uint64_t apart = 0;
  const bool serves =
      last == 0 ? is_aligned(full, operands, n, kernels.targets, lanes, kernels.rows, apart)
                : is_flat(full, operands, n, kernels.targets, lanes, kernels.least_apart,
                          kernels.rows.positions, apart);
  return serves ? rest : 0;
}

/// Calls f(loops) for a piece as a whole, or without what fills no vectors, and for that.
template <class F>
void in_vectors(const Loops& piece, Operand* operands, int n, int64_t rest, const F& f) {
  if (rest == 0) return f(piece);
  Loops part = piece;
  part.size[0] -= rest;
  f(part);
  const int64_t before = part.size[0];
  for (int i = 0; i < n; ++i) {
    operands[i].data += before * operands[i].stride[0] * operands[i].itemsize;
  }
  part.size[0] = rest;
  f(part);
  for (int i = 0; i < n; ++i) {
    operands[i].data -= before * operands[i].stride[0] * operands[i].itemsize;
  }
}

/// Bit I for each Arg<I> of which a thread's neighbours are one element.
inline std::uint64_t operands_alike(const ElementwiseLoops& grid, const int* lane, int n,
                                    int targets) {
  std::uint64_t alike = 0;
  for (int i = targets; i < n; ++i) {
    if (lane[i] == 0 && (grid.apart >> i & 1U) == 0) {
      alike |= std::uint64_t{1} << (i - targets + 1);
    }
  }
  return alike;
}

/// Plans and launches an element-wise kernel over N operands, in pieces if it is very large.
template <int N>
WEFT_OUTLINED void run_for_each(const Name& name, Cuda device, const Shape& shape,
                                Operand* operands, const ForEachKernels& kernels,
                                const void* program) {
  Loops loops = weft::detail::loops_over(shape);
  const DeviceGuard guard(device);
  const Stream stream = current_stream(device);
  order(operands, N, stream, kernels.targets);
  const bool transposes = order_dimensions(loops, operands, N, kernels) >= 0;
  const auto run = [&](const Loops& piece) {
    Grid<N> grid;
    const ForEachKernels chosen = chosen_for(kernels, program, operands, piece.rank);
    ForEachLaunch plan =
        plan_for_each(piece, operands, N, transposes, chosen, grid, grid.transposed);
    TunedLaunch tuned(name, device.ordinal, stream.handle());
    if (tuned.by != nullptr) {
      tuned.mark = tuned.by->for_each(tuned, piece, operands, N, chosen, plan, grid,
                                      static_cast<int*>(grid.transposed));
    }
    plan_operands(piece, operands, N, grid.data, grid.lane, grid.stride);
    if (plan.flat) place_jumps(piece, operands, N, grid.stride);
    grid.alike = operands_alike(grid, static_cast<const int*>(grid.lane), N, kernels.targets);
    if (kernels.share != nullptr) {
      kernels.share(program, operands, kernels.targets - 1, piece.rank, grid);
    }
    void* arguments[] = {&grid, const_cast<void*>(program)};
    const void* const kernel = plan.aligned      ? chosen.aligned
                               : plan.finds_rows ? chosen.finding
                                                 : chosen.general;
    launch(name, shape, kernel, plan.blocks, static_cast<unsigned>(plan.threads), arguments, stream,
           plan.shared_bytes, early_start_in_graph(device, kernels.waits));
  };
  in_pieces(loops, operands, N, [&](const Loops& piece) {
    if (kernels.copy != nullptr && kernels.copy(name, shape, piece, operands, stream)) return;
    const int64_t rest = transposes ? 0 : rest_of_vectors(piece, operands, N, kernels);
    in_vectors(piece, operands, N, rest, run);
  });
}
}  // namespace detail
}  // namespace weft::on_cuda
