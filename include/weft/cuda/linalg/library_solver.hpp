// CUDA's factorisations by cuSOLVER and cuBLAS, their batched calls for many matrices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because each factorisation has its calls for one matrix and for a batch.

#include "weft/cuda/linalg/cusolver.hpp"
#include "weft/cuda/linalg/medium_eigh.hpp"
#include "weft/cuda/linalg/small_qr.hpp"
#include "weft/cuda/linalg/small_solver.hpp"
#include "weft/ops/elementwise/cast.hpp"
#include "weft/ops/linalg/gram_svd.hpp"
#include "weft/ops/reduce/reduce.hpp"

#if defined(__CUDACC__) && defined(WEFT_CUSOLVER)

#include <limits>
#include <vector>

namespace weft::on_cuda {

/// What MatrixSolver<Cuda> has with cuSOLVER. Columns are as in ops/linalg/solver.hpp.
struct LibrarySolver : SmallSolver {
#if CUSOLVER_VERSION >= 11702
  static constexpr bool has_eig = true;
#else
  static constexpr bool has_eig = false;
#endif

  template <class T, class D>
  using Columns = linalg::Columns<T, D>;

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
    // Asked for values alone, gesvdj has failed on wide and tall matrices: it computes vectors too.
    const auto job = vectors || !batched ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR;
    const bool econ = !full && !batched;
    const auto device = s.device();
    const auto info = empty<int>({count}, device);
    // Vectors that nobody asked for all go to the same place, but from the batched call.
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
  template <class T>
  using Functions = detail::SolverFunctions<T>;
  template <class T>
  using Foreign = typename Functions<T>::type;
  template <class T>
  static constexpr cudaDataType data = Functions<T>::data;

  /// The libraries take 32-bit sizes in their older functions.
  static int small(int64_t n) {
    if (n > INT32_MAX) fail<ShapeError>("linalg", "a size of ", n, " on Cuda, expected below 2^31");
    return static_cast<int>(n);
  }
  /// Whether the batched functions, a block of threads a matrix, are faster than one call after the
  /// other.
  template <class T, class D>
  static bool is_batch(const Columns<T, D>& a) {
    return a.count() > 1 && a.rows() <= 512;
  }

  /// Eigenvectors as they should be. The library's, of a matrix of ones of 33 x 33, lie in the
  /// right spaces but were 0.05 off a right angle in that of 0: Q of their QR factorisation has the
  /// same spaces.
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

  /// Whether weft's kernels take a batch, for which the libraries have one call a matrix.
  template <class T, class D>
  static bool is_small_qr(const Columns<T, D>& a) {
    return a.count() > 3 && a.rows() * a.columns() * int64_t{sizeof(T)} <= small_qr_bytes;
  }

  /// The device, the stream and the libraries of one function, and what it does around calls.
  struct Call {
    const char* operation;
    Cuda device;
    DeviceGuard guard;
    Stream stream;
    detail::Solvers handles;
    Failure* failure;

    template <class X, class... Xs>
    explicit Call(const char* name, const X& x, const Xs&... tensors)
        : operation(name),
          device{x.storage()->ordinal},
          guard(device),
          stream(stream_of(device, x.storage(), tensors.storage()...)),
          handles(name, device.ordinal, stream.handle()),
          failure(failure_flag(device)) {}

    void check(cusolverStatus_t status, const char* call) const {
      on_cuda::check(status, operation, call);
    }
    void check_blas(cublasStatus_t status, const char* call) const {
      on_cuda::check_blas(status, operation, call);
    }
    /// The call with the memory that it asks for, on the device and on the host.
    template <class Size, class F>
    void with_room(const Size& size, const F& f, const char* name) const {
      std::size_t on_device = 0;
      std::size_t on_host = 0;
      check(size(&on_device, &on_host), name);
      StorageHandle room;
      if (on_device > 0) {
        room = StorageHandle(Memory<Cuda>::allocate(device, static_cast<int64_t>(on_device)));
      }
      std::vector<char> host(on_host);
      {
        const weft::detail::Name called{operation};
        const detail::ObservedLaunch observed(called);
        check(f(room ? room->data : nullptr, on_device, host.data(), on_host), name);
      }
      // The host's memory may be read until the call is over.
      if (on_host > 0) on_cuda::check(cudaStreamSynchronize(stream.handle()), operation);
    }
    /// A function whose memory is asked for with the same arguments.
    template <class Size, class F, class... Xs>
    void run(const char* name, Size* size, F* f, int* info, const Xs&... arguments) const {
      with_room(
          [&](auto... room) { return size(handles.solver, handles.params, arguments..., room...); },
          [&](auto... room) {
            return f(handles.solver, handles.params, arguments..., room..., info);
          },
          name);
    }
    void launch(const void* kernel, int64_t items, void** arguments) const {
      constexpr int threads = 256;
      const int64_t blocks = (items + threads - 1) / threads;
      const weft::detail::Name name{operation};
      detail::launch(name, Shape{items}, kernel, static_cast<unsigned>(blocks), threads, arguments,
                     stream);
    }
    template <class D>
    void report(const Tensor<int, D>& info, const char* fact, bool has_pivot) const {
      const int* at = info.data();
      long long count = info.size();
      Failure* record = failure;
      const char* name = operation;
      int ordinal = device.ordinal;
      void* arguments[] = {&at, &count, &has_pivot, &record, &name, &fact, &ordinal};
      launch(reinterpret_cast<const void*>(report_info<int>), count, arguments);
    }

   private:
    template <class... S>
    static Stream stream_of(Cuda device, S*... storages) {
      const Stream current = current_stream(device);
      const auto order = [&](Storage* storage) {
        if (storage != nullptr) order_write(storage, current);
      };
      (order(storages), ...);
      return current;
    }
  };

  /// The addresses of a batch's matrices, on the device, as the libraries take them.
  template <class T>
  struct Addresses {
    StorageHandle list;
    operator Foreign<T>**() const { return static_cast<Foreign<T>**>(list->data); }
    operator Foreign<T>* const*() const { return static_cast<Foreign<T>* const*>(list->data); }
    operator const Foreign<T>* const*() const {
      return static_cast<const Foreign<T>* const*>(list->data);
    }
  };
  template <class T, class D>
  static Addresses<T> matrices(const Call& call, const Columns<T, D>& a) {
    long long count = a.count();
    StorageHandle list(Memory<Cuda>::allocate(call.device, count * int64_t{sizeof(T*)}));
    T** out = static_cast<T**>(list->data);
    T* first = a.data();
    long long step = a.rows() * a.columns();
    void* arguments[] = {&out, &first, &step, &count};
    call.launch(reinterpret_cast<const void*>(list_matrices<T>), count, arguments);
    return {static_cast<StorageHandle&&>(list)};
  }
};

}  // namespace weft::on_cuda
#endif
