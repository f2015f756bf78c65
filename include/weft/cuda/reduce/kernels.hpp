// The reducing kernels: rows by groups of threads, columns by blocks, and the merge of split rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/reduce_state.hpp"
#include "weft/cuda/reduce/chunk.hpp"
#include "weft/cuda/reduce/plan.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

/// Columns are compiled as if for larger blocks, which is faster for two operands.
inline constexpr int compiled_threads = 512;

namespace detail {

/// Moves the addresses to coordinate `index` of the dimensions from `first`, innermost first.
template <int N>
__device__ __forceinline__ void advance(char* (&at)[N], unsigned index, const FastDivmod* size,
                                        int first, int rank, const int64_t (*stride)[max_rank]) {
#pragma unroll 1
  for (int d = first; d < rank; ++d) {
    const unsigned next = d + 1 < rank ? size[d].divide(index) : 0;
    const unsigned here = index - next * size[d].divisor;
    index = next;
#pragma unroll
    for (int i = 0; i < N; ++i) at[i] += here * stride[i][d];
  }
}

/// Stores the results of a thread's V columns, as one vector where these are neighbours in memory:
/// one by one, each would be a part of a sector.
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

/// grid.width threads reduce one piece of one row.
template <class Out, class Types, int V, int N, class R, class State, class Program>
__global__ void __launch_bounds__(row_threads, detail::row_blocks<V, State>)
    reduce_rows(const __grid_constant__ ReduceGrid<N> grid, const __grid_constant__ R reducer,
                const __grid_constant__ Program program, State* partials) {
  using C = typename Program::type;
  constexpr int ahead = detail::row_ahead<N, V, State>;
  const unsigned width = grid.width;
  const unsigned thread = threadIdx.x & (width - 1);
  const unsigned log_width = 31 - __clz(width);
  const unsigned piece = blockIdx.x * (blockDim.x >> log_width) + (threadIdx.x >> log_width);
  const bool is_split = grid.splits.divisor > 1;
  if (is_split) detail::admit_next_kernel();
  const unsigned output = is_split ? grid.splits.divide(piece) : piece;
  if (output >= grid.outputs && width <= 32) return;
  char* row[N];
  detail::Hop<V> hop[N];
#pragma unroll
  for (int i = 0; i < N; ++i) {
    row[i] = grid.data[i];
    hop[i] = width * static_cast<detail::Hop<V>>(grid.step[i]);
  }
  detail::advance(row, output, grid.kept, 0, grid.kept_rank, grid.kept_stride);

  unsigned inner_split = 0;
  unsigned outer_split = 0;
  if (is_split) {
    const unsigned split = piece - output * grid.splits.divisor;
    outer_split = grid.inner_splits.divide(split);
    inner_split = split - outer_split * grid.inner_splits.divisor;
  }
  const unsigned last_outer = ::min((outer_split + 1) * grid.outer_piece, grid.outer);
  detail::Cascade<R, State, 1> cascade;
#pragma unroll 1
  for (unsigned outer = outer_split * grid.outer_piece; outer < last_outer; ++outer) {
    char* at[N];
#pragma unroll
    for (int i = 1; i < N; ++i) at[i] = row[i];
    at[0] = nullptr;
    if (grid.reduced_rank > 1) {
      detail::advance(at, outer, grid.reduced, 1, grid.reduced_rank, grid.reduced_stride);
    }
    unsigned items = grid.length;
    long long position = outer * grid.inner;
    if constexpr (V > 1) {
      if (grid.ragged) {  // elements before the first vector and after the last
        unsigned head = 0;
#pragma unroll
        for (int i = 1; i < N; ++i) {
          const auto bytes = static_cast<unsigned>(grid.step[i]);
          const auto address = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(at[i]));
          if (i == grid.lead) head = ((0U - address) & (bytes - 1)) >> (__ffs(bytes / V) - 1);
        }
        items = static_cast<unsigned>((grid.inner - head) / V);
        const auto outside = static_cast<unsigned>(grid.inner - static_cast<int64_t>(items) * V);
        if (inner_split == 0) {
          State part[1]{};
#pragma unroll 1
          for (unsigned e = thread; e < outside; e += width) {
            const int64_t element = e < head ? e : e + static_cast<int64_t>(items) * V;
            char* from[N];
#pragma unroll
            for (int i = 1; i < N; ++i)
              from[i] = at[i] + element * (static_cast<unsigned>(grid.step[i]) / V);
            detail::Chunk<Types, 1, 1> one;
            constexpr int64_t none[N] = {};
            one.template load<1>(from, none, grid.lane, 0, 0, 1);
            reducer.add(part[0], one.value(program, 0, 0), position + element);
          }
          cascade.push(reducer, part);
        }
#pragma unroll
        for (int i = 1; i < N; ++i) at[i] += head * (static_cast<unsigned>(grid.step[i]) / V);
        position += head;
      }
    }
    const unsigned next = grid.inner_splits.divisor * ahead * width;
    unsigned k = inner_split * ahead * width + thread;
#pragma unroll
    for (int i = 1; i < N; ++i) at[i] += k * grid.step[i];
#pragma unroll 1
    for (; k < items; k += next) {
      detail::Chunk<Types, V, ahead> chunk;
      chunk.template load<1>(at, hop, grid.lane, k, width, items);
#pragma unroll
      for (int i = 1; i < N; ++i) at[i] += next * grid.step[i];
      C x[ahead * V]{};
#pragma unroll
      for (int u = 0; u < ahead; ++u) {
        // Where a row ends half-way, the rest is not computed.
        if (ahead > 1 && u == ahead / 2 && k - thread + u * width >= items) break;
#pragma unroll
        for (int j = 0; j < V; ++j) {
          const bool inside = !has_effects<Program> || k + u * width < items;
          x[u * V + j] = inside ? chunk.value(program, u, j) : C{};
        }
      }
      State part[1]{};
      const long long here = position + static_cast<long long>(k) * V;
      const unsigned step = width * V;
      if (k + (ahead - 1) * width < items) {
        detail::add_all<V>(reducer, part[0], x, here, step);
      } else if constexpr (detail::takes_first<R, State, C, ahead * V>) {
        reducer.add_first(part[0], x, static_cast<int>((items - k + width - 1) / width) * V);
      } else {
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
          if (k + u * width >= items) break;
          const C(&vector)[V] = reinterpret_cast<const C(&)[V]>(x[u * V]);
          detail::add_all<V>(reducer, part[0], vector, here + u * step, step);
        }
      }
      cascade.push(reducer, part);
    }
  }
  const State state = detail::merge_group(reducer, cascade.total(reducer, 0), width);
  if (thread != 0) return;
  if (is_split) {
    partials[piece] = state;
  } else {
    detail::finish<Out>(row[0], reducer, state, grid.count);
  }
}

