// The reducing kernels: rows by warps or blocks, columns by blocks, and the merge of split rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/reduce_plan.hpp"
#include "weft/cuda/vector.hpp"

#if defined(__CUDACC__)

#include <cub/block/block_reduce.cuh>
#include <cub/warp/warp_reduce.cuh>

namespace weft::cuda {

namespace detail {

/// A reducer's merge as CUB takes it.
template <class R, class State>
struct Merge {
  const R& reducer;
  __device__ State operator()(State a, const State& b) const {
    reducer.merge(a, b);
    return a;
  }
};

/// Adds the strides of coordinate `index` of some dimensions, innermost first, to the offsets.
template <int N>
__device__ __forceinline__ void advance(int64_t (&offset)[N], unsigned index, const Divider* size,
                                        int first, int rank, const int64_t (&stride)[N][max_rank]) {
#pragma unroll 1
  for (int d = first; d < rank; ++d) {
    const unsigned next = size[d].divide(index);
    const auto at = static_cast<int64_t>(index - next * size[d].divisor);
    index = next;
#pragma unroll
    for (int i = 0; i < N; ++i) offset[i] += at * stride[i][d];
  }
}

template <class Out, int N, class R, class State>
__device__ void finish(const ReduceGrid<N>& grid, const R& reducer, const State& state,
                       int64_t target) {
  reinterpret_cast<Out*>(grid.data[0])[target] =
      store_element<Out>(reducer.finish(state, grid.count));
}

/// The target's offset of an output counted over all kept dimensions.
template <int N>
__device__ int64_t target_of(const ReduceGrid<N>& grid, unsigned output) {
  int64_t offset = 0;
  for (int d = 0; d < grid.kept_rank; ++d) {
    const unsigned next = grid.kept[d].divide(output);
    offset += static_cast<int64_t>(output - next * grid.kept[d].divisor) * grid.kept_stride[0][d];
    output = next;
  }
  return offset;
}

/// A thread's running state in three levels, each merged into the next every few times, so that
/// rounding grows with the levels' lengths and not with the number of elements.
template <class R, class State>
class Cascade {
 public:
  __device__ __forceinline__ void push(const R& reducer, const State& part) {
    reducer.merge(group_, part);
    if (++merged_ % 16 == 0) {
      reducer.merge(total_, group_);
      group_ = State{};
    }
  }
  __device__ __forceinline__ State total(const R& reducer) {
    reducer.merge(total_, group_);
    return total_;
  }

 private:
  State group_{};
  State total_{};
  int merged_ = 0;
};

/// Vectors in flight a thread: more where there are fewer operands.
template <int N>
inline constexpr int unroll = N <= 2   ? 4
                              : N <= 3 ? 2
                                       : 1;

/// One vector of a row: its registers, which lanes hold elements, and where it lies in the row.
template <class Types, int V>
struct RowVector {
  Registers<Types, V> registers;
  int last;
  long long position;

  template <int N>
  __device__ __forceinline__ void load(const ReduceGrid<N>& grid, const int64_t (&base)[N],
                                       unsigned item) {
    const unsigned row = grid.reduced_rank > 1 ? grid.items.divide(item) : 0;
    const auto start = static_cast<int64_t>(item - row * grid.items.divisor) * V;
    const int64_t left = grid.inner - start;
    int64_t offset[N];
#pragma unroll
    for (int i = 0; i < N; ++i) offset[i] = base[i] + start * grid.lane[i];
    if (grid.reduced_rank > 1) {
      advance(offset, row, grid.reduced, 1, grid.reduced_rank, grid.reduced_stride);
    }
    last = left < V ? static_cast<int>(left) : V;
    position = row * grid.inner + start;
    registers.load(grid.data, offset, grid.lane, 0, last);
  }

  template <class R, class State, class Program>
  __device__ __forceinline__ void add(const R& reducer, State& state,
                                      const Program& program) const {
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (j < last) {
        reducer.add(state, program(Lane<Registers<Types, V>>{registers, j}), position + j);
      }
    }
  }
};

}  // namespace detail

