// All of weft's PTX: instructions for which CUDA C++ has no intrinsic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__CUDACC__)

#include <cstdint>

/// Each function is named for its instruction; the headings say from which architecture on they
/// exist, which callers have to check. Shared memory has 32-bit addresses (shared_address). What
/// reads, writes or orders memory clobbers "memory".
namespace weft::detail::ptx {

// Any architecture.

/// rcp.approx.ftz.f32: 1 / x within 1 ulp; subnormal numbers count as 0.
__device__ __forceinline__ float rcp_approx(float x) {
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// ex2.approx.ftz.f32: 2^x within 2 ulp; subnormal numbers count as 0.
__device__ __forceinline__ float ex2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// lg2.approx.ftz.f32: log2(x); subnormal numbers count as 0.
__device__ __forceinline__ float lg2_approx(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
/// cvt.rn.f16.f32: float to binary16, to nearest even.
__device__ __forceinline__ std::uint16_t cvt_f16(float x) {
  std::uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
/// cvt.f32.f16: binary16 to float.
__device__ __forceinline__ float cvt_f32(std::uint16_t bits) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}
/// ld.relaxed.gpu: an atomic load of a word that other blocks write; orders nothing else.
__device__ __forceinline__ unsigned long long ld_relaxed(const unsigned long long* p) {
  unsigned long long x;
  asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
  return x;
}
/// st.relaxed.gpu: an atomic store of a word that other blocks read; orders nothing else.
__device__ __forceinline__ void st_relaxed(unsigned long long* p, unsigned long long x) {
  asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(x) : "memory");
}
/// prefetch.global.L2: fetches the cache line at p into L2.
__device__ __forceinline__ void prefetch_l2(const void* p) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
}
/// shfl.sync.down: the word of the thread `distance` lanes above; the thread's own where there is
/// none. All threads of the warp take part.
__device__ __forceinline__ unsigned shfl_down(unsigned word, int distance) {
  asm volatile("shfl.sync.down.b32 %0, %1, %2, %3, %4;"
               : "=r"(word)
               : "r"(word), "r"(distance), "r"(31), "r"(~0U));
  return word;
}
/// No instruction: the compiler moves no access to memory across it.
__device__ __forceinline__ void compiler_fence() { asm volatile("" ::: "memory"); }
/// No instruction: the compiler forgets where x comes from.
__device__ __forceinline__ void forget_origin(unsigned& x) { asm volatile("" : "+r"(x)); }
__device__ __forceinline__ void forget_origin(std::int64_t& x) { asm volatile("" : "+l"(x)); }
__device__ __forceinline__ void forget_origin(long long& x) { asm volatile("" : "+l"(x)); }

/// The address of something in shared memory, as the instructions below take it.
__device__ __forceinline__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// From sm_80 on (Ampere).

/// cvt.rn.bf16.f32: float to bfloat16, to nearest even.
__device__ __forceinline__ std::uint16_t cvt_bf16(float x) {
  std::uint16_t bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  return bits;
}
/// cvt.rna.tf32.f32: float to TF32, to nearest, ties away from 0.
__device__ __forceinline__ unsigned cvt_tf32(float x) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
}
/// max.NaN.f32: the larger one; NaN if either is NaN.
__device__ __forceinline__ float max_nan(float x, float y) {
  float larger;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(larger) : "f"(x), "f"(y));
  return larger;
}
/// min.NaN.f32: the smaller one; NaN if either is NaN.
__device__ __forceinline__ float min_nan(float x, float y) {
  float smaller;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(smaller) : "f"(x), "f"(y));
  return smaller;
}
/// cp.async: starts a copy of 4, 8 or 16 bytes from global to shared memory; 16 bypass L1.
template <int Bytes>
__device__ __forceinline__ void cp_async(unsigned shared, const void* from) {
  if constexpr (Bytes == 16) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(from), "n"(Bytes)
                 : "memory");
  }
}
/// cp.async.commit_group: the thread's copies since the last call become a group.
__device__ __forceinline__ void cp_async_commit() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}
/// cp.async.wait_group: waits for all of the thread's groups but the last N.
template <int N>
__device__ __forceinline__ void cp_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}
/// cp.async.wait_all: waits for all of the thread's copies.
__device__ __forceinline__ void cp_async_wait_all() {
  asm volatile("cp.async.wait_all;" ::: "memory");
}
/// ldmatrix.x4: four matrices of 8 rows of 16 bytes in shared memory, of which lanes 8 i to 8 i + 7
/// give the rows of matrix i; each thread gets word lane % 4 of row lane / 4 of each.
__device__ __forceinline__ void ldmatrix_x4(float (&x)[4], unsigned row) {
  unsigned word[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
               : "r"(row)
               : "memory");
  for (int i = 0; i < 4; ++i) x[i] = __uint_as_float(word[i]);
}
/// mma.sync.m16n8k8.tf32: c += a b on tensor cores, by a warp; PTX's manual says which lane holds
/// which element.
__device__ __forceinline__ void mma_tf32(float (&c)[4], const float (&a)[4], float b0, float b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])), "r"(__float_as_uint(a[2])),
        "r"(__float_as_uint(a[3])), "r"(__float_as_uint(b0)), "r"(__float_as_uint(b1)));
}

