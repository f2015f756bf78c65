// Threads for the GPUs of one process: for_each_device, map_tasks and DataParallel on Cuda.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/device.hpp"
#include "weft/dist/threads.hpp"

namespace weft::dist {

template <>
struct DeviceScope<Cuda> {
  explicit DeviceScope(Cuda device) : guard(device) {}
  static std::vector<Cuda> all() {
    std::vector<Cuda> out;
    for (int i = 0; i < on_cuda::device_count(); ++i) out.push_back(Cuda{i});
    return out;
  }

 private:
  on_cuda::DeviceGuard guard;
};
template <int N>
struct DeviceScope<CudaAt<N>> {
  explicit DeviceScope(CudaAt<N> device) : guard(device) {}
  static std::vector<CudaAt<N>> all() {
    std::vector<CudaAt<N>> out;
    if (N < on_cuda::device_count()) out.emplace_back();
    return out;
  }

 private:
  on_cuda::DeviceGuard guard;
};

}  // namespace weft::dist
