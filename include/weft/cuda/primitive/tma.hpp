// Bulk copies between global and shared memory, started by one thread (from Hopper on).
// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  unsigned long long x;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
  return x;
}
__device__ __forceinline__ void store_relaxed(unsigned long long* p, unsigned long long x) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(x) : "memory");
}

#if __CUDA_ARCH__ >= 900

__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

/// A barrier in shared memory for one bulk load at a time.
__device__ __forceinline__ void start_barrier(unsigned long long* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
}
/// Lets bulk copies see the barriers that the thread has started.
__device__ __forceinline__ void publish_barriers() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
/// Waits for a barrier's even-numbered loads (parity 0) or odd-numbered ones (parity 1).
__device__ __forceinline__ void wait_barrier(unsigned long long* barrier, unsigned parity) {
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
  }
}

/// Starts a copy to shared memory that completes on the barrier; both addresses are aligned to 16
/// bytes, and `bytes` is a multiple of 16, or 0.
__device__ __forceinline__ void bulk_load(void* to, const void* from, int bytes,
                                          unsigned long long* barrier) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
  if (bytes == 0) return;
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to)),
      "l"(from), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
}

/// Prefetches `bytes` at an address into L2; both are multiples of 16.
__device__ __forceinline__ void fetch_to_l2(const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}

/// Makes the thread's writes to shared memory visible to bulk stores.
__device__ __forceinline__ void publish_to_bulk() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
/// Starts a copy from shared memory, under the same rules.
__device__ __forceinline__ void bulk_store(void* to, const void* from, int bytes) {
  if (bytes > 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                 "r"(shared_address(from)), "r"(bytes)
                 : "memory");
  }
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// Waits until all of the thread's bulk stores but the last N have read shared memory.
template <int N>
__device__ __forceinline__ void wait_bulk_reads() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}

#endif
#endif

}  // namespace weft::on_cuda