/// A warp or a block of Group threads reduces one piece of one row.
template <class Out, class Types, int V, int Group, int N, class R, class State, class Program>
__global__ void __launch_bounds__(Group == 32 ? block_threads : Group)
    reduce_rows(const __grid_constant__ ReduceGrid<N> grid, const __grid_constant__ R reducer,
                const __grid_constant__ Program program, State* partials) {
  constexpr int groups = Group == 32 ? block_threads / 32 : 1;
  constexpr int ahead = detail::unroll<N>;
  const unsigned lane = threadIdx.x % Group;
  const unsigned piece = blockIdx.x * groups + threadIdx.x / Group;
  const unsigned output = grid.splits.divide(piece);
  detail::Cascade<R, State> cascade;
  if (output < grid.outputs) {
    const unsigned first = (piece - output * grid.splits.divisor) * grid.piece;
    const unsigned last = ::min(first + grid.piece, grid.length);
    int64_t base[N] = {};
    detail::advance(base, output, grid.kept, 0, grid.kept_rank, grid.kept_stride);
    unsigned k = first + lane;
    for (; k + (ahead - 1) * Group < last; k += ahead * Group) {
      detail::RowVector<Types, V> vectors[ahead];
#pragma unroll
      for (int u = 0; u < ahead; ++u) vectors[u].load(grid, base, k + u * Group);
      State part{};
#pragma unroll
      for (int u = 0; u < ahead; ++u) vectors[u].add(reducer, part, program);
      cascade.push(reducer, part);
    }
    for (; ahead > 1 && k < last; k += Group) {
      detail::RowVector<Types, V> vector;
      vector.load(grid, base, k);
      State part{};
      vector.add(reducer, part, program);
      cascade.push(reducer, part);
    }
  }
  State state = cascade.total(reducer);
  const detail::Merge<R, State> merge{reducer};
  if constexpr (Group == 32) {
    using Reduce = cub::WarpReduce<State>;
    __shared__ typename Reduce::TempStorage temporary[groups];
    state = Reduce(temporary[threadIdx.x / 32]).Reduce(state, merge);
  } else {
    using Reduce = cub::BlockReduce<State, Group>;
    __shared__ typename Reduce::TempStorage temporary;
    state = Reduce(temporary).Reduce(state, merge);
  }
  if (lane != 0 || output >= grid.outputs) return;
  if (grid.splits.divisor > 1) {
    partials[piece] = state;
  } else {
    detail::finish<Out>(grid, reducer, state, detail::target_of(grid, output));
  }
}

/// Lanes of the column form: as many as keep a block's states within shared memory.
template <class State, int V>
inline constexpr int column_lanes = sizeof(State) * V <= 64 ? V : column_lanes<State, V / 2>;
template <class State>
inline constexpr int column_lanes<State, 1> = 1;

