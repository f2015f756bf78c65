// Launching a reduction: its kernels without their types, chosen and run by a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/expanded_operands.hpp"
#include "weft/cuda/reduce/column_kernel.hpp"
#include "weft/cuda/reduce/tile_kernel.hpp"
#include "weft/cuda/runtime/tuner.hpp"
#include "weft/eval/rows/pattern.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

/// The kernels of one reduction, without their types.
struct ReduceKernels {
  int lanes = 1;
  int column_lanes = 1;
  int64_t state_bytes = 0;
  const void* rows[4] = {};     // by elements, by vectors, the same of short lines
  const void* columns[2] = {};  // by elements, by vectors
  const void* tiles = nullptr;
  const void* merge = nullptr;
  int weight = 0;  // see ReduceLimits
  int together = 0;
  CopyKernels copies{};
  std::uint64_t waits = 0;  // waits_on of its file, for the merge

  template <class Out, class Types, int N, class R, class State, class Program>
  static ReduceKernels of() {
    constexpr int v = lanes_of_widest<bool>(Types{});
    constexpr int w = on_cuda::column_lanes<State, v>;
    ReduceKernels out{v, w, sizeof(State)};
    out.rows[0] = erase(reduce_rows<Out, Types, 1, N, R, State, Program, false>);
    out.rows[1] = erase(reduce_rows<Out, Types, v, N, R, State, Program, false>);
    out.rows[2] = erase(reduce_rows<Out, Types, 1, N, R, State, Program, true>);
    out.rows[3] = erase(reduce_rows<Out, Types, v, N, R, State, Program, true>);
    if constexpr (w > 0) {
      out.columns[0] = erase(reduce_columns<Out, Types, 1, N, R, State, Program>);
      out.columns[1] = erase(reduce_columns<Out, Types, w, N, R, State, Program>);
    }
    if constexpr (has_tiles<Types, w, Program>) {
      out.tiles = erase(reduce_tiles<Out, Types, w, R, State, Program>);
    }
    out.merge = erase(merge_partials<Out, R, State>);
    out.weight = detail::reduction_weight<R, State, Program>;
    out.together = detail::added_together<R, State, Types, Program>;
    out.copies = CopyKernels::of(Types{});
    out.waits = waits_on;
    return out;
  }

  /// The kernel that was planned.
  const void* of(const ReduceLoops& grid) const {
    if (grid.form == ReduceLoops::by_tiles) return tiles;
    if (grid.form == ReduceLoops::columns) return columns[grid.vectors ? 1 : 0];
    return rows[(grid.flat ? 2 : 0) + (grid.vectors ? 1 : 0)];
  }

 private:
  template <class F>
  static const void* erase(F* kernel) {
    return reinterpret_cast<const void*>(kernel);
  }
};

namespace detail {
/// Merges the pieces of each output.
WEFT_OUTLINED inline void run_merge(const Name& name, const Shape& kept, const ReduceGrid<1>& grid,
                                    const ReduceKernels& kernels, const void* reducer, void* states,
                                    const Stream& stream) {
  void* arguments[] = {const_cast<ReduceGrid<1>*>(&grid), const_cast<void*>(reducer), &states};
  const unsigned blocks = divide_up(grid.outputs, merge_threads / grid.merge_width);
  launch(name, kept, kernels.merge, blocks, merge_threads, arguments, stream, 0,
         early_start(stream.device(), kernels.waits));
}

/// Plans and launches a reduction over N operands, whose strides are those along the kept
/// dimensions, then along the reduced ones.
template <int N>
[[gnu::noinline]] void run_reduction(const Name& name, Cuda device, const Shape& kept,
                                     const Shape& reduced, Operand* operands,
                                     const ReduceKernels& kernels, const void* reducer,
                                     const void* program) {
  const DeviceGuard guard(device);
  const Stream stream = current_stream(device);
  order(operands, N, stream);
  copy_operands(name, TurnTo::rows_or_results, kept, reduced, operands, 1, N, kernels.copies,
                stream);

  Operand inside[N];
  ReduceGrid<N> grid;
  ReduceLimits limits{kernels.lanes, kernels.column_lanes, properties(device).multiprocessors,
                      kernels.weight};
  limits.tiles = kernels.tiles != nullptr;
  limits.together = kernels.together;
  const ReductionLoops loops =
      plan_reduction(name.operation, kept, reduced, operands, inside, N, limits, grid);
  const bool rows = grid.form == ReduceLoops::rows;
  plan_reduced_operands(loops.kept, operands, loops.reduced, inside,
                        rows ? kernels.lanes : kernels.column_lanes, grid);
  TunedLaunch tuned(name, device.ordinal, stream.handle());
  if (tuned.by != nullptr) tuned.mark = tuned.by->reduce(tuned, kernels.column_lanes, grid);

  StorageHandle partials;
  void* states = nullptr;
  if (grid.splits.divisor > 1) {
    const auto pieces = static_cast<int64_t>(grid.outputs) * grid.splits.divisor;
    partials = StorageHandle(Memory<Cuda>::allocate(device, kernels.state_bytes * pieces));
    states = partials->data;
  }
  void* arguments[] = {&grid, const_cast<void*>(reducer), const_cast<void*>(program), &states};
  launch(name, kept, kernels.of(grid), grid.blocks, grid.threads, arguments, stream,
         grid.tile.shared_bytes);
  if (grid.splits.divisor > 1) {
    ReduceGrid<1> target;
    static_cast<ReduceLoops&>(target) = grid;
    target.data[0] = grid.data[0];
    for (int d = 0; d < max_rank; ++d) target.kept_stride[0][d] = grid.kept_stride[0][d];
    run_merge(name, kept, target, kernels, reducer, states, stream);
  }
}
}  // namespace detail

}  // namespace weft::on_cuda

#endif
