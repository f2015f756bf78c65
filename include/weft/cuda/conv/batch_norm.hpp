// Batch norm's statistics and the sums of its gradient on CUDA, each in one pass over the images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/conv/batch_norm_kernel.hpp"
#include "weft/cuda/memory/stream_dependencies.hpp"
#include "weft/ops/conv/batch_norm_kernels.hpp"

namespace weft {

template <>
struct BatchNormKernels<Cuda> {
  template <class T, class D, class C = compute_t<T>>
  static BatchNumbers<C, D> statistics(
      [[maybe_unused]] const Tensor<T, D>& x, [[maybe_unused]] const Tensor<T, D>& weight,
      [[maybe_unused]] double epsilon,
      [[maybe_unused]] const BatchRunning<T, D>* running = nullptr) {
#if defined(__CUDACC__)
    const int64_t channels = x.shape()[1];
    const Tensor<C, D> rows = detail::Access::allocate<C, D>({4, channels}, x.device());
    const auto row = [&](int i) { return rows.narrow(0, i, 1).reshape({channels}); };
    BatchNumbers<C, D> out{row(0), row(1), row(2), row(3)};
    if (channels == 0) return out;
    const Run run(x);
    on_cuda::BatchNormGrid<T> grid{};
    grid.x = x.data();
    on_cuda::BatchNormTotals<T> totals{};
    totals.weight = weight.data();
    totals.mean = out.mean.data();
    totals.variance = out.variance.data();
    totals.scale = out.scale.data();
    totals.factor = out.factor.data();
    totals.epsilon = static_cast<C>(epsilon);
    on_cuda::order_read(x.storage(), run.stream);
    on_cuda::order_read(weight.storage(), run.stream);
    on_cuda::order_write(rows.storage(), run.stream);
    if (running != nullptr) {
      totals.running_mean = running->mean.data();
      totals.running_variance = running->variance.data();
      totals.batches = reinterpret_cast<long long*>(running->batches.data());
      totals.share = static_cast<C>(running->share);
      for (const auto* t : {&running->mean, &running->variance}) {
        on_cuda::order_write(t->storage(), run.stream);
        t->storage()->bump_version();
      }
      on_cuda::order_write(running->batches.storage(), run.stream);
      running->batches.storage()->bump_version();
    }
    sum<on_cuda::BatchMoments>(run, x, grid, totals);
    return out;
#else
    return refuse<T, BatchNumbers<C, D>>();
#endif
  }

  template <class T, class D, class C = compute_t<T>>
  static BatchGradients<T, C, D> gradients([[maybe_unused]] const Tensor<T, D>& x,
                                           [[maybe_unused]] const Tensor<T, D>& g,
                                           [[maybe_unused]] const BatchNumbers<C, D>& numbers,
                                           [[maybe_unused]] const Tensor<T, D>& bias,
                                           [[maybe_unused]] bool relu,
                                           [[maybe_unused]] const Tensor<T, D>* to_weight = nullptr,
                                           [[maybe_unused]] const Tensor<T, D>* to_bias = nullptr) {
#if defined(__CUDACC__)
    const int64_t channels = x.shape()[1];
    const Tensor<C, D> rows = detail::Access::allocate<C, D>({2, channels}, x.device());
    const auto place = [&](const Tensor<T, D>* to) {
      return to != nullptr ? *to : detail::Access::allocate<T, D>({channels}, x.device());
    };
    BatchGradients<T, C, D> out{rows.narrow(0, 0, 1).reshape({channels}),
                                rows.narrow(0, 1, 1).reshape({channels}), place(to_weight),
                                place(to_bias)};
    if (channels == 0) return out;
    const Run run(x);
    on_cuda::BatchNormGrid<T> grid{};
    grid.x = x.data();
    grid.gradient = g.data();
    grid.mean = numbers.mean.data();
    grid.factor = numbers.factor.data();
    grid.bias = bias.data();
    grid.relu = relu;
    on_cuda::BatchNormTotals<T> totals{};
    totals.scale = numbers.scale.data();
    totals.slope = out.slope.data();
    totals.shift = out.shift.data();
    totals.to_weight = out.weight.data();
    totals.to_bias = out.bias.data();
    for (const auto* t : {&x, &g, &bias}) on_cuda::order_read(t->storage(), run.stream);
    on_cuda::order_read(numbers.mean.storage(), run.stream);
    on_cuda::order_write(rows.storage(), run.stream);
    for (const auto* t : {&out.weight, &out.bias}) on_cuda::order_write(t->storage(), run.stream);
    sum<on_cuda::BatchSlopes>(run, x, grid, totals);
    return out;
#else
    return refuse<T, BatchGradients<T, C, D>>();
#endif
  }

