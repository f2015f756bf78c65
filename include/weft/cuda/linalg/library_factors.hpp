// Factorisations that solve equations on CUDA, by cuSOLVER and cuBLAS: Cholesky, LU, QR.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/linalg/library_call.hpp"
#include "weft/cuda/linalg/small_qr.hpp"

#if defined(__CUDACC__) && defined(WEFT_CUSOLVER)

namespace weft::on_cuda {

/// Columns are as in ops/linalg/solver.hpp; many matrices take the batched calls.
struct LibraryFactors : LibraryCalls {
  template <class T, class D>
  static void cholesky(const char* operation, const Columns<T, D>& a) {
    const Call call(operation, a.memory);
    const int64_t n = a.rows();
    const auto info = empty<int>({a.count()}, a.memory.device());
    if (is_batch(a)) {
      const auto list = matrices(call, a);
      call.check(Functions<T>::potrf_batched(call.handles.solver, CUBLAS_FILL_MODE_LOWER, small(n),
                                             list, small(n), info.data(), small(a.count())),
                 "potrfBatched");
    } else {
      for (int64_t i = 0; i < a.count(); ++i) {
        T* const at = a.data() + i * n * n;
        call.run("Xpotrf", cusolverDnXpotrf_bufferSize, cusolverDnXpotrf, info.data() + i,
                 CUBLAS_FILL_MODE_LOWER, n, data<T>, at, n, data<T>);
      }
    }
    call.report(info, "is not positive definite", true);
  }

  template <class T, class D>
  static void lu(const char* operation, const Columns<T, D>& a,
                 const Tensor<std::int32_t, D>& pivots) {
    const Call call(operation, a.memory, pivots);
    const int64_t m = a.rows();
    const int64_t n = a.columns();
    const auto info = empty<int>({a.count()}, a.memory.device());
    if (m == n && is_batch(a)) {
      const auto list = matrices(call, a);
      call.check_blas(Functions<T>::getrf_batched(call.handles.blas, small(n), list, small(n),
                                                  pivots.data(), info.data(), small(a.count())),
                      "getrfBatched");
      pivots.assign(pivots - std::int32_t{1});
      return;
    }
    const auto wide = empty<int64_t>(pivots.shape(), pivots.device());
    const int64_t k = pivots.shape()[1];
    for (int64_t i = 0; i < a.count(); ++i) {
      T* const at = a.data() + i * m * n;
      call.with_room(
          [&](auto... room) {
            return cusolverDnXgetrf_bufferSize(call.handles.solver, call.handles.params, m, n,
                                               data<T>, at, m, data<T>, room...);
          },
          [&](auto... room) {
            return cusolverDnXgetrf(call.handles.solver, call.handles.params, m, n, data<T>, at, m,
                                    wide.data() + i * k, data<T>, room..., info.data() + i);
          },
          "Xgetrf");
    }
    pivots.assign(cast<std::int32_t>(wide - int64_t{1}));
  }

  template <class T, class D>
  static void check_pivots(const char* operation, const Columns<T, D>& a) {
    const Call call(operation, a.memory);
    const int64_t n = a.rows() < a.columns() ? a.rows() : a.columns();
    const T* x = a.data();
    long long count = a.count();
    int order = small(n);
    long long matrix_step = a.rows() * a.columns();
    long long step = a.rows() + 1;
    const char* fact = "is singular";
    Failure* record = call.failure;
    const char* name = operation;
    int ordinal = call.device.ordinal;
    void* arguments[] = {&x, &count, &order, &matrix_step, &step, &record, &name, &fact, &ordinal};
    call.launch(reinterpret_cast<const void*>(find_zero_pivot<T>), count * n, arguments);
  }

  template <class T, class D>
  static void lu_solve(const char* operation, const Columns<T, D>& lu,
                       const Tensor<std::int32_t, D>& pivots, const Columns<T, D>& b,
                       bool transposed) {
    const Call call(operation, lu.memory, pivots, b.memory);
    const int64_t n = lu.rows();
    const int64_t k = b.columns();
    const cublasOperation_t how = transposed ? CUBLAS_OP_C : CUBLAS_OP_N;
    if (is_batch(lu)) {
      const Tensor<std::int32_t, D> from_1 = pivots + std::int32_t{1};
      const auto left = matrices(call, lu);
      const auto right = matrices(call, b);
      int info = 0;
      call.check_blas(
          Functions<T>::getrs_batched(call.handles.blas, how, small(n), small(k), left, small(n),
                                      from_1.data(), right, small(n), &info, small(lu.count())),
          "getrsBatched");
      return;
    }
    const Tensor<int64_t, D> from_1 = cast<int64_t>(pivots) + int64_t{1};
    const auto info = empty<int>({1}, pivots.device());
    for (int64_t i = 0; i < lu.count(); ++i) {
      call.check(cusolverDnXgetrs(call.handles.solver, call.handles.params, how, n, k, data<T>,
                                  lu.data() + i * n * n, n, from_1.data() + i * n, data<T>,
                                  b.data() + i * n * k, n, info.data()),
                 "Xgetrs");
    }
  }

