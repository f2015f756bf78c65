// How threads exchange values: shuffles within a warp, and messages between a cluster's blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/ptx.hpp"
#include "weft/cuda/primitive/warp.hpp"
#include "weft/cuda/rows/grid.hpp"
#include "weft/ops/reduce/reducers.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

/// Shuffles a value of any trivially copyable type, from the lane `distance` above or from lane
/// `lane`.
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

/// Whether two states merge to the same bits in either order, with a single number in each.
template <class R, class State>
inline constexpr bool merges_alike = false;
template <class R, class C>
inline constexpr bool merges_alike<R, reducer::SignedSum<C>> = std::is_arithmetic_v<C>;
template <bool Max, class State>
inline constexpr bool merges_alike<reducer::extreme_value<Max>, State> =
    std::is_arithmetic_v<decltype(State::value)>;

/// Merges the state with that of the lane which differs by the bits of `mask`.
template <class R, class State>
__device__ __forceinline__ void merge_opposite(const R& reducer, State& state, unsigned mask) {
  State other;
  other.value = exchanged(state.value, static_cast<int>(mask));
  reducer.merge(state, other);
}
/// Merges the states of lanes that differ by the powers of two from `least` to below `end`: each of
/// them then has the result, with the same bits.
template <class R, class State>
__device__ __forceinline__ void merge_opposites(const R& reducer, State& state, unsigned least,
                                                unsigned end) {
#pragma unroll 1
  for (unsigned w = end / 2; w >= least; w /= 2) merge_opposite(reducer, state, w);
}
/// The same for all of a warp.
template <class R, class State>
__device__ __forceinline__ void merge_warp(const R& reducer, State& state) {
#pragma unroll
  for (unsigned w = 16; w > 0; w /= 2) merge_opposite(reducer, state, w);
}

/// A value of the first of `count` adjacent lanes, a power of two.
struct OfFirst {
  unsigned count;
  template <class T>
  __device__ __forceinline__ T operator()(T x) const {
    return shuffle<false>(x, threadIdx.x % 32 & ~(count - 1));
  }
};
/// The sum of all their values.
struct SumOfLanes {
  unsigned count;
  template <class T>
  __device__ __forceinline__ T operator()(T x) const {
#pragma unroll
    for (unsigned w = 16; w > 0; w /= 2) {
      if (w < count) x += exchanged(x, static_cast<int>(w));
    }
    return x;
  }
};
/// Whether the states of several lanes merge by sums over these.
template <class R, class State>
inline constexpr bool merges_by_sums = requires(const R& reducer, State& state,
                                                const OfFirst& first, const SumOfLanes& sum) {
  reducer.merge_among(state, first, sum);
};
/// Whether merge_adjacent() serves for a state.
template <class R, class State>
inline constexpr bool merges_at_once = merges_alike<R, State> || merges_by_sums<R, State>;

/// Merges the states of `count` adjacent lanes, a power of two: each of them then has the result,
/// with the same bits.
template <class R, class State>
__device__ __forceinline__ void merge_adjacent(const R& reducer, State& state, unsigned count) {
  if constexpr (merges_alike<R, State>) {
    if (count == 32) return merge_warp(reducer, state);
    merge_opposites(reducer, state, 1, count);
  } else {
    reducer.merge_among(state, OfFirst{count}, SumOfLanes{count});
  }
}

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
