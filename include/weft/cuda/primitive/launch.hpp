// launch(): how every kernel is launched, named in messages and seen by observers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/ptx.hpp"
#include "weft/cuda/primitive/plan_grid.hpp"
#include "weft/cuda/runtime/launch_observer.hpp"
#include "weft/cuda/synchronize.hpp"

namespace weft::on_cuda {
namespace detail {

/// Dynamic shared memory available without opting in, next to 12 KiB of static shared memory.
inline constexpr int granted_shared_bytes = 36 * 1024;

/// How a kernel starts: after the previous one; cooperatively, with all blocks resident; or, from
/// Hopper on, as soon as the previous one admits it (programmatic dependent launch).
enum class Start { ordinary, cooperative, early };

/// An early start of a kernel that waits for the one before it on the GPUs in `waits`, see
/// waits_on, if the device is one.
inline Start early_start(Cuda device, std::uint64_t waits) {
  const Properties& p = properties(device);
  const int i = 10 * p.major + p.minor - 90;
  return i >= 0 && i < 64 && (waits >> i & 1U) != 0 ? Start::early : Start::ordinary;
}
/// The same inside of a graph only: elsewhere such a launch takes the host longer, and a GPU with
/// kernels as short as those for which it matters waits for the host.
inline Start early_start_in_graph(Cuda device, std::uint64_t waits) {
  return recording() != nullptr ? early_start(device, waits) : Start::ordinary;
}

#if defined(__CUDACC__)
/// Admits the stream's next kernel, if it has an early start, once all blocks have got here.
__device__ __forceinline__ void admit_next_kernel() {
#if __CUDA_ARCH__ >= 900
  weft::detail::ptx::launch_dependents();
#endif
}
/// Waits until the previous kernel has ended and its results are visible: a kernel with an early
/// start must do this first.
__device__ __forceinline__ void wait_for_kernel_before() {
#if __CUDA_ARCH__ >= 900
  weft::detail::ptx::wait_for_dependencies();
#endif
}
#endif

/// Launches a kernel on the stream, `cluster` neighbouring blocks together; what goes wrong is
/// reported with the expression's name and shape.
WEFT_OUTLINED inline void launch(const Name& name, const Shape& shape, const void* kernel,
                                 dim3 blocks, dim3 threads, void** arguments, const Stream& stream,
                                 int shared_bytes = 0, Start start = Start::ordinary,
                                 unsigned cluster = 1) {
  const ObservedLaunch observed(name);
  if (shared_bytes > granted_shared_bytes) {
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes),
          name.operation);
  }
  const auto bytes = static_cast<std::size_t>(shared_bytes);
  cudaError_t status = cudaSuccess;
  if (start == Start::ordinary && cluster == 1) {
    status = cudaLaunchKernel(kernel, blocks, threads, arguments, bytes, stream.handle());
  } else if (start == Start::cooperative) {
    status =
        cudaLaunchCooperativeKernel(kernel, blocks, threads, arguments, bytes, stream.handle());
  } else {
    cudaLaunchAttribute attributes[2]{};
    cudaLaunchConfig_t config{};
    config.gridDim = blocks;
    config.blockDim = threads;
    config.dynamicSmemBytes = bytes;
    config.stream = stream.handle();
    config.attrs = attributes;
    if (start == Start::early) {
      cudaLaunchAttribute& early = attributes[config.numAttrs++];
      early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
      early.val.programmaticStreamSerializationAllowed = 1;
    }
    if (cluster > 1) {
      cudaLaunchAttribute& together = attributes[config.numAttrs++];
      together.id = cudaLaunchAttributeClusterDimension;
      together.val.clusterDim = {cluster, 1, 1};
    }
    status = cudaLaunchKernelExC(&config, kernel, arguments);
  }
  check(status, name.operation, "evaluating ", name, " of shape ", shape);
  if (sync_requested() && !is_capturing(stream)) {
    check(cudaStreamSynchronize(stream.handle()), name.operation, "evaluating ", name, " of shape ",
          shape);
    check_failures();
  }
}

}  // namespace detail
}  // namespace weft::on_cuda
