// A kernel for the eigenvalues of many Hermitian matrices of up to 32 x 32, one per block.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/linalg/small_eigh.hpp"
#include "weft/ops/linalg/medium_eigh.hpp"

namespace weft::on_cuda {

#if defined(__CUDACC__)
namespace detail {
/// The sum over the block's threads, for each of them; `parts` has a place a warp.
template <class R>
__device__ __forceinline__ R sum_of_block(R x, R* parts) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(~0U, x, d);
  if (blockDim.x == 32) return x;
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  x = parts[0];
  for (int i = 1; i < static_cast<int>(blockDim.x) / 32; ++i) x += parts[i];
  return x;
}
/// The same of the largest; a NaN is the largest.
template <class R>
__device__ __forceinline__ R most_of_block(R x, R* parts) {
  const auto larger = [](R a, R b) { return b > a || b != b ? b : a; };
#pragma unroll
  for (int d = 16; d > 0; d /= 2) x = larger(x, __shfl_xor_sync(~0U, x, d));
  if (blockDim.x == 32) return x;
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = x;
  __syncthreads();
  x = parts[0];
  for (int i = 1; i < static_cast<int>(blockDim.x) / 32; ++i) x = larger(x, parts[i]);
  return x;
}
}  // namespace detail

/// The matrices are replaced by their vectors, where these are requested. A matrix that is not
/// finite, or whose rotations do not converge, is reported: the next call throws.
template <class T>
__global__ void __launch_bounds__(128)
    medium_eigh(const __grid_constant__ EighTask<T> task, int n, bool vectors) {
  using R = real_t<T>;
  using Eigh = linalg::MediumEigh<T>;
  extern __shared__ __align__(16) char room[];
  __shared__ R parts[4];
  const int me = static_cast<int>(threadIdx.x);
  const Eigh x(n, static_cast<int>(blockDim.x), vectors, reinterpret_cast<T*>(room));
  T* const matrix = task.a + static_cast<long long>(blockIdx.x) * n * n;
  const R largest = detail::most_of_block(x.read(me, matrix), parts);
  const bool finite = largest <= Eigh::greatest;
  const R factor = largest > 0 && finite ? linalg::invertible(largest) : R(1);
  __syncthreads();
  const R total = detail::sum_of_block(x.scale(me, 1 / factor), parts);
  const R tiny = total * Eigh::epsilon * Eigh::epsilon * R(0.01);
  __syncthreads();
  bool done = !finite;
  // Matrices take fewer than 12. Whether the last one was enough is not asked: it is reported too.
  for (int sweep = 0; sweep < 30 && !done; ++sweep) {
    if (!(detail::sum_of_block(x.outside(me), parts) > tiny)) done = true;
    for (int step = 0; step < x.steps() && !done; ++step) {
      x.choose(me, step);
      __syncthreads();
      x.turn_columns(me);
      __syncthreads();
      x.turn_rows(me);
      __syncthreads();
    }
  }
  if (me == 0 && !(done && finite)) {
    report_failure(task.failure, task.operation, task.ordinal, blockIdx.x, -1, 0, false, task.fact);
  }
  x.write(me, factor, task.w + static_cast<long long>(blockIdx.x) * n, matrix);
}

/// Launches the kernel for n x n on the device's current stream; n is at most 32.
template <class T>
void run_medium_eigh(Cuda device, int64_t n, bool vectors, EighTask<T> task) {
  if (task.count > INT32_MAX) {
    fail<ShapeError>(task.operation, task.count, " matrices on Cuda, expected below 2^31");
  }
  int order = static_cast<int>(n);
  void* arguments[] = {&task, &order, &vectors};
  const int threads = n <= 8 ? 32 : n <= 16 ? 64 : 128;
  const weft::detail::Name name{task.operation};
  detail::launch(name, Shape{task.count, n, n}, reinterpret_cast<const void*>(medium_eigh<T>),
                 static_cast<unsigned>(task.count), static_cast<unsigned>(threads), arguments,
                 current_stream(device), linalg::MediumEigh<T>::bytes(order));
}
#endif

}  // namespace weft::on_cuda
