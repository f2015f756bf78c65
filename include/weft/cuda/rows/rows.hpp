// Row programs on CUDA: expressions with reductions inside, in one kernel where rows allow it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/rows/gathered.hpp"
#include "weft/cuda/rows/launch.hpp"
#include "weft/cuda/rows/looped_kernel.hpp"
#include "weft/cuda/rows/narrow_kernel.hpp"
#include "weft/cuda/rows/register_kernel.hpp"
#include "weft/cuda/rows/register_plan.hpp"
#include "weft/cuda/rows/tile_kernel.hpp"
#include "weft/cuda/runtime/tuner.hpp"
#include "weft/eval/rows/rows.hpp"

namespace weft {

#if defined(__CUDACC__)
namespace on_cuda::detail {

/// The lanes of a row kernel: 16 bytes of the narrowest operand, counted as 2 to 4 bytes.
template <class... Ts>
constexpr int row_lanes(TypeList<Ts...>) {
  int narrowest = 4;
  ((narrowest = !std::is_same_v<Ts, IndexOperand> && sizeof(Ts) < 4 ? 2 : narrowest), ...);
  return 16 / narrowest;
}

/// Orders the stream after other streams' work on the operands that a task touches.
inline void order_all(const Operand* operands, int n, const RowTask& task, const RowKernel& kernel,
                      const Stream& stream) {
  for (int i = kernel.outputs; i < n; ++i) {
    if (operands[i].storage != nullptr) order_read(operands[i].storage, stream);
  }
  for (int k = 0; k < kernel.outputs && task.target < 0; ++k) {
    if (operands[k].storage != nullptr) order_write(operands[k].storage, stream);
  }
  if (task.target >= 0) {
    order_write(operands[kernel.outputs + kernel.leaves + task.target].storage, stream);
  }
}

/// Has the kernel that goes over columns again begin with what L2 still holds of them, their ends.
inline void begin_at_end(const RowLoops& grid, RowOperand* operands, int n) {
  for (int i = 0; grid.columns && grid.reduced_rank == 1 && i < n; ++i) {
    RowOperand& x = operands[i];
    x.data += (grid.count - 1) * x.reduced_stride[0];
    x.reduced_stride[0] = -x.reduced_stride[0];
    x.step = -x.step;
    x.hop = -x.hop;
  }
}

/// Merging the states that a total has of each row: by one block, after blocks with a group of rows
/// each where there are many.
class TotalMerge {
 public:
  static constexpr unsigned threads = 256;

  TotalMerge(const RowLoops& grid, const RowTask& task, const RowKernel& kernel)
      : rows_(grid.rows),
        count_(grid.count),
        groups_(!task.in_pieces || grid.rows <= most ? 1 : (grid.rows + most - 1) / most),
        target_(task.target),
        reductions_(kernel.reductions) {
    if (groups_ > most) groups_ = most;
  }
  unsigned groups() const { return groups_; }
  RowLaunch of_groups(RowLoops& grid, const RowLaunch& rows) const {
    grid.stage = RowLoops::remerge;
    grid.pieces = rows_;
    grid.splits = (rows_ + groups_ - 1) / groups_;
    return launch(grid, rows, (rows_ + grid.splits - 1) / grid.splits);
  }
  RowLaunch of_all(RowLoops& grid, const RowLaunch& rows) const {
    grid.splits = grid.stage == RowLoops::remerge ? grid.rows : rows_;
    grid.stage = RowLoops::merge;
    grid.count = count_ * rows_;
    return launch(grid, rows, 1);
  }

 private:
  static constexpr unsigned most = 2048;  // pieces that a block merges quickly

  RowLaunch launch(RowLoops& grid, RowLaunch out, unsigned blocks) const {
    for (int r = 0; r < reductions_; ++r) {
      if (r != target_) grid.mode[r] = RowMode::skip;
    }
    grid.rows = blocks;
    grid.columns = grid.cluster = false;
    grid.parts = FastDivmod(1);
    grid.fetched = 0;
    grid.group = threads;
    grid.warps = threads / 32;
    grid.rows_a_block = 1;
    grid.width = {};
    grid.width_shift = 0;
    grid.group_shift = 8;
    out.threads = threads;
    out.blocks = blocks;
    return out;
  }