  /// The gradient of the images, in the format of x.
  template <class T, class D, class C = compute_t<T>>
  static Tensor<T, D> images([[maybe_unused]] const Tensor<T, D>& x,
                             [[maybe_unused]] const Tensor<T, D>& g,
                             [[maybe_unused]] const BatchNumbers<C, D>& numbers,
                             [[maybe_unused]] const BatchGradients<T, C, D>& sums,
                             [[maybe_unused]] const Tensor<T, D>& bias,
                             [[maybe_unused]] bool relu) {
#if defined(__CUDACC__)
    constexpr int wide = 16 / static_cast<int>(sizeof(T));
    const Tensor<T, D> out = detail::allocate_format<T>(x.shape(), x.device(), is_channels_last(x));
    if (x.size() == 0) return out;
    const Run run(x);
    on_cuda::BatchNormGrid<T> grid{};
    grid.x = x.data();
    grid.gradient = g.data();
    grid.mean = numbers.mean.data();
    grid.factor = numbers.factor.data();
    grid.bias = bias.data();
    grid.slope = sums.slope.data();
    grid.shift = sums.shift.data();
    grid.to = out.data();
    grid.relu = relu;
    for (const auto* t : {&x, &g, &bias}) on_cuda::order_read(t->storage(), run.stream);
    for (const auto* t : {&numbers.mean, &sums.slope}) {
      on_cuda::order_read(t->storage(), run.stream);
    }
    on_cuda::order_write(out.storage(), run.stream);
    const Lie lie(run, x, 3, grid);
    const auto choose = [&]<bool Last>() {
      return lie.aligned
                 ? reinterpret_cast<const void*>(on_cuda::batch_norm_gradient<T, wide, Last>)
                 : reinterpret_cast<const void*>(on_cuda::batch_norm_gradient<T, 1, Last>);
    };
    const void* const kernel =
        lie.last ? choose.template operator()<true>() : choose.template operator()<false>();
    void* arguments[] = {&grid};
    on_cuda::detail::launch({"batch_norm"}, x.shape(), kernel, lie.blocks, lie.threads, arguments,
                            run.stream, 0);
    return out;
#else
    return refuse<T, Tensor<T, D>>();
#endif
  }

 private:
#if defined(__CUDACC__)
  static unsigned number(int64_t x) { return static_cast<unsigned>(x); }
  struct Run {
    Cuda device;
    on_cuda::DeviceGuard guard;
    on_cuda::Stream stream;
    template <class X>
    explicit Run(const X& x)
        : device{x.storage()->ordinal}, guard(device), stream(on_cuda::current_stream(device)) {}
  };

  /// How threads are assigned to the items of images; fills in that part of the grid.
  struct Lie {
    bool last;
    bool aligned;
    dim3 blocks;
    dim3 threads;

