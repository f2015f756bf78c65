// Eigenvalues and singular values on CUDA, by cuSOLVER; with its factorisations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/linalg/library_factors.hpp"
#include "weft/cuda/linalg/medium_eigh.hpp"
#include "weft/ops/elementwise/cast.hpp"
#include "weft/ops/linalg/gram_svd.hpp"
#include "weft/ops/reduce/reduce.hpp"

#if defined(__CUDACC__) && defined(WEFT_CUSOLVER)

#include <limits>

namespace weft::on_cuda {

/// MatrixSolver<Cuda> with cuSOLVER.
struct LibrarySolver : LibraryFactors {
#if CUSOLVER_VERSION >= 11702
  static constexpr bool has_eig = true;
#else
  static constexpr bool has_eig = false;
#endif

  template <class T, class D>
  static void eigh(const char* operation, const Columns<T, D>& a, const Tensor<real_t<T>, D>& w,
                   bool vectors) {
    const Call call(operation, a.memory, w);
    const int64_t n = a.rows();
    if (n <= linalg::small_eigh_size) {
      return run_small_eigh<T>(
          call.device, n,
          {a.data(), w.data(), a.count(), call.failure, operation, diverges, call.device.ordinal});
    }
    if (n <= linalg::medium_eigh_size && a.count() > 1) {
      return run_medium_eigh<T>(
          call.device, n, vectors,
          {a.data(), w.data(), a.count(), call.failure, operation, diverges, call.device.ordinal});
    }
    const auto job = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const auto half = CUBLAS_FILL_MODE_LOWER;
    const auto info = empty<int>({a.count()}, w.device());
#if CUSOLVER_VERSION >= 11701
    if (a.count() > 1) {
      call.with_room(
          [&](auto... room) {
            return cusolverDnXsyevBatched_bufferSize(call.handles.solver, call.handles.params, job,
                                                     half, n, data<T>, a.data(), n, data<real_t<T>>,
                                                     w.data(), data<T>, room..., a.count());
          },
          [&](auto... room) {
            return cusolverDnXsyevBatched(call.handles.solver, call.handles.params, job, half, n,
                                          data<T>, a.data(), n, data<real_t<T>>, w.data(), data<T>,
                                          room..., info.data(), a.count());
          },
          "XsyevBatched");
      call.report(info, diverges, false);
      if (vectors) make_orthogonal(operation, a);
      return;
    }
#endif
    for (int64_t i = 0; i < a.count(); ++i) {
      T* const at = a.data() + i * n * n;
      real_t<T>* const values = w.data() + i * n;
      call.run("Xsyevd", cusolverDnXsyevd_bufferSize, cusolverDnXsyevd, info.data() + i, job, half,
               n, data<T>, at, n, data<real_t<T>>, values, data<T>);
    }
    call.report(info, diverges, false);
    if (vectors) make_orthogonal(operation, a);
  }

