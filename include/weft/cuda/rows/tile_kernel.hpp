// The row kernel for many short rows: they lie in shared memory, a thread has each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/rows/looped_kernel.hpp"
#include "weft/cuda/rows/tile.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

/// Runs a task of a row program over many short rows.
template <class Outs, class Types, int V, int N, class Program>
__global__ void __launch_bounds__(tile_block)
    row_tile_kernel(const __grid_constant__ RowGrid<N> grid,
                    const __grid_constant__ Program program) {
  using Thread = detail::RowThread<Outs, Types, V, Program, detail::TileWalk>;
  constexpr int outputs = Thread::Walk::outputs;
  detail::wait_for_kernel_before();
  detail::admit_next_kernel();
  const unsigned first = blockIdx.x * grid.rows_a_block;
  const unsigned left = grid.rows - first;
  const unsigned rows = left < grid.rows_a_block ? left : grid.rows_a_block;
  detail::move_rows<true>(grid, grid.operand + outputs, Thread::Walk::leaves, first, rows);
  wait_for_copies();
  Thread thread(grid, program, nullptr, nullptr);
#pragma unroll 1
  for (unsigned row = threadIdx.x; row < rows; row += tile_block) {
    thread.take(row, first + row);
    thread.run();
  }
  if (!grid.any_along_row) return;
  __syncthreads();
  detail::move_rows<false>(grid, grid.operand, outputs, first, rows);
}

}  // namespace weft::on_cuda

#endif
