// Launching a reduction: its kernels without their types, chosen and run by a plan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/reduce_kernels.hpp"

#if defined(__CUDACC__)

namespace weft::cuda {

/// The kernels of one reduction, without their types.
struct ReduceKernels {
  int lanes = 1;
  int column_lanes = 1;
  int64_t state_bytes = 0;
  const void* warps = nullptr;
  const void* blocks = nullptr;
  const void* columns = nullptr;
  const void* merge = nullptr;

  template <class Out, class Types, int N, class R, class State, class Program>
  static ReduceKernels of() {
    constexpr int v = lanes_of<bool>(Types{});
    constexpr int w = cuda::column_lanes<State, v>;
    const auto by_warps = reduce_rows<Out, Types, v, 32, N, R, State, Program>;
    const auto by_blocks = reduce_rows<Out, Types, v, row_threads, N, R, State, Program>;
    const auto by_columns = reduce_columns<Out, Types, w, N, R, State, Program>;
    const auto merging = merge_partials<Out, N, R, State>;
    return {v,
            w,
            sizeof(State),
            reinterpret_cast<const void*>(by_warps),
            reinterpret_cast<const void*>(by_blocks),
            reinterpret_cast<const void*>(by_columns),
            reinterpret_cast<const void*>(merging)};
  }
};

namespace detail {
/// Plans and launches a reduction over N operands, whose strides are those along the kept
/// dimensions, then along the reduced ones.
template <int N>
[[gnu::noinline]] void run_reduction(const Name& name, Cuda device, const Shape& kept,
                                     const Shape& reduced, Operand* operands,
                                     const ReduceKernels& kernels, const void* reducer,
                                     const void* program) {
  Operand inside[N];
  Loops outer = weft::detail::loops_over(kept);
  Loops inner = weft::detail::loops_over(reduced);
  weft::detail::inner_operands(operands, N, outer.rank, inner.rank, inside);
  const DeviceGuard guard(device);
  const Stream stream = current_stream(device);
  order(operands, N, stream);
  weft::detail::simplify(outer, operands, N);
  weft::detail::simplify(inner, inside, N, true);

  ReduceGrid<N> grid;
  plan_reduction(name.operation, outer, operands, inner, inside, N, kernels.lanes,
                 kernels.column_lanes, properties(device).multiprocessors, grid);
  plan_reduced_operands(outer, operands, inner, inside, grid);

  StorageHandle partials;
  void* states = nullptr;
  if (grid.splits.divisor > 1) {
    const auto pieces = static_cast<int64_t>(grid.outputs) * grid.splits.divisor;
    partials = StorageHandle(Memory<Cuda>::allocate(device, kernels.state_bytes * pieces));
    states = partials->data;
  }
  void* const r = const_cast<void*>(reducer);
  void* arguments[] = {&grid, r, const_cast<void*>(program), &states};
  const bool columns = grid.form == ReduceLoops::columns;
  const bool blocks = grid.form == ReduceLoops::blocks;
  launch(name, kept,
         columns  ? kernels.columns
         : blocks ? kernels.blocks
                  : kernels.warps,
         grid.blocks_needed,
         columns  ? column_width * column_depth
         : blocks ? row_threads
                  : block_threads,
         arguments, stream);
  if (grid.splits.divisor > 1) {
    void* merged[] = {&grid, r, &states};
    launch(name, kept, kernels.merge, (grid.outputs + 7) / 8, block_threads, merged, stream);
  }
}
}  // namespace detail

}  // namespace weft::cuda

#endif
