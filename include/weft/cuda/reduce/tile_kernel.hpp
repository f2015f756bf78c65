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

/// The sizes of two operands' elements.
template <class Types>
struct TwoSizes;
template <class A, class B>
struct TwoSizes<weft::detail::TypeList<A, B>> {
  static constexpr int first = sizeof(A);
  static constexpr int second = sizeof(B);
};

}  // namespace detail

/// A block reduces a tile of results: each thread V neighbouring columns of several rows.
template <class Out, class Types, int V, class R, class State, class Program>
__global__ void __launch_bounds__(block_threads)
    reduce_tiles(const __grid_constant__ ReduceGrid<3> grid, const __grid_constant__ R reducer,
                 const __grid_constant__ Program program) {
  using Sizes = detail::TwoSizes<Types>;
  extern __shared__ __align__(32) char weft_reduce_tile[];
  const unsigned across = grid.tile.columns;
  const unsigned down = 1 - across;
  unsigned rest = grid.tiles_across.divide(blockIdx.x);
  const unsigned column = (blockIdx.x - rest * grid.tiles_across.divisor) * grid.width * V;
  const unsigned tile = rest;
  rest = grid.tiles.divide(tile);
  const unsigned row = (tile - rest * grid.tiles.divisor) * grid.tile.rows;
  const unsigned columns = ::min(grid.width * V, grid.kept[across].divisor - column);
  const unsigned rows = ::min(grid.tile.rows, grid.kept[down].divisor - row);
  char* first[3];
#pragma unroll
  for (int i = 0; i < 3; ++i) {
    first[i] =
        grid.data[i] + column * grid.kept_stride[i][across] + row * grid.kept_stride[i][down];
  }
  detail::advance(first, rest, grid.kept, 2, grid.kept_rank, grid.kept_stride);
  const unsigned pitch = detail::tiled_row_pitch(grid.length);
  detail::stage_rows<Sizes::first>(first[1], grid.reduced_stride[1][0], grid.kept_stride[1][down],
                                   weft_reduce_tile, Sizes::first, Sizes::first * pitch,
                                   grid.length, rows);
  detail::stage_rows<Sizes::second>(first[2], grid.reduced_stride[2][0],
                                    grid.kept_stride[2][across], weft_reduce_tile + grid.tile.place,
                                    Sizes::second * V * grid.tile.pitch, Sizes::second, grid.length,
                                    columns);
  __syncthreads();

  const unsigned log_width = 31 - __clz(grid.width);
  const unsigned item = threadIdx.x & (grid.width - 1);
  if (item * V >= columns) return;
#pragma unroll 1
  for (unsigned r = threadIdx.x >> log_width; r < rows; r += blockDim.x >> log_width) {
    Registers<Types, V> registers;
    auto& same = get<0>(registers.values);
    auto& vector = get<1>(registers.values);
    using Columns = std::remove_reference_t<decltype(vector)>;
    using T = std::remove_reference_t<decltype(same.lane[0])>;
    auto* along = reinterpret_cast<const T*>(weft_reduce_tile) + r * pitch;
    auto* at = reinterpret_cast<const Columns*>(weft_reduce_tile + grid.tile.place) + item;
    State states[V]{};
#pragma unroll 1
    for (unsigned k = 0; k < grid.length; ++k) {
      vector = *at;
      at += grid.tile.pitch;
      const T x = *along++;
#pragma unroll
      for (int j = 0; j < V; ++j) same.lane[j] = x;
#pragma unroll
      for (int j = 0; j < V; ++j) {
        reducer.add(states[j], program(Lane<Registers<Types, V>>{registers, j}), k);
      }
    }
    const int64_t apart = grid.kept_stride[0][across];
    char* to = first[0] + item * V * apart + r * grid.kept_stride[0][down];
    Vector<Out, V> out;
#pragma unroll
    for (int j = 0; j < V; ++j) {
      out.lane[j] = store_element<Out>(reducer.finish(states[j], grid.count));
    }
    if (grid.whole && item * V + V <= columns) {
      *reinterpret_cast<Vector<Out, V>*>(to) = out;
      continue;
    }
#pragma unroll
    for (unsigned j = 0; j < V; ++j, to += apart) {
      if (item * V + j < columns) *reinterpret_cast<Out*>(to) = out.lane[j];
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