  unsigned rows_;
  long long count_;
  unsigned groups_;
  int target_;
  int reductions_;
};

/// Plans and launches one task of a row program of n operands, by way of a grid and of the
/// operands' strides along the row, which it fills in.
WEFT_OUTLINED inline void run_rows(const Name& name, Cuda device, const RowTask& task,
                                   Operand* operands, int n, const RowKernel& kernel,
                                   const void* program, RowLoops& grid, RowOperand* in_grid,
                                   Operand* inside) {
  const DeviceGuard guard(device);
  const Stream stream = current_stream(device);
  order_all(operands, n, task, kernel, stream);
  const weft::detail::RowGeometry& rows = task.geometry;
  copy_operands(name, TurnTo::rows, rows.kept, rows.reduced, operands, kernel.outputs,
                kernel.outputs + kernel.leaves, kernel.copies, stream);
  RowLaunch plan = plan_row_program(name.operation, task, kernel, program, properties(device),
                                    operands, inside, grid, in_grid, runs_cluster);
  if (plan.blocks == 0) return;
  TunedLaunch tuned(name, device.ordinal, stream.handle());
  if (tuned.by != nullptr && !task.in_pieces) tuned.mark = tuned.by->rows(tuned, kernel, plan, grid, in_grid);
  StorageHandle partials;
  void* states = nullptr;
  const unsigned parts = grid.parts.divisor;
  const TotalMerge total(grid, task, kernel);
  if (grid.stage == RowLoops::partial) {
    const int64_t pieces = int64_t{grid.rows} * grid.splits + total.groups();
    const int64_t bytes = pieces * kernel.state_bytes;
    partials = StorageHandle(Memory<Cuda>::allocate(device, bytes));
    states = partials->data;
  }
  void* arguments[] = {&grid, const_cast<void*>(program), &states};
  launch_rows(name, task.geometry.reduced, kernel, plan, grid.cluster ? parts : 1, arguments,
              stream);
  if (task.in_pieces) {
    if (total.groups() > 1) {
      const RowLaunch fewer = total.of_groups(grid, plan);
      launch_rows(name, task.geometry.reduced, kernel, fewer, 1, arguments, stream);
      states = static_cast<char*>(states) + int64_t{grid.pieces} * kernel.state_bytes;
    }
    const RowLaunch merge = total.of_all(grid, plan);
    launch_rows(name, task.geometry.reduced, kernel, merge, 1, arguments, stream);
  } else if (grid.stage == RowLoops::partial) {
    grid.stage = RowLoops::merge;
    RowLaunch merge = plan;
    if (!grid.any_along_row || task.target >= 0) {  // else each block goes on with its part
      grid.parts = FastDivmod(1);
      merge.blocks = plan.blocks / parts;
    } else {
      begin_at_end(grid, in_grid, kernel.outputs + kernel.leaves);
    }
    launch_rows(name, task.geometry.reduced, kernel, merge, 1, arguments, stream);
  }
}

/// See RowKernel::share.
template <class Program, bool Narrow>
struct RowSharing;
template <class... Rs, class... Ps, bool Narrow>
struct RowSharing<RowProgram<Pack<Rs...>, Pack<Ps...>>, Narrow> {
  using Program = RowProgram<Pack<Rs...>, Pack<Ps...>>;
  using Levels = weft::detail::RowLevels<Program>;
  using Shared = std::conditional_t<Narrow, NarrowShared<Program>, LoopedShared<Program>>;
  using Sharing = weft::detail::ShareValues<Shared, FirstInRow>;

  static void run(const Program& program, RowLoops& grid, const RowOperand* operands) {
    const FirstInRow row{{grid, operands}};
    Sharing sharing(row);
    for (int level = 0; level < (Narrow ? 1 : Levels::levels.count); ++level) {
      reductions(sharing, program, level, grid, std::make_index_sequence<sizeof...(Rs)>{});
      if (!Narrow) sharing.forget();
    }
    if (grid.target < 0) sharing.run_all(program.outputs);
    grid.shared = sharing.values();
    grid.needed &= sharing.needed() | ((std::uint64_t{1} << sizeof...(Ps)) - 1);
  }