    template <class T, class D>
    Lie(const Run& run, const Tensor<T, D>& x, int64_t each, on_cuda::BatchNormGrid<T>& grid) {
      constexpr int wide = 16 / static_cast<int>(sizeof(T));
      const int64_t channels = x.shape()[1];
      const int64_t places = x.size() / channels;  // values of a channel
      last = x.rank() == 2 || is_channels_last(x);
      const int64_t plane = last || x.shape()[0] == 0 ? 1 : places / x.shape()[0];
      aligned = (last ? channels : plane) % wide == 0;
      for (const void* data :
           {static_cast<const void*>(grid.x), static_cast<const void*>(grid.gradient),
            static_cast<const void*>(grid.to)}) {
        aligned = aligned && reinterpret_cast<std::uintptr_t>(data) % 16 == 0;
      }
      const int64_t lanes = aligned ? wide : 1;
      const int64_t items = last ? places : places / lanes;
      if (items > INT32_MAX / 2 || channels > INT32_MAX) {
        fail<ShapeError>("batch_norm", "an input of shape ", x.shape(),
                         ", expected at most 2^30 vectors of a channel");
      }
      const int64_t vectors = last ? channels / lanes : 1;
      const int64_t across = last ? (vectors < 32 ? vectors : 32) : 1;
      const int64_t rows = on_cuda::block_threads / across;
      const int64_t columns = last ? (vectors + across - 1) / across : channels;
      int64_t parts =
          (each * int64_t{on_cuda::properties(run.device).multiprocessors} + columns / 2) / columns;
      const int64_t most = (items + rows * 4 - 1) / (rows * 4);
      if (parts > most) parts = most;
      if (parts < 1) parts = 1;
      grid.channels = static_cast<int>(channels);
      grid.items = number(items);
      grid.vectors = number(vectors);
      grid.plane = on_cuda::FastDivmod(number(plane / (last ? 1 : lanes)));
      blocks = dim3(number(columns), number(parts));
      threads = dim3(number(across), number(rows));
    }
  };

  /// The pass over the images, and the one that adds up its parts.
  template <template <class, int> class Sums, class T, class D>
  static void sum(const Run& run, const Tensor<T, D>& x, on_cuda::BatchNormGrid<T>& grid,
                  on_cuda::BatchNormTotals<T>& totals) {
    using C = compute_t<T>;
    constexpr int wide = 16 / static_cast<int>(sizeof(T));
    const int64_t channels = x.shape()[1];
    const Lie lie(run, x, 4, grid);
    const int64_t parts = lie.blocks.y;
    const Tensor<C, D> sums =
        detail::Access::allocate<C, D>({parts, Sums<C, 1>::numbers, channels}, x.device());
    on_cuda::order_write(sums.storage(), run.stream);
    grid.sums = sums.data();
    totals.sums = sums.data();
    totals.count = static_cast<C>(x.size() / channels);
    totals.channels = grid.channels;
    totals.parts = static_cast<int>(parts);
    const void* const kernel =
        lie.last ? (lie.aligned ? address<T, wide, true, Sums>() : address<T, 1, true, Sums>())
                 : (lie.aligned ? address<T, wide, false, Sums>() : address<T, 1, false, Sums>());
    void* arguments[] = {&grid};
    on_cuda::detail::launch({"batch_norm"}, x.shape(), kernel, lie.blocks, lie.threads, arguments,
                            run.stream, 0);
    void* more[] = {&totals};
    constexpr int64_t each = on_cuda::block_threads / 32;
    on_cuda::detail::launch({"batch_norm"}, x.shape(),
                            reinterpret_cast<const void*>(on_cuda::batch_norm_totals<T, Sums>),
                            dim3(number((channels + each - 1) / each)), on_cuda::block_threads,
                            more, run.stream);
  }
  template <class T, int V, bool Last, template <class, int> class Sums>
  static const void* address() {
    return reinterpret_cast<const void*>(on_cuda::batch_norm_sums<T, V, Last, Sums>);
  }
#else
  template <class T, class Out>
  static Out refuse() {
    static_assert(detail::always_false<T>,
                  "weft: batch norm on Cuda is computed in a file that nvcc compiles: move this "
                  "statement to a .cu file");
  }
#endif
};

}  // namespace weft
