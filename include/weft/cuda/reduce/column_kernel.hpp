// The kernel of reductions down columns: a block reduces adjacent columns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/reduce/row_kernel.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

/// The column kernel's launch bound: compiling for larger blocks is faster for two operands. Of
/// more, two such blocks have to fit, or fewer run at a time than plans count on.
inline constexpr int compiled_threads = 512;

namespace detail {

/// Stores the results of a thread's V columns, as one vector if they are contiguous: stored singly,
/// each would be part of a sector.
template <class Out, int V, int N, class R, class Cascade>
__device__ __forceinline__ void finish_lanes(char* at, const ReduceGrid<N>& grid, const R& reducer,
                                             Cascade& cascade) {
  Vector<Out, V> out;
#pragma unroll
  for (int j = 0; j < V; ++j) {
    out.lane[j] = store_element<Out>(reducer.finish(cascade.total(reducer, j), grid.count));
  }
  if (grid.whole) {
    *reinterpret_cast<Vector<Out, V>*>(at) = out;
  } else {
#pragma unroll
    for (int j = 0; j < V; ++j)
      *reinterpret_cast<Out*>(at + j * grid.kept_stride[0][0]) = out.lane[j];
  }
}

}  // namespace detail

/// Whether a block's shared memory holds V states of each thread.
template <class State, int V>
inline constexpr bool fits_block = sizeof(State) * V* column_threads <= 48 * 1024;

/// Lanes of the column form: few enough to keep a thread's states in registers. 0 if not even one
/// state per thread fits into a block's shared memory, as for the largest Small, which are reduced
/// as rows only.
template <class State, int V>
inline constexpr int column_lanes = sizeof(State) * V <= 32 ? V : column_lanes<State, V / 2>;
template <class C, int V>
  requires(V > 1)
inline constexpr int
    column_lanes<reducer::Extremum<C>, V> =  // three words, of which one is padding
    sizeof(C) * V <= 16 && fits_block<reducer::Extremum<C>, V>
        ? V
        : column_lanes<reducer::Extremum<C>, V / 2>;
template <class State>
inline constexpr int column_lanes<State, 1> = fits_block<State, 1> ? 1 : 0;