// From sm_90 on (Hopper).

/// cvt.rn.tf32.f32: float to TF32, to nearest even; one instruction where cvt.rna is three.
__device__ __forceinline__ unsigned cvt_rn_tf32(float x) {
  unsigned bits;
  asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
}
/// mbarrier.init: a barrier in shared memory that `Arrivals` threads complete.
template <int Arrivals>
__device__ __forceinline__ void mbarrier_init(unsigned barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "n"(Arrivals) : "memory");
}
__device__ __forceinline__ void mbarrier_init(unsigned barrier, int arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
/// fence.mbarrier_init: barriers that the thread has initialised are visible to the cluster.
__device__ __forceinline__ void fence_mbarrier_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
/// mbarrier.arrive.expect_tx: arrives, and adds to the bytes that the barrier's phase waits for.
__device__ __forceinline__ void mbarrier_expect(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
/// mbarrier.try_wait.parity: 1 if the phase of that parity is complete; may suspend the thread.
__device__ __forceinline__ unsigned mbarrier_try_wait(unsigned barrier, unsigned parity) {
  unsigned done;
  asm volatile(
      "{\n.reg .pred p;\nmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
      "selp.u32 %0, 1, 0, p;\n}"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
  return done;
}
/// The same for a phase that other blocks of the cluster complete.
__device__ __forceinline__ unsigned mbarrier_try_wait_cluster(unsigned barrier, unsigned parity) {
  unsigned done;
  asm volatile(
      "{\n.reg .pred p;\n"
      "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
      "selp.u32 %0, 1, 0, p;\n}"
      : "=r"(done)
      : "r"(barrier), "r"(parity)
      : "memory");
  return done;
}
/// fence.proxy.async: the thread's accesses to shared memory come before later bulk copies of it.
__device__ __forceinline__ void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
/// cp.async.bulk: starts a copy from global to shared memory; its bytes count at the barrier.
__device__ __forceinline__ void cp_async_bulk_load(unsigned to, const void* from, int bytes,
                                                   unsigned barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(to),
      "l"(from), "r"(bytes), "r"(barrier)
      : "memory");
}
/// cp.async.bulk: starts a copy from shared to global memory, of the thread's current bulk group.
__device__ __forceinline__ void cp_async_bulk_store(void* to, unsigned from, int bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(from),
               "r"(bytes)
               : "memory");
}
/// cp.async.bulk.commit_group: the thread's bulk stores since the last call become a group.
__device__ __forceinline__ void cp_async_bulk_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
/// cp.async.bulk.wait_group.read: waits until all groups but the last N have read shared memory.
template <int N>
__device__ __forceinline__ void cp_async_bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}
/// cp.async.bulk.prefetch.L2: fetches `bytes` into L2.
__device__ __forceinline__ void cp_async_bulk_prefetch(const void* from, unsigned bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes) : "memory");
}
/// red.global.add.v4: p[0..3] += the four, one atomic addition each.
__device__ __forceinline__ void red_add_v4_f32(float* p, float a, float b, float c, float d) {
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(a), "f"(b), "f"(c),
               "f"(d)
               : "memory");
}
/// The same for eight binary16 numbers, two to a word.
__device__ __forceinline__ void red_add_v4_f16x2(void* p, const unsigned (&pair)[4]) {
  asm volatile("red.global.add.noftz.v4.f16x2 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(pair[0]),
               "r"(pair[1]), "r"(pair[2]), "r"(pair[3])
               : "memory");
}
/// The same for eight bfloat16 numbers.
__device__ __forceinline__ void red_add_v4_bf16x2(void* p, const unsigned (&pair)[4]) {
  asm volatile("red.global.add.noftz.v4.bf16x2 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(pair[0]),
               "r"(pair[1]), "r"(pair[2]), "r"(pair[3])
               : "memory");
}
/// %cluster_ctarank: the block's number in its cluster.
__device__ __forceinline__ unsigned cluster_ctarank() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
/// mapa: where block `rank` of the cluster has what this block has at a shared address.
__device__ __forceinline__ unsigned mapa(unsigned address, unsigned rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(address), "r"(rank));
  return there;
}
/// No instruction: what it gives is a word to the compiler, not the parts that it was put together
/// from.
__device__ __forceinline__ void keep_whole(unsigned& word) { asm("" : "+r"(word)); }
/// st.async: stores a word in another block's shared memory; its bytes count at a barrier there.
__device__ __forceinline__ void st_async(unsigned to, unsigned word, unsigned barrier) {
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to),
      "r"(word), "r"(barrier)
      : "memory");
}
/// barrier.cluster.arrive: arrives at the cluster's barrier; orders no memory.
__device__ __forceinline__ void cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}
/// barrier.cluster.wait: waits until all threads of the cluster have arrived.
__device__ __forceinline__ void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
/// griddepcontrol.launch_dependents: the next kernel may start once all blocks have got here.
__device__ __forceinline__ void launch_dependents() {
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
}
/// griddepcontrol.wait: waits until the kernels before have ended and their results are visible.
__device__ __forceinline__ void wait_for_dependencies() {
  asm volatile("griddepcontrol.wait;" ::: "memory");
}

}  // namespace weft::detail::ptx

#endif
