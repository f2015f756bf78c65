// Waiting for a whole GPU, and reporting what its kernels have found.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/memory.hpp"
#include "weft/eval/program/settings.hpp"

namespace weft::on_cuda {

/// True with WEFT_SYNC=1 in the environment: each kernel is waited for and checked.
inline bool sync_requested() { return weft::detail::sync_requested(); }

/// Blocks the calling thread until all work on `device` is done, and throws what kernels have
/// reported. Without a GPU there is nothing to wait for. While another thread captures it waits for
/// weft's streams only, since CUDA ends a capture when the whole GPU is waited for.
inline void synchronize(Cuda device = {}) {
  if (device == Cuda{} && !is_available()) return;
  const DeviceGuard guard(device);
  refuse_capture(current_stream(), "synchronize");
  if (__atomic_load_n(&detail::recordings, __ATOMIC_RELAXED) != 0) {
    detail::synchronize_streams(current_device());
    check(cudaStreamSynchronize(default_stream()), "synchronize");
  } else {
    check(cudaDeviceSynchronize(), "synchronize");
  }
  detail::free_deferred();
  check_failures();
}

}  // namespace weft::on_cuda

namespace weft {

using on_cuda::synchronize;  // beside synchronize(Cpu), for generic code

}  // namespace weft
