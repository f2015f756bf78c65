// cuDNN: handles and errors; with the macro WEFT_CUDNN, as in weft::cudnn.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(WEFT_CUDNN)

#include <cudnn.h>

#include "weft/core/dtype.hpp"
#include "weft/cuda/primitive/launch.hpp"

namespace weft::on_cuda {

/// Throws Error unless `status` is success: `[operation] cuDNN's sentence: details`.
template <class... Parts>
void check(cudnnStatus_t status, const char* operation, const Parts&... details) {
  if (status == CUDNN_STATUS_SUCCESS) [[likely]]
    return;
  const Text what = weft::detail::join({weft::detail::Part(details)...});
  fail<DeviceError>(operation, cudnnGetErrorString(status), ": ", what);
}

namespace detail {

/// How cuDNN names an element type.
template <class T>
constexpr cudnnDataType_t cudnn_type() {
  switch (dtype_of<T>) {
    case Dtype::float16:
      return CUDNN_DATA_HALF;
    case Dtype::bfloat16:
      return CUDNN_DATA_BFLOAT16;
    case Dtype::float64:
      return CUDNN_DATA_DOUBLE;
    default:
      return CUDNN_DATA_FLOAT;
  }
}

/// A GPU's handles that no call uses. Like streams they are never destroyed.
struct CudnnHandles {
  static constexpr int most = 64;
  Mutex mutex;
  int count = 0;
  cudnnHandle_t handle[most] = {};
};
[[gnu::visibility("default")]] inline CudnnHandles cudnn_handles[max_devices];

/// A handle of the device for the length of a scope, whose calls go to the given stream.
class CudnnHandle {
 public:
  [[gnu::noinline]] CudnnHandle(const char* operation, int ordinal, cudaStream_t stream)
      : idle_(cudnn_handles[ordinal]) {
    {
      const Lock lock(idle_.mutex);
      if (idle_.count > 0) handle_ = idle_.handle[--idle_.count];
    }
    if (handle_ == nullptr) {
      const RelaxedCapture relaxed;
      check(cudnnCreate(&handle_), operation, "making a handle of cuDNN on cuda:", ordinal);
      watch_for_exit();
    }
    check(cudnnSetStream(handle_, stream), operation, "setting a stream");
  }
  [[gnu::noinline]] ~CudnnHandle() {
    {
      const Lock lock(idle_.mutex);
      if (idle_.count < CudnnHandles::most) {
        idle_.handle[idle_.count++] = handle_;
        return;
      }
    }
    cudnnDestroy(handle_);
  }
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;
  operator cudnnHandle_t() const { return handle_; }

 private:
  CudnnHandles& idle_;
  cudnnHandle_t handle_ = nullptr;
};

}  // namespace detail
}  // namespace weft::on_cuda

#endif
