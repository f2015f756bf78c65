// Convolutions of long lines with few taps: one kernel, with zeros beyond the ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/launch.hpp"
#include "weft/ops/signal/convolve.hpp"

namespace weft::on_cuda {

/// Lines of n numbers, and of the full convolution with the taps of each `length` from `first` on.
template <class T>
struct FilterTask {
  const T* x;
  const T* taps;
  T* out;
  long long n;
  long long first;
  long long length;
  long long pieces;  // blocks a line
  int count;         // of the taps
};

#if defined(__CUDACC__)
inline constexpr int filter_threads = 256;
/// The number of results per thread, a block's width apart: a tap read from shared memory serves
/// all.
inline constexpr int filter_results = 8;
inline constexpr int filter_piece = filter_threads * filter_results;

/// A block keeps its piece of the line and the taps in shared memory.
template <class T>
__global__ void __launch_bounds__(filter_threads)
    filter_lines(const __grid_constant__ FilterTask<T> t) {
  extern __shared__ __align__(16) char room[];
  T* const taps = reinterpret_cast<T*>(room);
  T* const line = taps + t.count;
  const int me = static_cast<int>(threadIdx.x);
  const long long number = static_cast<long long>(blockIdx.x) / t.pieces;
  const long long start = (static_cast<long long>(blockIdx.x) - number * t.pieces) * filter_piece;
  const T* const x = t.x + number * t.n;
  // Result k takes the elements from first + k - (count - 1) to first + k.
  const long long before = t.first + start - (t.count - 1);
  for (int i = me; i < t.count; i += filter_threads) taps[i] = t.taps[t.count - 1 - i];
  for (int i = me; i < filter_piece + t.count - 1; i += filter_threads) {
    const long long at = before + i;
    line[i] = at >= 0 && at < t.n ? x[at] : T(0);
  }
  __syncthreads();
  T sums[filter_results];
#pragma unroll
  for (int r = 0; r < filter_results; ++r) sums[r] = T(0);
#pragma unroll 4
  for (int j = 0; j < t.count; ++j) {
    const T tap = taps[j];
#pragma unroll
    for (int r = 0; r < filter_results; ++r) sums[r] += line[me + j + r * filter_threads] * tap;
  }
  T* const out = t.out + number * t.length;
#pragma unroll
  for (int r = 0; r < filter_results; ++r) {
    const long long k = start + me + r * filter_threads;
    if (k < t.length) out[k] = sums[r];
  }
}
#endif
}  // namespace weft::on_cuda

#if defined(__CUDACC__)
namespace weft::fourier {

/// Of float and double; all lines with the same taps.
template <>
struct LineFilter<Cuda> {
  /// Shorter lines and more taps are left to reductions and transforms.
  static bool takes(int64_t length, int64_t taps) { return length >= 512 && taps <= 1024; }

  template <class T, class D>
  static void run(const char* operation, const Tensor<T, D>& x, const Tensor<T, D>& taps,
                  const Tensor<T, D>& out, int64_t first) {
    const Cuda device{out.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    on_cuda::order_read(x.storage(), stream);
    on_cuda::order_read(taps.storage(), stream);
    on_cuda::order_write(out.storage(), stream);
    const int64_t n = x.shape()[x.rank() - 1];
    const int64_t length = out.shape()[out.rank() - 1];
    const int64_t pieces = (length + on_cuda::filter_piece - 1) / on_cuda::filter_piece;
    const int64_t blocks = out.size() / length * pieces;
    if (blocks > INT32_MAX) {
      fail<ShapeError>(operation, blocks, " pieces of lines of shape ", out.shape(),
                       ", expected below 2^31");
    }
    const int count = static_cast<int>(taps.size());
    on_cuda::FilterTask<T> task{x.data(), taps.data(), out.data(), n, first, length, pieces, count};
    void* arguments[] = {&task};
    const int bytes = (on_cuda::filter_piece + 2 * count) * static_cast<int>(sizeof(T));
    const detail::Name name{operation};
    on_cuda::detail::launch(
        name, out.shape(), reinterpret_cast<const void*>(on_cuda::filter_lines<T>),
        static_cast<unsigned>(blocks), on_cuda::filter_threads, arguments, stream, bytes);
  }
};

}  // namespace weft::fourier
#endif
