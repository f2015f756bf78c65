// Convolutions on CUDA by cuDNN, where a program is built with weft::cudnn.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/conv/settings.hpp"

#if defined(WEFT_CUDNN)

#include "weft/cuda/conv/cudnn_fused.hpp"
#include "weft/cuda/conv/cudnn_plan.hpp"
#include "weft/cuda/memory/stream_dependencies.hpp"
#include "weft/cuda/tf32.hpp"
#include "weft/ops/conv/run.hpp"

namespace weft {

namespace on_cuda::detail {

/// The plan for a problem, cached or new.
WEFT_OUTLINED inline const CudnnPlan& plan_cudnn(cudnnHandle_t handle, const CudnnProblem& p,
                                                 Cuda device, const Stream& stream,
                                                 const CudnnArrays& at) {
  CudnnPlans& known = cudnn_plans[device.ordinal];
  {
    const Lock lock(known.mutex);
    if (known.all == nullptr) known.all = new std::vector<const CudnnPlan*>;
    for (const CudnnPlan* plan : *known.all) {
      if (__builtin_memcmp(&plan->problem, &p, sizeof(p)) == 0) return *plan;
    }
  }
  auto* const plan = new CudnnPlan;
  plan->problem = p;
  if (make_descriptions(*plan)) {
    if (measure_convolutions() && !is_capturing(stream)) {
      const int64_t limit = convolution_workspace_limit();
      const int64_t most = int64_t{256} << 20;
      const int64_t wanted = limit > 0 ? limit : automatic_workspace(bytes_of_arrays(p));
      const int64_t bytes = wanted < most ? wanted : most;
      const StorageHandle room(Memory<Cuda>::allocate(device, bytes));
      find_algorithm(handle, *plan, at, room->data, static_cast<std::size_t>(bytes));
    }
    if (!plan->found) find_algorithm(handle, *plan, at, nullptr, 0);
  }
  const Lock lock(known.mutex);
  known.all->push_back(plan);
  return *plan;
}

/// Computes a part of a convolution; returns false, having done nothing, if cuDNN does not support
/// it.
WEFT_OUTLINED inline bool run_cudnn(const Name& name, const Shape& shape, Cuda device,
                                    const CudnnProblem& p, const CudnnArrays& at) {
  const Stream stream = current_stream(device);
  const CudnnHandle handle(name.operation, device.ordinal, stream.handle());
  const RelaxedCapture relaxed;  // cuDNN loads its kernels at their first use
  const CudnnPlan& plan = plan_cudnn(handle, p, device, stream, at);
  if (!plan.found) return false;
  StorageHandle room;
  if (plan.workspace > 0) {
    room = StorageHandle(Memory<Cuda>::allocate(device, static_cast<int64_t>(plan.workspace)));
  }
  void* const work = room ? room->data : nullptr;
  const double wide[] = {1, 0};
  const float narrow[] = {1, 0};
  const bool is_double = p.type == CUDNN_DATA_DOUBLE;
  const void* const one = is_double ? static_cast<const void*>(wide) : narrow;
  const void* const zero = is_double ? static_cast<const void*>(wide + 1) : narrow + 1;
  const ObservedLaunch observed(name);
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  switch (static_cast<ConvPart>(p.part)) {
    case ConvPart::results:
      status = cudnnConvolutionForward(handle, one, plan.image, at.image, plan.filter, at.filter,
                                       plan.convolution,
                                       static_cast<cudnnConvolutionFwdAlgo_t>(plan.algorithm), work,
                                       plan.workspace, zero, plan.result, at.result);
      break;
    case ConvPart::biased:
      status = cudnnConvolutionBiasActivationForward(
          handle, one, plan.image, at.image, plan.filter, at.filter, plan.convolution,
          static_cast<cudnnConvolutionFwdAlgo_t>(plan.algorithm), work, plan.workspace, zero,
          plan.result, at.result, plan.bias, at.bias, plan.activation, plan.result, at.result);
      break;
    case ConvPart::images:
      status = cudnnConvolutionBackwardData(
          handle, one, plan.filter, at.filter, plan.result, at.result, plan.convolution,
          static_cast<cudnnConvolutionBwdDataAlgo_t>(plan.algorithm), work, plan.workspace, zero,
          plan.image, at.image);
      break;
    case ConvPart::weights:
      status = cudnnConvolutionBackwardFilter(
          handle, one, plan.image, at.image, plan.result, at.result, plan.convolution,
          static_cast<cudnnConvolutionBwdFilterAlgo_t>(plan.algorithm), work, plan.workspace, zero,
          plan.filter, at.filter);
      break;
  }
  if (refuses(status)) return false;
  check(status, name.operation, "evaluating ", name, " of shape ", shape);
  if (sync_requested() && !is_capturing(stream)) {
    check(cudaStreamSynchronize(stream.handle()), name.operation, "evaluating ", name, " of shape ",
          shape);
  }
  return true;
}

}  // namespace on_cuda::detail

template <>
struct ConvLibrary<Cuda> {
  template <class T, class D>
  static bool results(const char* operation, const conv::Problem& p, const Tensor<T, D>& x,
                      const Tensor<T, D>& w, const Tensor<T, D>& y) {
    return run<T>(on_cuda::detail::ConvPart::results, operation, p, x, w, y, y);
  }
  /// The same plus a bias (filter,), and with `cut` relu, in one call.
  template <class T, class D>
  static bool results_with_bias(const char* operation, const conv::Problem& p,
                                const Tensor<T, D>& x, const Tensor<T, D>& w,
                                const Tensor<T, D>& bias, bool cut, const Tensor<T, D>& y) {
    if (cut) return run_fused<T>(operation, p, x, w, bias, y);
    return run<T>(on_cuda::detail::ConvPart::biased, operation, p, x, w, y, y, &bias);
  }
  template <class T, class D>
  static bool images(const char* operation, const conv::Problem& p, const Tensor<T, D>& g,
                     const Tensor<T, D>& w, const Tensor<T, D>& dx) {
    return run<T>(on_cuda::detail::ConvPart::images, operation, p, dx, w, g, dx);
  }
  template <class T, class D>
  static bool weights(const char* operation, const conv::Problem& p, const Tensor<T, D>& x,
                      const Tensor<T, D>& g, const Tensor<T, D>& dw) {
    return run<T>(on_cuda::detail::ConvPart::weights, operation, p, x, dw, g, dw);
  }

