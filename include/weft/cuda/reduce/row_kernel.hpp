// The kernel of reductions along rows by groups of threads, and the merge of split outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/reduce_state.hpp"
#include "weft/cuda/reduce/chunk.hpp"
#include "weft/cuda/reduce/plan.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

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

}  // namespace detail

namespace detail {
/// See ReduceLimits::together.
template <class R, class State, class Types, class Program>
inline constexpr int added_together = [] {
  constexpr int lanes = lanes_of_widest<bool>(Types{});
  constexpr int ahead = row_ahead<weft::detail::count(Types{}) + 1, lanes, State>;
  return takes_first<R, State, typename Program::type, ahead * lanes> ? ahead : 0;
}();
}  // namespace detail

/// grid.width threads reduce one piece of one row; Lines: whose items are numbered along short
/// lines.
template <class Out, class Types, int V, int N, class R, class State, class Program, bool Lines>
__global__ void __launch_bounds__(row_threads, detail::row_blocks<N, V, State, Lines>)
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
      detail::advance(at, outer, grid.reduced, Lines ? 2 : 1, grid.reduced_rank,
                      grid.reduced_stride);
    }
    unsigned items = grid.length;
    long long position = outer * grid.inner;
    if constexpr (V > 1 && !Lines) {
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
    unsigned inner = 0;  // items before the addresses in their line
    const auto go = [&](unsigned n) {
      const unsigned lines = grid.reduced[0].divide(inner + n);
      const unsigned to = inner + n - lines * grid.reduced[0].divisor;
      const int64_t further = static_cast<int64_t>(to) - inner;
#pragma unroll
      for (int i = 1; i < N; ++i) {
        at[i] += lines * grid.reduced_stride[i][1] + further * grid.step[i];
      }
      inner = to;
    };
    if constexpr (Lines) {
      go(k);
    } else {
#pragma unroll
      for (int i = 1; i < N; ++i) at[i] += k * grid.step[i];
    }
#pragma unroll 1
    for (; k < items; k += next) {
      detail::Chunk<Types, V, ahead> chunk;
      if constexpr (Lines) {
        unsigned far = 0;
#pragma unroll
        for (int u = 0; u < ahead; ++u) {
          inner += grid.next_inner;
          if (inner < grid.reduced[0].divisor) continue;
          inner -= grid.reduced[0].divisor;
          far |= 1U << u;
        }
        chunk.template load_lines<1>(at, grid.next_item, grid.next_line, far, grid.lane, k, width,
                                     items);
        if (grid.inner_splits.divisor > 1) go(next - ahead * width);
      } else {
        chunk.template load<1>(at, hop, grid.lane, k, width, items);
#pragma unroll
        for (int i = 1; i < N; ++i) at[i] += next * grid.step[i];
      }
      C x[ahead * V]{};
#pragma unroll
      for (int u = 0; u < ahead; ++u) {
        // If a row ends in the first half, the second is not computed.
        if (ahead > 1 && u == ahead / 2 && k - thread + u * width >= items) break;
        C(&values)[V] = reinterpret_cast<C(&)[V]>(x[u * V]);
        chunk.values(program, u, grid.alike, !has_effects<Program> || k + u * width < items,
                     values);
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