  /// By Jacobi's method, which gives V where LAPACK gives V^H; the batched call has full factors.
  /// Matrices of float by gram_svd, where that takes a fraction of the time: large ones, and
  /// batches of what weft's kernels factorise. The library's batched vectors, of floats of 32 x 32,
  /// are 100 epsilon off orthogonal, gram_svd's a few.
  template <class T, class D>
  static void svd(const char* operation, const Columns<T, D>& a, const Tensor<real_t<T>, D>& s,
                  const Columns<T, D>& u, const Columns<T, D>& vh) {
    const int64_t m = a.rows();
    const int64_t n = a.columns();
    if constexpr (sizeof(real_t<T>) == sizeof(float)) {
      const bool is_large = m > 32 || n > 32;
      const bool is_small = m <= 16 && n <= 16 && a.count() > 3;
      if (is_large || is_small) {
        return linalg::gram_svd(LibrarySolver{}, operation, a, s, u, vh);
      }
    }
    const Call call(operation, a.memory, s, u.memory, vh.memory);
    const int64_t k = m < n ? m : n;
    const bool vectors = u.columns() > 0;
    const bool full = u.columns() > k || vh.rows() > k;
    const bool batched = a.count() > 1 && m <= 32 && n <= 32;
    const int64_t count = a.count();
    // Without vectors, gesvdj has failed on wide and tall matrices, so it always computes them.
    const auto job = vectors || !batched ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const bool econ = !full && !batched;
    const auto device = s.device();
    const auto info = empty<int>({count}, device);
    // Unwanted vectors all go to the same place, except from the batched call.
    const int64_t places = vectors || batched ? count : 1;
    const Tensor<T, D> left =
        econ && vectors ? u.memory : empty<T>({places, econ ? k : m, m}, device);
    const Tensor<T, D> right = empty<T>({places, econ ? k : n, n}, device);
    const auto at = [](const Tensor<T, D>& x, int64_t i) {
      const int64_t number = i < x.shape()[0] ? i : 0;
      return reinterpret_cast<Foreign<T>*>(x.data() + number * x.shape()[1] * x.shape()[2]);
    };
    int length = 0;
    if (batched) {
      call.check(Functions<T>::gesvdj_batched_size(call.handles.solver, job, small(m), small(n),
                                                   at(a.memory, 0), small(m), s.data(), at(left, 0),
                                                   small(m), at(right, 0), small(n), &length,
                                                   call.handles.jacobi, small(count)),
                 "gesvdjBatched_bufferSize");
    } else {
      call.check(
          Functions<T>::gesvdj_size(call.handles.solver, job, econ, small(m), small(n),
                                    at(a.memory, 0), small(m), s.data(), at(left, 0), small(m),
                                    at(right, 0), small(n), &length, call.handles.jacobi),
          "gesvdj_bufferSize");
    }
    const auto room = empty<T>({length > 0 ? length : 1}, device);
    auto* const work = reinterpret_cast<Foreign<T>*>(room.data());
    if (batched) {
      call.check(Functions<T>::gesvdj_batched(call.handles.solver, job, small(m), small(n),
                                              at(a.memory, 0), small(m), s.data(), at(left, 0),
                                              small(m), at(right, 0), small(n), work, length,
                                              info.data(), call.handles.jacobi, small(count)),
                 "gesvdjBatched");
    } else {
      for (int64_t i = 0; i < count; ++i) {
        call.check(Functions<T>::gesvdj(call.handles.solver, job, econ, small(m), small(n),
                                        at(a.memory, i), small(m), s.data() + i * k, at(left, i),
                                        small(m), at(right, i), small(n), work, length,
                                        info.data() + i, call.handles.jacobi),
                   "gesvdj");
      }
    }
    call.report(info, diverges, false);
    if (!vectors) return;
    if (left.storage() != u.memory.storage()) u.memory.assign(left.narrow(1, 0, u.columns()));
    // V by columns (matrix, column, row) is V^T by rows
    const Tensor<T, D> turned = right.narrow(1, 0, vh.rows()).transpose(1, 2);
    if constexpr (is_complex<T>) {
      vh.memory.assign(conj(turned));
    } else {
      vh.memory.assign(turned);
    }
  }

  template <class T, class D>
  static void eig([[maybe_unused]] const char* operation, [[maybe_unused]] const Columns<T, D>& a,
                  [[maybe_unused]] const Tensor<T, D>& w, [[maybe_unused]] const Columns<T, D>& v) {
#if CUSOLVER_VERSION >= 11702
    const Call call(operation, a.memory, w, v.memory);
    const int64_t n = a.rows();
    const bool vectors = v.columns() > 0;
    const auto job = vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const auto none = CUSOLVER_EIG_MODE_NOVECTOR;
    const auto info = empty<int>({a.count()}, w.device());
    for (int64_t i = 0; i < a.count(); ++i) {
      T* const at = a.data() + i * n * n;
      T* const values = w.data() + i * n;
      T* const basis = vectors ? v.data() + i * n * n : nullptr;
      void* const nothing = nullptr;
      call.run("Xgeev", cusolverDnXgeev_bufferSize, cusolverDnXgeev, info.data() + i, none, job, n,
               data<T>, at, n, data<T>, values, data<T>, nothing, n, data<T>, basis, n, data<T>);
    }
    call.report(info, diverges, false);
#endif
  }

 private:
  static constexpr const char* diverges = "is not finite, or its iteration does not converge";

  /// Orthogonal eigenvectors. The library's, for a 33 x 33 matrix of ones, spanned the right spaces
  /// but were 0.05 from orthogonal in the null space: Q of their QR factorisation spans the same
  /// spaces.
  template <class T, class D>
  static void make_orthogonal(const char* operation, const Columns<T, D>& v) {
    using R = real_t<T>;
    const int64_t n = v.rows();
    const auto products = linalg::product(v.memory, linalg::adjoint(v.memory));
    const R off = max(abs(products - eye<T>(n, v.memory.device()))).item();
    if (!(off > 1000 * std::numeric_limits<R>::epsilon())) return;
    const auto tau = empty<T>({v.count(), n}, v.memory.device());
    qr(operation, v, tau);
    householder_q(operation, v, tau);
  }
};

}  // namespace weft::on_cuda
#endif