 private:
  template <std::size_t... I>
  static void reductions(Sharing& sharing, const Program& program, int level, const RowLoops& grid,
                         std::index_sequence<I...>) {
    (reduction<static_cast<int>(I)>(sharing, weft::get<static_cast<int>(I)>(program.reductions),
                                    level, grid),
     ...);
  }
  template <int I, class Reduction>
  static void reduction(Sharing& sharing, const Reduction& r, int level, const RowLoops& grid) {
    if (grid.mode[I] != RowMode::compute) return;
    if constexpr (Narrow) {
      sharing.run(r.program);
    } else if (level == Levels::levels.of[I]) {
      sharing.run(weft::detail::RowPass<Reduction>::program(r));
    }
  }
};
template <class Program>
void share_in_rows(const void* program, bool narrow, RowLoops& grid, const RowOperand* operands) {
  const auto& p = *static_cast<const Program*>(program);
  if (narrow) {
    RowSharing<Program, true>::run(p, grid, operands);
  } else if constexpr (LoopedShared<Program>::table.count > 0) {
    RowSharing<Program, false>::run(p, grid, operands);
  }
}

template <class Outs, class Types, class Program>
struct RowKernelOf;
template <class... Outs, class... Ts, class... Rs, class... Ps>
struct RowKernelOf<TypeList<Outs...>, TypeList<Ts...>, RowProgram<Pack<Rs...>, Pack<Ps...>>> {
  static constexpr int outputs = sizeof...(Outs);
  using Types = TypeList<Ts...>;
  static constexpr int leaves = sizeof...(Ts);
  static constexpr int reductions = sizeof...(Rs);
  static constexpr int n = outputs + leaves + reductions;
  static constexpr int lanes = row_lanes(Types{});
  using Program = RowProgram<Pack<Rs...>, Pack<Ps...>>;
  /// Eight loads in flight per thread, or four if they, or the values computed from them, need more
  /// registers.
  static constexpr bool sweeps = leaves > 3 && (weft::detail::sweeps_back<Ps> || ...);
  static constexpr int loop_lanes = leaves <= 8 && widest(Types{}) <= 4 && !sweeps ? 8 : 4;
  static constexpr int narrow = widest(Types{}) <= 8 ? detail::narrow_lanes<leaves> : 0;
  static constexpr bool tiles = widest(Types{}) <= 8;
  static constexpr std::uint64_t uses[] = {uses_of<decltype(Rs::program)>..., (uses_of<Ps> | ...)};
  using Passes = RowPasses<Program>;
  using Registers = RegisterProgram<TypeList<Outs...>, Types, lanes, Program>;
  using Layout = typename Registers::Layout;
  /// What planning needs to know; get() adds the kernels themselves.
  static RowKernel description() {
    RowKernel out;
    out.outputs = outputs;
    out.leaves = leaves;
    out.reductions = reductions;
    out.lanes = lanes;
    out.loop_lanes = loop_lanes;
    out.narrow_lanes = narrow;
    out.tiles = tiles;
    if constexpr (narrow > 0) out.narrow_kept = NarrowKept<outputs, Types, Program>::leaves;
    out.weight = (weft::detail::program_weight<std::remove_cvref_t<decltype(Rs::program)>> + ... +
                  (weft::detail::program_weight<Ps> + ...));
    out.state_bytes = Passes::places.most;
    out.uses = uses;
    out.levels = Passes::Levels::levels.of;
    out.positions = RowKernelTypes<Ts...>::positions << outputs;
    out.copies = CopyKernels::of(Types{});
    if constexpr (NarrowShared<Program>::table.count > 0) out.share = share_in_rows<Program>;
    out.registers.refused = Layout::refused;
    if constexpr (Layout::possible) {
      out.registers.vectors = Layout::vectors;
      out.registers.slots = Layout::may_have_two ? 2 : 1;
      out.registers.may_keep = Layout::may_keep;
      out.registers.always_kept = Layout::always_kept;
      out.registers.independent = Layout::independent;
      out.registers.only_two = Layout::keeps_two;
      out.registers.effects = Layout::effects;
      if constexpr (Layout::reuses) out.registers.reuses = keeps_last<Program>;
      if constexpr (Layout::computed) {
        out.registers.computes = keeps_part<Program>;
        out.registers.share = share_in_part<Program>;
        out.registers.beside = Layout::reduced;
        using Kept = weft::detail::KeptPart<Program>;
        using Part = std::remove_cvref_t<decltype(Kept::of(std::declval<const Program&>()))>;
        out.registers.part_weight = weft::detail::program_weight<Part> - Kept::least_weight;
      }
    }
    return out;
  }
  static RowKernel get() {
    constexpr bool fits = sizeof(Program) + sizeof(RowGrid<n>) <= 32000;
    static_assert(
        fits, "weft: the expression is too large for one kernel: store a part of it in a Tensor");
    if constexpr (fits) {
      RowKernel out = description();
      out.waits = waits_on;
      const auto kernel = row_kernel<TypeList<Outs...>, Types, loop_lanes, n, Program>;
      out.address = reinterpret_cast<const void*>(kernel);
      if constexpr (narrow > 0) {
        out.narrow = reinterpret_cast<const void*>(
            row_narrow_kernel<TypeList<Outs...>, Types, narrow, n, Program>);
      }
      if constexpr (tiles) {
        out.tile = reinterpret_cast<const void*>(
            row_tile_kernel<TypeList<Outs...>, Types, tile_lanes, n, Program>);
      }
      if constexpr (Layout::possible) {
        constexpr int slots = Layout::keeps_two ? 2 : 1;
        const auto fast = row_register_kernel<TypeList<Outs...>, Types, lanes, n, Program, slots>;
        out.registers.address = reinterpret_cast<const void*>(fast);
        if constexpr (Layout::may_have_two) {
          const auto two = row_register_kernel<TypeList<Outs...>, Types, lanes, n, Program, 2>;
          out.registers.keeps_two = reinterpret_cast<const void*>(two);
        }
      }
      return out;
    } else {
      return {};
    }
  }
};

}  // namespace on_cuda::detail
#endif

template <>
struct RowExecutor<Cuda> {
  /// Few long rows leave most of the GPU idle; each reduction then runs on its own.
  static bool fuses(int64_t rows, int64_t length) {
    if (length <= (1 << 16)) return true;
    return rows >= (length <= (1 << 19) ? 4 : 16);
  }

