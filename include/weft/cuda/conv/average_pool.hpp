// Global average pooling on CUDA: the mean of each channel of whole images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/memory/stream_dependencies.hpp"
#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/primitive/warp.hpp"
#include "weft/ops/conv/pool_run.hpp"

namespace weft {

#if defined(__CUDACC__)
namespace on_cuda {

/// Images without gaps, and where the mean of each channel goes.
template <class T>
struct WholeImages {
  conv::Planes<const T> from;
  conv::Planes<T> to;
  int64_t places = 0;
  unsigned channels = 0;
  unsigned groups = 0;  // of 32 channels
  unsigned count = 0;   // channels of all images
};

/// Of images whose places lie one after the other: a warp computes one mean.
template <class T>
__global__ void __launch_bounds__(block_threads)
    mean_of_planes(const __grid_constant__ WholeImages<T> grid) {
  const unsigned plane = blockIdx.x * (block_threads / 32) + threadIdx.x / 32;
  if (plane >= grid.count) return;
  const unsigned image = plane / grid.channels;
  const unsigned channel = plane - image * grid.channels;
  const T* const from = grid.from.at(image, channel, 0, 0, 0);
  compute_t<T> sum{};
#pragma unroll 4
  for (int64_t i = threadIdx.x % 32; i < grid.places; i += 32) sum += load_element(from[i]);
  sum = sum_of_threads<32>(sum);
  if (threadIdx.x % 32 != 0) return;
  *grid.to.at(image, channel, 0, 0, 0) =
      static_cast<T>(sum / static_cast<compute_t<T>>(grid.places));
}

/// Of channels-last images: a block computes 32 neighbours, each warp a part of their places.
template <class T>
__global__ void __launch_bounds__(block_threads)
    mean_of_channels(const __grid_constant__ WholeImages<T> grid) {
  constexpr int warps = block_threads / 32;
  const unsigned image = blockIdx.x / grid.groups;
  const unsigned channel = (blockIdx.x - image * grid.groups) * 32 + threadIdx.x % 32;
  compute_t<T> sum{};
  if (channel < grid.channels) {
    const T* const from = grid.from.at(image, channel, 0, 0, 0);
#pragma unroll 4
    for (int64_t i = threadIdx.x / 32; i < grid.places; i += warps) {
      sum += load_element(from[i * grid.channels]);
    }
  }
  __shared__ compute_t<T> sums[block_threads];
  sums[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x >= 32 || channel >= grid.channels) return;
#pragma unroll
  for (int i = 1; i < warps; ++i) sum += sums[threadIdx.x + i * 32];
  *grid.to.at(image, channel, 0, 0, 0) =
      static_cast<T>(sum / static_cast<compute_t<T>>(grid.places));
}

}  // namespace on_cuda
#endif

template <>
struct AvgPoolKernels<Cuda> {
  template <class T, class D>
  static bool average([[maybe_unused]] const pool::Window& w,
                      [[maybe_unused]] const Tensor<T, D>& x,
                      [[maybe_unused]] const Tensor<T, D>& y) {
#if defined(__CUDACC__)
    on_cuda::WholeImages<T> grid{conv::Planes<const T>(x), conv::Planes<T>(y)};
    if (!pool::is_whole(w, grid.from, x) || y.size() > INT32_MAX) return false;
    const bool last = grid.from.are_channels_adjacent();
    grid.places = x.size() / y.size();
    grid.channels = static_cast<unsigned>(y.shape()[1]);
    grid.groups = (grid.channels + 31) / 32;
    grid.count = static_cast<unsigned>(y.size());
    const Cuda device{y.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    on_cuda::order_read(x.storage(), stream);
    on_cuda::order_write(y.storage(), stream);
    const void* const kernel = last ? reinterpret_cast<const void*>(on_cuda::mean_of_channels<T>)
                                    : reinterpret_cast<const void*>(on_cuda::mean_of_planes<T>);
    constexpr unsigned warps = on_cuda::block_threads / 32;
    const unsigned blocks =
        last ? static_cast<unsigned>(y.shape()[0]) * grid.groups : (grid.count + warps - 1) / warps;
    void* arguments[] = {&grid};
    on_cuda::detail::launch({"adaptive_avg_pool"}, y.shape(), kernel, dim3(blocks),
                            on_cuda::block_threads, arguments, stream);
    y.storage()->bump_version();
    return true;
#else
    return false;
#endif
  }
  /// None of its own: each place reads one number.
  template <class T, class D>
  static bool gradient(const pool::Window&, const Tensor<T, D>&, const Tensor<T, D>&) {
    return false;
  }
};

}  // namespace weft
