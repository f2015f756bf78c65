// How the blocks of a cluster exchange values: messages that a barrier counts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/ptx.hpp"
#include "weft/cuda/primitive/lanes.hpp"
#include "weft/cuda/rows/grid.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

/// How the blocks of a cluster exchange states: each sends its own to all, and waits on a barrier
/// in its own shared memory for the bytes of all. No block reads another's memory, so none has to
/// wait for another to finish, and no fence waits for earlier stores.
struct Exchange {
  static constexpr unsigned barrier_bytes = 16;  // of an area of scratch, at its end

  /// Initialises the barriers; the cluster must synchronise before it sends.
  __device__ __forceinline__ static void begin([[maybe_unused]] unsigned shared,
                                               [[maybe_unused]] unsigned area) {
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) {
      for (unsigned i = 1; i <= 2; ++i) {
        weft::detail::ptx::mbarrier_init<1>(shared + i * area - barrier_bytes);
      }
      weft::detail::ptx::fence_mbarrier_init();
    }
    weft::detail::ptx::cluster_arrive_relaxed();
#endif
  }
  __device__ __forceinline__ static void wait_for_cluster() {
#if __CUDA_ARCH__ >= 900
    weft::detail::ptx::cluster_wait();
#endif
  }
  /// Sends a state to the same address in the block of number `rank`; its barrier counts the bytes.
  template <class State>
  __device__ __forceinline__ static void send([[maybe_unused]] const State& state,
                                              [[maybe_unused]] unsigned to,
                                              [[maybe_unused]] unsigned barrier,
                                              [[maybe_unused]] unsigned rank) {
#if __CUDA_ARCH__ >= 900
    constexpr unsigned words = (sizeof(State) + 3) / 4;
    unsigned bits[words] = {};
    __builtin_memcpy(bits, &state, sizeof(State));
    const unsigned there = weft::detail::ptx::mapa(to, rank);
    const unsigned signal = weft::detail::ptx::mapa(barrier, rank);
#pragma unroll
    for (unsigned i = 0; i < words; ++i) {
      weft::detail::ptx::st_async(there + 4 * i, bits[i], signal);
    }
#endif
  }
  /// One thread announces the number of bytes; then all wait for them.
  __device__ __forceinline__ static void expect([[maybe_unused]] unsigned barrier,
                                                [[maybe_unused]] unsigned bytes) {
#if __CUDA_ARCH__ >= 900
    weft::detail::ptx::mbarrier_expect(barrier, bytes);
#endif
  }
  __device__ __forceinline__ static void wait([[maybe_unused]] unsigned barrier,
                                              [[maybe_unused]] unsigned parity) {
#if __CUDA_ARCH__ >= 900
    while (weft::detail::ptx::mbarrier_try_wait_cluster(barrier, parity) == 0) {
    }
#endif
  }
  __device__ __forceinline__ static unsigned rank() {
#if __CUDA_ARCH__ >= 900
    return weft::detail::ptx::cluster_ctarank();
#else
    return 0;
#endif
  }
};

}  // namespace weft::on_cuda::detail

#endif
