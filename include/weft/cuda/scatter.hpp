// CUDA's scatters: a thread an element, additions by atomics.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/for_each.hpp"
#include "weft/eval/scatter.hpp"

namespace weft {

#if defined(__CUDACC__)
namespace cuda {

/// Runs the program at each element; neighbouring threads have neighbouring ones, since atomics on
/// one sector of memory are merged a warp at a time.
template <class Types, int N, class Program>
__global__ void __launch_bounds__(block_threads)
    scatter_kernel(const __grid_constant__ Grid<N> grid, const __grid_constant__ Program program) {
  const unsigned item = blockIdx.x * block_threads + threadIdx.x;
  if (item >= grid.items) return;
  int offset[N] = {};
  const int column = static_cast<int>(locate(grid, item, offset));
#pragma unroll
  for (int i = 0; i < N; ++i) offset[i] += column * grid.lane[i];
  Registers<Types, 1> registers;
  registers.load(grid.data, offset, grid.lane, 0, 1);
  program(Lane<Registers<Types, 1>>{registers, 0});
}

}  // namespace cuda
#endif

template <>
struct Scatterer<Cuda> {
  /// Runs the program at every coordinate of `shape`, in no order.
  template <class Types, class Program>
  static void run([[maybe_unused]] const detail::Name& name, [[maybe_unused]] Cuda device,
                  [[maybe_unused]] const Shape& shape, [[maybe_unused]] detail::Operand* operands,
                  [[maybe_unused]] const Program& program) {
#if defined(__CUDACC__)
    constexpr int n = detail::count(Types{}) + 1;
    const auto kernel = cuda::scatter_kernel<Types, n, Program>;
    cuda::detail::run_for_each<n>(name, device, shape, operands, 1, nullptr,
                                  reinterpret_cast<const void*>(kernel), &program);
#else
    static_assert(detail::always_false<Program>,
                  "weft: a scatter on Cuda runs in a file that nvcc compiles: move this statement "
                  "to a .cu file");
#endif
  }
};

}  // namespace weft
