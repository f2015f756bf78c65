// What CUDA C++ adds to C++, for kernels that run on the CPU; included before everything else.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because it is a list.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <utility>

#undef __align__
#undef __constant__
#undef __device__
#undef __forceinline__
#undef __global__
#undef __host__
#undef __launch_bounds__
#undef __noinline__
#undef __shared__
#define __CUDACC__ 1
#define __CUDA_ARCH_LIST__ 800
#define __align__(n) __attribute__((aligned(n)))
#define __constant__ static
#define __device__
#define __forceinline__ inline
#define __global__
#define __grid_constant__
#define __host__
#define __launch_bounds__(...)
#define __noinline__
#define __shared__

/// A position in a block or a grid, or the size of one.
struct Place {
  unsigned x = 0;
  unsigned y = 0;
  unsigned z = 0;
};
extern Place threadIdx;
extern Place blockIdx;
extern Place blockDim;
extern Place gridDim;

namespace on_cpu {

/// The running thread's number in its warp, and its block's shared memory.
unsigned lane();
char* shared_memory();
/// Waits for the warp, or for the block; the latter says whether any thread gave other than 0.
void wait_for_warp();
bool wait_for_block(bool value = false);
/// Where a lane of the running thread's warp leaves what others read.
void* left_by(unsigned lane);

using Launch = void (*)(const void* kernel, void** arguments);
void note_kernel(const void* kernel, Launch launch);

template <class... Args, std::size_t... I>
void call(void (*kernel)(Args...), void** arguments, std::index_sequence<I...>) {
  kernel(*static_cast<std::remove_cvref_t<Args>*>(arguments[I])...);
}
/// A kernel's address, as the runtime takes it.
template <class... Args>
const void* address(void (*kernel)(Args...)) {
  const auto any = reinterpret_cast<const void*>(kernel);
  note_kernel(any, [](const void* k, void** arguments) {
    call(reinterpret_cast<void (*)(Args...)>(const_cast<void*>(k)), arguments,
         std::index_sequence_for<Args...>{});
  });
  return any;
}
template <class T>
  requires(!std::is_function_v<std::remove_pointer_t<T>>)
const void* address(T pointer) {
  return reinterpret_cast<const void*>(pointer);
}

/// What lane `from` gives, or x itself where there is none such.
template <class T>
T exchange(T x, unsigned from, bool there = true) {
  std::memcpy(left_by(lane()), &x, sizeof(T));
  wait_for_warp();
  if (there) std::memcpy(&x, left_by(from), sizeof(T));
  wait_for_warp();
  return x;
}

}  // namespace on_cpu

inline void __syncthreads() { on_cpu::wait_for_block(); }
inline int __syncthreads_or(int x) { return on_cpu::wait_for_block(x != 0) ? 1 : 0; }
inline void __syncwarp(unsigned = ~0U) { on_cpu::wait_for_warp(); }
inline void __threadfence() {}
[[noreturn]] inline void __trap() { std::abort(); }

template <class T>
T __shfl_sync(unsigned, T x, int from, int width = 32) {
  const unsigned mask = static_cast<unsigned>(width) - 1;
  return on_cpu::exchange(x, (on_cpu::lane() & ~mask) | (static_cast<unsigned>(from) & mask));
}
template <class T>
T __shfl_xor_sync(unsigned, T x, int mask, int = 32) {
  return on_cpu::exchange(x, on_cpu::lane() ^ static_cast<unsigned>(mask));
}
template <class T>
T __shfl_down_sync(unsigned, T x, unsigned distance, int width = 32) {
  const unsigned lane = on_cpu::lane();
  return on_cpu::exchange(x, lane + distance,
                          lane % static_cast<unsigned>(width) + distance < static_cast<unsigned>(width));
}
template <class T>
T __shfl_up_sync(unsigned, T x, unsigned distance, int width = 32) {
  const unsigned lane = on_cpu::lane();
  return on_cpu::exchange(x, lane - distance, lane % static_cast<unsigned>(width) >= distance);
}
inline unsigned __ballot_sync(unsigned, int x) {
  unsigned all = 0;
  const unsigned mine = x != 0 ? 1 : 0;
  std::memcpy(on_cpu::left_by(on_cpu::lane()), &mine, sizeof(mine));
  on_cpu::wait_for_warp();
  for (unsigned i = 0; i < 32; ++i) all |= *static_cast<const unsigned*>(on_cpu::left_by(i)) << i;
  on_cpu::wait_for_warp();
  return all;
}
inline int __any_sync(unsigned mask, int x) { return __ballot_sync(mask, x) != 0 ? 1 : 0; }
inline int __all_sync(unsigned mask, int x) { return __ballot_sync(mask, x) == ~0U ? 1 : 0; }

inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline unsigned __float_as_uint(float x) { return std::bit_cast<unsigned>(x); }
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32U);
}
inline bool __isGlobal(const void*) { return true; }
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __popcll(unsigned long long x) { return std::popcount(x); }
inline int __clz(int x) { return std::countl_zero(static_cast<unsigned>(x)); }
inline int __ffs(int x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned>(x)) + 1; }
/// From the block's dynamic shared memory on.
inline std::size_t __cvta_generic_to_shared(const void* p) {
  return static_cast<std::size_t>(static_cast<const char*>(p) - on_cpu::shared_memory());
}

/// Instructions of a warp's tensor cores, as PTX's manual has them.
namespace on_cpu {
inline unsigned rounded_to_tf32(float x) {
  const auto bits = std::bit_cast<unsigned>(x);
  return std::isfinite(x) ? (bits + 0x1000U) & ~0x1FFFU : bits;
}
inline void load_matrices(unsigned (&word)[4], unsigned row) {
  std::memcpy(left_by(lane()), &row, sizeof(row));
  wait_for_warp();
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned at = *static_cast<const unsigned*>(left_by(8 * i + lane() / 4));
    if (at % 16 != 0) std::abort();
    std::memcpy(&word[i], shared_memory() + at + 4 * (lane() % 4), sizeof(unsigned));
  }
  wait_for_warp();
}
inline void multiply_tf32(float (&c)[4], const float (&a)[4], float b0, float b1) {
  const float mine[6] = {a[0], a[1], a[2], a[3], b0, b1};
  std::memcpy(left_by(lane()), mine, sizeof(mine));
  wait_for_warp();
  const auto taken = [](unsigned from, unsigned i) {  // what is beyond TF32's mantissa is not read
    const unsigned bits = static_cast<const unsigned*>(left_by(from))[i];
    return std::bit_cast<float>(bits & ~0x1FFFU);
  };
  for (unsigned i = 0; i < 4; ++i) {
    for (unsigned k = 0; k < 8; ++k) {
      const unsigned column = 2 * (lane() % 4) + i % 2;
      c[i] += taken(lane() / 4 * 4 + k % 4, i / 2 + k / 4 * 2) * taken(column * 4 + k % 4, 4 + k / 4);
    }
  }
  wait_for_warp();
}
}  // namespace on_cpu

inline float rsqrtf(float x) { return 1 / std::sqrt(x); }
inline double rsqrt(double x) { return 1 / std::sqrt(x); }
inline float __expf(float x) { return std::exp(x); }
inline float __logf(float x) { return std::log(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __frcp_rn(float x) { return 1 / x; }

template <class T>
T __ldg(const T* p) {
  return *p;
}
template <class T>
T __ldcs(const T* p) {
  return *p;
}
template <class T>
void __stcs(T* p, T x) {
  *p = x;
}

/// Fibers of one thread: nothing comes between.
template <class T>
T atomicAdd(T* p, T x) {
  return std::exchange(*p, *p + x);
}
template <class T>
T atomicExch(T* p, T x) {
  return std::exchange(*p, x);
}
template <class T>
T atomicCAS(T* p, T expected, T x) {
  return *p == expected ? std::exchange(*p, x) : *p;
}
template <class T>
T atomicMin(T* p, T x) {
  return std::exchange(*p, std::min(*p, x));
}
template <class T>
T atomicMax(T* p, T x) {
  return std::exchange(*p, std::max(*p, x));
}
template <class T>
T atomicOr(T* p, T x) {
  return std::exchange(*p, *p | x);
}

template <class T, class U>
  requires(std::is_arithmetic_v<T> && std::is_arithmetic_v<U>)
auto min(T x, U y) {
  using Both = std::common_type_t<T, U>;
  return std::min<Both>(x, y);
}
template <class T, class U>
  requires(std::is_arithmetic_v<T> && std::is_arithmetic_v<U>)
auto max(T x, U y) {
  using Both = std::common_type_t<T, U>;
  return std::max<Both>(x, y);
}
using std::isinf;
using std::isnan;

/// The parts of CUB's warp primitives that kernels use.
namespace cub {
template <int Width, class T>
T ShuffleDown(T x, int distance, int last, unsigned) {
  const unsigned lane = on_cpu::lane();
  const bool there = static_cast<int>(lane % Width) + distance <= last;
  return on_cpu::exchange(x, lane + static_cast<unsigned>(distance), there);
}
template <int Width, class T>
T ShuffleUp(T x, int distance, int first, unsigned) {
  const unsigned lane = on_cpu::lane();
  const bool there = static_cast<int>(lane % Width) - distance >= first;
  return on_cpu::exchange(x, lane - static_cast<unsigned>(distance), there);
}
template <int Width, class T>
T ShuffleIndex(T x, int from, unsigned) {
  return on_cpu::exchange(x, on_cpu::lane() / Width * Width + static_cast<unsigned>(from));
}
}  // namespace cub
