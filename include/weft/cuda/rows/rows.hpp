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
#include "weft/cuda/rows/total.hpp"
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
  if (tuned.by != nullptr && !task.in_pieces) {
    tuned.mark = tuned.by->rows(tuned, kernel, plan, grid, in_grid);
  }
  void* pieces = nullptr;
  void* arguments[] = {&grid, const_cast<void*>(program), &pieces};
  const auto launch = [&](const RowLaunch& one, unsigned cluster) {
    launch_rows(name, rows.reduced, kernel, one, cluster, arguments, stream);
  };
  const unsigned parts = grid.parts.divisor;
  const unsigned cluster = grid.cluster ? parts : 1;
  if (task.in_pieces) {
    const TotalMerge total(task, kernel, grid);
    const StorageHandle memory(Memory<Cuda>::allocate(device, total.bytes()));
    char* const first_piece = static_cast<char*>(memory->data);
    pieces = first_piece;
    char*& target = in_grid[kernel.outputs + kernel.leaves + task.target].data;
    char* const result = target;
    if (grid.stage == RowLoops::whole) target = first_piece;
    launch(plan, cluster);
    target = result;
    total.run(grid, first_piece, [&](const RowLaunch& merge, char* first) {
      pieces = first;
      launch(merge, 1);
    });
    return;
  }
  StorageHandle partials;
  if (grid.stage == RowLoops::partial) {
    const int64_t bytes = int64_t{grid.rows} * grid.splits * kernel.state_bytes;
    partials = StorageHandle(Memory<Cuda>::allocate(device, bytes));
    pieces = partials->data;
  }
  launch(plan, cluster);
  if (grid.stage == RowLoops::partial) {
    grid.stage = RowLoops::merge;
    RowLaunch merge = plan;
    if (!grid.any_along_row || task.target >= 0) {  // else each block goes on with its part
      grid.parts = FastDivmod(1);
      merge.blocks = plan.blocks / parts;
    } else {
      begin_at_end(grid, in_grid, kernel.outputs + kernel.leaves);
    }
    launch(merge, 1);
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
    static constexpr RowKernel known = describe();
    RowKernel out = known;
    out.copies = CopyKernels::of(Types{});
    return out;
  }
  static constexpr RowKernel describe() {
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
    out.joins = weft::detail::RowMerges<Program>::joins;
    out.positions = RowKernelTypes<Ts...>::positions << outputs;
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
  WEFT_OUTLINED static void run([[maybe_unused]] const detail::Name& name,
                                [[maybe_unused]] Cuda device,
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
