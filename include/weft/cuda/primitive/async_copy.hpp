// Copies from global to shared memory that a thread starts and does not wait for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/ptx.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

/// Starts a copy of `bytes`, 4, 8 or 16, from global to shared memory.
template <int bytes>
__device__ __forceinline__ void start_copy(char* to, const char* from) {
#if __CUDA_ARCH__ >= 800
  weft::detail::ptx::cp_async<bytes>(weft::detail::ptx::shared_address(to), from);
#else
  if constexpr (bytes == 16) {
    *reinterpret_cast<::int4*>(to) = *reinterpret_cast<const ::int4*>(from);
  } else if constexpr (bytes == 8) {
    *reinterpret_cast<::int2*>(to) = *reinterpret_cast<const ::int2*>(from);
  } else {
    *reinterpret_cast<int*>(to) = *reinterpret_cast<const int*>(from);
  }
#endif
}
/// Waits for all copies that the block's threads have started.
__device__ __forceinline__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  weft::detail::ptx::cp_async_wait_all();
#endif
  __syncthreads();
}

}  // namespace weft::on_cuda

#endif
