// Max pooling over two axes on CUDA by dedicated kernels: which images they support.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/conv/pool_kernel.hpp"
#include "weft/cuda/memory/stream_dependencies.hpp"
#include "weft/ops/conv/pool_run.hpp"

namespace weft {

/// Channels-last images of whole vectors, whatever the window; contiguous ones whose windows of 2
/// or 3 places are two apart, as in most networks.
template <>
struct MaxPoolKernels<Cuda> {
  template <class T, class I, class D>
  static bool largest(const char* operation, const pool::Window& w, const Tensor<T, D>& x,
                      const Tensor<T, D>& y, const Tensor<I, D>* index) {
    on_cuda::PoolGrid<T, I> grid{};
    grid.from = x.data();
    grid.to = y.data();
    grid.index = index != nullptr ? index->data() : nullptr;
    return run<false>(operation, w, grid, x, x, y, index);
  }
  /// The gradient of the images, given the results' gradient and the places that were chosen.
  template <class T, class I, class D>
  static bool gradient(const char* operation, const pool::Window& w, const Tensor<T, D>& g,
                       const Tensor<I, D>& index, const Tensor<T, D>& dx) {
    on_cuda::PoolGrid<T, I> grid{};
    grid.from = g.data();
    grid.to = dx.data();
    grid.index = index.data();
    return run<true>(operation, w, grid, dx, g, dx, &index);
  }

 private:
  /// Windows of `size`, two apart, `size` / 2 rounded down in front for an odd size.
  static bool is_pair(const pool::Window& w, int size) {
    for (int i = 1; i < 3; ++i) {
      if (w.kernel[i] != size || w.stride[i] != 2 || w.dilation[i] != 1) return false;
      if (w.padding[i] != size % 2) return false;
    }
    return !w.parts && w.in[2] == 2 * w.out[2] && 2 * w.out[1] <= w.in[1] + size % 2;
  }

  template <bool Back, class T, class I, class D>
  static bool run([[maybe_unused]] const char* operation, const pool::Window& w,
                  [[maybe_unused]] on_cuda::PoolGrid<T, I>& grid, const Tensor<T, D>& images,
                  const Tensor<T, D>& read, const Tensor<T, D>& written,
                  const Tensor<I, D>* index) {
    constexpr int lanes = 16 / static_cast<int>(sizeof(T));
    if (images.rank() != 4 || sizeof(T) > 4 || written.size() >= INT32_MAX ||
        read.size() >= INT32_MAX) {
      return false;
    }
    const bool last = is_channels_last(images);
    for (const auto* x : {&read, &written}) {
      if (reinterpret_cast<std::uintptr_t>(x->data()) % 16 != 0) return false;
      if (last ? !is_channels_last(*x) : !x->is_contiguous()) return false;
    }
    if (index != nullptr && reinterpret_cast<std::uintptr_t>(index->data()) % 16 != 0) return false;
    const int64_t channels = images.shape()[1];
    // A thread reads 16 bytes of a row, which give half as many results.
    const int size = is_pair(w, 3) ? 3 : is_pair(w, 2) ? 2 : 0;
    const int each = last ? lanes : lanes / 2;
    if (last ? channels % lanes != 0 : size == 0 || w.out[2] % each != 0) return false;
#if defined(__CUDACC__)
    if constexpr (sizeof(T) <= 4) {
      const auto number = [](int64_t x) { return static_cast<unsigned>(x); };
      const int* const target = Back ? w.in : w.out;
      grid.window = w;
      grid.channels = static_cast<int>(channels);
      grid.across = on_cuda::FastDivmod(number(last ? channels / lanes : w.out[2] / each));
      grid.columns = on_cuda::FastDivmod(number(target[2]));
      grid.rows = on_cuda::FastDivmod(number(target[1]));
      grid.items = number(written.size() / (last ? lanes : Back ? 2 * each : each));
      const void* const kernel = last        ? choose_last<Back, T, I>(index != nullptr)
                                 : size == 3 ? choose_row<Back, T, I, 3>(index != nullptr)
                                             : choose_row<Back, T, I, 2>(index != nullptr);
      const Cuda device{written.storage()->ordinal};
      const on_cuda::DeviceGuard guard(device);
      const on_cuda::Stream stream = on_cuda::current_stream(device);
      on_cuda::order_read(read.storage(), stream);
      if (Back) on_cuda::order_read(index->storage(), stream);
      on_cuda::order_write(written.storage(), stream);
      if (!Back && index != nullptr) on_cuda::order_write(index->storage(), stream);
      const unsigned blocks = (grid.items + on_cuda::block_threads - 1) / on_cuda::block_threads;
      void* arguments[] = {&grid};
      on_cuda::detail::launch({operation}, written.shape(), kernel, dim3(blocks),
                              on_cuda::block_threads, arguments, stream);
      written.storage()->bump_version();
      if (!Back && index != nullptr) index->storage()->bump_version();
      return true;
    }
#endif
    return false;
  }

#if defined(__CUDACC__)
  template <bool Back, class T, class I>
  static const void* choose_last(bool places) {
    constexpr int lanes = 16 / static_cast<int>(sizeof(T));
    if constexpr (Back) {
      return reinterpret_cast<const void*>(on_cuda::pool_last_gradient<T, I, lanes>);
    } else {
      return places ? reinterpret_cast<const void*>(on_cuda::pool_last<T, I, lanes, true>)
                    : reinterpret_cast<const void*>(on_cuda::pool_last<T, I, lanes, false>);
    }
  }
  template <bool Back, class T, class I, int K>
  static const void* choose_row(bool places) {
    constexpr int V = 8 / static_cast<int>(sizeof(T));
    if constexpr (Back) {
      return reinterpret_cast<const void*>(on_cuda::pool_row_gradient<T, I, K, V>);
    } else {
      return places ? reinterpret_cast<const void*>(on_cuda::pool_row<T, I, K, V, true>)
                    : reinterpret_cast<const void*>(on_cuda::pool_row<T, I, K, V, false>);
    }
  }
#endif
};

}  // namespace weft
