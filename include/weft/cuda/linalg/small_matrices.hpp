// The matrices of a thread block in shared memory, one per thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/config.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

inline constexpr int small_threads = 128;

/// A block's matrices of N x N, one a thread. They are loaded and stored through shared memory, so
/// that neighbouring threads access neighbouring words; an odd pitch avoids bank conflicts.
template <int N, class T>
struct SmallMatrices {
  static constexpr int size = N * N;
  static constexpr int pitch = size | 1;
  static constexpr int bytes = static_cast<int>(sizeof(T)) * small_threads * pitch;
  T* shared;
  long long first;
  int here;  // matrices of this block

  __device__ __forceinline__ SmallMatrices(char* room, long long count)
      : shared(reinterpret_cast<T*>(room)),
        first(static_cast<long long>(blockIdx.x) * small_threads),
        here(count - first < small_threads ? static_cast<int>(count - first) : small_threads) {}
  /// This thread's matrix.
  __device__ __forceinline__ T* mine() const { return shared + threadIdx.x * pitch; }
  __device__ __forceinline__ void load(const T* from) const {
#pragma unroll
    for (int i = 0; i < size; ++i) {
      const int e = static_cast<int>(threadIdx.x) + i * small_threads;
      if (e < here * size) shared[e / size * pitch + e % size] = from[first * size + e];
    }
    __syncthreads();
  }
  __device__ __forceinline__ void store(T* to) const {
    __syncthreads();
#pragma unroll
    for (int i = 0; i < size; ++i) {
      const int e = static_cast<int>(threadIdx.x) + i * small_threads;
      if (e < here * size) to[first * size + e] = shared[e / size * pitch + e % size];
    }
  }
};

}  // namespace weft::on_cuda

#endif
