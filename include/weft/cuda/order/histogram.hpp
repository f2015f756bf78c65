// CUDA's counting: each block first counts in its shared memory, if the bins fit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/reduce.hpp"
#include "weft/ops/order/histogram.hpp"

namespace weft {

#if defined(__CUDACC__)
namespace on_cuda {

/// The most bins that a block counts in shared memory.
inline constexpr int shared_bins = 8192;

/// counts[bin.value(x)] += 1 for n elements, a contiguous range per block.
template <class T, class Bin>
__global__ void __launch_bounds__(block_threads)
    count_bins(const T* x, int64_t n, const __grid_constant__ Bin bin, int bins,
               unsigned long long* counts) {
  __shared__ unsigned shared[shared_bins];
  const bool fits = bins <= shared_bins;
  if (fits) {
    for (int b = threadIdx.x; b < bins; b += block_threads) shared[b] = 0;
    __syncthreads();
  }
  const int64_t step = int64_t{gridDim.x} * block_threads;
  for (int64_t i = int64_t{blockIdx.x} * block_threads + threadIdx.x; i < n; i += step) {
    const int64_t at = bin.value(load_element(x[i]));
    if (at < 0) continue;
    if (fits) {
      atomicAdd(shared + at, 1U);
    } else {
      atomicAdd(counts + at, 1ULL);
    }
  }
  if (!fits) return;
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += block_threads) {
    if (shared[b] > 0) atomicAdd(counts + b, static_cast<unsigned long long>(shared[b]));
  }
}

}  // namespace on_cuda
#endif

template <>
struct Histogrammer<Cuda> {
  /// Adds 1 to counts[bin.value(element)] for each element whose bin is not negative.
  template <class T, class D, class Bin>
  static void count([[maybe_unused]] const Tensor<T, D>& x, [[maybe_unused]] const Bin& bin,
                    [[maybe_unused]] const Tensor<int64_t, D>& counts) {
#if defined(__CUDACC__)
    const Cuda device{counts.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    on_cuda::order_read(x.storage(), stream);
    on_cuda::order_write(counts.storage(), stream);
    const T* data = x.data();
    int64_t n = x.size();
    auto bins = static_cast<int>(counts.size() < INT32_MAX ? counts.size() : INT32_MAX);
    auto* out = reinterpret_cast<unsigned long long*>(counts.data());
    const int64_t most = int64_t{8} * on_cuda::properties(device).multiprocessors;
    const int64_t wanted = (n + 16 * on_cuda::block_threads - 1) / (16 * on_cuda::block_threads);
    void* arguments[] = {&data, &n, const_cast<Bin*>(&bin), &bins, &out};
    on_cuda::detail::launch(detail::Name{"count"}, x.shape(),
                            reinterpret_cast<const void*>(on_cuda::count_bins<T, Bin>),
                            static_cast<unsigned>(wanted < most ? wanted : most),
                            on_cuda::block_threads, arguments, stream);
#else
    static_assert(detail::always_false<T>,
                  "weft: a histogram on Cuda is computed in a file that nvcc compiles: move this "
                  "statement to a .cu file");
#endif
  }
};

WEFT_MODEL(CountingDevice<Cuda, op::uniform_bin>);

}  // namespace weft
