// The gradient of a depthwise convolution's weight on CUDA.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/conv/depthwise_last.hpp"
#include "weft/cuda/conv/depthwise_planes.hpp"
#include "weft/cuda/memory/stream_dependencies.hpp"
#include "weft/cuda/primitive/launch.hpp"
#include "weft/ops/conv/run.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft {

namespace on_cuda {

/// The arguments of depthwise_weights.
template <class T>
struct DepthwiseGrid {
  using C = compute_t<T>;
  conv::Window window;
  conv::Planes<const T> x;
  conv::Planes<const T> g;
  C* sums;  // (part, filter, tap)
  FastDivmod ox;
  FastDivmod oy;
  FastDivmod oz;
  unsigned filters;
  unsigned each;    // filters of a channel
  unsigned images;  // of a part
  unsigned all;
  unsigned bands;  // of `taps_at_once` taps in a row of the kernel
};

/// The number of taps in a kernel's row whose sums a thread keeps.
inline constexpr int taps_at_once = 8;

#if defined(__CUDACC__)
/// A block sums over places for Lanes filters, which are neighbours in memory or one, and a part of
/// the taps in a row of the kernel; always in the same order.
template <class T, int Lanes>
__global__ void __launch_bounds__(block_threads)
    depthwise_weights(const __grid_constant__ DepthwiseGrid<T> grid) {
  using C = compute_t<T>;
  constexpr int rows = block_threads / Lanes;
  const conv::Window& w = grid.window;
  const unsigned lane = threadIdx.x % Lanes;
  const unsigned row = threadIdx.x / Lanes;
  const unsigned filter = blockIdx.x * Lanes + lane;
  const int line = static_cast<int>(blockIdx.y / grid.bands);
  const int first_tap = static_cast<int>(blockIdx.y % grid.bands) * taps_at_once;
  const int kz = line / w.kernel[1];
  const int ky = line - kz * w.kernel[1];
  const unsigned first = blockIdx.z * grid.images;
  const unsigned images = grid.all - first < grid.images ? grid.all - first : grid.images;
  const unsigned items = images * grid.ox.divisor * grid.oy.divisor * grid.oz.divisor;
  C sums[taps_at_once]{};
  if (filter < grid.filters) {
    for (unsigned item = row; item < items; item += rows) {
      unsigned rest = grid.ox.divide(item);
      const int x = static_cast<int>(item - rest * grid.ox.divisor);
      unsigned whole = grid.oy.divide(rest);
      const int y = static_cast<int>(rest - whole * grid.oy.divisor);
      rest = whole;
      whole = grid.oz.divide(rest);
      const int z = static_cast<int>(rest - whole * grid.oz.divisor);
      const unsigned n = first + whole;
      const int from_z = w.source(0, z, kz);
      const int from_y = w.source(1, y, ky);
      if (!w.inside(0, from_z) || !w.inside(1, from_y)) continue;
      const C upstream = load_element(*grid.g.at(n, filter, z, y, x));
      const T* const in = grid.x.at(n, filter / grid.each, from_z, from_y, 0);
#pragma unroll
      for (int k = 0; k < taps_at_once; ++k) {
        const int from = w.source(2, x, first_tap + k);
        if (first_tap + k < w.kernel[2] && w.inside(2, from)) {
          sums[k] += upstream * load_element(in[from * grid.x.x]);
        }
      }
    }
  }
  __shared__ C tile[block_threads];
#pragma unroll
  for (int k = 0; k < taps_at_once; ++k) {
    if (first_tap + k >= w.kernel[2]) break;  // alike in all threads
    tile[threadIdx.x] = sums[k];
    __syncthreads();
    for (unsigned half_rows = rows / 2; half_rows > 0; half_rows /= 2) {
      if (row < half_rows) tile[threadIdx.x] += tile[threadIdx.x + half_rows * Lanes];
      __syncthreads();
    }
    if (row == 0 && filter < grid.filters) {
      const int tap = line * w.kernel[2] + first_tap + k;
      const auto at = (static_cast<int64_t>(blockIdx.z) * grid.filters + filter) * w.taps + tap;
      grid.sums[at] = tile[lane];
    }
    __syncthreads();
  }
}
#endif

}  // namespace on_cuda

