// cuSOLVER and cuBLAS: handles, their functions by element type; with the macro WEFT_CUSOLVER.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(WEFT_CUSOLVER)

#include <cublas_v2.h>
#include <cusolverDn.h>

#include "weft/core/dtype.hpp"
#include "weft/cuda/primitive/launch.hpp"

namespace weft::on_cuda {

/// Throws Error unless `status` is success.
[[gnu::noinline]] inline void check(cusolverStatus_t status, const char* operation,
                                    const char* call) {
  if (status != CUSOLVER_STATUS_SUCCESS) {
    fail<DeviceError>(operation, "cuSOLVER gave status ", static_cast<int>(status), " in ", call);
  }
}
[[gnu::noinline]] inline void check_blas(cublasStatus_t status, const char* operation,
                                         const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) {
    fail<DeviceError>(operation, "cuBLAS gave status ", static_cast<int>(status), " in ", call);
  }
}

namespace detail {

/// What a call needs of both libraries.
struct SolverHandles {
  cusolverDnHandle_t solver = nullptr;
  cusolverDnParams_t params = nullptr;
  gesvdjInfo_t jacobi = nullptr;
  cublasHandle_t blas = nullptr;
};

/// A GPU's handles that no call uses. Like streams they are never destroyed.
struct IdleSolvers {
  static constexpr int most = 64;
  Mutex mutex;
  int count = 0;
  SolverHandles handles[most];
};
[[gnu::visibility("default")]] inline IdleSolvers idle_solvers[max_devices];

/// Handles of the device for the length of a scope, whose calls go to the given stream.
class Solvers : public SolverHandles {
 public:
  [[gnu::noinline]] Solvers(const char* operation, int ordinal, cudaStream_t stream)
      : idle_(idle_solvers[ordinal]) {
    {
      const Lock lock(idle_.mutex);
      if (idle_.count > 0) static_cast<SolverHandles&>(*this) = idle_.handles[--idle_.count];
    }
    if (solver == nullptr) {
      const RelaxedCapture relaxed;
      check(cusolverDnCreate(&solver), operation, "cusolverDnCreate");
      check(cusolverDnCreateParams(&params), operation, "cusolverDnCreateParams");
      check(cusolverDnCreateGesvdjInfo(&jacobi), operation, "cusolverDnCreateGesvdjInfo");
      check_blas(cublasCreate(&blas), operation, "cublasCreate");
      watch_for_exit();
    }
    check(cusolverDnSetStream(solver, stream), operation, "cusolverDnSetStream");
    check_blas(cublasSetStream(blas, stream), operation, "cublasSetStream");
  }
  [[gnu::noinline]] ~Solvers() {
    const Lock lock(idle_.mutex);
    if (idle_.count < IdleSolvers::most) idle_.handles[idle_.count++] = *this;
  }
  Solvers(const Solvers&) = delete;
  Solvers& operator=(const Solvers&) = delete;

 private:
  IdleSolvers& idle_;
};

/// The functions that have their type in their name.
template <class T>
struct SolverFunctions;
// clang-format off
template <>
struct SolverFunctions<float> {
  using type = float;
  static constexpr cudaDataType data = CUDA_R_32F;
  static constexpr auto *orgqr_size = cusolverDnSorgqr_bufferSize; static constexpr auto *orgqr = cusolverDnSorgqr;
  static constexpr auto *gesvdj_size = cusolverDnSgesvdj_bufferSize; static constexpr auto *gesvdj = cusolverDnSgesvdj;
  static constexpr auto *gesvdj_batched_size = cusolverDnSgesvdjBatched_bufferSize; static constexpr auto *gesvdj_batched = cusolverDnSgesvdjBatched;
  static constexpr auto *potrf_batched = cusolverDnSpotrfBatched; static constexpr auto *getrf_batched = cublasSgetrfBatched;
  static constexpr auto *getrs_batched = cublasSgetrsBatched; static constexpr auto *trsm_batched = cublasStrsmBatched;
  static constexpr auto *trsm = cublasStrsm_v2;
};
template <>
struct SolverFunctions<double> {
  using type = double;
  static constexpr cudaDataType data = CUDA_R_64F;
  static constexpr auto *orgqr_size = cusolverDnDorgqr_bufferSize; static constexpr auto *orgqr = cusolverDnDorgqr;
  static constexpr auto *gesvdj_size = cusolverDnDgesvdj_bufferSize; static constexpr auto *gesvdj = cusolverDnDgesvdj;
  static constexpr auto *gesvdj_batched_size = cusolverDnDgesvdjBatched_bufferSize; static constexpr auto *gesvdj_batched = cusolverDnDgesvdjBatched;
  static constexpr auto *potrf_batched = cusolverDnDpotrfBatched; static constexpr auto *getrf_batched = cublasDgetrfBatched;
  static constexpr auto *getrs_batched = cublasDgetrsBatched; static constexpr auto *trsm_batched = cublasDtrsmBatched;
  static constexpr auto *trsm = cublasDtrsm_v2;
};
template <>
struct SolverFunctions<complex<float>> {
  using type = cuComplex;
  static constexpr cudaDataType data = CUDA_C_32F;
  static constexpr auto *orgqr_size = cusolverDnCungqr_bufferSize; static constexpr auto *orgqr = cusolverDnCungqr;
  static constexpr auto *gesvdj_size = cusolverDnCgesvdj_bufferSize; static constexpr auto *gesvdj = cusolverDnCgesvdj;
  static constexpr auto *gesvdj_batched_size = cusolverDnCgesvdjBatched_bufferSize; static constexpr auto *gesvdj_batched = cusolverDnCgesvdjBatched;
  static constexpr auto *potrf_batched = cusolverDnCpotrfBatched; static constexpr auto *getrf_batched = cublasCgetrfBatched;
  static constexpr auto *getrs_batched = cublasCgetrsBatched; static constexpr auto *trsm_batched = cublasCtrsmBatched;
  static constexpr auto *trsm = cublasCtrsm_v2;
};
template <>
struct SolverFunctions<complex<double>> {
  using type = cuDoubleComplex;
  static constexpr cudaDataType data = CUDA_C_64F;
  static constexpr auto *orgqr_size = cusolverDnZungqr_bufferSize; static constexpr auto *orgqr = cusolverDnZungqr;
  static constexpr auto *gesvdj_size = cusolverDnZgesvdj_bufferSize; static constexpr auto *gesvdj = cusolverDnZgesvdj;
  static constexpr auto *gesvdj_batched_size = cusolverDnZgesvdjBatched_bufferSize; static constexpr auto *gesvdj_batched = cusolverDnZgesvdjBatched;
  static constexpr auto *potrf_batched = cusolverDnZpotrfBatched; static constexpr auto *getrf_batched = cublasZgetrfBatched;
  static constexpr auto *getrs_batched = cublasZgetrsBatched; static constexpr auto *trsm_batched = cublasZtrsmBatched;
  static constexpr auto *trsm = cublasZtrsm_v2;
};
// clang-format on

}  // namespace detail
}  // namespace weft::on_cuda

#endif
