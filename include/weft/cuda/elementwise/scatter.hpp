// Scatters on CUDA: one kernel that also computes the values; additions are atomic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/for_each.hpp"
#include "weft/eval/scatter.hpp"

namespace weft {

#if defined(__CUDACC__)
namespace on_cuda {

/// Runs the program, which writes to the target, at the elements of `grid`.
template <class Types, int V, int N, class Program>
__global__ void __launch_bounds__(block_threads)
    scatter_kernel(const __grid_constant__ Grid<N> grid, const __grid_constant__ Program program) {
  const unsigned item = blockIdx.x * block_threads + threadIdx.x;
  if (item >= grid.items) return;
  int offset[N];
  const unsigned row = grid.outer > 0 ? grid.row_items.divide(item) : 0;
  go_to_row(grid, row, offset);
  const int column = static_cast<int>(item - row * grid.row_items.divisor) * V;
  const int start = column - ((grid.head + offset[0]) & grid.head_mask);
  const int first = start < 0 ? -start : 0;
  const int last = grid.inner - start < V ? grid.inner - start : V;
#pragma unroll
  for (int i = 0; i < N; ++i) offset[i] += start * grid.lane[i];
  Registers<Types, V> registers;
  registers.load(grid.data, offset, grid.lane, first, last);
  Writes<V, Registers<Types, V>>{registers, first, last}(program);
}

}  // namespace on_cuda
#endif

template <>
struct Scatterer<Cuda> {
  /// Runs the program at every coordinate of `shape`, in no particular order.
  template <class T, class Types, class Program>
  static void run([[maybe_unused]] const detail::Name& name, [[maybe_unused]] Cuda device,
                  [[maybe_unused]] const Shape& shape, [[maybe_unused]] detail::Operand* operands,
                  [[maybe_unused]] const Program& program) {
#if defined(__CUDACC__)
    constexpr int n = detail::count(Types{}) + 1;
    constexpr int lanes = on_cuda::lanes_of_rows<T, Types>(sizeof(T));
    const auto kernel = on_cuda::scatter_kernel<Types, lanes, n, Program>;
    on_cuda::ForEachKernels kernels{1, lanes};
    kernels.general = reinterpret_cast<const void*>(kernel);
    kernels.transposes = false;
    on_cuda::detail::run_for_each<n>(name, device, shape, operands, kernels, &program);
#else
    static_assert(detail::always_false<Program>,
                  "weft: a scatter on Cuda runs in a file that nvcc compiles: move this statement "
                  "to a .cu file");
#endif
  }
};

WEFT_MODEL(ScatteringDevice<Cuda>);

}  // namespace weft