 private:
  /// Where TF32 is not allowed, plans that round float operands are refused.
  template <class T>
  static unsigned refused_notes() {
    const bool exact = std::is_same_v<T, float> && !on_cuda::allow_tf32();
    return 1U << CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC |
           (exact ? 1U << CUDNN_NUMERICAL_NOTE_TENSOR_CORE |
                        1U << CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS
                  : 0U);
  }

  template <class T, class X>
  static bool run_fused(const char* operation, const conv::Problem& p, const X& x, const X& w,
                        const X& bias, const X& y) {
    on_cuda::detail::CudnnProblem problem;
    if (sizeof(T) > 4 || p.axes == 3 || p.is_depthwise() || !on_cuda::use_cudnn()) return false;
    if (!on_cuda::detail::describe_cudnn(p, is_channels_last(y), problem)) return false;
    problem.type = on_cuda::detail::cudnn_type<T>();
    problem.math = static_cast<int>(refused_notes<T>());
    const Cuda device{y.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    for (const X* read : {&x, &w, &bias}) on_cuda::order_read(read->storage(), stream);
    on_cuda::order_write(y.storage(), stream);
    return on_cuda::detail::run_cudnn_fused({operation}, y.shape(), device, problem,
                                            {x.data(), w.data(), y.data(), bias.data()});
  }

  template <class T, class X>
  static bool run(on_cuda::detail::ConvPart part, const char* operation, const conv::Problem& p,
                  const X& image, const X& filter, const X& result, const X& target,
                  const X* bias = nullptr) {
    if (p.is_depthwise() || !on_cuda::use_cudnn()) return false;  // weft's own kernels are faster
    on_cuda::detail::CudnnProblem problem;
    if (!on_cuda::detail::describe_cudnn(p, is_channels_last(target), problem)) return false;
    const bool exact = std::is_same_v<T, float> && !on_cuda::allow_tf32();
    problem.part = static_cast<int>(part);
    problem.type = on_cuda::detail::cudnn_type<T>();
    problem.math = is_half<T> ? CUDNN_TENSOR_OP_MATH : exact ? CUDNN_FMA_MATH : CUDNN_DEFAULT_MATH;
    const Cuda device{target.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    for (const X* x : {&image, &filter, &result}) {
      if (x->storage() != target.storage()) on_cuda::order_read(x->storage(), stream);
    }
    if (bias != nullptr) on_cuda::order_read(bias->storage(), stream);
    on_cuda::order_write(target.storage(), stream);
    return on_cuda::detail::run_cudnn(
        {operation}, target.shape(), device, problem,
        {image.data(), filter.data(), result.data(), bias != nullptr ? bias->data() : nullptr});
  }
};

}  // namespace weft

#endif
