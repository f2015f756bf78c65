// What CUDA's loops do for explain(e): the kernels of each plan and how they are launched.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/for_each.hpp"
#include "weft/cuda/inspect/explain_join.hpp"
#include "weft/cuda/inspect/explain_reduction.hpp"
#include "weft/cuda/inspect/machine.hpp"
#include "weft/cuda/reduce.hpp"
#include "weft/cuda/rows/rows.hpp"
#include "weft/cuda/scan/formula_plan.hpp"
#include "weft/eval/inspect/explain.hpp"

#if defined(__CUDACC__)

namespace weft {

namespace on_cuda::detail {

/// Plans an element-wise kernel over n operands, the targets first, as run_for_each does; `places`
/// has room for a number for each operand.
WEFT_OUTLINED inline void explain_for_each(Kernel& kernel, const Name& name, Cuda device,
                                           const Shape& shape, Operand* operands, int n,
                                           int* places, const ForEachKernels& kernels,
                                           const void* program) {
  Loops loops = weft::detail::loops_over(shape);
  const bool transposes = order_dimensions(loops, operands, n, kernels) >= 0;
  const Text kind = kernel.kind;
  kernel.launches = 0;
  kernel.threads = block_threads;
  in_pieces(loops, operands, n, [&](const Loops& piece) {
    TurnedCopy turned;
    TiledCopy tiled;
    FlatCopy flat;
    if (kernels.copies) {
      CopyLaunch plan = plan_copy(piece, operands, turned, tiled, flat);
      TunedLaunch tuned(name, device.ordinal, nullptr, false);
      if (tuned.by != nullptr) tuned.by->copy(tuned, piece, operands, plan, turned, tiled, flat);
      explain_choice(kernel, tuned);
      if (plan.blocks > 0) {
        kernel.kind = (plan.turned ? "turned " : plan.tiled ? "tiled " : "flat ") + kind;
        kernel.shared_bytes = plan.shared_bytes;
        if (plan.blocks > kernel.blocks) kernel.blocks = plan.blocks;
        ++kernel.launches;
        return;
      }
    }
    const int64_t rest = transposes ? 0 : rest_of_vectors(piece, operands, n, kernels);
    in_vectors(piece, operands, n, rest, [&](const Loops& part) {
      ElementwiseLoops grid;
      const ForEachKernels chosen = chosen_for(kernels, program, operands, part.rank);
      ForEachLaunch plan = plan_for_each(part, operands, n, transposes, chosen, grid, places);
      TunedLaunch tuned(name, device.ordinal, nullptr, false);
      if (tuned.by != nullptr) {
        tuned.by->for_each(tuned, part, operands, n, chosen, plan, grid, places);
      }
      explain_choice(kernel, tuned);
      kernel.threads = plan.threads;
      if (grid.tiling.width > 0) kernel.kind = "staged " + kind;
      if (plan.aligned) kernel.kind = "aligned " + kind;
      if (plan.finds_rows) kernel.kind = kind + " by rows";
      kernel.shared_bytes = plan.shared_bytes;
      if (plan.blocks > kernel.blocks) kernel.blocks = plan.blocks;
      ++kernel.launches;
    });
  });
}

/// How often the kernel that loops over rows goes over each.
inline int passes_of(const RowTask& task, const RowKernel& kernel, const RowLoops& grid) {
  std::uint64_t levels = 0;
  for (int r = 0; r < kernel.reductions; ++r) {
    if (task.mode[r] == RowMode::compute) levels |= std::uint64_t{1} << level_of(kernel, r);
  }
  return __builtin_popcountll(levels) + (task.target < 0 && grid.any_along_row ? 1 : 0);
}

/// Notes where a row kernel finds the operands that it reads several times.
inline void explain_readings(Kernel& kernel, const RowTask& task, const RowKernel& description,
                             const RowLaunch& launch, const RowLoops& grid,
                             const RowOperand* operand, const char* const* data) {
  const int passes = passes_of(task, description, grid);
  const bool keeps_values = launch.registers && description.registers.computes != nullptr;
  for (Explanation::Operand& x : kernel.reads) {
    int readings = 0;
    bool kept = false;
    bool in_values = keeps_values;
    bool constant = true;
    for (int i = description.outputs; i < description.outputs + description.leaves; ++i) {
      if (data[i] != x.address) continue;
      readings += detail::readings(task, description, i);
      const bool in_registers = launch.registers && operand[i].access < RowOperand::one_element;
      kept = kept || in_registers || launch.narrow;
      in_values = in_values && (description.registers.beside >> i & 1U) == 0;
      for (int d = 0; d < grid.reduced_rank; ++d) {
        constant = constant && operand[i].reduced_stride[d] == 0;
      }
    }
    if (readings < 2 || constant || !x.note.empty()) continue;
    if (kept || launch.tile) {
      x.note = launch.tile ? "kept in shared memory" : "kept in registers";
      continue;
    }
    if (in_values) {
      x.note = "in values kept in registers";
      continue;
    }
    readings = readings < passes ? readings : passes;
    if (readings < 2) continue;
    kernel.read_again += (readings - 1) * x.bytes;
    if (launch.refused != nullptr) {
      kernel.passes = passes;
      kernel.refused = launch.refused;
    }
    x.note = "read " + weft::detail::counted(readings, "time") + ", from a cache where it fits";
  }
}

/// Plans one task of a row program as run_rows does; returns the kernels that run before its own.
WEFT_OUTLINED inline int explain_rows(Explanation& out, const Name& name, Cuda device,
                                      const RowTask& task, const RowKernel& description,
                                      Operand* operands, Operand* inside, const char** data,
                                      RowLoops& grid, RowOperand* operand) {
  const int n = description.outputs + description.leaves + description.reductions;
  for (int i = 0; i < n; ++i) data[i] = operands[i].data;
  const weft::detail::RowGeometry& rows = task.geometry;
  const int before =
      explain_copies(out, TurnTo::rows, rows.kept, rows.reduced, operands, description.outputs,
                     description.outputs + description.leaves, description.copies);
  RowLaunch plan = plan_row_program(name.operation, task, description, nullptr, properties(device),
                                    operands, inside, grid, operand, nullptr);
  TunedLaunch tuned(name, device.ordinal, nullptr, false);
  if (tuned.by != nullptr && plan.blocks > 0 && !task.in_pieces) {
    tuned.by->rows(tuned, description, plan, grid, operand);
  }
  Kernel& kernel = out.kernels.back();
  kernel.launches = plan.blocks > 0 ? 1 : 0;
  kernel.blocks = plan.blocks;
  kernel.threads = static_cast<int>(plan.threads);
  kernel.shared_bytes = plan.shared_bytes;
  explain_choice(kernel, tuned);
  if (grid.columns) kernel.kind += " by columns";
  if (grid.cluster) kernel.cluster = static_cast<int>(grid.parts.divisor);
  explain_readings(kernel, task, description, plan, grid, operand, data);
  const int64_t resident = properties(device).multiprocessors * (1024 / int64_t{plan.threads});
  int64_t bytes = 0;
  for (const Explanation::Operand& x : kernel.reads) bytes += x.bytes;
  kernel.in_flight = plan.blocks > resident ? bytes / plan.blocks * resident : bytes;
  if (plan.blocks > 0 && task.in_pieces) {
    const TotalMerge total(task, description, grid);
    const int64_t bytes = keeps_states(task, description)
                              ? description.state_bytes
                              : out.kernels.back().writes[0].bytes / grid.rows;
    explain_merge(out, 1, grid.rows, bytes, TotalMerge::threads, TotalMerge::threads);
    for (Explanation::Operand& x : out.kernels.back().writes) {
      x.bytes /= x.shape.size();
      x.shape = {};
    }
    out.kernels.back().launches = static_cast<int>(total.launches());
  } else if (plan.blocks > 0 && grid.stage == RowLoops::partial) {
    explain_merge(out, grid.rows, grid.parts.divisor, description.state_bytes,
                  plan.threads / grid.rows_a_block, plan.threads);
    if (grid.any_along_row && task.target < 0) out.kernels.back().blocks = plan.blocks;
  }
  return before;
}

}  // namespace on_cuda::detail

template <>
struct Explainer<Cuda> {
  static void describe(Cuda device, Explanation& out) {
    const on_cuda::Properties& gpu = on_cuda::properties(device);
    out.device = text(device) + " (" + gpu.name + ")";
    out.bandwidth = gpu.bandwidth;
    out.machine = on_cuda::machine_of(device);
  }