  /// But blocks can have parts of a row: see RowTree.
  static constexpr bool divides_rows = true;

  static constexpr bool finds_rows = true;
  /// Has the operand `out` read the rows of x that ids picks.
  template <class T, class I>
  static void find_rows([[maybe_unused]] const detail::Name& name,
                        [[maybe_unused]] const Shape& shape,
                        [[maybe_unused]] const Tensor<T, Cuda>& x,
                        [[maybe_unused]] const Tensor<I, Cuda>& ids,
                        [[maybe_unused]] const IndexRange& range,
                        [[maybe_unused]] detail::Operand& out) {
#if defined(__CUDACC__)
    on_cuda::detail::find_rows(name, shape, x, ids, range, out);
#endif
  }

  template <class Outs, class Types, class Program>
  static void run([[maybe_unused]] const detail::Name& name, [[maybe_unused]] Cuda device,
                  [[maybe_unused]] const detail::RowTask& task,
                  [[maybe_unused]] detail::Operand* operands,
                  [[maybe_unused]] const Program& program) {
#if defined(__CUDACC__)
    using Kernel = on_cuda::detail::RowKernelOf<Outs, Types, Program>;
    on_cuda::RowGrid<Kernel::n> grid;
    detail::Operand inside[Kernel::n];
    on_cuda::detail::run_rows(name, device, task, operands, Kernel::n, Kernel::get(), &program,
                              grid, grid.operand, inside);
#else
    static_assert(detail::always_false<Program>,
                  "weft: a reduction on Cuda is evaluated in a file that nvcc compiles: move this "
                  "statement to a .cu file");
#endif
  }
};

WEFT_MODEL(RowDevice<Cuda>);

}  // namespace weft