/// grid.width by grid.depth threads reduce one piece of grid.width adjacent items of columns.
template <class Out, class Types, int V, int N, class R, class State, class Program>
__global__ void __launch_bounds__(compiled_threads, N > 3 ? 2 : 1)
    reduce_columns(const __grid_constant__ ReduceGrid<N> grid, const __grid_constant__ R reducer,
                   const __grid_constant__ Program program, State* partials) {
  using C = typename Program::type;
  constexpr int ahead = detail::column_ahead<N, V, State>;
  if (grid.splits.divisor > 1) detail::admit_next_kernel();
  const unsigned log_width = 31 - __clz(grid.width);
  const unsigned log_tile = log_width + 31 - __clz(grid.depth);
  const unsigned depth = grid.depth;
  const unsigned y = (threadIdx.x >> log_width) & (depth - 1);
  const unsigned place = blockIdx.x * (blockDim.x >> log_tile) + (threadIdx.x >> log_tile);
  const unsigned split = grid.tiles.divide(place);
  const unsigned tile = place - split * grid.tiles.divisor;
  const unsigned x = threadIdx.x & (grid.width - 1);
  const unsigned number = grid.flat ? tile * grid.width + x : tile;
  const unsigned row = grid.tiles_across.divide(number);
  const unsigned left = number - row * grid.tiles_across.divisor;
  const unsigned item = grid.flat ? left : left * grid.width + x;
  const bool inside = split < grid.splits.divisor &&
                      (grid.flat ? number * V < grid.outputs : item * V < grid.kept[0].divisor);
  char* column[N];
  int64_t hop[N];
#pragma unroll
  for (int i = 0; i < N; ++i) {
    column[i] = grid.data[i] + item * grid.step[i];
    hop[i] = depth * grid.reduced_stride[i][0];
  }
  detail::advance(column, row, grid.kept, 1, grid.kept_rank, grid.kept_stride);

  detail::Cascade<R, State, V> cascade;
  if (inside) {
    const unsigned outer_split = grid.inner_splits.divide(split);
    const unsigned inner_split = split - outer_split * grid.inner_splits.divisor;
    const unsigned last_outer = ::min((outer_split + 1) * grid.outer_piece, grid.outer);
    const unsigned next = grid.inner_splits.divisor * ahead * depth;
#pragma unroll 1
    for (unsigned outer = outer_split * grid.outer_piece; outer < last_outer; ++outer) {
      unsigned k = inner_split * ahead * depth + y;
      char* at[N];
#pragma unroll
      for (int i = 1; i < N; ++i) at[i] = column[i] + k * grid.reduced_stride[i][0];
      at[0] = nullptr;
      if (grid.reduced_rank > 1) {
        detail::advance(at, outer, grid.reduced, 1, grid.reduced_rank, grid.reduced_stride);
      }
#pragma unroll 1
      for (; k < grid.length; k += next) {
        detail::Chunk<Types, V, ahead> chunk;
        chunk.template load<1>(at, hop, grid.lane, k, depth, grid.length);
#pragma unroll
        for (int i = 1; i < N; ++i) at[i] += next * grid.reduced_stride[i][0];
        const long long position = outer * grid.inner + k;
        C x[V][ahead]{};
        if constexpr (V == 1 && detail::has_costly_part<Program>) {
          const auto row_of = [&](int u) { return Lane<Registers<Types, 1>>{chunk.item[u], 0}; };
          const unsigned rows = (grid.length - k + depth - 1) >> (log_tile - log_width);
          detail::run_lanes<ahead>(program, row_of, grid.along, static_cast<int>(rows), x[0]);
        } else {
#pragma unroll
          for (int u = 0; u < ahead; ++u) {
            // The absent half of short columns is not computed.
            if (ahead > 1 && u == ahead / 2 && k + ahead / 2 * depth >= grid.length) break;
            C values[V]{};
            chunk.values(program, u, grid.alike, k + u * depth < grid.length, values);
#pragma unroll
            for (int j = 0; j < V; ++j) x[j][u] = values[j];
          }
        }
        State part[V]{};
        if (k + (ahead - 1) * depth < grid.length) {
#pragma unroll
          for (int j = 0; j < V; ++j) {
            detail::add_all<1>(reducer, part[j], x[j], position, depth);
          }
        } else if constexpr (detail::takes_first_at<R, State, C, ahead>) {
          const int n = static_cast<int>((grid.length - k + depth - 1) >> (log_tile - log_width));
#pragma unroll
          for (int j = 0; j < V; ++j) reducer.add_first_at(part[j], x[j], n, position, depth);
        } else {
#pragma unroll
          for (int u = 0; u < ahead; ++u) {
            if (k + u * depth >= grid.length) break;
#pragma unroll
            for (int j = 0; j < V; ++j) reducer.add(part[j], x[j][u], position + u * depth);
          }
        }
        cascade.push(reducer, part);
      }
    }
  }
  if (depth == 1 && grid.splits.divisor == 1) {  // nothing to merge: neighbours at once
    if (!inside) return;
    detail::finish_lanes<Out, V>(column[0], grid, reducer, cascade);
    return;
  }
  __shared__ alignas(16) char bytes[column_threads * V * sizeof(State)];
  auto* shared = reinterpret_cast<State*>(bytes) + threadIdx.x;
#pragma unroll
  for (int j = 0; j < V; ++j) shared[j * column_threads] = cascade.total(reducer, j);
#pragma unroll 1
  for (unsigned half = depth / 2; half > 0; half /= 2) {
    __syncthreads();
    if (y >= half) continue;
#pragma unroll 1
    for (int j = 0; j < V; ++j) {
      reducer.merge(shared[j * column_threads], shared[j * column_threads + half * grid.width]);
    }
  }
  if (y != 0 || !inside) return;
#pragma unroll 1
  for (unsigned j = 0; j < V; ++j) {
    const State& total = shared[j * column_threads];
    if (grid.splits.divisor > 1) {
      const unsigned output = row * grid.kept[0].divisor + item * V + j;
      partials[static_cast<int64_t>(output) * grid.splits.divisor + split] = total;
    } else {
      detail::finish<Out>(column[0] + j * grid.kept_stride[0][0], reducer, total, grid.count);
    }
  }
}

}  // namespace weft::on_cuda

#endif
