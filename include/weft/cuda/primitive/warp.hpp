// Values of a warp's other threads: exchanges, and sums and maxima over groups of threads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/complex.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

/// x of the thread whose lane differs by the bits of `mask`. All threads of the warp take part.
template <class T>
__device__ __forceinline__ T exchanged(T x, int mask) {
  return static_cast<T>(__shfl_xor_sync(~0U, x, mask));
}
template <class T>
__device__ __forceinline__ complex<T> exchanged(complex<T> x, int mask) {
  return {exchanged(x.re, mask), exchanged(x.im, mask)};
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
