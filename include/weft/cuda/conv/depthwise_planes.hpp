// Depthwise convolutions of contiguous images on CUDA, and their gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/conv/depthwise_planes_kernel.hpp"
#include "weft/cuda/conv/depthwise_sizes.hpp"
#include "weft/cuda/memory/stream_dependencies.hpp"
#include "weft/ops/conv/run.hpp"

namespace weft {

/// Each part returns false, having done nothing, for problems that it does not support.
template <>
struct DepthwisePlanes<Cuda> {
  template <class T, class D>
  static bool results(const char* operation, const conv::Problem& p, const Tensor<T, D>& x,
                      const Tensor<T, D>& w, const Tensor<T, D>* bias, const Tensor<T, D>& y) {
    return run(operation, p, x, w, bias, y, false);
  }
  /// The gradient of the images.
  template <class T, class D>
  static bool images(const char* operation, const conv::Problem& p, const Tensor<T, D>& g,
                     const Tensor<T, D>& w, const Tensor<T, D>& dx) {
    const Tensor<T, D>* const no_bias = nullptr;
    return run(operation, p, g, w, no_bias, dx, true);
  }

  /// The gradient of the weight: sums (part, filter, tap), not yet added up; empty for problems
  /// that it does not support.
  template <class T, class D>
  static Tensor<compute_t<T>, D> weights([[maybe_unused]] const char* operation,
                                         [[maybe_unused]] const conv::Problem& p,
                                         [[maybe_unused]] const Tensor<T, D>& x,
                                         [[maybe_unused]] const Tensor<T, D>& g) {
#if defined(__CUDACC__)
    using C = compute_t<T>;
    if (!takes(p)) return {};
    const Cuda device{g.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    on_cuda::DepthwisePlanesGrid<T> grid = grid_of<T>(p, false);
    grid.from = x.data();
    grid.gradient = g.data();
    const int64_t wanted = 8 * int64_t{on_cuda::properties(device).multiprocessors};
    const int64_t parts = split(grid, (wanted + p.channels - 1) / p.channels);
    const Tensor<C, D> sums =
        detail::Access::allocate<C, D>({parts, p.filters, p.taps()}, g.device());
    grid.sums = sums.data();
    on_cuda::order_read(x.storage(), stream);
    on_cuda::order_read(g.storage(), stream);
    on_cuda::order_write(sums.storage(), stream);
    const bool unit = on_cuda::is_unit(p);
    const auto choose = [&]<int K>() {
      return unit ? reinterpret_cast<const void*>(on_cuda::depthwise_planes_weights<T, K, true>)
                  : reinterpret_cast<const void*>(on_cuda::depthwise_planes_weights<T, K, false>);
    };
    const void* const kernel =
        p.kernel[1] == 3 ? choose.template operator()<3>() : choose.template operator()<5>();
    void* arguments[] = {&grid};
    on_cuda::detail::launch({operation}, g.shape(), kernel, dim3(number(p.channels), number(parts)),
                            on_cuda::block_threads, arguments, stream);
    return sums;
#else
    return {};
#endif
  }

 private:
  static unsigned number(int64_t x) { return static_cast<unsigned>(x); }
  /// Strides must be powers of two, so that dividing by them is a shift.
  static bool takes(const conv::Problem& p) {
    if (!on_cuda::is_square_depthwise(p)) return false;
    for (int i = 1; i < 3; ++i) {
      if (p.stride[i] != 1 && p.stride[i] != 2 && p.stride[i] != 4) return false;
    }
    constexpr int64_t most = int64_t{1} << 30;
    const int64_t in = p.in[1] * p.in[2];
    const int64_t out = (p.out[1] + on_cuda::depthwise_rows) * p.out[2];
    const int64_t reach = (p.padding[1] + p.dilation[1] * p.kernel[1]) * p.in[2];
    const int64_t planes = p.images > p.channels ? p.images : p.channels;
    return in + reach < most && planes < most / (out > in ? out : in);
  }
#if defined(__CUDACC__)
  template <class T>
  static on_cuda::DepthwisePlanesGrid<T> grid_of(const conv::Problem& p, bool back) {
    auto grid = on_cuda::depthwise_sizes<on_cuda::DepthwisePlanesGrid<T>>(p, back);
    grid.images = number(p.images);
    for (int i = 0; i < 2; ++i) {
      grid.gap_mask[i] = back ? static_cast<int>(p.stride[i + 1]) - 1 : 0;
      grid.gap_shift[i] = grid.gap_mask[i] == 0 ? 0 : grid.gap_mask[i] == 1 ? 1 : 2;
    }
    grid.across = on_cuda::FastDivmod(number(grid.out[1]));
    grid.bands = on_cuda::FastDivmod(
        number((grid.out[0] + on_cuda::depthwise_rows - 1) / on_cuda::depthwise_rows));
    grid.items = grid.across.divisor * grid.bands.divisor * number(p.channels);
    return grid;
  }
  /// Deals the images to about as many parts as are wanted.
  template <class Grid>
  static int64_t split(Grid& grid, int64_t wanted) {
    int64_t parts = wanted < 1 ? 1 : wanted;
    if (parts > grid.images) parts = grid.images;
    if (parts > 4096) parts = 4096;
    grid.each = number((grid.images + parts - 1) / parts);
    return (grid.images + grid.each - 1) / grid.each;
  }
#endif

  template <class T, class D>
  static bool run([[maybe_unused]] const char* operation, const conv::Problem& p,
                  [[maybe_unused]] const Tensor<T, D>& x, [[maybe_unused]] const Tensor<T, D>& w,
                  [[maybe_unused]] const Tensor<T, D>* bias, [[maybe_unused]] const Tensor<T, D>& y,
                  [[maybe_unused]] bool back) {
    if (!takes(p)) return false;
#if defined(__CUDACC__)
    const Cuda device{y.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    on_cuda::DepthwisePlanesGrid<T> grid = grid_of<T>(p, back);
    grid.from = x.data();
    grid.weight = w.data();
    grid.bias = bias != nullptr ? bias->data() : nullptr;
    grid.to = y.data();
    const int64_t blocks =
        (int64_t{grid.items} + on_cuda::block_threads - 1) / on_cuda::block_threads;
    const int64_t wanted = 16 * int64_t{on_cuda::properties(device).multiprocessors};
    const int64_t parts = split(grid, (wanted + blocks - 1) / blocks);
    for (const auto* in : {&x, &w}) on_cuda::order_read(in->storage(), stream);
    if (bias != nullptr) on_cuda::order_read(bias->storage(), stream);
    on_cuda::order_write(y.storage(), stream);
    const bool unit = on_cuda::is_unit(p);
    const auto choose = [&]<int K>() {
      return unit ? reinterpret_cast<const void*>(on_cuda::depthwise_planes<T, K, true>)
                  : reinterpret_cast<const void*>(on_cuda::depthwise_planes<T, K, false>);
    };
    const void* const kernel =
        p.kernel[1] == 3 ? choose.template operator()<3>() : choose.template operator()<5>();
    void* arguments[] = {&grid};
    on_cuda::detail::launch({operation}, y.shape(), kernel, dim3(number(blocks), number(parts)),
                            on_cuda::block_threads, arguments, stream);
    y.storage()->bump_version();
    return true;
#else
    return false;
#endif
  }
};

}  // namespace weft
