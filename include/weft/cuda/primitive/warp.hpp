// Values of a warp's other threads: exchanges, and sums and maxima over groups of threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include "weft/core/ptx.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

/// x of the thread whose lane differs by the bits of `mask`: a number, or a type of whole words.
/// All threads of the warp take part.
template <class T>
__device__ __forceinline__ T exchanged(T x, int mask) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(__shfl_xor_sync(~0U, x, mask));
  } else {
    static_assert(sizeof(T) % 4 == 0);
    unsigned words[sizeof(T) / 4];
    __builtin_memcpy(words, &x, sizeof(T));
#pragma unroll
    for (unsigned& word : words) word = __shfl_xor_sync(~0U, word, mask);
    __builtin_memcpy(&x, words, sizeof(T));
    return x;
  }
}

/// x of the thread `distance` lanes above, of any type that bytes make up; the thread's own where
/// there is none. All threads of the warp take part. CUB's ShuffleDown, whose header takes longer
/// to compile than the kernels of a small program.
template <class T>
__device__ __forceinline__ T from_above(T x, int distance) {
  using Word =
      std::conditional_t<alignof(T) % 4 == 0, unsigned,
                         std::conditional_t<alignof(T) % 2 == 0, unsigned short, unsigned char>>;
  constexpr int words = sizeof(T) / sizeof(Word);
  T out;
  Word* const to = reinterpret_cast<Word*>(&out);
  const Word* const from = reinterpret_cast<const Word*>(&x);
#pragma unroll
  for (int i = 0; i < words; ++i)
    to[i] = static_cast<Word>(weft::detail::ptx::shfl_down(from[i], distance));
  return out;
}

/// The sum over each `Width` neighbouring threads, a power of two up to 32: in each of them, with
/// the same bits.
template <int Width, class T>
__device__ __forceinline__ T sum_of_threads(T x) {
#pragma unroll
  for (int w = Width / 2; w > 0; w /= 2) x += exchanged(x, w);
  return x;
}

/// The largest over each `Width` neighbouring threads, which must not be NaN.
template <int Width, class T>
__device__ __forceinline__ T largest_of_threads(T x) {
#pragma unroll
  for (int w = Width / 2; w > 0; w /= 2) {
    const T other = exchanged(x, w);
    x = other > x ? other : x;
  }
  return x;
}

}  // namespace weft::on_cuda

#endif
