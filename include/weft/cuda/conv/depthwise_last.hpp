// Depthwise convolutions of channels-last images on CUDA, and their gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/conv/depthwise_last_kernel.hpp"
#include "weft/cuda/conv/depthwise_last_weights_kernel.hpp"
#include "weft/cuda/conv/depthwise_sizes.hpp"
#include "weft/cuda/memory/stream_dependencies.hpp"
#include "weft/ops/conv/run.hpp"

namespace weft {

/// Each part returns false, having done nothing, for problems that it does not support.
template <>
struct DepthwiseLast<Cuda> {
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
    if constexpr (sizeof(T) > 4) return {};
    using C = compute_t<T>;
    using W = std::conditional_t<sizeof(T) <= 4, T, float>;  // for kernels that are made
    const bool small = p.kernel[1] == 3;
    const int64_t each = small ? 2 : 1;
    const bool unit = on_cuda::is_unit(p);
    if (!takes(p, x, g, each)) return {};
    const Cuda device{g.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    on_cuda::DepthwiseLastGrid<T> grid = grid_of<T>(p, false);
    grid.from = x.data();
    grid.gradient = g.data();
    const int64_t rows =
        unit ? (p.out[1] + on_cuda::depthwise_outputs - 1) / on_cuda::depthwise_outputs : p.out[1];
    grid.items = number(p.images * rows);
    grid.rows = on_cuda::FastDivmod(number(rows));
    const Lanes lanes(p.channels / each);
    const int64_t wanted = 4 * int64_t{on_cuda::properties(device).multiprocessors} / lanes.blocks;
    const int64_t most = (grid.items + lanes.rows - 1) / lanes.rows;
    int64_t parts = wanted < most ? (wanted > 0 ? wanted : 1) : most;
    grid.each = number((grid.items + parts - 1) / parts);
    parts = (grid.items + grid.each - 1) / grid.each;
    const Tensor<C, D> sums =
        detail::Access::allocate<C, D>({parts, p.filters, p.taps()}, g.device());
    grid.sums = sums.data();
    on_cuda::order_read(x.storage(), stream);
    on_cuda::order_read(g.storage(), stream);
    on_cuda::order_write(sums.storage(), stream);
    void* arguments[] = {&grid};
    const auto choose = [&]<int K, int V>() {
      return unit ? reinterpret_cast<const void*>(on_cuda::depthwise_last_weights<W, K, V, true>)
                  : reinterpret_cast<const void*>(on_cuda::depthwise_last_weights<W, K, V, false>);
    };
    const void* const kernel =
        small ? choose.template operator()<3, 2>() : choose.template operator()<5, 1>();
    launch(operation, g.shape(), kernel, dim3(number(parts), number(lanes.blocks)), lanes,
           arguments, stream, 0);
    return sums;
#else
    return {};
#endif
  }

 private:
  static unsigned number(int64_t x) { return static_cast<unsigned>(x); }
  template <class X>
  static bool takes(const conv::Problem& p, const X& a, const X& b, int64_t each) {
    const bool sizes = on_cuda::is_square_depthwise(p) && p.channels % each == 0;
    const auto lies = [](const X& x) {
      return is_channels_last(x) && reinterpret_cast<std::uintptr_t>(x.data()) % 16 == 0;
    };
    const bool counted = p.images * p.channels * p.out[1] * p.out[2] < INT32_MAX &&
                         p.in[1] * p.in[2] * p.channels < INT32_MAX;
    return sizes && counted && lies(a) && lies(b) && sizeof(typename X::value_type) <= 4;
  }
#if defined(__CUDACC__)
  /// How a block's threads are assigned to vectors of channels and rows.
  struct Lanes {
    int64_t blocks;
    int64_t across;
    int64_t rows;

    explicit Lanes(int64_t vectors)
        : blocks((vectors + 31) / 32),
          across((vectors + blocks - 1) / blocks),
          rows(on_cuda::block_threads / across) {}
  };
  template <class T>
  static on_cuda::DepthwiseLastGrid<T> grid_of(const conv::Problem& p, bool back) {
    auto grid = on_cuda::depthwise_sizes<on_cuda::DepthwiseLastGrid<T>>(p, back);
    for (int i = 0; i < 2; ++i) grid.gaps[i] = static_cast<int>(back ? p.stride[i + 1] : 1);
    return grid;
  }
  static void launch(const char* operation, const Shape& shape, const void* kernel, dim3 blocks,
                     const Lanes& lanes, void** arguments, const on_cuda::Stream& stream,
                     int bytes) {
    on_cuda::detail::launch({operation}, shape, kernel, blocks,
                            dim3(number(lanes.across), number(lanes.rows)), arguments, stream,
                            bytes);
  }
#endif

  template <class T, class D>
  static bool run([[maybe_unused]] const char* operation, const conv::Problem& p,
                  const Tensor<T, D>& x, [[maybe_unused]] const Tensor<T, D>& w,
                  [[maybe_unused]] const Tensor<T, D>* bias, const Tensor<T, D>& y,
                  [[maybe_unused]] bool back) {
    constexpr int64_t each = 16 / sizeof(T);
    if (!takes(p, x, y, each)) return false;
#if defined(__CUDACC__)
    if constexpr (sizeof(T) <= 4) {
      const Cuda device{y.storage()->ordinal};
      const on_cuda::DeviceGuard guard(device);
      const on_cuda::Stream stream = on_cuda::current_stream(device);
      on_cuda::DepthwiseLastGrid<T> grid = grid_of<T>(p, back);
      grid.from = x.data();
      grid.weight = w.data();
      grid.bias = bias != nullptr ? bias->data() : nullptr;
      grid.to = y.data();
      const int64_t groups =
          (grid.out[1] + on_cuda::depthwise_outputs - 1) / on_cuda::depthwise_outputs;
      grid.groups = on_cuda::FastDivmod(number(groups));
      grid.rows = on_cuda::FastDivmod(number(grid.out[0]));
      grid.items = number(p.images * grid.out[0] * groups);
      const Lanes lanes(p.channels / each);
      const int64_t all = (grid.items + lanes.rows - 1) / lanes.rows;
      const int64_t most = 16 * int64_t{on_cuda::properties(device).multiprocessors};
      const int64_t blocks = all < most ? all : most;
      for (const auto* in : {&x, &w}) on_cuda::order_read(in->storage(), stream);
      if (bias != nullptr) on_cuda::order_read(bias->storage(), stream);
      on_cuda::order_write(y.storage(), stream);
      const bool unit = p.stride[2] == 1 && p.dilation[2] == 1;
      const auto choose = [&]<int K>() {
        return unit ? reinterpret_cast<const void*>(on_cuda::depthwise_last<T, K, true>)
                    : reinterpret_cast<const void*>(on_cuda::depthwise_last<T, K, false>);
      };
      const void* const kernel =
          p.kernel[1] == 3 ? choose.template operator()<3>() : choose.template operator()<5>();
      const int64_t bytes = p.taps() * lanes.across * each * int64_t{sizeof(compute_t<T>)};
      void* arguments[] = {&grid};
      launch(operation, y.shape(), kernel, dim3(number(blocks), number(lanes.blocks)), lanes,
             arguments, stream, static_cast<int>(bytes));
      y.storage()->bump_version();
      return true;
    }
#endif
    return false;
  }
};

}  // namespace weft
