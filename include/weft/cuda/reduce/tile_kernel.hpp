// The kernel of reductions of broadcast products, by tiles of the operands in shared memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/word.hpp"
#include "weft/cuda/primitive/registers.hpp"
#include "weft/cuda/reduce/row_kernel.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

namespace detail {

/// Copies `rows` of `length` elements to shared memory: from an element and a row to the next in
/// bytes. One function, since in each kernel it would take as long to compile as what computes.
template <int Size>
__device__ __noinline__ void stage_rows(const char* from, int64_t step, int64_t row, char* to,
                                        unsigned to_step, unsigned to_row, unsigned length,
                                        unsigned rows) {
  using T = weft::detail::word_t<Size>;
  constexpr unsigned lanes = 16 / Size;
  struct alignas(16) Words {
    T lane[lanes];
  };
  const bool words = step == Size && length % lanes == 0 && row % 16 == 0 &&
                     reinterpret_cast<std::uintptr_t>(from) % 16 == 0;
  const unsigned each = words ? lanes : 1;
  const unsigned items = length / each;
  unsigned r = threadIdx.x / items;
  unsigned k = threadIdx.x - r * items;
  const unsigned rows_further = blockDim.x / items;
  const unsigned further = blockDim.x - rows_further * items;
#pragma unroll 1
  while (r < rows) {
    const char* const at = from + r * row + k * each * step;
    char* const target = to + r * to_row + k * each * to_step;
    if (words) {
      const Words word = *reinterpret_cast<const Words*>(at);
#pragma unroll
      for (unsigned j = 0; j < lanes; ++j) {
        *reinterpret_cast<T*>(target + j * to_step) = word.lane[j];
      }
    } else {
      *reinterpret_cast<T*>(target) = *reinterpret_cast<const T*>(at);
    }
    k += further;
    r += rows_further;
    if (k >= items) {
      k -= items;
      ++r;
    }
  }
}

/// Adds the elements of a row to the states of V neighbouring columns: operand Across changes along
/// these, the other one does not.
template <int Across, class Types, int V, class R, class State, class Program>
__device__ __forceinline__ void add_row(const ReduceGrid<3>& grid, const R& reducer,
                                        const Program& program, const char* shared, unsigned item,
                                        unsigned row, State (&states)[V]) {
  constexpr int down = 3 - Across;
  Registers<Types, V> registers;
  auto& columns = get<Across - 1>(registers.values);
  auto& same = get<down - 1>(registers.values);
  using Columns = std::remove_reference_t<decltype(columns)>;
  using T = std::remove_reference_t<decltype(same.lane[0])>;
  auto* across = reinterpret_cast<const Columns*>(shared + grid.step[Across]) + item;
  auto* along =
      reinterpret_cast<const T*>(shared + grid.step[down]) + row * tiled_row_pitch(grid.length);
#pragma unroll 1
  for (unsigned k = 0; k < grid.length; ++k) {
    columns = *across;
    across += grid.tile.pitch;
    const T x = *along++;
#pragma unroll
    for (int j = 0; j < V; ++j) same.lane[j] = x;
#pragma unroll
    for (int j = 0; j < V; ++j) {
      reducer.add(states[j], program(Lane<Registers<Types, V>>{registers, j}), k);
    }
  }
}

/// Copies the block's part of operand I, whose first element is at `from`.
template <int I, int V, class T>
__device__ __forceinline__ void stage_operand(const ReduceGrid<3>& grid, const char* from,
                                              char* shared, unsigned columns, unsigned rows) {
  const bool across = grid.lane[I] != 0;
  stage_rows<sizeof(T)>(from, grid.reduced_stride[I][0], grid.kept_stride[I][across ? 0 : 1],
                        shared + grid.step[I], sizeof(T) * (across ? grid.tile.pitch * V : 1),
                        sizeof(T) * (across ? 1 : tiled_row_pitch(grid.length)), grid.length,
                        across ? columns : rows);
}

template <class Types>
struct TwoTypes;
template <class A, class B>
struct TwoTypes<weft::detail::TypeList<A, B>> {
  using First = A;
  using Second = B;
};

}  // namespace detail

/// A block reduces a tile of results: each thread V neighbouring ones of several rows.
template <class Out, class Types, int V, class R, class State, class Program>
__global__ void __launch_bounds__(block_threads)
    reduce_tiles(const __grid_constant__ ReduceGrid<3> grid, const __grid_constant__ R reducer,
                 const __grid_constant__ Program program) {
  extern __shared__ __align__(32) char weft_reduce_tile[];
  const unsigned log_width = 31 - __clz(grid.width);
  unsigned rest = grid.tiles_across.divide(blockIdx.x);
  const unsigned column = (blockIdx.x - rest * grid.tiles_across.divisor) * grid.width * V;
  const unsigned tile = rest;
  rest = grid.tiles.divide(tile);
  const unsigned row = (tile - rest * grid.tiles.divisor) * grid.tile.rows;
  const unsigned columns = ::min(grid.width * V, grid.kept[0].divisor - column);
  const unsigned rows = ::min(grid.tile.rows, grid.kept[1].divisor - row);
  char* first[3];
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    first[i] = grid.data[i] + column * grid.kept_stride[i][0] + row * grid.kept_stride[i][1];
  }
  detail::advance(first, rest, grid.kept, 2, grid.kept_rank, grid.kept_stride);
  using Two = detail::TwoTypes<Types>;
  detail::stage_operand<1, V, typename Two::First>(grid, first[1], weft_reduce_tile, columns, rows);
  detail::stage_operand<2, V, typename Two::Second>(grid, first[2], weft_reduce_tile, columns,
                                                    rows);
  __syncthreads();

  const unsigned item = threadIdx.x & (grid.width - 1);
  if (item * V >= columns) return;
  const bool whole = grid.whole && item * V + V <= columns;
#pragma unroll 1
  for (unsigned r = threadIdx.x >> log_width; r < rows; r += blockDim.x >> log_width) {
    State states[V]{};
    if (grid.lane[1] != 0) {
      detail::add_row<1, Types>(grid, reducer, program, weft_reduce_tile, item, r, states);
    } else {
      detail::add_row<2, Types>(grid, reducer, program, weft_reduce_tile, item, r, states);
    }
    char* const at = first[0] + item * V * grid.kept_stride[0][0] + r * grid.kept_stride[0][1];
    Vector<Out, V> out;
#pragma unroll
    for (int j = 0; j < V; ++j) {
      out.lane[j] = store_element<Out>(reducer.finish(states[j], grid.count));
    }
    if (whole) {
      *reinterpret_cast<Vector<Out, V>*>(at) = out;
    } else {
#pragma unroll
      for (unsigned j = 0; j < V; ++j) {
        if (item * V + j < columns) {
          *reinterpret_cast<Out*>(at + j * grid.kept_stride[0][0]) = out.lane[j];
        }
      }
    }
  }
}

/// Whether a reduction has that kernel: of two operands, by programs that do no more than compute
/// a value of them.
template <class Types, int V, class Program>
inline constexpr bool has_tiles = false;
template <class... Ts, int V, class Program>
inline constexpr bool has_tiles<weft::detail::TypeList<Ts...>, V, Program> =
    sizeof...(Ts) == 2 && V > 1 && !has_effects<Program> && !has_draws<Program> &&
    !has_places<Program> && !(std::is_same_v<Ts, IndexOperand> || ...);

}  // namespace weft::on_cuda

#endif
