// Copies by tiles of several short axes, read in the source's order, written in the target's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/word.hpp"
#include "weft/cuda/elementwise/tiled_copy_plan.hpp"

namespace weft::on_cuda {

#if defined(__CUDACC__)

namespace detail {

/// Copies a word to shared memory without waiting for it.
template <int Bytes>
__device__ __forceinline__ void copy_async(char* to, const char* from) {
#if __CUDA_ARCH__ >= 800
  weft::detail::ptx::cp_async<Bytes>(weft::detail::ptx::shared_address(to), from);
#else
  for (int b = 0; b < Bytes; b += 4) {
    *reinterpret_cast<unsigned*>(to + b) = *reinterpret_cast<const unsigned*>(from + b);
  }
#endif
}

/// A thread's elements of any tile, or pairs of these: where they are in the source and in shared
/// memory when reading, and in shared memory and the target when writing.
template <int Size>
struct TiledThread {
  static constexpr int lanes = tiled_lanes(Size);
  static constexpr bool may_pair = Size == 2;
  int count;  // of them
  int from[lanes];
  int to[lanes];
  unsigned places[lanes];  // of both in bytes, 16 bits each; when writing of the first of a pair,
  std::uint16_t second[may_pair ? lanes : 1];  // and of the other one

  __host__ __device__ __forceinline__ TiledThread(const TiledCopy& plan, unsigned thread) {
    unsigned read[lanes];
    unsigned written[lanes];
    find(plan.read, plan.rank, thread, 1, 0, from, read);
    if constexpr (may_pair) {
      const unsigned pair = plan.pairs ? 2 : 1;
      find(plan.written, plan.rank, thread, pair, pair - 1, to, written);
      WEFT_KERNEL_UNROLL
      for (int k = 0; k < lanes; ++k) second[k] = static_cast<std::uint16_t>(written[k] * Size);
      find(plan.written, plan.rank, thread, pair, 0, to, written);
    } else {
      find(plan.written, plan.rank, thread, 1, 0, to, written);
    }
    const int all = plan.elements / (may_pair && plan.pairs ? 2 : 1);
    const int left = all - static_cast<int>(thread);
    count = left <= 0 ? 0 : (left - 1) / static_cast<int>(block_threads) + 1;
    WEFT_KERNEL_UNROLL
    for (int k = 0; k < lanes; ++k) {
      places[k] = k < count ? (read[k] | written[k] << 16) * Size : 0;
      if (may_pair && k >= count) second[k] = 0;
    }
  }

