// Bulk copies between global and shared memory, started by one thread (from Hopper on).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/ptx.hpp"
#include "weft/cuda/device.hpp"

namespace weft::on_cuda {

/// Whether a kernel's code for the current GPU was compiled for an architecture with bulk copies;
/// the GPU alone does not tell, since it also runs older code.
WEFT_OUTLINED inline bool has_bulk_copies(const void* kernel, Cuda device) {
  if (properties(device).major < 9) return false;
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "has_bulk_copies");
  return attributes.ptxVersion >= 90;
}

#if defined(__CUDACC__)

/// A word shared with other blocks: access is atomic but unordered (relaxed).
__device__ __forceinline__ unsigned long long load_relaxed(const unsigned long long* p) {
  return weft::detail::ptx::ld_relaxed(p);
}
__device__ __forceinline__ void store_relaxed(unsigned long long* p, unsigned long long x) {
  weft::detail::ptx::st_relaxed(p, x);
}

#if __CUDA_ARCH__ >= 900

using weft::detail::ptx::shared_address;

/// A barrier in shared memory for one bulk load at a time.
__device__ __forceinline__ void start_barrier(unsigned long long* barrier) {
  weft::detail::ptx::mbarrier_init<1>(shared_address(barrier));
}
/// Lets bulk copies see the barriers that the thread has started.
__device__ __forceinline__ void publish_barriers() {
  weft::detail::ptx::fence_mbarrier_init();
  weft::detail::ptx::fence_proxy_async();
}
/// Waits for a barrier's even-numbered loads (parity 0) or odd-numbered ones (parity 1).
__device__ __forceinline__ void wait_barrier(unsigned long long* barrier, unsigned parity) {
  while (weft::detail::ptx::mbarrier_try_wait(shared_address(barrier), parity) == 0) {
  }
}

/// Starts a copy to shared memory that completes on the barrier; both addresses are aligned to 16
/// bytes, and `bytes` is a multiple of 16, or 0.
__device__ __forceinline__ void bulk_load(void* to, const void* from, int bytes,
                                          unsigned long long* barrier) {
  weft::detail::ptx::mbarrier_expect(shared_address(barrier), static_cast<unsigned>(bytes));
  if (bytes == 0) return;
  weft::detail::ptx::cp_async_bulk_load(shared_address(to), from, bytes, shared_address(barrier));
}

/// Prefetches `bytes` at an address into L2; both are multiples of 16.
__device__ __forceinline__ void fetch_to_l2(const void* from, unsigned bytes) {
  weft::detail::ptx::cp_async_bulk_prefetch(from, bytes);
}

/// Makes the thread's writes to shared memory visible to bulk stores.
__device__ __forceinline__ void publish_to_bulk() { weft::detail::ptx::fence_proxy_async(); }
/// Starts a copy from shared memory, under the same rules.
__device__ __forceinline__ void bulk_store(void* to, const void* from, int bytes) {
  if (bytes > 0) weft::detail::ptx::cp_async_bulk_store(to, shared_address(from), bytes);
  weft::detail::ptx::cp_async_bulk_commit();
}
/// Waits until all of the thread's bulk stores but the last N have read shared memory.
template <int N>
__device__ __forceinline__ void wait_bulk_reads() {
  weft::detail::ptx::cp_async_bulk_wait_read<N>();
}

#endif
#endif

}  // namespace weft::on_cuda
