// The CPU's linear algebra: LAPACK if there is one, else weft's own loops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/linalg/blocked.hpp"
#include "weft/cpu/linalg/lapack.hpp"
#include "weft/cpu/linalg/schur.hpp"
#include "weft/cpu/linalg/small.hpp"

namespace weft {

template <>
struct MatrixSolver<Cpu> : cpu::SmallSolver {
  static constexpr bool is_compiled = true;
  static constexpr bool complete = true;
  static constexpr bool has_eig = true;

  template <class T>
  using Columns = linalg::Columns<T, Cpu>;

  template <class T>
  static void cholesky(const char* operation, const Columns<T>& a) {
    const int n = size(operation, a.columns());
    each(operation, "is not positive definite", a,
         [&](const cpu::Matrix<T>& m, int64_t) -> int64_t {
#if defined(WEFT_LAPACK)
           int info = 0;
           cpu::lapack::Functions<T>::potrf("L", &n, m.at, &n, &info);
           return info;
#else
      return cpu::blocked_cholesky(m, n);
#endif
         });
  }

  template <class T>
  static void lu(const char* operation, const Columns<T>& a,
                 const Tensor<std::int32_t, Cpu>& pivots) {
    const int m = size(operation, a.rows());
    const int n = size(operation, a.columns());
    const int64_t k = pivots.shape()[1];
    each(operation, nullptr, a, [&](const cpu::Matrix<T>& x, int64_t i) {
      int* const at = pivots.data() + i * k;
#if defined(WEFT_LAPACK)
      int info = 0;
      cpu::lapack::Functions<T>::getrf(&m, &n, x.at, &m, at, &info);
      for (int64_t j = 0; j < k; ++j) --at[j];
#else
      cpu::blocked_lu(x, m, n, at);
#endif
      return 0;
    });
  }

  template <class T>
  static void check_pivots(const char* operation, const Columns<T>& a) {
    const int64_t n = a.rows() < a.columns() ? a.rows() : a.columns();
    each(operation, "is singular", a, [&](const cpu::Matrix<T>& m, int64_t) {
      for (int64_t i = 0; i < n; ++i) {
        if (m(i, i) == T(0)) return i + 1;
      }
      return int64_t{0};
    });
  }

  template <class T>
  static void lu_solve(const char* operation, const Columns<T>& lu,
                       const Tensor<std::int32_t, Cpu>& pivots, const Columns<T>& b,
                       bool transposed) {
    const int n = size(operation, lu.rows());
    const int k = size(operation, b.columns());
    each(operation, nullptr, b, [&](const cpu::Matrix<T>& x, int64_t i) {
      const int* const at = pivots.data() + i * n;
      T* const factors = lu.data() + i * n * n;
#if defined(WEFT_LAPACK)
      std::vector<int> from_1(at, at + n);
      for (int& row : from_1) ++row;
      int info = 0;
      cpu::lapack::Functions<T>::getrs(transposed ? "C" : "N", &n, &k, factors, &n, from_1.data(),
                                       x.at, &n, &info);
#else
      cpu::lu_solve<T>({factors, n}, n, at, x, k, transposed);
#endif
      return 0;
    });
  }

  template <class T>
  static void triangular_solve(const char* operation, const Columns<T>& a, const Columns<T>& b,
                               const linalg::Triangle& how) {
    const int n = size(operation, a.rows());
    const int k = size(operation, b.columns());
    each(operation, nullptr, b, [&](const cpu::Matrix<T>& x, int64_t i) {
      T* const matrix = a.data() + i * n * n;
#if defined(WEFT_LAPACK)
      int info = 0;
      cpu::lapack::Functions<T>::trtrs(how.upper ? "U" : "L", how.transposed ? "C" : "N",
                                       how.unit ? "U" : "N", &n, &k, matrix, &n, x.at, &n, &info);
#else
      cpu::triangular_solve<T>({matrix, n}, n, x, k, how);
#endif
      return 0;
    });
  }

  template <class T>
  static void qr(const char* operation, const Columns<T>& a, const Tensor<T, Cpu>& tau) {
    const int m = size(operation, a.rows());
    const int n = size(operation, a.columns());
    const int64_t k = tau.shape()[1];
    each(operation, nullptr, a, [&](const cpu::Matrix<T>& x, int64_t i) {
#if defined(WEFT_LAPACK)
      if (m > small_qr || n > small_qr) {
        cpu::with_room<T>([&](T* room, int length, int& info) {
          cpu::lapack::Functions<T>::geqrf(&m, &n, x.at, &m, tau.data() + i * k, room, &length,
                                           &info);
        });
        return 0;
      }
#endif
      cpu::qr(x, m, n, tau.data() + i * k);
      return 0;
    });
  }

