// A convolution as cuDNN takes it: its description, and the algorithm found for it, kept by shape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(WEFT_CUDNN)

#include <vector>

#include "weft/cuda/conv/choice.hpp"
#include "weft/cuda/conv/settings.hpp"
#include "weft/cuda/linalg/cudnn.hpp"
#include "weft/ops/conv/problem.hpp"

namespace weft::on_cuda::detail {

/// Which part of a convolution is computed.
enum class ConvPart : int { results, images, weights, biased };

/// A convolution, compared as bytes: all numbers of 32 bits.
struct CudnnProblem {
  int part = 0;
  int type = 0;
  int math = 0;
  int last = 0;
  int groups = 1;
  int axes = 2;  // 2 or 3
  int image[5] = {};
  int filter[5] = {};
  int result[5] = {};
  int padding[3] = {};
  int stride[3] = {};
  int dilation[3] = {};
};

/// Descriptions, which stay as they are once made, and the algorithm.
struct CudnnPlan {
  CudnnProblem problem;
  cudnnTensorDescriptor_t image = nullptr;
  cudnnFilterDescriptor_t filter = nullptr;
  cudnnTensorDescriptor_t result = nullptr;
  cudnnConvolutionDescriptor_t convolution = nullptr;
  cudnnTensorDescriptor_t bias = nullptr;  // where one is added in the same call
  cudnnActivationDescriptor_t activation = nullptr;
  bool found = false;
  int algorithm = 0;
  std::size_t workspace = 0;
};

/// Plans of a GPU, never destroyed.
struct CudnnPlans {
  Mutex mutex;
  std::vector<const CudnnPlan*>* all = nullptr;
};
[[gnu::visibility("default")]] inline CudnnPlans cudnn_plans[max_devices];

/// The arrays of a call: images, filters and results, one of them written.
struct CudnnArrays {
  void* image;
  void* filter;
  void* result;
  void* bias = nullptr;
};

/// Fills a problem; false for what cuDNN's interface does not describe.
WEFT_OUTLINED inline bool describe_cudnn(const conv::Problem& p, bool last, CudnnProblem& to) {
  constexpr int64_t most = INT32_MAX;
  if (p.images * p.channels > most / (p.in[0] * p.in[1] * p.in[2] + 1)) return false;
  if (p.images * p.filters > most / (p.places() + 1)) return false;
  to.axes = p.axes == 3 ? 3 : 2;
  to.last = last ? 1 : 0;
  to.groups = static_cast<int>(p.groups);
  const int from = 3 - to.axes;
  to.image[0] = to.result[0] = static_cast<int>(p.images);
  to.image[1] = static_cast<int>(p.channels);
  to.result[1] = to.filter[0] = static_cast<int>(p.filters);
  to.filter[1] = static_cast<int>(p.channels / p.groups);
  for (int i = 0; i < to.axes; ++i) {
    const int at = from + i;
    to.image[2 + i] = static_cast<int>(p.in[at]);
    to.result[2 + i] = static_cast<int>(p.out[at]);
    to.filter[2 + i] = static_cast<int>(p.kernel[at]);
    to.padding[i] = static_cast<int>(p.padding[at]);
    to.stride[i] = static_cast<int>(p.stride[at]);
    to.dilation[i] = static_cast<int>(p.dilation[at]);
    // The same padding before and after.
    const int64_t reach = p.dilation[at] * (p.kernel[at] - 1) + 1;
    if ((p.in[at] + 2 * p.padding[at] - reach) / p.stride[at] + 1 != p.out[at]) return false;
  }
  return true;
}

/// Makes a plan's descriptions; false where cuDNN refuses one.
WEFT_ONCE inline bool make_descriptions(CudnnPlan& plan) {
  const CudnnProblem& p = plan.problem;
  const int rank = p.axes + 2;
  const auto type = static_cast<cudnnDataType_t>(p.type);
  const auto format = p.last != 0 ? CUDNN_TENSOR_NHWC : CUDNN_TENSOR_NCHW;
  const auto sums = type == CUDNN_DATA_DOUBLE ? CUDNN_DATA_DOUBLE : CUDNN_DATA_FLOAT;
  const auto ok = [](cudnnStatus_t status) { return status == CUDNN_STATUS_SUCCESS; };
  const auto place = [&](cudnnTensorDescriptor_t& to, const int* size) {
    int stride[5] = {};
    int step = p.last != 0 ? size[1] : 1;
    for (int i = rank - 1; i >= 2; --i) {
      stride[i] = step;
      step *= size[i];
    }
    stride[1] = p.last != 0 ? 1 : step;
    stride[0] = p.last != 0 ? step : step * size[1];
    return ok(cudnnCreateTensorDescriptor(&to)) &&
           ok(cudnnSetTensorNdDescriptor(to, type, rank, size, stride));
  };
  if (static_cast<ConvPart>(p.part) == ConvPart::biased) {
    int size[5] = {1, p.filter[0], 1, 1, 1};
    if (!place(plan.bias, size) || !ok(cudnnCreateActivationDescriptor(&plan.activation)) ||
        !ok(cudnnSetActivationDescriptor(plan.activation, CUDNN_ACTIVATION_IDENTITY,
                                         CUDNN_NOT_PROPAGATE_NAN, 0))) {
      return false;
    }
  }
  return place(plan.image, p.image) && place(plan.result, p.result) &&
         ok(cudnnCreateFilterDescriptor(&plan.filter)) &&
         ok(cudnnSetFilterNdDescriptor(plan.filter, type, format, rank, p.filter)) &&
         ok(cudnnCreateConvolutionDescriptor(&plan.convolution)) &&
         ok(cudnnSetConvolutionNdDescriptor(plan.convolution, p.axes, p.padding, p.stride,
                                            p.dilation, CUDNN_CROSS_CORRELATION, sums)) &&
         ok(cudnnSetConvolutionGroupCount(plan.convolution, p.groups)) &&
         ok(cudnnSetConvolutionMathType(plan.convolution, static_cast<cudnnMathType_t>(p.math)));
}

/// The workspace of an algorithm in bytes; false if it does not support the problem.
inline bool workspace_of(cudnnHandle_t handle, const CudnnPlan& plan, int algorithm,
                         std::size_t& bytes) {
  cudnnStatus_t status = CUDNN_STATUS_NOT_SUPPORTED;
  switch (static_cast<ConvPart>(plan.problem.part)) {
    case ConvPart::results:
    case ConvPart::biased:
      status = cudnnGetConvolutionForwardWorkspaceSize(
          handle, plan.image, plan.filter, plan.convolution, plan.result,
          static_cast<cudnnConvolutionFwdAlgo_t>(algorithm), &bytes);
      break;
    case ConvPart::images:
      status = cudnnGetConvolutionBackwardDataWorkspaceSize(
          handle, plan.filter, plan.result, plan.convolution, plan.image,
          static_cast<cudnnConvolutionBwdDataAlgo_t>(algorithm), &bytes);
      break;
    case ConvPart::weights:
      status = cudnnGetConvolutionBackwardFilterWorkspaceSize(
          handle, plan.image, plan.result, plan.convolution, plan.filter,
          static_cast<cudnnConvolutionBwdFilterAlgo_t>(algorithm), &bytes);
      break;
  }
  return status == CUDNN_STATUS_SUCCESS;
}

/// The bytes of a convolution's images, filters and results.
inline int64_t bytes_of_arrays(const CudnnProblem& p) {
  int64_t elements = 0;
  for (const int* size : {p.image, p.filter, p.result}) {
    int64_t count = 1;
    for (int i = 0; i < p.axes + 2; ++i) count *= size[i];
    elements += count;
  }
  const auto type = static_cast<cudnnDataType_t>(p.type);
  const bool narrow = type == CUDNN_DATA_HALF || type == CUDNN_DATA_BFLOAT16;
  return elements * (type == CUDNN_DATA_DOUBLE ? 8 : narrow ? 2 : 4);
}

/// Takes one of the algorithms that give the same bits in each run.
template <class Found>
void take_algorithm(cudnnHandle_t handle, CudnnPlan& plan, const Found* found, int count) {
  constexpr int most = 16;
  ConvCandidate candidates[most];
  const Found* sources[most] = {};
  int usable = 0;
  for (int i = 0; i < count && usable < most; ++i) {
    if (found[i].status != CUDNN_STATUS_SUCCESS) continue;
    if (found[i].determinism != CUDNN_DETERMINISTIC) continue;
    std::size_t bytes = 0;
    if (cudnnSetConvolutionMathType(plan.convolution, found[i].mathType) != CUDNN_STATUS_SUCCESS ||
        !workspace_of(handle, plan, static_cast<int>(found[i].algo), bytes)) {
      continue;
    }
    candidates[usable] = {found[i].time, static_cast<int64_t>(bytes)};
    sources[usable++] = &found[i];
  }
  const int best = choose_algorithm(candidates, usable, bytes_of_arrays(plan.problem),
                                    convolution_workspace_limit());
  if (best < 0) return;
  plan.found = true;
  plan.algorithm = static_cast<int>(sources[best]->algo);
  plan.workspace = static_cast<std::size_t>(candidates[best].workspace);
  cudnnSetConvolutionMathType(plan.convolution, sources[best]->mathType);
}

/// Asks cuDNN for an algorithm; with `room` it measures them, overwriting the result's array.
WEFT_ONCE inline void find_algorithm(cudnnHandle_t handle, CudnnPlan& plan, const CudnnArrays& at,
                                     void* room, std::size_t bytes) {
  constexpr int most = 16;
  int count = 0;
  const auto measured = room != nullptr;
  switch (static_cast<ConvPart>(plan.problem.part)) {
    case ConvPart::results:
    case ConvPart::biased: {
      cudnnConvolutionFwdAlgoPerf_t found[most];
      const cudnnStatus_t status =
          measured ? cudnnFindConvolutionForwardAlgorithmEx(
                         handle, plan.image, at.image, plan.filter, at.filter, plan.convolution,
                         plan.result, at.result, most, &count, found, room, bytes)
                   : cudnnGetConvolutionForwardAlgorithm_v7(handle, plan.image, plan.filter,
                                                            plan.convolution, plan.result, most,
                                                            &count, found);
      if (status == CUDNN_STATUS_SUCCESS) take_algorithm(handle, plan, found, count);
      // The only one that adds a bias alone; where another is faster, a pass for the bias costs
      // less.
      if (plan.bias != nullptr &&
          plan.algorithm != CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM)
        plan.found = false;
      break;
    }
    case ConvPart::images: {
      cudnnConvolutionBwdDataAlgoPerf_t found[most];
      const cudnnStatus_t status =
          measured ? cudnnFindConvolutionBackwardDataAlgorithmEx(
                         handle, plan.filter, at.filter, plan.result, at.result, plan.convolution,
                         plan.image, at.image, most, &count, found, room, bytes)
                   : cudnnGetConvolutionBackwardDataAlgorithm_v7(handle, plan.filter, plan.result,
                                                                 plan.convolution, plan.image, most,
                                                                 &count, found);
      if (status == CUDNN_STATUS_SUCCESS) take_algorithm(handle, plan, found, count);
      break;
    }
    case ConvPart::weights: {
      cudnnConvolutionBwdFilterAlgoPerf_t found[most];
      const cudnnStatus_t status =
          measured ? cudnnFindConvolutionBackwardFilterAlgorithmEx(
                         handle, plan.image, at.image, plan.result, at.result, plan.convolution,
                         plan.filter, at.filter, most, &count, found, room, bytes)
                   : cudnnGetConvolutionBackwardFilterAlgorithm_v7(handle, plan.image, plan.result,
                                                                   plan.convolution, plan.filter,
                                                                   most, &count, found);
      if (status == CUDNN_STATUS_SUCCESS) take_algorithm(handle, plan, found, count);
      break;
    }
  }
}

}  // namespace weft::on_cuda::detail

#endif
