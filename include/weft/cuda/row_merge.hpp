// Merging the states of all threads that share a row: lanes, warps, then the blocks of a cluster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/row_grid.hpp"

#if defined(__CUDACC__)

namespace weft::cuda::detail {

/// A value of any trivially copyable type from the lane `distance` further on, or from lane `lane`.
template <bool Down, class T>
__device__ __forceinline__ T shuffle(const T& value, unsigned lane) {
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned bits[words] = {};
  __builtin_memcpy(bits, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i) {
    bits[i] = Down ? __shfl_down_sync(~0U, bits[i], lane) : __shfl_sync(~0U, bits[i], lane);
  }
  T out;
  __builtin_memcpy(&out, bits, sizeof(T));
  return out;
}

/// The states of `width` neighbouring lanes, a power of two, merged in the first of them.
template <class R, class State>
__device__ __forceinline__ void merge_lanes(const R& reducer, State& state, unsigned width) {
#pragma unroll
  for (unsigned w = 16; w > 0; w /= 2) {
    if (width > w) reducer.merge(state, shuffle<true>(state, w));
  }
}

__device__ __forceinline__ void cluster_barrier() {
#if __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
#endif
}

/// The address of a block's own shared object in another block of its cluster.
template <class T>
__device__ __forceinline__ const T* in_block(const T* mine, [[maybe_unused]] unsigned rank) {
#if __CUDA_ARCH__ >= 900
  unsigned long long address;
  asm("mapa.u64 %0, %1, %2;"
      : "=l"(address)
      : "l"(reinterpret_cast<unsigned long long>(mine)), "r"(rank));
  return reinterpret_cast<const T*>(address);
#else
  return mine;
#endif
}

/// The threads that share a row.
struct RowTeam {
  unsigned group;
  unsigned warps;  // of a block, rounded up to a power of two
  unsigned parts;
  bool columns;
  bool cluster;
};

/// The states of all threads that share a row, merged: the same bits in each of them. Two areas of
/// scratch in turn, and one barrier a reduction is enough.
template <class R, class State>
__device__ __noinline__ State merge_group(const R reducer, State state, const RowTeam team,
                                          char* scratch) {
  auto* area = reinterpret_cast<State*>(scratch);
  if (team.columns) {
    area[threadIdx.x] = state;
    __syncthreads();
    State total{};
#pragma unroll 1
    for (unsigned w = 0; w < team.group; ++w) {
      reducer.merge(total, area[w * 32 + threadIdx.x % 32]);
    }
    return total;
  }
  const unsigned width = team.group < 32 ? team.group : 32;
  merge_lanes(reducer, state, width);
  const unsigned lane = threadIdx.x % 32;
  unsigned first = lane & (32 - width);
  if (team.group > 32) {
    if (lane == 0) area[threadIdx.x / 32] = state;
    __syncthreads();
    state = lane < team.group / 32 ? area[lane] : State{};
    merge_lanes(reducer, state, team.warps);
    first = 0;
  }
  if (team.cluster) {
    State* const shared = area + 32;
    if (threadIdx.x == 0) *shared = state;
    cluster_barrier();
    state = lane < team.parts ? *in_block(shared, lane) : State{};
    merge_lanes(reducer, state, row_cluster);
    first = 0;
  }
  return shuffle<false>(state, first);
}

}  // namespace weft::cuda::detail

#endif
