// CUDA's reductions, built on CUB's warp and block primitives: rows, columns, and few long rows
// split over blocks, each with the producing expression fused in. The same bits every run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/reduce_kernels.hpp"
#include "weft/eval/executor.hpp"

namespace weft {

template <>
struct Reducer<Cuda> {
  /// operands[0] at each coordinate of `kept` = program reduced over `reduced`. The operands'
  /// strides are those along kept, then along reduced.
  template <class Out, class Types, class R, class Program>
  static void reduce([[maybe_unused]] const R& reducer, [[maybe_unused]] Cuda device,
                     [[maybe_unused]] const Shape& kept, [[maybe_unused]] const Shape& reduced,
                     [[maybe_unused]] detail::Operand* operands,
                     [[maybe_unused]] const Program& program) {
#if defined(__CUDACC__)
    constexpr int n = detail::count(Types{}) + 1;
    constexpr int lanes = cuda::lanes_of<bool>(Types{});
    using State = typename R::template State<typename Program::type>;
    constexpr int column_lanes = cuda::column_lanes<State, lanes>;
    detail::Operand inside[n];
    detail::Loops outer = detail::loops_over(kept);
    detail::Loops inner = detail::loops_over(reduced);
    detail::inner_operands(operands, n, outer.rank, inner.rank, inside);
    const cuda::DeviceGuard guard(device);
    const cuda::Stream stream = cuda::current_stream(device);
    cuda::detail::order(operands, n, stream);
    detail::simplify(outer, operands, n);
    detail::simplify(inner, inside, n, true);

    cuda::ReduceGrid<n> grid;
    cuda::detail::plan_reduction(R::text, outer, operands, inner, inside, n, lanes, column_lanes,
                                 cuda::properties(device).multiprocessors, grid);
    cuda::detail::plan_reduced_operands(outer, operands, inner, inside, grid);

    StorageHandle partials;
    State* states = nullptr;
    if (grid.splits.divisor > 1) {
      const auto pieces = static_cast<int64_t>(grid.outputs) * grid.splits.divisor;
      partials = StorageHandle(
          Memory<Cuda>::allocate(device, static_cast<int64_t>(sizeof(State)) * pieces));
      states = static_cast<State*>(partials->data);
    }
    void* arguments[] = {&grid, const_cast<R*>(&reducer), const_cast<Program*>(&program), &states};
    auto run = [&](auto kernel, unsigned threads) {
      cuda::detail::launch(R::text, kept, reinterpret_cast<const void*>(kernel),
                           grid.blocks_needed, threads, arguments, stream);
    };
    using Loops = cuda::ReduceLoops;
    if (grid.form == Loops::columns) {
      run(cuda::reduce_columns<Out, Types, column_lanes, n, R, State, Program>,
          cuda::column_width * cuda::column_depth);
    } else if (grid.form == Loops::blocks) {
      run(cuda::reduce_rows<Out, Types, lanes, cuda::row_threads, n, R, State, Program>,
          cuda::row_threads);
    } else {
      run(cuda::reduce_rows<Out, Types, lanes, 32, n, R, State, Program>, cuda::block_threads);
    }
    if (grid.splits.divisor > 1) {
      void* merged[] = {&grid, const_cast<R*>(&reducer), &states};
      const auto kernel = cuda::merge_partials<Out, n, R, State>;
      cuda::detail::launch(R::text, kept, reinterpret_cast<const void*>(kernel),
                           (grid.outputs + 7) / 8, cuda::block_threads, merged, stream);
    }
#else
    static_assert(detail::always_false<Program>,
                  "weft: a reduction on Cuda is evaluated in a file that nvcc compiles: move this statement to a .cu file");
#endif
  }
};

}  // namespace weft