template <>
struct DepthwiseWeights<Cuda> {
  template <class T, class D>
  static void run([[maybe_unused]] const char* operation, [[maybe_unused]] const conv::Problem& p,
                  [[maybe_unused]] const Tensor<T, D>& x, [[maybe_unused]] const Tensor<T, D>& g,
                  [[maybe_unused]] const Tensor<T, D>& dw) {
#if defined(__CUDACC__)
    using C = compute_t<T>;
    const Cuda device{dw.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    const bool last = is_channels_last(g);
    const Tensor<C, D> found = last ? DepthwiseLast<Cuda>::weights(operation, p, x, g)
                                    : DepthwisePlanes<Cuda>::weights(operation, p, x, g);
    if (found.size() > 0) return add_up(found, dw);
    const auto number = [](int64_t i) { return static_cast<unsigned>(i); };
    on_cuda::DepthwiseGrid<T> grid;
    grid.window = conv::Window(p);
    grid.x = conv::Planes<const T>(x);
    grid.g = conv::Planes<const T>(g);
    grid.ox = on_cuda::FastDivmod(number(p.out[2]));
    grid.oy = on_cuda::FastDivmod(number(p.out[1]));
    grid.oz = on_cuda::FastDivmod(number(p.out[0]));
    grid.filters = number(p.filters);
    grid.each = number(p.filters / p.channels);
    grid.all = number(p.images);
    grid.bands = number((p.kernel[2] + on_cuda::taps_at_once - 1) / on_cuda::taps_at_once);
    const int64_t across = last ? (p.filters + 31) / 32 : p.filters;
    const int64_t lines = p.kernel[0] * p.kernel[1] * grid.bands;
    // Enough blocks for all multiprocessors, and places that 31 bits count.
    const int64_t wanted =
        (8 * int64_t{on_cuda::properties(device).multiprocessors} + across * lines - 1) /
        (across * lines);
    const int64_t least = (p.images * p.places() >> 30) + 1;
    int64_t parts = wanted > least ? wanted : least;
    if (parts > p.images) parts = p.images;
    if (parts > 4096) parts = 4096;
    grid.images = number((p.images + parts - 1) / parts);
    parts = (p.images + grid.images - 1) / grid.images;
    const Tensor<C, D> sums =
        detail::Access::allocate<C, D>({parts, p.filters, p.taps()}, x.device());
    grid.sums = sums.data();
    on_cuda::order_read(x.storage(), stream);
    on_cuda::order_read(g.storage(), stream);
    on_cuda::order_write(sums.storage(), stream);
    const dim3 blocks(number(across), number(lines), number(parts));
    void* arguments[] = {&grid};
    const auto one = on_cuda::depthwise_weights<T, 1>;
    const auto many = on_cuda::depthwise_weights<T, 32>;
    on_cuda::detail::launch({operation}, g.shape(),
                            reinterpret_cast<const void*>(last ? many : one), blocks,
                            on_cuda::block_threads, arguments, stream);
    add_up(sums, dw);
#else
    static_assert(detail::always_false<T>,
                  "weft: a gradient on Cuda is computed in a file that nvcc compiles: move this "
                  "statement to a .cu file");
#endif
  }

 private:
  /// dw of the sums (part, filter, tap).
  template <class C, class T, class D>
  static void add_up(const Tensor<C, D>& sums, const Tensor<T, D>& dw) {
    const Tensor<T, D> to = dw.reshape({sums.shape()[1], sums.shape()[2]});
    if constexpr (std::is_same_v<C, T>) {
      to.assign(sum(sums, axis(0)));
    } else {
      to.assign(cast<T>(sum(sums, axis(0))));
    }
  }
};

}  // namespace weft