  template <class Out, class Types, class Program>
  static void for_each(Explanation& out, Cuda device, const detail::Name& name, const Shape& shape,
                       detail::Operand* operands, const Program& program) {
    if constexpr (on_cuda::has_small<Out, Types>) {
      on_cuda::SmallStatement<Out, Types, Program>::explain(out.kernels.back(), shape, operands);
    } else {
      constexpr int n = detail::count(Types{}) + detail::target_count<Out>;
      int places[n];
      on_cuda::detail::explain_for_each(out.kernels.back(), name, device, shape, operands, n,
                                        places, on_cuda::for_each_kernels<Out, Types, Program>(),
                                        &program);
    }
  }

  /// A join into a new tensor; false if it takes more than one kernel.
  template <class K, class... Es>
  static bool join(Explanation& out, const Joined<K, Es...>& e) {
    if constexpr (!(detail::is_tensor<Es> && ...) ||
                  sizeof...(Es) > on_cuda::JoinedRows::most_parts) {
      return false;
    } else {
      return on_cuda::detail::explain_join(out, e);
    }
  }

  /// A scan and what reads it; false if the scan is evaluated before.
  template <class Out, class L>
  static bool scan(Cuda device, L& lowered, detail::Operand* operands, const Shape& shape,
                   Explanation::Kernel& kernel) {
    using Types = typename detail::Join<typename L::types, typename L::scanned_types>::type;
    using Vectors =
        on_cuda::detail::FormulaVectors<typename L::Node::scanner,
                                        typename decltype(lowered.scanned)::type, Out, Types>;
    using Plan = on_cuda::detail::FormulaScan;
    detail::Loops loops;
    const Plan plan = on_cuda::detail::plan_formula(
        shape, lowered.scan.axis(), operands, L::n, Vectors::items, Vectors::lanes, Vectors::tiles,
        on_cuda::properties(device).multiprocessors, loops);
    kernel.launches = plan.form == Plan::in_tiles ? 2 : 1;  // the first clears the tiles' states
    kernel.blocks = static_cast<unsigned>(plan.form == Plan::apart ? 0 : plan.blocks());
    kernel.threads = on_cuda::block_threads;
    return plan.form != Plan::apart;
  }

