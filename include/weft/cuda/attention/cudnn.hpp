// Attention of half types on CUDA by cuDNN, where a program is built with weft::cudnn.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/linalg/cudnn_use.hpp"

#if defined(WEFT_CUDNN)

#include <limits>

#include "weft/cuda/attention/cudnn_plan.hpp"
#include "weft/cuda/attention/tiles.hpp"
#include "weft/cuda/linalg/cudnn_arguments.hpp"
#include "weft/cuda/memory/stream_dependencies.hpp"
#include "weft/tensor/borrow.hpp"

namespace weft::on_cuda {

#if defined(__CUDACC__)
/// A mask of bools, for keys from `first` to the end of each row, as numbers that are added.
template <class Bits>
struct AttentionBias {
  const bool* allowed;
  int64_t stride[4];
  int64_t size[4];
  Bits never;  // -infinity
  Bits* to;
};
template <class Bits>
__global__ void __launch_bounds__(block_threads)
    attention_bias(const __grid_constant__ AttentionBias<Bits> x) {
  const int64_t at = int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (at >= x.size[0] * x.size[1] * x.size[2] * x.size[3]) return;
  const int64_t j = at % x.size[3];
  const int64_t i = at / x.size[3] % x.size[2];
  const int64_t h = at / x.size[3] / x.size[2] % x.size[1];
  const int64_t b = at / x.size[3] / x.size[2] / x.size[1];
  const bool allowed =
      x.allowed[b * x.stride[0] + h * x.stride[1] + i * x.stride[2] + j * x.stride[3]];
  x.to[at] = allowed ? Bits(0) : x.never;
}

/// Queries that attend to nothing: their value becomes 0, and their logarithm infinity, so that
/// their weights are 0 in the backward pass.
template <class Bits>
struct AttentionUnseen {
  float* logs;
  AttentionRows<Bits> y;  // or null
  int64_t heads;
  int64_t queries;
  int64_t count;
  int64_t columns;
};
template <class Bits>
__global__ void __launch_bounds__(block_threads)
    attention_unseen(const __grid_constant__ AttentionUnseen<Bits> x) {
  const int64_t at = int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (at >= x.count || x.logs[at] > -1e37F) return;
  x.logs[at] = -no_score<float>;
  if (x.y.data == nullptr) return;
  Bits* const row = x.y.at(at / x.queries / x.heads, at / x.queries % x.heads, at % x.queries);
  for (int64_t i = 0; i < x.columns; ++i) row[i] = Bits(0);
}

/// cuDNN's seed and offset for a draw.
template <class Word>
__global__ void attention_seed(Draw draw, Word* to) {
  draw.resolve();
  Word x = draw.seed + 0x9e3779b97f4a7c15U * (draw.number + 1);  // splitmix64
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  to[0] = (x ^ (x >> 31)) >> 1;
  to[1] = 0;
}
#endif

namespace detail {

/// Smaller problems, which weft's kernels do in 0.01 ms, do not go to cuDNN. Tests set it.
[[gnu::visibility("default")]] inline double least_attention_work = 1e8;

/// What one run needs besides its plan.
struct CudnnAttentionArrays {
  const void* array[CudnnAttentionProblem::arrays] = {};
  const void* logs = nullptr;
  const void* bias = nullptr;
  const void* seed = nullptr;
};

/// Runs a plan that was found.
[[gnu::noinline]] inline void run_cudnn_attention(const Name& name, cudnnHandle_t handle,
                                                  const CudnnAttentionPlan& plan,
                                                  const AttentionPlan& of,
                                                  const CudnnAttentionArrays& at, Cuda device,
                                                  const Stream& stream) {
  const CudnnAttentionProblem& p = plan.problem;
  const auto rounded = [](int64_t bytes) { return (bytes + 255) / 256 * 256; };
  const int64_t rows = p.batches * p.heads * p.queries;
  const int64_t along = p.backward != 0 ? rounded(rows * 4) : 0;
  const int64_t sums = p.backward != 0 ? rounded(rows * p.width * 4) : 0;
  const int64_t bytes = rounded(plan.graph.workspace) + along + sums;
  StorageHandle room;
  if (bytes > 0) room = StorageHandle(Memory<Cuda>::allocate(device, bytes));
  char* const work = room ? static_cast<char*>(room->data) : nullptr;
  const auto scale = static_cast<float>(of.scale);
  const float never = -std::numeric_limits<float>::infinity();
  const auto past = static_cast<std::int32_t>(of.past);
  const float kept_factor = of.kept_factor;
  const float kept_share = of.drops() ? 1 / of.kept_factor : 1;
  CudnnArguments arguments;
  for (int i = 0; i < CudnnAttentionProblem::arrays; ++i) {
    arguments.add(plan.array[i], at.array[i]);
  }
  arguments.add(plan.logs, at.logs);
  arguments.add(plan.bias, at.bias);
  arguments.add(plan.scale, &scale);
  arguments.add(plan.never, &never);
  arguments.add(plan.past, &past);
  arguments.add(plan.seed, at.seed);
  if (at.seed != nullptr) {
    arguments.add(plan.offset, static_cast<const std::uint64_t*>(at.seed) + 1);
  }
  arguments.add(plan.kept_factor, &kept_factor);
  arguments.add(plan.kept_share, &kept_share);
  arguments.add(plan.along, work + rounded(plan.graph.workspace));
  arguments.add(plan.sums, work + rounded(plan.graph.workspace) + along);
  const ObservedLaunch observed(name);
  const Shape shape{p.batches, p.heads, p.queries, p.value_width};
  check(arguments.run(handle, plan.graph, work), name.operation, "evaluating ", name, " of shape ",
        shape);
  if (sync_requested() && !is_capturing(stream)) {
    check(cudaStreamSynchronize(stream.handle()), name.operation, "evaluating ", name, " of shape ",
          shape);
  }
}

#if defined(__CUDACC__)
/// One attention by cuDNN. Each part returns false, having done nothing, if cuDNN does not support
/// the problem.
template <class T, class D>
class CudnnAttention {
  using P = CudnnAttentionProblem;
  using X = Tensor<T, D>;
  using Bits = unsigned short;

