// A kernel for the eigenvalues of many Hermitian matrices of up to 4 x 4, one per thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/linalg/small_kernel.hpp"
#include "weft/ops/linalg/small_eigh.hpp"

namespace weft::on_cuda {

/// N x N matrices by columns, dense, whose lower halves are read; they become the eigenvectors.
template <class T>
struct EighTask {
  T* a;
  real_t<T>* w;
  long long count;
  Failure* failure;
  const char* operation;
  const char* fact;
  int ordinal;
};

#if defined(__CUDACC__)
/// One thread per matrix.
template <int N, class T>
__global__ void __launch_bounds__(small_threads)
    small_eigh(const __grid_constant__ EighTask<T> task) {
  __shared__ alignas(16) char room[SmallMatrices<N, T>::bytes];
  const SmallMatrices<N, T> all(room, task.count);
  all.load(task.a);
  const int me = static_cast<int>(threadIdx.x);
  if (me < all.here) {
    T* const mine = all.mine();
    linalg::SmallEigh<T, N> x;
#pragma unroll
    for (int j = 0; j < N; ++j) {
#pragma unroll
      for (int i = j; i < N; ++i) {
        const T value = mine[j * N + i];
        x.a[i][j] = i == j ? T(linalg::real_part(value)) : value;
        x.a[j][i] = linalg::conjugate(x.a[i][j]);
      }
    }
    if (!x.compute()) {
      report_failure(task.failure, task.operation, task.ordinal, all.first + me, -1, 0, false,
                     task.fact);
    }
#pragma unroll
    for (int j = 0; j < N; ++j) {
      task.w[(all.first + me) * N + j] = x.w[j];
#pragma unroll
      for (int i = 0; i < N; ++i) mine[j * N + i] = x.v[i][j];
    }
  }
  all.store(task.a);
}

/// Launches the kernel for n x n on the device's current stream; n is at most 4.
template <class T>
void run_small_eigh(Cuda device, int64_t n, EighTask<T> task) {
  const void* const kernels[] = {reinterpret_cast<const void*>(small_eigh<1, T>),
                                 reinterpret_cast<const void*>(small_eigh<2, T>),
                                 reinterpret_cast<const void*>(small_eigh<3, T>),
                                 reinterpret_cast<const void*>(small_eigh<4, T>)};
  const long long blocks = (task.count + small_threads - 1) / small_threads;
  if (blocks > INT32_MAX) {
    fail<ShapeError>(task.operation, task.count, " matrices on Cuda, expected below 2^38");
  }
  void* arguments[] = {&task};
  const weft::detail::Name name{task.operation};
  detail::launch(name, Shape{task.count, n, n}, kernels[n - 1], static_cast<unsigned>(blocks),
                 small_threads, arguments, current_stream(device));
}
#endif

}  // namespace weft::on_cuda
