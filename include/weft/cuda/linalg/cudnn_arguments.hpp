// CudnnArguments: the arrays and numbers that a plan of cuDNN's runs on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(WEFT_CUDNN)

#include "weft/cuda/linalg/cudnn_graph.hpp"

namespace weft::on_cuda::detail {

/// The arrays and numbers of one run of a plan.
class CudnnArguments {
 public:
  void add(const CudnnTensor& to, const void* data) {
    if (to.descriptor == nullptr) return;
    ids_[count_] = to.id;
    data_[count_++] = const_cast<void*>(data);
  }
  cudnnStatus_t run(cudnnHandle_t handle, const CudnnGraph& graph, void* workspace) const {
    cudnnBackendDescriptor_t pack = nullptr;
    cudnnStatus_t status =
        cudnnBackendCreateDescriptor(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR, &pack);
    if (status != CUDNN_STATUS_SUCCESS) return status;
    const auto set = [&](cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                         int64_t count, const void* values) {
      if (status != CUDNN_STATUS_SUCCESS) return;
      status = cudnnBackendSetAttribute(pack, name, type, count, values);
    };
    set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count_, ids_);
    set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count_, data_);
    set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &workspace);
    if (status == CUDNN_STATUS_SUCCESS) status = cudnnBackendFinalize(pack);
    if (status == CUDNN_STATUS_SUCCESS) status = cudnnBackendExecute(handle, graph.plan, pack);
    cudnnBackendDestroyDescriptor(pack);
    return status;
  }

 private:
  static constexpr int most_ = 24;
  int64_t count_ = 0;
  int64_t ids_[most_] = {};
  void* data_[most_] = {};
};

}  // namespace weft::on_cuda::detail

#endif