 public:
  CudnnAttention(const AttentionPlan& plan, const X& q, const Tensor<float, D>& logs)
      : plan_(plan), device_{q.storage()->ordinal}, logs_(logs) {
    p_.type = cudnn_type<T>();
    p_.batches = plan.batches;
    p_.heads = plan.heads;
    p_.key_heads = plan.key_heads;
    p_.queries = plan.queries;
    p_.keys = plan.keys;
    p_.width = plan.width;
    p_.value_width = plan.value_width;
    p_.causal = plan.causal ? 1 : 0;
    p_.shifted = plan.causal && plan.past != 0 ? 1 : 0;
    p_.dropped = plan.dropped;
    p_.biased = is_masked() ? 1 : 0;
  }

  bool forward(const X& q, const X& k, const X& v, const X& y) {
    return takes() && place(P::q, q) && place(P::k, k) && place(P::v, v) && place(P::y, y) &&
           run("forward", y);
  }
  bool backward(const X& q, const X& k, const X& v, const X& y, const X& gradient, const X& dq,
                const X& dk, const X& dv) {
    p_.backward = 1;
    if (!takes() || !place(P::q, q) || !place(P::k, k) || !place(P::v, v) || !place(P::y, y) ||
        !place(P::dq, dq) || !place(P::dk, dk) || !place(P::dv, dv)) {
      return false;
    }
    const X g = place(P::gradient, gradient) ? gradient : gradient.clone();
    return place(P::gradient, g) && run("backward", X());
  }

 private:
  const AttentionPlan& plan_;
  Cuda device_;
  const Tensor<float, D>& logs_;
  P p_;
  CudnnAttentionArrays at_;

  bool is_masked() const { return plan_.allowed != nullptr || plan_.added != nullptr; }
  /// cuDNN compiles a kernel for each shape, which takes 40 ms: little work and few queries, as
  /// with a cache that grows by one token, are left to weft's kernels.
  bool takes() const {
    static const bool is_known = cudnnGetVersion() >= 91000;  // masks and sums differ before
    const double work = 2. * static_cast<double>(p_.batches * p_.heads * p_.queries) *
                        static_cast<double>(p_.keys * (p_.width + p_.value_width));
    const bool sizes =
        p_.width % 8 == 0 && p_.value_width % 8 == 0 && p_.width <= 256 && p_.value_width <= 256;
    const bool wide = p_.width > 128 || p_.value_width > 128;  // weft has no kernel for these
    const bool past = plan_.past <= INT32_MAX && plan_.past >= INT32_MIN;
    return is_known && use_cudnn() && sizes && past && p_.keys > 0 && p_.dropped != UINT32_MAX &&
           (wide || (p_.queries >= 16 && work >= least_attention_work));
  }
  /// False if cuDNN does not support this layout.
  bool place(int array, const X& x) {
    if (reinterpret_cast<std::uintptr_t>(x.data()) % 16 != 0) return false;
    for (int i = 0; i < 3; ++i) {
      const int64_t step = x.size(i) > 1 ? x.strides()[i] : x.size();
      if (step <= 0 || step % 8 != 0) return false;
      p_.stride[array][i] = step;
    }
    at_.array[array] = x.data();
    return true;
  }

