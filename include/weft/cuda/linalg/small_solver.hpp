// CUDA's small matrices, and the kernels around calls of cuSOLVER.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/linalg/small_kernel.hpp"
#include "weft/ops/linalg/solver.hpp"

#if defined(__CUDACC__)
namespace weft::on_cuda {

/// MatrixSolver<Cuda>'s functions for small matrices.
struct SmallSolver {
  template <class T, class D>
  static void small_det(const char* operation, const Tensor<T, D>& x, const Tensor<T, D>& out) {
    run<SmallProblem::det>(operation, nullptr, x, x, out, 1);
  }
  template <class T, class D>
  static void small_inv(const char* operation, const Tensor<T, D>& x, const Tensor<T, D>& out) {
    run<SmallProblem::inv>(operation, "is singular", x, x, out, 1);
  }
  template <class T, class D>
  static void small_solve(const char* operation, const Tensor<T, D>& a, const Tensor<T, D>& b,
                          const Tensor<T, D>& out) {
    run<SmallProblem::solve>(operation, "is singular", a, b, out, b.shape()[2]);
  }
  template <class T, class D>
  static void small_cholesky(const char* operation, const Tensor<T, D>& x,
                             const Tensor<T, D>& out) {
    run<SmallProblem::cholesky>(operation, "is not positive definite", x, x, out, 1);
  }

 private:
  template <SmallProblem What, class T, class D>
  static void run(const char* operation, const char* fact, const Tensor<T, D>& x,
                  const Tensor<T, D>& b, const Tensor<T, D>& out, int64_t width) {
    const Cuda device{out.storage()->ordinal};
    const DeviceGuard guard(device);
    const Stream stream = current_stream(device);
    order_read(x.storage(), stream);
    order_read(b.storage(), stream);
    order_write(out.storage(), stream);
    if (width > INT32_MAX) fail<ShapeError>(operation, width, " columns, expected below 2^31");
    run_small<What, T>(out.shape(), device,
                       {x.data(), b.data(), out.data(), x.shape()[0],
                        static_cast<int>(x.shape()[2]), static_cast<int>(width), FastDivmod(),
                        failure_flag(device), operation, fact, device.ordinal});
  }
};

/// Reports the first of `count` matrices with a 0 on its diagonal of n elements, `step` apart.
template <class T>
__global__ void find_zero_pivot(const T* x, long long count, int n, long long matrix_step,
                                long long step, Failure* failure, const char* operation,
                                const char* fact, int ordinal) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count * n) return;
  if (x[i / n * matrix_step + i % n * step] == T(0)) {
    report_failure(failure, operation, ordinal, i / n, i % n, 0, false, fact);
  }
}

/// Reports the matrices for which a library reported failure.
template <class Int>
__global__ void report_info(const Int* info, long long count, bool has_pivot, Failure* failure,
                            const char* operation, const char* fact, int ordinal) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= count || info[i] == 0) return;
  const long long pivot = has_pivot ? static_cast<long long>(info[i]) - 1 : -1;
  report_failure(failure, operation, ordinal, i, pivot, 0, false, fact);
}

/// Addresses of matrices that lie one after the other.
template <class T>
__global__ void list_matrices(T** out, T* first, long long step, long long count) {
  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = first + i * step;
}

}  // namespace weft::on_cuda
#endif
