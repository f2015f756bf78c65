// A convolution, its bias and relu as one plan of cuDNN's graph interface, kept by shape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/conv/settings.hpp"

#if defined(WEFT_CUDNN)

#include "weft/cuda/conv/cudnn_plan.hpp"
#include "weft/cuda/linalg/cudnn_arguments.hpp"
#include "weft/cuda/memory/stream_dependencies.hpp"

namespace weft::on_cuda::detail {

/// Whether a status means that cuDNN cannot compute something, for whatever reason.
inline bool refuses(cudnnStatus_t status) {
#if defined(CUDNN_STATUS_CATEGORY)
  return CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED;
#else
  return status == CUDNN_STATUS_NOT_SUPPORTED;
#endif
}

/// A plan, and the tensors of its arguments. The problem's `math` holds the refused notes.
struct CudnnFusedPlan {
  CudnnProblem problem;
  CudnnGraph graph;
  bool found = false;
  CudnnTensor x;
  CudnnTensor w;
  CudnnTensor bias;
  CudnnTensor y;
};

/// Plans of a GPU, never destroyed.
struct CudnnFusedPlans {
  Mutex mutex;
  std::vector<const CudnnFusedPlan*>* all = nullptr;
};
[[gnu::visibility("default")]] inline CudnnFusedPlans cudnn_fused_plans[max_devices];

/// Builds relu(convolution + bias); values between the operations are float.
WEFT_ONCE inline void build_fused(CudnnFusedPlan& plan) {
  const CudnnProblem& p = plan.problem;
  CudnnGraph& g = plan.graph;
  const auto type = static_cast<cudnnDataType_t>(p.type);
  using Kind = CudnnGraph::Kind;
  const auto place = [&](const int* size, cudnnDataType_t of, Kind kind) {
    const int64_t c = size[1];
    const int64_t rows = size[2];
    const int64_t columns = size[3];
    if (p.last != 0) {
      return g.tensor(of, {size[0], c, rows, columns}, {c * rows * columns, 1, c * columns, c},
                      kind);
    }
    return g.tensor(of, {size[0], c, rows, columns},
                    {c * rows * columns, rows * columns, columns, 1}, kind);
  };
  plan.x = place(p.image, type, Kind::array);
  plan.w = place(p.filter, type, Kind::array);
  plan.y = place(p.result, type, Kind::array);
  const int64_t filters = p.filter[0];
  plan.bias = g.tensor(type, {1, filters, 1, 1}, {filters, 1, filters, filters});
  const CudnnTensor product = place(p.result, CUDNN_DATA_FLOAT, Kind::virtual_value);
  const CudnnTensor sum = place(p.result, CUDNN_DATA_FLOAT, Kind::virtual_value);
  const int64_t padding[] = {p.padding[0], p.padding[1]};
  const int64_t stride[] = {p.stride[0], p.stride[1]};
  const int64_t dilation[] = {p.dilation[0], p.dilation[1]};
  g.convolution(plan.x, plan.w, product, padding, stride, dilation);
  g.binary(CUDNN_POINTWISE_ADD, product, plan.bias, sum);
  g.unary(CUDNN_POINTWISE_RELU_FWD, sum, plan.y);
}

/// The plan for a problem, cached or new; it says whether cuDNN takes the problem.
[[gnu::noinline]] inline const CudnnFusedPlan& plan_cudnn_fused(cudnnHandle_t handle,
                                                                const CudnnProblem& p,
                                                                int ordinal) {
  CudnnFusedPlans& known = cudnn_fused_plans[ordinal];
  const Lock lock(known.mutex);
  if (known.all == nullptr) known.all = new std::vector<const CudnnFusedPlan*>;
  for (const CudnnFusedPlan* plan : *known.all) {
    if (__builtin_memcmp(&plan->problem, &p, sizeof(p)) == 0) return *plan;
  }
  auto* const plan = new CudnnFusedPlan;
  plan->problem = p;
  build_fused(*plan);
  const int64_t limit = convolution_workspace_limit();
  const int64_t most = limit > 0 ? limit : automatic_workspace(bytes_of_arrays(p));
  plan->found = plan->graph.find_plan(handle, static_cast<unsigned>(p.math), most);
  if (!plan->found) plan->graph.drop();
  known.all->push_back(plan);
  return *plan;
}

/// Computes relu(convolution + bias); returns false, having done nothing, if cuDNN has no plan for
/// it or the arrays are not aligned to 16 bytes.
WEFT_OUTLINED inline bool run_cudnn_fused(const Name& name, const Shape& shape, Cuda device,
                                          const CudnnProblem& p, const CudnnArrays& at) {
  for (const void* data : {at.image, at.filter, at.result, at.bias}) {
    if (reinterpret_cast<std::uintptr_t>(data) % 16 != 0) return false;
  }
  const Stream stream = current_stream(device);
  const CudnnHandle handle(name.operation, device.ordinal, stream.handle());
  const RelaxedCapture relaxed;  // cuDNN compiles and loads kernels at their first use
  const CudnnFusedPlan& plan = plan_cudnn_fused(handle, p, device.ordinal);
  if (!plan.found) return false;
  StorageHandle room;
  if (plan.graph.workspace > 0) {
    room = StorageHandle(Memory<Cuda>::allocate(device, plan.graph.workspace));
  }
  CudnnArguments arguments;
  arguments.add(plan.x, at.image);
  arguments.add(plan.w, at.filter);
  arguments.add(plan.bias, at.bias);
  arguments.add(plan.y, at.result);
  const ObservedLaunch observed(name);
  const cudnnStatus_t status = arguments.run(handle, plan.graph, room ? room->data : nullptr);
  if (refuses(status)) return false;
  check(status, name.operation, "evaluating ", name, " and relu of shape ", shape);
  if (sync_requested() && !is_capturing(stream)) {
    check(cudaStreamSynchronize(stream.handle()), name.operation, "evaluating ", name,
          " and relu of shape ", shape);
  }
  return true;
}

}  // namespace weft::on_cuda::detail

#endif
