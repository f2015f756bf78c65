// Kernels for QR of many matrices: one warp per matrix, in shared memory, one column per thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/launch.hpp"
#include "weft/ops/linalg/small_matrix.hpp"

namespace weft::on_cuda {

/// The largest matrix, in bytes, that the kernels take; shared memory holds it.
inline constexpr int small_qr_bytes = 32 * 1024;

/// m x n matrices by columns, dense, with k reflections each.
template <class T>
struct QrTask {
  T* a;
  T* tau;
  int m;
  int n;
  int k;
};

#if defined(__CUDACC__)
namespace detail {
template <class T>
__device__ __forceinline__ T warp_sum(T x) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(~0U, x, d);
  return x;
}
template <class T>
__device__ __forceinline__ T warp_max(T x) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    const T other = __shfl_xor_sync(~0U, x, d);
    x = other > x || other != other ? other : x;
  }
  return x;
}

/// y = (1 - tau v v^H) y; v[0] is taken to be 1.
template <class T>
__device__ __forceinline__ void reflect(int n, const T* v, T tau, T* y) {
  T sum = y[0];
  for (int i = 1; i < n; ++i) sum = sum + linalg::conjugate(v[i]) * y[i];
  const T factor = tau * sum;
  y[0] = y[0] - factor;
  for (int i = 1; i < n; ++i) y[i] = y[i] - factor * v[i];
}
}  // namespace detail

/// R on and above the diagonal, the reflections' vectors below it, and their tau, as cpu::qr gives
/// them: LAPACK's signs.
template <class T>
__global__ void __launch_bounds__(32) small_qr(const __grid_constant__ QrTask<T> task) {
  using R = real_t<T>;
  extern __shared__ __align__(16) char room[];
  T* const a = reinterpret_cast<T*>(room);
  const int lane = static_cast<int>(threadIdx.x);
  const int m = task.m;
  const int size = m * task.n;
  T* const outside = task.a + static_cast<long long>(blockIdx.x) * size;
  for (int e = lane; e < size; e += 32) a[e] = outside[e];
  __syncwarp();
  for (int k = 0; k < task.k; ++k) {
    T* const v = a + k * m + k;
    R largest = 0;
    for (int i = lane; i < m - k; i += 32) {
      const R part = linalg::magnitude(v[i]);
      largest = part > largest || part != part ? part : largest;
    }
    largest = detail::warp_max(largest);
    const R scale = largest > 0 ? 1 / largest : R(1);
    R rest = 0;
    for (int i = lane + 1; i < m - k; i += 32) rest += linalg::squared(v[i] * scale);
    rest = detail::warp_sum(rest);
    const T first = v[0];
    T tau(0);
    if (rest != 0 || !(first == T(linalg::real_part(first)))) {
      const R length = largest * std::sqrt(rest + linalg::squared(first * scale));
      const R beta = linalg::real_part(first) < 0 ? length : -length;
      tau = (T(beta) - first) * (1 / beta);
      const T factor = T(1) / (first - beta);
      __syncwarp();
      for (int i = lane; i < m - k; i += 32) v[i] = i == 0 ? T(beta) : v[i] * factor;
    }
    __syncwarp();
    if (lane == 0) task.tau[static_cast<long long>(blockIdx.x) * task.k + k] = tau;
    for (int j = k + 1 + lane; j < task.n; j += 32) {
      detail::reflect(m - k, v, linalg::conjugate(tau), a + j * m + k);
    }
    __syncwarp();
  }
  for (int e = lane; e < size; e += 32) outside[e] = a[e];
}

/// The columns of Q in place of the vectors.
template <class T>
__global__ void __launch_bounds__(32) small_q(const __grid_constant__ QrTask<T> task) {
  extern __shared__ __align__(16) char room[];
  T* const a = reinterpret_cast<T*>(room);
  const int lane = static_cast<int>(threadIdx.x);
  const int m = task.m;
  const int size = m * task.n;
  T* const outside = task.a + static_cast<long long>(blockIdx.x) * size;
  const T* const taus = task.tau + static_cast<long long>(blockIdx.x) * task.k;
  for (int e = lane; e < size; e += 32) {
    a[e] = e / m < task.k ? outside[e] : T(e / m == e % m ? 1 : 0);
  }
  __syncwarp();
  for (int k = task.k - 1; k >= 0; --k) {
    T* const v = a + k * m + k;
    const T tau = taus[k];
    for (int j = k + 1 + lane; j < task.n; j += 32) detail::reflect(m - k, v, tau, a + j * m + k);
    __syncwarp();
    for (int i = lane; i < m; i += 32) {
      T& x = a[k * m + i];
      x = i < k ? T(0) : i == k ? T(1) - tau : -(tau * x);
    }
    __syncwarp();
  }
  for (int e = lane; e < size; e += 32) outside[e] = a[e];
}

/// Launches one of the kernels for `count` matrices on the device's current stream.
template <class T>
void run_small_qr(const char* operation, Cuda device, int64_t count, bool makes_q, QrTask<T> task) {
  if (count > INT32_MAX) {
    fail<ShapeError>(operation, count, " matrices on Cuda, expected below 2^31");
  }
  void* arguments[] = {&task};
  const void* const kernel = makes_q ? reinterpret_cast<const void*>(small_q<T>)
                                     : reinterpret_cast<const void*>(small_qr<T>);
  const weft::detail::Name name{operation};
  detail::launch(name, Shape{count, task.m, task.n}, kernel, static_cast<unsigned>(count), 32,
                 arguments, current_stream(device), task.m * task.n * static_cast<int>(sizeof(T)));
}
#endif

}  // namespace weft::on_cuda
