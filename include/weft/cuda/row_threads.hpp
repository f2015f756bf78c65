// What the threads of a row kernel do together: exchange states, and copy a row into shared memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/row_plan.hpp"
#include "weft/cuda/vector.hpp"

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

/// The states of `width` neighbouring lanes, a power of two, merged: the same bits in each of them.
template <class R, class State>
__device__ __forceinline__ State merge_lanes(const R& reducer, State state, unsigned width) {
#pragma unroll 1
  for (unsigned w = width / 2; w > 0; w /= 2) reducer.merge(state, shuffle<true>(state, w));
  return shuffle<false>(state, threadIdx.x % 32 / width * width);
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

/// The states of all threads that share a row, merged: the same bits in each of them. `turn` takes
/// turns between two areas, so that one barrier a reduction is enough.
template <class R, class State>
__device__ __noinline__ State merge_group(const R& reducer, State state, const RowLoops& grid,
                                          char* scratch, unsigned turn) {
  auto* area = reinterpret_cast<State*>(scratch + turn % 2 * grid.scratch);
  if (grid.columns) {
    area[threadIdx.x] = state;
    __syncthreads();
    State total{};
#pragma unroll 1
    for (unsigned w = 0; w < grid.group; ++w) {
      reducer.merge(total, area[w * 32 + threadIdx.x % 32]);
    }
    return total;
  }
  state = merge_lanes(reducer, state, grid.group < 32 ? grid.group : 32);
  const unsigned lane = threadIdx.x % 32;
  if (grid.group > 32) {
    if (lane == 0) area[threadIdx.x / 32] = state;
    __syncthreads();
    state = merge_lanes(reducer, lane < grid.group / 32 ? area[lane] : State{}, 32);
  }
  if (grid.cluster) {
    State* const shared = area + 32;
    if (threadIdx.x == 0) *shared = state;
    cluster_barrier();
    state = merge_lanes(
        reducer, lane < grid.parts.divisor ? *in_block(shared, lane) : State{}, 32);
  }
  return state;
}

/// Copies 16, 8 or 4 bytes to shared memory without waiting.
__device__ __forceinline__ void copy_async(char* to, const char* from, int bytes) {
#if __CUDA_ARCH__ >= 800
  const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if (bytes >= 16) {
#pragma unroll 1
    for (int i = 0; i < bytes; i += 16) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared + i), "l"(from + i)
                   : "memory");
    }
  } else if (bytes == 8) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared), "l"(from) : "memory");
  }
#else
  for (int i = 0; i < bytes; i += 4) {
    *reinterpret_cast<int*>(to + i) = *reinterpret_cast<const int*>(from + i);
  }
#endif
}

__device__ __forceinline__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// One element, whatever its type.
__device__ __forceinline__ void copy_element(char* to, const char* from, int bytes) {
  if (bytes == 4) {
    *reinterpret_cast<int*>(to) = *reinterpret_cast<const int*>(from);
  } else if (bytes == 2) {
    *reinterpret_cast<short*>(to) = *reinterpret_cast<const short*>(from);
  } else if (bytes == 1) {
    *to = *from;
  } else {
    for (int i = 0; i < bytes; i += 8) {
      *reinterpret_cast<long long*>(to + i) = *reinterpret_cast<const long long*>(from + i);
    }
  }
}

}  // namespace weft::cuda::detail

#endif