/// Lanes of the column form: few enough to keep a thread's states in registers. 0 where not even
/// one state a thread fits into a block's shared memory, as of the largest Small: these have rows
/// only.
template <class State, int V>
inline constexpr int column_lanes = sizeof(State) * V <= 32 ? V : column_lanes<State, V / 2>;
template <class State>
inline constexpr int column_lanes<State, 1> = sizeof(State) * column_threads <= 48 * 1024 ? 1 : 0;

/// grid.width by grid.depth threads reduce one piece of grid.width items of neighbouring columns.
template <class Out, class Types, int V, int N, class R, class State, class Program>
__global__ void __launch_bounds__(compiled_threads)
    reduce_columns(const __grid_constant__ ReduceGrid<N> grid, const __grid_constant__ R reducer,
                   const __grid_constant__ Program program, State* partials) {
  using C = typename Program::type;
  constexpr int ahead = detail::column_ahead<N, V, State>;
  if (grid.splits.divisor > 1) detail::admit_next_kernel();
  const unsigned log_width = 31 - __clz(grid.width);
  const unsigned log_tile = log_width + 31 - __clz(grid.depth);
  const unsigned depth = grid.depth;
  const unsigned y = (threadIdx.x >> log_width) & (depth - 1);
  const unsigned place = blockIdx.x * (column_threads >> log_tile) + (threadIdx.x >> log_tile);
  const unsigned split = grid.tiles.divide(place);
  const unsigned tile = place - split * grid.tiles.divisor;
  const unsigned row = grid.tiles_across.divide(tile);
  const unsigned item =
      (tile - row * grid.tiles_across.divisor) * grid.width + (threadIdx.x & (grid.width - 1));
  const bool inside = split < grid.splits.divisor && item * V < grid.kept[0].divisor;
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
#pragma unroll
        for (int i = 0; i < V * ahead; ++i) {
          // Of short columns, the half that is not there is not computed.
          if (ahead > 1 && i == V * ahead / 2 && k + ahead / 2 * depth >= grid.length) break;
          const bool inside = !has_effects<Program> || k + i / V * depth < grid.length;
          x[i % V][i / V] = inside ? chunk.value(program, i / V, i % V) : C{};
        }
        State part[V]{};
        if (k + (ahead - 1) * depth < grid.length) {
#pragma unroll
          for (int j = 0; j < V; ++j) {
            detail::add_all<1>(reducer, part[j], x[j], position, depth);
          }
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

/// grid.merge_width threads merge the pieces of one output, always in the same order.
template <class Out, class R, class State>
__global__ void __launch_bounds__(merge_threads)
    merge_partials(const __grid_constant__ ReduceGrid<1> grid, const __grid_constant__ R reducer,
                   const State* partials) {
  detail::wait_for_kernel_before();
  const unsigned width = grid.merge_width;
  const unsigned log_width = 31 - __clz(width);
  const unsigned thread = threadIdx.x & (width - 1);
  const unsigned output = blockIdx.x * (merge_threads >> log_width) + (threadIdx.x >> log_width);
  State state{};
  if (output < grid.outputs) {
    const State* mine = partials + static_cast<int64_t>(output) * grid.splits.divisor;
#pragma unroll 4
    for (unsigned s = thread; s < grid.splits.divisor; s += width) reducer.merge(state, mine[s]);
  }
  state = detail::merge_group(reducer, state, width);
  if (thread != 0 || output >= grid.outputs) return;
  char* at[1] = {grid.data[0]};
  detail::advance(at, output, grid.kept, 0, grid.kept_rank, grid.kept_stride);
  detail::finish<Out>(at[0], reducer, state, grid.count);
}

}  // namespace weft::on_cuda

#endif
