// CUDA's attention and its gradients: cuDNN's for half types with weft::cudnn, else weft's kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/attention/backward.hpp"
#include "weft/cuda/attention/cudnn.hpp"
#include "weft/cuda/attention/forward.hpp"
#include "weft/cuda/attention/tensor_backward.hpp"
#include "weft/cuda/attention/tensor_forward.hpp"
#include "weft/cuda/memory/stream_dependencies.hpp"
#include "weft/cuda/tf32.hpp"

namespace weft {

template <>
struct AttentionKernels<Cuda> {
  template <class T, class D>
  static void forward([[maybe_unused]] AttentionPlan& plan, [[maybe_unused]] const Tensor<T, D>& q,
                      [[maybe_unused]] const Tensor<T, D>& k,
                      [[maybe_unused]] const Tensor<T, D>& v,
                      [[maybe_unused]] const Tensor<T, D>& y,
                      [[maybe_unused]] const Tensor<compute_t<T>, D>& logs) {
#if defined(__CUDACC__)
    const Run run(logs);
    run.reads(q, k, v);
    run.writes(y);
    run.writes(logs);
#if defined(WEFT_CUDNN)
    if constexpr (is_half<T>) {
      plan.by_library = on_cuda::detail::CudnnAttention<T, D>(plan, q, logs).forward(q, k, v, y);
      if (plan.by_library) return;
    }
#endif
    check_width(plan);
    on_cuda::AttentionGrid<T> grid = grid_of(plan, q, k, v, y, logs);
    if (is_narrow(plan)) {
      values<T, 64>(run, plan, grid);
    } else {
      values<T, 128>(run, plan, grid);
    }
#else
    static_assert(detail::always_false<T>,
                  "weft: attention on Cuda is computed in a file that nvcc compiles: move this "
                  "statement to a .cu file");
#endif
  }

  template <class T, class D>
  static void backward(
      [[maybe_unused]] const AttentionPlan& plan, [[maybe_unused]] const Tensor<T, D>& q,
      [[maybe_unused]] const Tensor<T, D>& k, [[maybe_unused]] const Tensor<T, D>& v,
      [[maybe_unused]] const Tensor<T, D>& y, [[maybe_unused]] const Tensor<compute_t<T>, D>& logs,
      [[maybe_unused]] const Tensor<T, D>& gradient, [[maybe_unused]] const Tensor<T, D>& dq,
      [[maybe_unused]] const Tensor<T, D>& dk, [[maybe_unused]] const Tensor<T, D>& dv) {
#if defined(__CUDACC__)
    using C = compute_t<T>;
    const Run run(logs);
    run.reads(q, k, v);
    run.reads(y, gradient, logs);
    for (const Tensor<T, D>* x : {&dq, &dk, &dv}) run.writes(*x);
#if defined(WEFT_CUDNN)
    if constexpr (is_half<T>) {
      on_cuda::detail::CudnnAttention<T, D> library(plan, q, logs);
      if (plan.by_library && library.backward(q, k, v, y, gradient, dq, dk, dv)) return;
      if (plan.by_library && plan.drops()) {  // whose weights only cuDNN has
        fail<ValueError>("scaled_dot_product_attention", "cuDNN has no gradient of heads of width ",
                         plan.width, " with dropout: call cuda::set_use_cudnn(false)");
      }
    }
#endif
    check_width(plan);
    const Tensor<C, D> along = detail::Access::allocate<C, D>(logs.shape(), q.device());
    run.writes(along);
    on_cuda::AttentionGrid<T> grid = grid_of(plan, q, k, v, y, logs);
    const auto rows = detail::rows_of(gradient);
    grid.gradient = {rows.data, rows.batch, rows.head, rows.row};
    grid.dq = detail::rows_of(dq);
    grid.dk = detail::rows_of(dk);
    grid.dv = detail::rows_of(dv);
    grid.along = along.data();
    if (is_narrow(plan)) {
      gradients<T, 64>(run, plan, grid);
    } else {
      gradients<T, 128>(run, plan, grid);
    }
#endif
  }

#if defined(__CUDACC__)
 private:
  /// The device and stream of an attention.
  struct Run {
    Cuda device;
    on_cuda::DeviceGuard guard;
    on_cuda::Stream stream;

    template <class T, class D>
    explicit Run(const Tensor<T, D>& x)
        : device{x.storage()->ordinal}, guard(device), stream(on_cuda::current_stream(device)) {}

    template <class... Xs>
    void reads(const Xs&... xs) const {
      ((xs.storage() != nullptr ? on_cuda::order_read(xs.storage(), stream) : void()), ...);
    }
    template <class X>
    void writes(const X& x) const {
      if (x.storage() != nullptr) on_cuda::order_write(x.storage(), stream);
    }
    template <class Kernel, class T>
    void launch(const char* part, const AttentionPlan& plan, Kernel* kernel,
                on_cuda::AttentionGrid<T>& grid, int64_t blocks, int elements) const {
      void* arguments[] = {&grid};
      start(part, plan, reinterpret_cast<const void*>(kernel), arguments, blocks,
            on_cuda::attention_threads, elements * static_cast<int>(sizeof(compute_t<T>)));
    }
    template <class Kernel, class T>
    void launch_tensor(const char* part, const AttentionPlan& plan, Kernel* kernel,
                       on_cuda::AttentionGrid<T>& grid, int64_t blocks, int bytes) const {
      void* arguments[] = {&grid};
      start(part, plan, reinterpret_cast<const void*>(kernel), arguments, blocks,
            on_cuda::tensor_threads, bytes);
    }
    template <class T>
    void sum_along(const AttentionPlan& plan, on_cuda::AttentionGrid<T>& grid) const {
      constexpr int rows = on_cuda::attention_threads / 32;
      const int64_t count = plan.batches * plan.heads * plan.queries;
      void* arguments[] = {&grid};
      start("backward", plan, reinterpret_cast<const void*>(on_cuda::attention_along<T>), arguments,
            (count + rows - 1) / rows, on_cuda::attention_threads, 0);
    }