/// A block reduces one piece of column_width * V neighbouring columns.
template <class Out, class Types, int V, int N, class R, class State, class Program>
__global__ void __launch_bounds__(column_width* column_depth)
    reduce_columns(const __grid_constant__ ReduceGrid<N> grid, const __grid_constant__ R reducer,
                   const __grid_constant__ Program program, State* partials) {
  constexpr int ahead = detail::unroll<N>;
  const unsigned x = threadIdx.x % column_width;
  const unsigned y = threadIdx.x / column_width;
  const unsigned tile = grid.splits.divide(blockIdx.x);
  const unsigned split = blockIdx.x - tile * grid.splits.divisor;
  const unsigned row = grid.items.divide(tile);
  const auto across = static_cast<int>(grid.kept[0].divisor);
  const int start = static_cast<int>((tile - row * grid.items.divisor) * column_width + x) * V;
  const int last = across - start < V ? across - start : V;

  detail::Cascade<R, State> cascade[V];
  int64_t base[N];
#pragma unroll
  for (int i = 0; i < N; ++i) base[i] = static_cast<int64_t>(start) * grid.lane[i];
  detail::advance(base, row, grid.kept, 1, grid.kept_rank, grid.kept_stride);
  if (last > 0) {
    const unsigned end = ::min((split + 1) * grid.piece, grid.length);
    unsigned k = split * grid.piece + y;
    auto load = [&](Registers<Types, V>& registers, unsigned at) {
      int64_t offset[N];
#pragma unroll
      for (int i = 0; i < N; ++i) offset[i] = base[i];
      detail::advance(offset, at, grid.reduced, 0, grid.reduced_rank, grid.reduced_stride);
      registers.load(grid.data, offset, grid.lane, 0, last);
    };
    auto add = [&](State(&part)[V], const Registers<Types, V>& registers, unsigned at) {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (j < last) reducer.add(part[j], program(Lane<Registers<Types, V>>{registers, j}), at);
      }
    };
    auto push = [&](const State(&part)[V]) {
#pragma unroll
      for (int j = 0; j < V; ++j) cascade[j].push(reducer, part[j]);
    };
    for (; k + (ahead - 1) * column_depth < end; k += ahead * column_depth) {
      Registers<Types, V> registers[ahead];
#pragma unroll
      for (int u = 0; u < ahead; ++u) load(registers[u], k + u * column_depth);
      State part[V];
#pragma unroll
      for (int u = 0; u < ahead; ++u) add(part, registers[u], k + u * column_depth);
      push(part);
    }
    for (; ahead > 1 && k < end; k += column_depth) {
      Registers<Types, V> registers;
      load(registers, k);
      State part[V];
      add(part, registers, k);
      push(part);
    }
  }
  __shared__ alignas(16) char bytes[column_depth * column_width * V * sizeof(State)];
  auto* shared = reinterpret_cast<State*>(bytes);
#pragma unroll
  for (int j = 0; j < V; ++j) shared[(y * V + j) * column_width + x] = cascade[j].total(reducer);
#pragma unroll 1
  for (int half = column_depth / 2; half > 0; half /= 2) {
    __syncthreads();
    if (y >= half) continue;
#pragma unroll
    for (int j = 0; j < V; ++j) {
      reducer.merge(shared[(y * V + j) * column_width + x],
                    shared[((y + half) * V + j) * column_width + x]);
    }
  }
  if (y != 0) return;
  for (int j = 0; j < last; ++j) {
    const State& total = shared[j * column_width + x];
    const unsigned output = row * static_cast<unsigned>(across) + static_cast<unsigned>(start + j);
    if (grid.splits.divisor > 1) {
      partials[static_cast<int64_t>(output) * grid.splits.divisor + split] = total;
    } else {
      detail::finish<Out>(grid, reducer, total, base[0] + static_cast<int64_t>(j) * grid.lane[0]);
    }
  }
}

/// A warp merges the pieces of one output, always in the same order.
template <class Out, int N, class R, class State>
__global__ void __launch_bounds__(block_threads)
    merge_partials(const __grid_constant__ ReduceGrid<N> grid, const __grid_constant__ R reducer,
                   const State* partials) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned output = blockIdx.x * (block_threads / 32) + threadIdx.x / 32;
  State state{};
  if (output < grid.outputs) {
    const State* mine = partials + static_cast<int64_t>(output) * grid.splits.divisor;
    for (unsigned s = lane; s < grid.splits.divisor; s += 32) reducer.merge(state, mine[s]);
  }
  using Reduce = cub::WarpReduce<State>;
  __shared__ typename Reduce::TempStorage temporary[block_threads / 32];
  state = Reduce(temporary[threadIdx.x / 32]).Reduce(state, detail::Merge<R, State>{reducer});
  if (lane == 0 && output < grid.outputs) {
    detail::finish<Out>(grid, reducer, state, detail::target_of(grid, output));
  }
}

}  // namespace weft::cuda

#endif
