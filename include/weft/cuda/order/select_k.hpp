// Smallest: the k smallest of many words, found in shared memory by a warp or a block.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/order/radix_key.hpp"

namespace weft::on_cuda {

__extension__ typedef unsigned __int128 WideWord;

/// A key and, in the lower 32 bits, where its element was: no two words are equal, and of elements
/// with the same key the first comes first.
template <class Key>
using ranked_t = std::conditional_t<sizeof(Key) == 8, WideWord, unsigned long long>;

#if defined(__CUDACC__)

/// Selects the k smallest of many words. All Size threads call each function: the threads of a
/// warp, or of a block.
template <class Key, int Size>
struct SelectK {
  using Word = ranked_t<Key>;
  static constexpr int digit_bits = 8;
  static constexpr unsigned digits = 1U << digit_bits;

  Word* words;        // in shared memory, with room for what is ever appended
  unsigned* bins;     // `digits` of them in shared memory
  unsigned* counter;  // in shared memory, 0 at first; a warp counts in registers
  unsigned held = 0;

  __device__ static unsigned rank() { return threadIdx.x % Size; }
  __device__ static void wait() {
    if constexpr (Size == 32) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }

  /// Adds a word of each thread that has one.
  __device__ __forceinline__ void append(bool wanted, Word word) {
    const unsigned who = __ballot_sync(~0U, wanted);
    if (who == 0) return;
    const unsigned lane = threadIdx.x % 32;
    unsigned at = held;
    if constexpr (Size == 32) {
      held += static_cast<unsigned>(__popc(who));
    } else {
      if (lane == 0) at = atomicAdd(counter, static_cast<unsigned>(__popc(who)));
      at = __shfl_sync(~0U, at, 0);
    }
    if (wanted) words[at + static_cast<unsigned>(__popc(who & ((1U << lane) - 1)))] = word;
  }

  /// Adds each thread's words that are not above `bound`.
  template <unsigned N>
  __device__ __forceinline__ void append_all(const Word (&mine)[N], Word bound) {
    unsigned count = 0;
#pragma unroll
    for (unsigned r = 0; r < N; ++r) count += mine[r] <= bound ? 1 : 0;
    if (!__any_sync(~0U, count != 0)) return;
    const unsigned lane = threadIdx.x % 32;
    unsigned up_to = count;
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
      const unsigned earlier = __shfl_up_sync(~0U, up_to, d);
      if (lane >= d) up_to += earlier;
    }
    unsigned at = held;
    if constexpr (Size == 32) {
      held += __shfl_sync(~0U, up_to, 31);
    } else {
      if (lane == 31) at = atomicAdd(counter, up_to);
      at = __shfl_sync(~0U, at, 31);
    }
    at += up_to - count;
#pragma unroll
    for (unsigned r = 0; r < N; ++r) {
      if (mine[r] <= bound) words[at++] = mine[r];
    }
  }

  /// Makes what was appended visible to all.
  __device__ void settle() {
    wait();
    if constexpr (Size != 32) {
      held = *counter;
      wait();
    }
  }

  /// Drops all but the k smallest of more than k words, and gives a bound: exactly those k words
  /// are not above it. It is found digit by digit, from the counts of each.
  __device__ Word keep(unsigned k) {
    constexpr unsigned each = digits / 32;
    const unsigned lane = threadIdx.x % 32;
    Word prefix = 0;
    int shift = 8 * static_cast<int>(sizeof(Key)) + 32;
    unsigned among = 0;  // words that begin with the prefix
    do {
      shift -= digit_bits;
      for (unsigned i = rank(); i < digits; i += Size) bins[i] = 0;
      wait();
      for (unsigned i = rank(); i < held; i += Size) {
        const Word rest = words[i] >> shift;
        if (rest >> digit_bits == prefix) {
          atomicAdd(bins + static_cast<unsigned>(rest) % digits, 1U);
        }
      }
      wait();
      unsigned count[each];
      unsigned sum = 0;
#pragma unroll
      for (unsigned j = 0; j < each; ++j) sum += count[j] = bins[lane * each + j];
      unsigned up_to = sum;
#pragma unroll
      for (unsigned d = 1; d < 32; d *= 2) {
        const unsigned earlier = __shfl_up_sync(~0U, up_to, d);
        if (lane >= d) up_to += earlier;
      }
      const int finder = __ffs(static_cast<int>(__ballot_sync(~0U, up_to >= k))) - 1;
      unsigned digit = lane * each;
      unsigned left = k - (up_to - sum);
#pragma unroll
      for (unsigned j = 0; j < each; ++j) {
        among = count[j];
        if (left <= among) break;
        left -= among;
        ++digit;
      }
      prefix = prefix << digit_bits | __shfl_sync(~0U, digit, finder);
      among = __shfl_sync(~0U, among, finder);
      k = __shfl_sync(~0U, left, finder);
      wait();
    } while (k != among);
    const Word bound = (prefix << shift) + ((Word(1) << shift) - 1);

    const unsigned end = held;
    held = 0;
    if (Size != 32 && threadIdx.x == 0) *counter = 0;
    wait();
    for (unsigned start = 0; start < end; start += Size) {
      const unsigned i = start + rank();
      const Word word = i < end ? words[i] : 0;
      wait();  // words are moved to places that have been read
      append(i < end && word <= bound, word);
    }
    settle();
    return bound;
  }

  /// How many words are smaller.
  __device__ unsigned place(Word word) const {
    unsigned smaller = 0;
#pragma unroll 4
    for (unsigned i = 0; i < held; ++i) smaller += words[i] < word ? 1 : 0;
    return smaller;
  }

  /// Puts the words in order (Batcher 1968), with room for the next power of two of them.
  __device__ void sort() {
    unsigned n = 1;
    while (n < held) n *= 2;
    for (unsigned i = held + rank(); i < n; i += Size) words[i] = ~Word(0);
    wait();
    for (unsigned size = 2; size <= n; size *= 2) {
      for (unsigned stride = size / 2; stride > 0; stride /= 2) {
        for (unsigned i = rank(); i < n / 2; i += Size) {
          const unsigned a = 2 * i - i % stride;
          const Word first = words[a];
          const Word second = words[a + stride];
          if ((first > second) == ((a & size) == 0)) {
            words[a] = second;
            words[a + stride] = first;
          }
        }
        wait();
      }
    }
  }
};

#endif

}  // namespace weft::on_cuda