  /// The mask as numbers, without gaps, of the type of the operands.
  X bias(const Stream& stream) {
    Shape shape;
    const int64_t whole[] = {p_.batches, p_.heads, p_.queries, p_.keys};
    for (int i = 0; i < 4; ++i) {
      // One row for all queries gives wrong gradients in cuDNN 9.14.
      const bool may_stretch = i < 2 || (i == 2 && p_.backward == 0);
      shape.push_back(may_stretch && plan_.mask_strides[i] == 0 ? 1 : whole[i]);
    }
    const auto& s = plan_.mask_strides;
    X to;
    if (plan_.added != nullptr) {
      const X mask = borrow(static_cast<T*>(const_cast<void*>(plan_.added)), shape,
                            Strides{s[0], s[1], s[2], s[3]}, logs_.device());
      const bool lies =
          mask.is_contiguous() && reinterpret_cast<std::uintptr_t>(plan_.added) % 16 == 0;
      to = lies ? mask : mask.clone();
    } else {
      to = weft::detail::Access::allocate<T, D>(shape, logs_.device());
      order_write(to.storage(), stream);
      AttentionBias<Bits> x{plan_.allowed, {s[0], s[1], s[2], s[3]}, {}, 0, nullptr};
      for (int i = 0; i < 4; ++i) x.size[i] = shape[i];
      x.never = std::is_same_v<T, half> ? 0xfc00 : 0xff80;
      x.to = reinterpret_cast<Bits*>(to.data());
      void* arguments[] = {&x};
      launch({"mask", "scaled_dot_product_attention"}, shape,
             reinterpret_cast<const void*>(attention_bias<Bits>), blocks_for(to.size()),
             block_threads, arguments, stream);
    }
    for (int i = 0; i < 4; ++i) {
      p_.bias_size[i] = shape[i];
      p_.bias_stride[i] = to.size(i) > 1 ? to.strides()[i] : to.size();
    }
    p_.bias_stride[3] = 1;
    return to;
  }
  static dim3 blocks_for(int64_t items) {
    return dim3(static_cast<unsigned>((items + block_threads - 1) / block_threads));
  }
  void clear_unseen(const X& y, const Stream& stream) {
    AttentionUnseen<Bits> x{logs_.data(), {}, p_.heads, p_.queries, logs_.size(), p_.value_width};
    if (y.size() > 0) {
      const auto rows = weft::detail::rows_of(y);
      x.y = {reinterpret_cast<Bits*>(rows.data), rows.batch, rows.head, rows.row};
    }
    void* arguments[] = {&x};
    launch({"unseen", "scaled_dot_product_attention"}, logs_.shape(),
           reinterpret_cast<const void*>(attention_unseen<Bits>), blocks_for(x.count),
           block_threads, arguments, stream);
  }

  bool run(const char* part, const X& y) {
    constexpr const char* name = "scaled_dot_product_attention";
    const Stream stream = current_stream(device_);
    const CudnnHandle handle(name, device_.ordinal, stream.handle());
    const RelaxedCapture relaxed;  // cuDNN loads its kernels at their first use
    X mask;
    if (is_masked()) {
      mask = bias(stream);
      at_.bias = mask.data();
    }
    const CudnnAttentionPlan& plan = plan_cudnn_attention(handle, p_, device_.ordinal);
    if (!plan.found) return false;
    at_.logs = logs_.data();
    Tensor<int64_t, D> seed;
    if (plan_.drops()) {
      seed = weft::detail::Access::allocate<int64_t, D>({2}, logs_.device());
      order_write(seed.storage(), stream);
      auto* to = reinterpret_cast<std::uint64_t*>(seed.data());
      Draw draw = plan_.draw;
      void* arguments[] = {&draw, &to};
      launch({"seed", name}, {2}, reinterpret_cast<const void*>(attention_seed<std::uint64_t>),
             dim3(1), 1, arguments, stream);
      at_.seed = seed.data();
    }
    const bool may_see_nothing = is_masked() || plan_.past < 0;
    if (may_see_nothing && p_.backward != 0) clear_unseen({}, stream);
    run_cudnn_attention({part, name}, handle, plan, plan_, at_, device_, stream);
    if (may_see_nothing && p_.backward == 0) clear_unseen(y, stream);
    return true;
  }
};
#endif

}  // namespace detail
}  // namespace weft::on_cuda

#endif
