// CUDA's loops over elements: one kernel a statement.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/launch.hpp"
#include "weft/cuda/rows.hpp"
#include "weft/cuda/vector.hpp"
#include "weft/eval/executor.hpp"

namespace weft {

#if defined(__CUDACC__)
namespace cuda {

/// The offsets of a thread's first elements, and its column of vectors.
template <int N>
__device__ __forceinline__ unsigned locate(const Grid<N>& grid, unsigned item, int (&offset)[N]) {
  if (grid.outer == 0) return item;
  unsigned row = grid.row_items.divide(item);
  const unsigned column = item - row * grid.row_items.divisor;
#pragma unroll 1
  for (int d = 0; d < grid.outer; ++d) {
    const unsigned next = grid.size[d].divide(row);
    const int index = static_cast<int>(row - next * grid.size[d].divisor);
    row = next;
#pragma unroll
    for (int i = 0; i < N; ++i) offset[i] += index * grid.stride[i][d];
  }
  return column;
}

/// The program at lanes first <= j < last; beyond them too where that does no harm.
template <class Out, int V, class R, class Program>
__device__ __forceinline__ Vector<Out, V> compute_lanes(const R& registers,
                                                        const Program& program, int first,
                                                        int last) {
  Vector<Out, V> out;
#pragma unroll
  for (int j = 0; j < V; ++j) {
    if (has_effects<Program> && (j < first || j >= last)) continue;
    out.lane[j] = store_element<Out>(program(Lane<R>{registers, j}));
  }
  return out;
}

template <class Out, int V, class R, class Program>
__device__ __forceinline__ Vector<Out, V> compute(const R& registers, const Program& program,
                                                  int first, int last) {
  if constexpr (has_draws<Program>) {
    Program resolved = program;
    resolve_draws(resolved);
    return compute_lanes<Out, V>(registers, resolved, first, last);
  } else {
    return compute_lanes<Out, V>(registers, program, first, last);
  }
}

/// data[0] = program over the others, where every operand's vectors are aligned and full, or one
/// element for all lanes: few instructions, so that many operands still run at memory speed. What
/// is gathered along an axis is a slice for all lanes here.
template <class Out, class Types, int V, int N, class Program>
__global__ void __launch_bounds__(block_threads)
    for_each_aligned(const __grid_constant__ Grid<N> grid,
                     const __grid_constant__ Program program) {
  const unsigned item = blockIdx.x * block_threads + threadIdx.x;
  if (item >= grid.items) return;
  int offset[N] = {};
  const int start = static_cast<int>(locate(grid, item, offset)) * V;
#pragma unroll
  for (int i = 0; i < N; ++i) offset[i] += start * grid.lane[i];
  Registers<Types, V> registers;
  registers.template load_aligned<index_bits<Program>>(grid.data, offset, grid.lane);
  auto* out = reinterpret_cast<Vector<Out, V>*>(grid.data[0]) + offset[0] / V;
  if constexpr (has_rows<Program>) {
    const auto values = Row<V, Registers<Types, V>>{registers}(program);
    Vector<Out, V> stored;
#pragma unroll
    for (int j = 0; j < V; ++j) stored.lane[j] = store_element<Out>(values.lane[j]);
    *out = stored;
  } else {
    *out = compute<Out, V>(registers, program, 0, V);
  }
}

/// The same for operands of any stride and alignment. Each thread loads all its operands' elements,
/// then computes and stores them, so that a target may be an operand at the same index.
template <class Out, class Types, int V, int N, class Program>
__global__ void __launch_bounds__(block_threads)
    for_each_kernel(const __grid_constant__ Grid<N> grid, const __grid_constant__ Program program) {
  const unsigned item = blockIdx.x * block_threads + threadIdx.x;
  if (item >= grid.items) return;
  int offset[N] = {};
  const unsigned column = locate(grid, item, offset);
  const int start = static_cast<int>(column) * V - grid.head;
  const int first = start < 0 ? -start : 0;
  const int last = grid.inner - start < V ? grid.inner - start : V;
#pragma unroll
  for (int i = 0; i < N; ++i) offset[i] += start * grid.lane[i];

  Registers<Types, V> registers;
  registers.load(grid.data, offset, grid.lane, first, last);
  const Vector<Out, V> out = compute<Out, V>(registers, program, first, last);
  store(out, grid.data[0], offset[0], grid.lane[0], first, last);
}

}  // namespace cuda
#endif

template <>
struct Executor<Cuda> {
  /// True when none of `others` handles shows the storage's elements to anybody, and no other
  /// stream has pending use of it.
  static bool may_overwrite(const Storage* storage, long others) {
    return others == cuda::recorded_handles(storage) &&
           cuda::used_only_on(storage, cuda::current_stream(Cuda{storage->ordinal}).handle());
  }

  /// Where kernels on the device leave a failure.
  static Failure* failure_flag(Cuda device) { return cuda::failure_flag(device); }

  /// operands[0] = program over the others, at every coordinate of `shape`.
  template <class Out, class Types, class Program>
  static void for_each([[maybe_unused]] const detail::Name& name, [[maybe_unused]] Cuda device,
                       [[maybe_unused]] const Shape& shape,
                       [[maybe_unused]] detail::Operand* operands,
                       [[maybe_unused]] const Program& program) {
#if defined(__CUDACC__)
    constexpr int n = detail::count(Types{}) + 1;
    constexpr int lanes = cuda::lanes_of<Out>(Types{});
    // Rows are found by a load before theirs, so that a thread needs more of them under way.
    constexpr int row = cuda::row_bytes<Program>;
    constexpr int row_lanes = row != 0 ? cuda::lanes_of_rows<Out, Types>(row, 32) : lanes;
    static_assert(
        sizeof(Program) + sizeof(cuda::Grid<n>) <= 4096,
        "weft: the expression is too large for one kernel: store a part of it in a Tensor");
    const auto general = cuda::for_each_kernel<Out, Types, lanes, n, Program>;
    const void* aligned = nullptr;
    // With few operands of 4 bytes the general kernel is as fast (docs/07_architecture.md).
    if constexpr (n > 5 || lanes > 4 || row != 0) {
      aligned =
          reinterpret_cast<const void*>(cuda::for_each_aligned<Out, Types, row_lanes, n, Program>);
    }
    constexpr cuda::RowOperands rows{row_lanes, cuda::index_bits<Program>,
                                     cuda::offset_bits<Program>};
    cuda::detail::run_for_each<n>(name, device, shape, operands, lanes, aligned,
                                  reinterpret_cast<const void*>(general), &program, rows);
#else
    static_assert(detail::always_false<Program>,
                  "weft: an expression on Cuda is evaluated in a file that nvcc compiles: move "
                  "this statement to a .cu file");
#endif
  }
};

}  // namespace weft
