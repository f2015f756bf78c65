// Staging: a block's elements of Small on their way through shared memory, in words of 16 bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/small.hpp"
#include "weft/cuda/primitive/async_copy.hpp"
#include "weft/cuda/primitive/vector.hpp"

namespace weft::on_cuda {

/// Threads per block of statements on Small, one element each; fewer if elements are large.
inline constexpr int staged_threads = 128;

/// Whether elements of type T are staged: neighbouring threads would read words of a Small far from
/// each other, and write parts of sectors. Elements that one load moves are not staged.
template <class T>
inline constexpr bool is_staged = is_small<T> && sizeof(T) > alignof(T);

/// Bytes from an element in shared memory to the next: 16 more if eight threads, reading 16 bytes
/// each, would have bank conflicts.
template <class T>
inline constexpr int staged_pitch = static_cast<int>(sizeof(T)) + (sizeof(T) % 32 == 0 ? 16 : 0);

/// The bytes of shared memory that a block of `threads` has for elements of these types.
template <class... Ts>
constexpr int staged_bytes([[maybe_unused]] int threads, weft::detail::TypeList<Ts...>) {
  return (0 + ... + (is_staged<Ts> ? staged_pitch<Ts> * threads : 0));
}

#if defined(__CUDACC__)

/// Calls move.operator()<bytes>(in memory, in shared memory) for the words of `count` consecutive
/// elements of T, each word by one thread of the block.
template <class T, class Move>
__device__ __forceinline__ void each_word(int count, bool wide, const Move& move) {
  constexpr int pitch = staged_pitch<T>;
  const int bytes = count * static_cast<int>(sizeof(T));
  if constexpr (pitch != sizeof(T)) {  // such elements are at multiples of 16 bytes
    constexpr int words = static_cast<int>(sizeof(T) / 16);
    for (int at = static_cast<int>(threadIdx.x); at < bytes / 16; at += blockDim.x) {
      move.template operator()<16>(at * 16, at / words * pitch + at % words * 16);
    }
  } else {
    const int full = wide ? bytes / 16 : 0;
    for (int at = static_cast<int>(threadIdx.x); at < full; at += blockDim.x) {
      move.template operator()<16>(at * 16, at * 16);
    }
    for (int at = full * 16 + static_cast<int>(threadIdx.x) * 4; at < bytes;
         at += static_cast<int>(blockDim.x) * 4) {
      move.template operator()<4>(at, at);
    }
  }
}

/// Starts to copy `count` elements to shared memory; `wide` if they are aligned to 16 bytes.
template <class T>
__device__ __forceinline__ void start_staging(char* shared, const char* data, int count,
                                              bool wide) {
  each_word<T>(count, wide, [&]<int bytes>(int there, int here) {
    start_copy<bytes>(shared + here, data + there);
  });
}
/// The way back.
template <class T>
__device__ __forceinline__ void write_staged(const char* shared, char* data, int count, bool wide) {
  each_word<T>(count, wide, [&]<int bytes>(int there, int here) {
    using Word = std::conditional_t<bytes == 16, ::int4, int>;
    *reinterpret_cast<Word*>(data + there) = *reinterpret_cast<const Word*>(shared + here);
  });
}
#endif

}  // namespace weft::on_cuda