 private:
  /// Of elements number `pair` times the thread's own, and `further`.
  __host__ __device__ __forceinline__ static void find(const TiledCopy::Axis* axes, int rank,
                                                       unsigned thread, unsigned pair,
                                                       unsigned further, int (&offset)[lanes],
                                                       unsigned (&place)[lanes]) {
    unsigned rest[lanes];
    WEFT_KERNEL_UNROLL
    for (int k = 0; k < lanes; ++k) {
      rest[k] = (thread + static_cast<unsigned>(k) * block_threads) * pair + further;
      offset[k] = 0;
      place[k] = 0;
    }
    WEFT_KERNEL_LOOP
    for (int d = 0; d < rank; ++d) {
      const TiledCopy::Axis axis = axes[d];
      WEFT_KERNEL_UNROLL
      for (int k = 0; k < lanes; ++k) {
        const unsigned next = axis.size.divide(rest[k]);
        const unsigned at = rest[k] - next * axis.size.divisor;
        rest[k] = next;
        offset[k] += static_cast<int>(at) * axis.stride;
        place[k] += at * static_cast<unsigned>(axis.place);
      }
    }
  }
};

/// Where a tile begins in the source and the target.
__host__ __device__ __forceinline__ void find_tile(const TiledCopy& plan, unsigned tile, int& from,
                                                   int& to) {
  from = to = 0;
  WEFT_KERNEL_LOOP
  for (int d = 0; d < plan.outer; ++d) {
    const TiledCopy::Outer& outer = plan.across[d];
    const unsigned next = outer.tiles.divide(tile);
    int at = static_cast<int>(tile - next * outer.tiles.divisor) * outer.part;
    at = at < outer.last ? at : outer.last;
    tile = next;
    from += at * outer.from_stride;
    to += at * outer.to_stride;
  }
}

/// Reads a tile by words of Word bytes, elements or pairs of these.
template <int Word, int Size>
__host__ __device__ __forceinline__ void read_words(const TiledThread<Size>& mine,
                                                    const weft::detail::word_t<Size>* from,
                                                    char* shared) {
  using T = weft::detail::word_t<Word>;
  constexpr int lanes = tiled_lanes(Size);
#if __CUDA_ARCH__ >= 800
  constexpr bool waits_later = Word >= 4;
#else
  constexpr bool waits_later = false;
#endif
  if constexpr (waits_later) {
    WEFT_KERNEL_UNROLL
    for (int k = 0; k < lanes; ++k) {
      if (k < mine.count) {
        copy_async<Word>(shared + (mine.places[k] & 0xFFFF),
                         reinterpret_cast<const char*>(from + mine.from[k]));
      }
    }
  } else {
    T values[lanes];
    WEFT_KERNEL_UNROLL
    for (int k = 0; k < lanes; ++k) {
      if (k < mine.count) values[k] = *reinterpret_cast<const T*>(from + mine.from[k]);
    }
#if defined(__CUDA_ARCH__)
    weft::detail::ptx::compiler_fence();  // all are loaded before the first is waited for
#endif
    WEFT_KERNEL_UNROLL
    for (int k = 0; k < lanes; ++k) {
      if (k < mine.count) *reinterpret_cast<T*>(shared + (mine.places[k] & 0xFFFF)) = values[k];
    }
  }
}
template <int Size>
__host__ __device__ __forceinline__ void read_tile(const TiledThread<Size>& mine, bool pairs,
                                                   const weft::detail::word_t<Size>* from,
                                                   char* shared) {
  if constexpr (TiledThread<Size>::may_pair) {
    if (pairs) return read_words<2 * Size>(mine, from, shared);
  }
  read_words<Size>(mine, from, shared);
}
template <int Size>
__host__ __device__ __forceinline__ void write_tile(const TiledThread<Size>& mine, bool pairs,
                                                    weft::detail::word_t<Size>* to,
                                                    const char* shared) {
  using T = weft::detail::word_t<Size>;
  constexpr int lanes = tiled_lanes(Size);
  if constexpr (TiledThread<Size>::may_pair) {
    if (pairs) {
      unsigned values[lanes];
      WEFT_KERNEL_UNROLL
      for (int k = 0; k < lanes; ++k) {
        const unsigned first = *reinterpret_cast<const T*>(shared + (mine.places[k] >> 16));
        const unsigned second = *reinterpret_cast<const T*>(shared + mine.second[k]);
        values[k] = first | second << 8 * Size;
      }
      WEFT_KERNEL_UNROLL
      for (int k = 0; k < lanes; ++k) {
        if (k < mine.count) *reinterpret_cast<unsigned*>(to + mine.to[k]) = values[k];
      }
      return;
    }
  }
  T values[lanes];
  WEFT_KERNEL_UNROLL
  for (int k = 0; k < lanes; ++k) {
    values[k] = *reinterpret_cast<const T*>(shared + (mine.places[k] >> 16));
  }
  WEFT_KERNEL_UNROLL
  for (int k = 0; k < lanes; ++k) {
    if (k < mine.count) to[mine.to[k]] = values[k];
  }
}

}  // namespace detail

/// A tiled copy of elements of Size bytes.
template <int Size>
__global__ void __launch_bounds__(block_threads, Size == 2 ? 4 : 3)
    copy_tiled(const __grid_constant__ TiledCopy plan) {
  using T = weft::detail::word_t<Size>;
  extern __shared__ __align__(16) char weft_copy_tile[];
  const detail::TiledThread<Size> mine(plan, threadIdx.x);
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < plan.tiles; tile += gridDim.x) {
    int from = 0;
    int to = 0;
    detail::find_tile(plan, tile, from, to);
    detail::read_tile<Size>(mine, plan.pairs, reinterpret_cast<const T*>(plan.from) + from,
                            weft_copy_tile);
#if __CUDA_ARCH__ >= 800
    weft::detail::ptx::cp_async_wait_all();
#endif
    __syncthreads();
    detail::write_tile<Size>(mine, plan.pairs, reinterpret_cast<T*>(plan.to) + to, weft_copy_tile);
    __syncthreads();
  }
}

#endif

}  // namespace weft::on_cuda
