// Launching row kernels, with the shared memory and clusters that they need.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/rows/plan.hpp"
#include "weft/cuda/runtime/launch_observer.hpp"

namespace weft::on_cuda::detail {

/// Permits a kernel the shared memory and cluster size of a launch.
inline void allow(const char* name, const void* kernel, const RowLaunch& launch, unsigned cluster) {
  if (launch.shared_bytes > 48 * 1024) {
    const unsigned bytes = std::max(launch.shared_bytes, launch.permitted_bytes);
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(bytes)),
          name);
  }
  if (cluster > 8) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), name);
  }
}

/// A launch in the runtime's form; refers to `attributes`.
inline cudaLaunchConfig_t configuration(const RowLaunch& launch, unsigned cluster,
                                        cudaLaunchAttribute (&attributes)[2]) {
  attributes[0].id = cudaLaunchAttributeClusterDimension;
  attributes[0].val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(launch.blocks);
  config.blockDim = dim3(launch.threads);
  config.dynamicSmemBytes = launch.shared_bytes;
  config.attrs = attributes;
  config.numAttrs = cluster > 1 ? 1 : 0;
  return config;
}

/// Whether the current device can run a launch's clusters: on some, a processing cluster has fewer
/// multiprocessors than a large thread block cluster needs. Queried once per kernel.
WEFT_OUTLINED inline bool runs_cluster(const char* name, const void* kernel,
                                       const RowLaunch& launch, unsigned cluster) {
  struct Known {
    const void* kernel = nullptr;
    int device = -1;
    unsigned threads = 0;
    unsigned shared_bytes = 0;
    unsigned cluster = 0;
    bool runs = false;
  };
  if (cluster <= 8) return true;
  constexpr unsigned size = 32;
  thread_local Known known[size];
  thread_local unsigned oldest = 0;
  int device = 0;
  check(cudaGetDevice(&device), name);
  for (const Known& k : known) {
    if (k.kernel == kernel && k.device == device && k.threads == launch.threads &&
        k.shared_bytes == launch.shared_bytes && k.cluster == cluster) {
      return k.runs;
    }
  }
  allow(name, kernel, launch, cluster);
  cudaLaunchAttribute attributes[2]{};
  const cudaLaunchConfig_t config = configuration(launch, cluster, attributes);
  int count = 0;
  const bool runs =
      cudaOccupancyMaxActiveClusters(&count, kernel, &config) == cudaSuccess && count > 0;
  if (!runs) cudaGetLastError();
  known[oldest++ % size] = {kernel, device, launch.threads, launch.shared_bytes, cluster, runs};
  return runs;
}

WEFT_OUTLINED inline void launch_rows(const Name& name, const Shape& shape, const RowKernel& kernel,
                                      const RowLaunch& launch, unsigned cluster, void** arguments,
                                      const Stream& stream) {
  const ObservedLaunch observed(name);
  const void* const address = kernel.of(launch);
  allow(name.operation, address, launch, cluster);
  cudaLaunchAttribute attributes[2]{};
  cudaLaunchConfig_t config = configuration(launch, cluster, attributes);
  if (early_start(stream.device(), kernel.waits) == Start::early) {
    cudaLaunchAttribute& early = attributes[config.numAttrs++];
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
  }
  config.stream = stream.handle();
  check(cudaLaunchKernelExC(&config, address, arguments), name.operation, "evaluating ", name,
        " over rows of shape ", shape);
  if (sync_requested() && !is_capturing(stream)) {
    check(cudaStreamSynchronize(stream.handle()), name.operation, "evaluating ", name,
          " over rows of shape ", shape);
    check_failures();
  }
}

/// Has the kernel that goes over columns again begin with what L2 still holds of them, their ends.
inline void begin_at_end(const RowLoops& grid, RowOperand* operands, int n) {
  for (int i = 0; grid.columns && grid.reduced_rank == 1 && i < n; ++i) {
    RowOperand& x = operands[i];
    x.data += (grid.count - 1) * x.reduced_stride[0];
    x.reduced_stride[0] = -x.reduced_stride[0];
    x.step = -x.step;
    x.hop = -x.hop;
  }
}

}  // namespace weft::on_cuda::detail