   private:
    void start(const char* part, const AttentionPlan& plan, const void* kernel, void** arguments,
               int64_t blocks, unsigned threads, int bytes) const {
      const Shape shape{plan.batches, plan.heads, plan.queries, plan.value_width};
      if (blocks == 0) return;
      if (blocks > INT32_MAX) {
        fail<ValueError>("scaled_dot_product_attention", blocks, " tiles of shape ", shape,
                         ", expected fewer than 2^31: attend to a part of the batch at a time");
      }
      on_cuda::detail::launch({part, "scaled_dot_product_attention"}, shape, kernel,
                              dim3(static_cast<unsigned>(blocks)), threads, arguments, stream,
                              bytes);
    }
  };

  static void check_width(const AttentionPlan& plan) {
    if (plan.width <= on_cuda::attention_width && plan.value_width <= on_cuda::attention_width)
      return;
    fail<ValueError>("scaled_dot_product_attention", "heads of width ", plan.width, " and ",
                     plan.value_width, " on Cuda, expected at most ", on_cuda::attention_width,
                     ": write softmax(matmul(q, k.transpose(-1, -2)) * scale)");
  }
  static bool is_narrow(const AttentionPlan& plan) {
    return plan.width <= 64 && plan.value_width <= 64;
  }
  /// How many tiles of `each` rows there are.
  static int tiles(int64_t rows, int each) { return static_cast<int>((rows + each - 1) / each); }

  template <class T, class D>
  static on_cuda::AttentionGrid<T> grid_of(const AttentionPlan& plan, const Tensor<T, D>& q,
                                           const Tensor<T, D>& k, const Tensor<T, D>& v,
                                           const Tensor<T, D>& y,
                                           const Tensor<compute_t<T>, D>& logs) {
    const auto reading = [](const Tensor<T, D>& x) {
      const auto rows = detail::rows_of(x);
      return AttentionRows<const T>{rows.data, rows.batch, rows.head, rows.row};
    };
    on_cuda::AttentionGrid<T> grid;
    grid.plan = plan;
    grid.q = reading(q);
    grid.k = reading(k);
    grid.v = reading(v);
    grid.y = detail::rows_of(y);
    grid.logs = logs.data();
    return grid;
  }

  /// Half types lose nothing in TF32; float uses it if that is allowed.
  template <class T>
  static constexpr bool always_tensor_cores = is_half<T>&& on_cuda::compiled_for_tensor_cores();
  template <class T>
  static bool takes_tensor_cores() {
    return on_cuda::compiled_for_tensor_cores() && (is_half<T> || on_cuda::allow_tf32());
  }
  template <class T, int Width>
  static void values(const Run& run, const AttentionPlan& plan, on_cuda::AttentionGrid<T>& grid) {
    using C = compute_t<T>;
    const int64_t heads = plan.batches * plan.heads;
    if constexpr (sizeof(C) == 4) {
      if (takes_tensor_cores<T>()) {
        grid.tiles = tiles(plan.queries, on_cuda::tensor_rows<T, Width>);
        run.launch_tensor("forward", plan, on_cuda::tensor_attention<T, Width>, grid,
                          heads * grid.tiles, on_cuda::tensor_forward_bytes<T, Width>());
        return;
      }
    }
    if constexpr (!always_tensor_cores<T>) {
      grid.tiles = tiles(plan.queries, 16 * on_cuda::attention_queries<C>);
      run.launch("forward", plan, on_cuda::attention_forward<T, Width>, grid, heads * grid.tiles,
                 on_cuda::forward_room<C, Width>());
    }
  }

  template <class T, int Width>
  static void gradients(const Run& run, const AttentionPlan& plan,
                        on_cuda::AttentionGrid<T>& grid) {
    using C = compute_t<T>;
    const int64_t heads = plan.batches * plan.heads;
    const int64_t key_heads = plan.batches * plan.key_heads;
    if constexpr (sizeof(C) == 4) {
      if (takes_tensor_cores<T>()) {
        constexpr int bytes = on_cuda::tensor_backward_bytes<Width>();
        grid.tiles = tiles(plan.queries, on_cuda::gradient_rows);
        run.launch_tensor("backward", plan, on_cuda::tensor_query_gradient<T, Width>, grid,
                          heads * grid.tiles, bytes);
        grid.tiles = tiles(plan.keys, on_cuda::gradient_rows);
        run.launch_tensor("backward", plan, on_cuda::tensor_key_gradient<T, Width>, grid,
                          key_heads * grid.tiles, bytes);
        return;
      }
    }
    if constexpr (!always_tensor_cores<T>) {
      run.sum_along(plan, grid);
      grid.tiles = tiles(plan.queries, 16 * on_cuda::attention_backward<C>);
      run.launch("backward", plan, on_cuda::attention_query_gradient<T, Width>, grid,
                 heads * grid.tiles, on_cuda::backward_room<C, Width>(1));
      grid.tiles = tiles(plan.keys, 16 * on_cuda::attention_keys<C>);
      run.launch("backward", plan, on_cuda::attention_key_gradient<T, Width>, grid,
                 key_heads * grid.tiles, on_cuda::backward_room<C, Width>(2));
    }
  }
#endif
};

}  // namespace weft
