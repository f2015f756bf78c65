// Merging the states of a reduction that lie in adjacent lanes of a warp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "weft/core/ptx.hpp"
#include "weft/cuda/primitive/warp.hpp"
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

/// Merges the state with that of the lane whose number differs by the bits of `mask`.
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

/// What states that merge among threads ask of `count` adjacent lanes, a power of two.
struct AdjacentLanes {
  unsigned count;
  /// The first lane's x.
  template <class T>
  __device__ __forceinline__ T first(T x) const {
    return shuffle<false>(x, threadIdx.x % 32 & ~(count - 1));
  }
  /// The sum of all lanes' x.
  template <class T>
  __device__ __forceinline__ T sum(T x) const {
#pragma unroll
    for (unsigned w = 16; w > 0; w /= 2) {
      if (w < count) x += exchanged(x, static_cast<int>(w));
    }
    return x;
  }
  /// The largest x; lanes where it is NaN do not count.
  template <class T>
  __device__ __forceinline__ T largest(T x) const {
#pragma unroll
    for (unsigned w = 16; w > 0; w /= 2) {
      if (w < count) x = std::fmax(x, exchanged(x, static_cast<int>(w)));
    }
    return x;
  }
};
/// Whether merge_adjacent() serves for a state.
template <class R, class State>
inline constexpr bool merges_at_once = merges_alike<R, State> || MergesAmongThreads<R, State>;

/// Merges the states of `count` adjacent lanes, a power of two: each of them then has the result,
/// with the same bits.
template <class R, class State>
__device__ __forceinline__ void merge_adjacent(const R& reducer, State& state, unsigned count) {
  if constexpr (merges_alike<R, State>) {
    if (count == 32) return merge_warp(reducer, state);
    merge_opposites(reducer, state, 1, count);
  } else {
    reducer.merge_among(state, AdjacentLanes{count});
  }
}

}  // namespace weft::on_cuda::detail

#endif