  template <class T, class D>
  static void triangular_solve(const char* operation, const Columns<T, D>& a,
                               const Columns<T, D>& b, const linalg::Triangle& how) {
    const Call call(operation, a.memory, b.memory);
    const int n = small(a.rows());
    const int k = small(b.columns());
    const T one(1);
    const auto* const scale = reinterpret_cast<const Foreign<T>*>(&one);
    const auto side = CUBLAS_SIDE_LEFT;
    const auto half = how.upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
    const auto turned = how.transposed ? CUBLAS_OP_C : CUBLAS_OP_N;
    const auto diagonal = how.unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
    if (is_batch(a)) {
      const auto left = matrices(call, a);
      const auto right = matrices(call, b);
      call.check_blas(Functions<T>::trsm_batched(call.handles.blas, side, half, turned, diagonal, n,
                                                 k, scale, left, n, right, n, small(a.count())),
                      "trsmBatched");
      return;
    }
    for (int64_t i = 0; i < a.count(); ++i) {
      call.check_blas(
          Functions<T>::trsm(call.handles.blas, side, half, turned, diagonal, n, k, scale,
                             reinterpret_cast<const Foreign<T>*>(a.data() + i * n * n), n,
                             reinterpret_cast<Foreign<T>*>(b.data() + i * n * k), n),
          "trsm");
    }
  }

  template <class T, class D>
  static void qr(const char* operation, const Columns<T, D>& a, const Tensor<T, D>& tau) {
    const Call call(operation, a.memory, tau);
    const int64_t m = a.rows();
    const int64_t n = a.columns();
    const int64_t k = tau.shape()[1];
    if (is_small_qr(a)) {
      return run_small_qr<T>(operation, call.device, a.count(), false,
                             {a.data(), tau.data(), small(m), small(n), small(k)});
    }
    const auto info = empty<int>({1}, tau.device());
    for (int64_t i = 0; i < a.count(); ++i) {
      T* const at = a.data() + i * m * n;
      T* const scales = tau.data() + i * k;
      call.run("Xgeqrf", cusolverDnXgeqrf_bufferSize, cusolverDnXgeqrf, info.data(), m, n, data<T>,
               at, m, data<T>, scales, data<T>);
    }
  }

  template <class T, class D>
  static void householder_q(const char* operation, const Columns<T, D>& a,
                            const Tensor<T, D>& tau) {
    const Call call(operation, a.memory, tau);
    const int m = small(a.rows());
    const int n = small(a.columns());
    const int k = small(tau.shape()[1]);
    if (is_small_qr(a)) {
      return run_small_qr<T>(operation, call.device, a.count(), true,
                             {a.data(), tau.data(), m, n, k});
    }
    const auto info = empty<int>({1}, tau.device());
    auto* const first = reinterpret_cast<Foreign<T>*>(a.data());
    auto* const scales = reinterpret_cast<Foreign<T>*>(tau.data());
    int length = 0;
    call.check(Functions<T>::orgqr_size(call.handles.solver, m, n, k, first, m, scales, &length),
               "orgqr_bufferSize");
    const auto room = empty<T>({length > 0 ? length : 1}, tau.device());
    for (int64_t i = 0; i < a.count(); ++i) {
      call.check(
          Functions<T>::orgqr(call.handles.solver, m, n, k, first + i * m * n, m, scales + i * k,
                              reinterpret_cast<Foreign<T>*>(room.data()), length, info.data()),
          "orgqr");
    }
  }

 private:
  /// Whether the batched functions, one thread block per matrix, are faster than one call per
  /// matrix.
  template <class T, class D>
  static bool is_batch(const Columns<T, D>& a) {
    return a.count() > 1 && a.rows() <= 512;
  }

  /// Whether weft's kernels take a batch for which the libraries need one call per matrix.
  template <class T, class D>
  static bool is_small_qr(const Columns<T, D>& a) {
    return a.count() > 3 && a.rows() * a.columns() * int64_t{sizeof(T)} <= small_qr_bytes;
  }
};

}  // namespace weft::on_cuda
#endif
