// CUDA's loops over elements: one kernel a statement.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/launch.hpp"
#include "weft/cuda/vector.hpp"
#include "weft/eval/executor.hpp"

namespace weft {

#if defined(__CUDACC__)
namespace cuda {

/// Registers of 4 bytes that a thread's vectors of the operands take.
template <int V, class... Ts>
constexpr int words_of(weft::detail::TypeList<Ts...>) {
  return (0 + ... + static_cast<int>((sizeof(Ts) * V + 3) / 4));
}

/// Blocks that should fit on a multiprocessor at once: all 2048 threads' worth where the operands
/// leave room for it in 32 registers a thread, so that enough loads are in flight.
template <int V, class Types>
inline constexpr int resident_blocks = words_of<V>(Types{}) + V <= 24 ? 2048 / block_threads : 1;

/// data[0] = program over the others. Each thread loads all its operands' elements, then computes
/// and stores them, so that a target may be an operand at the same index.
template <class Out, class Types, int V, int N, class Program>
__global__ void __launch_bounds__(block_threads, (resident_blocks<V, Types>))
    for_each_kernel(const __grid_constant__ Grid<N> grid, const __grid_constant__ Program program) {
  const unsigned item = blockIdx.x * block_threads + threadIdx.x;
  if (item >= grid.items) return;
  int offset[N] = {};
  unsigned column = item;
  if (grid.outer > 0) {
    unsigned row = grid.row_items.divide(item);
    column = item - row * grid.row_items.divisor;
#pragma unroll 1
    for (int d = 0; d < grid.outer; ++d) {
      const unsigned next = grid.size[d].divide(row);
      const int index = static_cast<int>(row - next * grid.size[d].divisor);
      row = next;
#pragma unroll
      for (int i = 0; i < N; ++i) offset[i] += index * grid.stride[i][d];
    }
  }
  const int start = static_cast<int>(column) * V - grid.head;
  const int first = start < 0 ? -start : 0;
  const int last = grid.inner - start < V ? grid.inner - start : V;
#pragma unroll
  for (int i = 0; i < N; ++i) offset[i] += start * grid.lane[i];

  Registers<Types, V> registers;
  registers.load(grid.data, offset, grid.lane, first, last);
  Vector<Out, V> out;
#pragma unroll
  for (int j = 0; j < V; ++j) {
    out.lane[j] = store_element<Out>(program(Lane<Registers<Types, V>>{registers, j}));
  }
  store(out, grid.data[0], offset[0], grid.lane[0], first, last);
}

}  // namespace cuda
#endif

template <>
struct Executor<Cuda> {
  /// True when no other stream has pending use of the storage.
  static bool may_overwrite(const Storage* storage) {
    return cuda::used_only_on(storage, cuda::current_stream(Cuda{storage->ordinal}).handle());
  }

  /// operands[0] = program over the others, at every coordinate of `shape`.
  template <class Out, class Types, class Program>
  static void for_each([[maybe_unused]] const detail::Name& name, [[maybe_unused]] Cuda device,
                       [[maybe_unused]] const Shape& shape,
                       [[maybe_unused]] detail::Operand* operands,
                       [[maybe_unused]] const Program& program) {
#if defined(__CUDACC__)
    constexpr int n = detail::count(Types{}) + 1;
    constexpr int lanes = cuda::lanes_of<Out>(Types{});
    static_assert(sizeof(Program) + sizeof(cuda::Grid<n>) <= 4096,
                  "weft: the expression is too large for one kernel: store a part of it in a Tensor");
    const auto kernel = cuda::for_each_kernel<Out, Types, lanes, n, Program>;
    cuda::detail::run_for_each<n>(name, device, shape, operands, lanes,
                                  reinterpret_cast<const void*>(kernel), &program);
#else
    static_assert(detail::always_false<Program>,
                  "weft: an expression on Cuda is evaluated in a file that nvcc compiles: move "
                  "this statement to a .cu file");
#endif
  }
};

}  // namespace weft
