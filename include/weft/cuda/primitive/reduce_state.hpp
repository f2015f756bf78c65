// The states of a reduction's threads: adding values, and merging states between threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/lanes.hpp"
#include "weft/eval/program/program.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

/// Adds n values in order: x[u * V + j] at position + u * step + j.
template <int V, class R, class State, class C, int N>
__device__ __forceinline__ void add_all(const R& reducer, State& state, const C (&x)[N],
                                        long long position, long long step) {
  if constexpr (requires { reducer.template add_all<V>(state, x, position, step); }) {
    reducer.template add_all<V>(state, x, position, step);
  } else {
#pragma unroll
    for (int i = 0; i < N; ++i) reducer.add(state, x[i], position + i / V * step + i % V);
  }
}

/// Whether a reducer can take the first of N values in one call.
template <class R, class State, class C, int N>
inline constexpr bool takes_first = requires(const R& reducer, State& state, const C (&x)[N]) {
  reducer.add_first(state, x, N);
};

/// Whether a reducer can take the first of N values in one call that tells their positions.
template <class R, class State, class C, int N>
inline constexpr bool takes_first_at = requires(const R& reducer, State& state, const C (&x)[N]) {
  reducer.add_first_at(state, x, N, 0LL, 1LL);
};

/// A thread's running states in three levels, each regularly merged into the next, so that rounding
/// errors grow with the lengths of the levels rather than with the number of elements.
template <class R, class State, int V>
class Cascade {
 public:
  __device__ __forceinline__ void push(const R& reducer, const State (&part)[V]) {
    const bool full = ++merged_ % 16 == 0;
#pragma unroll
    for (int j = 0; j < V; ++j) {
      reducer.merge(group_[j], part[j]);
      if (full) {
        reducer.merge(total_[j], group_[j]);
        group_[j] = State{};
      }
    }
  }
  __device__ __forceinline__ State total(const R& reducer, int j) {
    reducer.merge(total_[j], group_[j]);
    return total_[j];
  }

 private:
  State group_[V]{};
  State total_[V]{};
  unsigned merged_ = 0;
};

/// Merges the states of groups of `width` adjacent threads, a power of two; the first of each gets
/// the total.
template <class R, class State>
__device__ __forceinline__ State merge_group(const R& reducer, State state, unsigned width) {
  __shared__ alignas(16) char bytes[32 * sizeof(State)];
  auto* shared = reinterpret_cast<State*>(bytes);
  const unsigned lane = threadIdx.x % 32;
#pragma unroll 1
  while (true) {
    if constexpr (MergesAmongThreads<R, State>) {
      if (width > 1) reducer.merge_among(state, AdjacentLanes{width < 32 ? width : 32});
    } else {
#pragma unroll 1
      for (unsigned offset = 1; offset < width && offset < 32; offset *= 2) {
        reducer.merge(state, from_above(state, static_cast<int>(offset)));
      }
    }
    if (width <= 32) break;
    width /= 32;
    if (lane == 0) shared[threadIdx.x / 32] = state;
    __syncthreads();
    if (threadIdx.x >= 32) break;
    if (lane < width) state = shared[lane];
  }
  return state;
}

template <class Out, class R, class State>
__device__ __forceinline__ void finish(char* target, const R& reducer, const State& state,
                                       long long count) {
  *reinterpret_cast<Out*>(target) = store_element<Out>(reducer.finish(state, count));
}

}  // namespace weft::on_cuda::detail

#endif