  template <class Out, class Types, class R, class Program>
  static void reduce(Explanation& out, Cuda device, const detail::Name& name, const Shape& kept,
                     const Shape& reduced, detail::Operand* operands, const Program& program) {
    using State = typename R::template State<typename Program::type>;
    on_cuda::detail::with_reduced<Types>(
        program, operands, kept.rank() + reduced.rank(),
        [&]<class Read, class P>(const P&, detail::Operand* read) {
          constexpr int n = detail::count(Read{}) + 1;
          constexpr int lanes = on_cuda::lanes_of_widest<bool>(Read{});
          detail::Operand inside[n];
          on_cuda::detail::ReduceLimits limits{lanes, on_cuda::column_lanes<State, lanes>};
          limits.weight = on_cuda::detail::reduction_weight<R, State, P>;
          limits.together = on_cuda::detail::added_together<R, State, Read, P>;
          limits.tiles = on_cuda::has_tiles<Read, on_cuda::column_lanes<State, lanes>, P>;
          on_cuda::detail::explain_reduction(out, name, device, kept, reduced, read, inside, n,
                                             limits, sizeof(State),
                                             on_cuda::CopyKernels::of(Read{}));
        });
  }

  template <class Outs, class Types, class Program>
  static int rows(Explanation& out, Cuda device, const detail::Name& name,
                  const detail::RowTask& task, detail::Operand* operands) {
    using Kernel = on_cuda::detail::RowKernelOf<Outs, Types, Program>;
    on_cuda::RowGrid<Kernel::n> grid;
    detail::Operand inside[Kernel::n];
    const char* data[Kernel::n];
    return on_cuda::detail::explain_rows(out, name, device, task, Kernel::description(), operands,
                                         inside, data, grid, grid.operand);
  }
};

}  // namespace weft

#endif