  template <class T>
  static void householder_q(const char* operation, const Columns<T>& a, const Tensor<T, Cpu>& tau) {
    const int m = size(operation, a.rows());
    const int n = size(operation, a.columns());
    const int k = size(operation, tau.shape()[1]);
    each(operation, nullptr, a, [&](const cpu::Matrix<T>& x, int64_t i) {
#if defined(WEFT_LAPACK)
      if (m > small_qr || n > small_qr) {
        cpu::with_room<T>([&](T* room, int length, int& info) {
          cpu::lapack::Functions<T>::orgqr(&m, &n, &k, x.at, &m, tau.data() + i * k, room, &length,
                                           &info);
        });
        return 0;
      }
#endif
      cpu::householder_q(x, m, n, k, tau.data() + i * k);
      return 0;
    });
  }

  template <class T>
  static void eigh(const char* operation, const Columns<T>& a, const Tensor<real_t<T>, Cpu>& w,
                   [[maybe_unused]] bool vectors) {
    const int n = size(operation, a.rows());
    if (n <= linalg::small_eigh_size) return small_eigh(operation, diverges, a, w);
    each(operation, diverges, a, [&](const cpu::Matrix<T>& x, int64_t i) -> int64_t {
#if defined(WEFT_LAPACK)
      return cpu::lapack_eigh(x.at, n, w.data() + i * n, vectors);
#else
      return cpu::eigh(x, n, w.data() + i * n) ? 0 : -1;
#endif
    });
  }

  template <class T>
  static void svd(const char* operation, const Columns<T>& a, const Tensor<real_t<T>, Cpu>& s,
                  const Columns<T>& u, const Columns<T>& vh) {
    const int m = size(operation, a.rows());
    const int n = size(operation, a.columns());
    const int k = m < n ? m : n;
    each(operation, diverges, a, [&](const cpu::Matrix<T>& x, int64_t i) -> int64_t {
      T* const left = u.data() + i * m * u.columns();
      T* const right = vh.data() + i * n * vh.rows();
      const bool vectors = u.columns() > 0;
#if defined(WEFT_LAPACK)
      if (m > small_svd || n > small_svd) {
        return cpu::lapack_svd(x.at, m, n, s.data() + i * k, vectors ? left : nullptr, right,
                               u.columns() > k || vh.rows() > k);
      }
#endif
      return cpu::plain_svd(x, m, n, s.data() + i * k, cpu::Matrix<T>{vectors ? left : nullptr, m},
                            u.columns(), cpu::Matrix<T>{right, vh.rows()}, vh.rows())
                 ? 0
                 : -1;
    });
  }

  template <class T>
  static void eig(const char* operation, const Columns<T>& a, const Tensor<T, Cpu>& w,
                  const Columns<T>& v) {
    const int n = size(operation, a.rows());
    each(operation, diverges, a, [&](const cpu::Matrix<T>& x, int64_t i) -> int64_t {
      T* const vectors = v.columns() > 0 ? v.data() + i * n * n : nullptr;
#if defined(WEFT_LAPACK)
      return cpu::lapack_eig(x.at, n, w.data() + i * n, vectors);
#else
      return cpu::eig(x, n, w.data() + i * n, cpu::Matrix<T>{vectors, n}) ? 0 : -1;
#endif
    });
  }

#if defined(WEFT_LAPACK)
  /// The inverse in place of what lu() gave.
  template <class T>
  static void inverse(const char* operation, const Columns<T>& lu,
                      const Tensor<std::int32_t, Cpu>& pivots) {
    const int n = size(operation, lu.rows());
    each(operation, nullptr, lu, [&](const cpu::Matrix<T>& x, int64_t i) {
      std::vector<int> from_1(pivots.data() + i * n, pivots.data() + (i + 1) * n);
      for (int& row : from_1) ++row;
      cpu::with_room<T>([&](T* room, int length, int& info) {
        cpu::lapack::Functions<T>::getri(&n, x.at, &n, from_1.data(), room, &length, &info);
      });
      return 0;
    });
  }
#endif

 private:
  // Up to these sizes LAPACK spends more on each call than weft's own code on the matrix.
  static constexpr int small_qr = 32;
  static constexpr int small_svd = 8;
  static constexpr const char* diverges = "is not finite, or its iteration does not converge";
};

}  // namespace weft
