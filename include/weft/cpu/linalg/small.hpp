// Batches of matrices on the CPU: loops over them, without a library up to 16 x 16.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <climits>

#include "weft/cpu/linalg/blas_threads.hpp"
#include "weft/cpu/linalg/direct.hpp"
#include "weft/cpu/parallel.hpp"
#include "weft/ops/linalg/small_eigh.hpp"

namespace weft::cpu {

/// f(i) for each of `count` matrices; it returns 0 or its failure: the number of a pivot, from 1,
/// or -1. Then throws for the first matrix that failed. `elements` is the size of the work.
template <class F>
void each_matrix(const char* operation, const char* fact, int64_t count, int64_t elements,
                 const F& f) {
  int64_t first_bad = INT64_MAX;
  int64_t what = 0;
  int busy = 0;
  parallel(count, elements, [&](int64_t first, int64_t last) {
    const SingleThreadedBlas alone(!may_share());
    for (int64_t i = first; i < last; ++i) {
      const int64_t code = f(i);
      if (code == 0) continue;
      while (__atomic_exchange_n(&busy, 1, __ATOMIC_ACQUIRE) != 0) {
      }
      if (i < first_bad) {
        first_bad = i;
        what = code;
      }
      __atomic_store_n(&busy, 0, __ATOMIC_RELEASE);
      return;
    }
  });
  if (what == 0) return;
  Failure failure;
  failure.operation = operation;
  failure.fact = fact;
  failure.index = first_bad;
  failure.low = what > 0 ? what - 1 : -1;
  weft::detail::throw_failure(failure);
}

/// The inverse of one matrix of up to W rows by elimination with row exchanges, on whole rows of W
/// elements, which the compiler vectorises.
template <class T, int W>
struct RowInverse {
  T a[W][W];
  T x[W][W];

  /// A of n rows to x; 0, or the number from 1 of a pivot that is 0.
  int64_t invert(const T* from, int n) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < W; ++j) {
        a[i][j] = j < n ? from[i * n + j] : T(0);
        x[i][j] = T(static_cast<real_t<T>>(i == j));
      }
    }
    for (int k = 0; k < n; ++k) {
      int best = k;
      for (int i = k + 1; i < n; ++i) {
        if (linalg::magnitude(a[i][k]) > linalg::magnitude(a[best][k])) best = i;
      }
      if (best != k) {
        exchange(a[k], a[best]);
        exchange(x[k], x[best]);
      }
      if (a[k][k] == T(0)) return k + 1;
      const T scale = T(1) / a[k][k];
      for (int i = k + 1; i < n; ++i) {
        const T factor = a[i][k] * scale;
        subtract(a[i], factor, a[k]);  // what stands left of the diagonal is not read again
        subtract(x[i], factor, x[k]);
      }
    }
    for (int k = n - 1; k >= 0; --k) {
      for (int i = k + 1; i < n; ++i) subtract(x[k], a[k][i], x[i]);
      const T scale = T(1) / a[k][k];
      for (int j = 0; j < W; ++j) x[k][j] = x[k][j] * scale;
    }
    return 0;
  }

 private:
  static void exchange(T* first, T* second) {
    for (int j = 0; j < W; ++j) {
      const T kept = first[j];
      first[j] = second[j];
      second[j] = kept;
    }
  }
  static void subtract(T* __restrict__ to, T factor, const T* __restrict__ from) {
    for (int j = 0; j < W; ++j) to[j] = to[j] - factor * from[j];
  }
};

/// MatrixSolver<Cpu>'s functions for small matrices.
struct SmallSolver {
  template <class T>
  static void small_det(const char* operation, const Tensor<T, Cpu>& x, const Tensor<T, Cpu>& out) {
    by_size<linalg::SmallLu, T>(operation, x, [&](auto& lu, int64_t i) {
      lu.factor();
      out.data()[i] = lu.det();
      return 0;
    });
  }

  template <class T>
  static void small_inv(const char* operation, const Tensor<T, Cpu>& x, const Tensor<T, Cpu>& out) {
    const int64_t width = x.shape()[2];
    if (width > 8) return by_rows<16>(operation, x, out);
    if (width > 4) return by_rows<8>(operation, x, out);
    by_size<linalg::SmallLu, T>(operation, x, [&](auto& lu, int64_t i) {
      lu.factor();
      const int n = lu.size();
      T* const to = out.data() + i * n * n;
      T column[std::remove_reference_t<decltype(lu)>::room];
      for (int j = 0; j < n; ++j) {
        lu.solve(linalg::UnitColumn<T>{j}, column);
        for (int k = 0; k < n; ++k) to[k * n + j] = column[k];
      }
      return lu.zero_pivot;
    });
  }

  template <class T>
  static void small_solve(const char* operation, const Tensor<T, Cpu>& a, const Tensor<T, Cpu>& b,
                          const Tensor<T, Cpu>& out) {
    const int64_t width = b.shape()[2];
    by_size<linalg::SmallLu, T>(operation, a, [&](auto& lu, int64_t i) {
      lu.factor();
      const int n = lu.size();
      const T* const from = b.data() + i * n * width;
      T* const to = out.data() + i * n * width;
      T column[std::remove_reference_t<decltype(lu)>::room];
      for (int64_t j = 0; j < width; ++j) {
        lu.solve(linalg::ColumnAt<T>{from + j, width}, column);
        for (int k = 0; k < n; ++k) to[k * width + j] = column[k];
      }
      return lu.zero_pivot;
    });
  }

  template <class T>
  static void small_cholesky(const char* operation, const Tensor<T, Cpu>& x,
                             const Tensor<T, Cpu>& out) {
    by_size<linalg::SmallCholesky, T>(operation, x, [&](auto& matrix, int64_t i) {
      matrix.factor();
      const int n = matrix.size();
      T* const to = out.data() + i * n * n;
      for (int j = 0; j < n; ++j) {
        for (int k = 0; k < n; ++k) to[j * n + k] = k <= j ? matrix.a[j][k] : T(0);
      }
      return matrix.bad_pivot;
    });
  }

 protected:
  /// Of columns, as eigh() has them; n is at most 4.
  template <class T>
  static void small_eigh(const char* operation, const char* fact, const linalg::Columns<T, Cpu>& a,
                         const Tensor<real_t<T>, Cpu>& w) {
    const auto run = [&]<int N>(std::integral_constant<int, N>) {
      each(operation, fact, a, [&](const Matrix<T>& x, int64_t i) -> int64_t {
        linalg::SmallEigh<T, N> matrix;
        for (int c = 0; c < N; ++c) {
          for (int r = c; r < N; ++r) {
            matrix.a[r][c] = r == c ? T(real_part(x(r, c))) : x(r, c);
            matrix.a[c][r] = conjugate(matrix.a[r][c]);
          }
        }
        const bool finite = matrix.compute();
        for (int c = 0; c < N; ++c) {
          w.data()[i * N + c] = matrix.w[c];
          for (int r = 0; r < N; ++r) x(r, c) = matrix.v[r][c];
        }
        return finite ? 0 : -1;
      });
    };
    switch (a.rows()) {
      case 1:
        return run(std::integral_constant<int, 1>{});
      case 2:
        return run(std::integral_constant<int, 2>{});
      case 3:
        return run(std::integral_constant<int, 3>{});
      default:
        return run(std::integral_constant<int, 4>{});
    }
  }
  static int size(const char* operation, int64_t n) {
    if (n > INT_MAX) fail<ShapeError>(operation, n, " rows or columns, expected below 2^31");
    return static_cast<int>(n);
  }
  /// f(matrix, i) for each; large ones have the threads of the library.
  template <class T, class F>
  static void each(const char* operation, const char* fact, const linalg::Columns<T, Cpu>& a,
                   const F& f) {
    const int64_t m = a.rows();
    const int64_t n = a.columns();
    const bool small = m * n <= 128 * 128;
    each_matrix(operation, fact, a.count(), small ? a.count() * m * n * 8 : 0, [&](int64_t i) {
      return static_cast<int64_t>(f(Matrix<T>{a.data() + i * m * n, m}, i));
    });
  }

 private:
  template <int W, class T>
  static void by_rows(const char* operation, const Tensor<T, Cpu>& x, const Tensor<T, Cpu>& out) {
    const auto n = static_cast<int>(x.shape()[2]);
    each_matrix(operation, "is singular", x.shape()[0], x.size() * n, [&](int64_t i) {
      RowInverse<T, W> matrix;
      const int64_t bad = matrix.invert(x.data() + i * n * n, n);
      T* const to = out.data() + i * n * n;
      for (int r = 0; r < n && bad == 0; ++r) {
        for (int c = 0; c < n; ++c) to[r * n + c] = matrix.x[r][c];
      }
      return bad;
    });
  }
  template <template <class, int> class Small, class T, class F>
  static void by_size(const char* operation, const Tensor<T, Cpu>& x, const F& f) {
    const int64_t n = x.shape()[2];
    const auto run = [&]<int N>(std::integral_constant<int, N>) {
      constexpr bool lu = requires(Small<T, N> m) { m.zero_pivot; };
      each_matrix(operation, lu ? "is singular" : "is not positive definite", x.shape()[0],
                  x.size() * n, [&](int64_t i) {
                    Small<T, N> matrix;
                    if constexpr (N == 0) matrix.rows = static_cast<int>(n);
                    const T* const from = x.data() + i * n * n;
                    for (int r = 0; r < matrix.size(); ++r) {
                      for (int c = 0; c < matrix.size(); ++c) {
                        matrix.a[r][c] = from[r * matrix.size() + c];
                      }
                    }
                    return static_cast<int64_t>(f(matrix, i));
                  });
    };
    switch (n) {
      case 2:
        return run(std::integral_constant<int, 2>{});
      case 3:
        return run(std::integral_constant<int, 3>{});
      case 4:
        return run(std::integral_constant<int, 4>{});
      default:
        return run(std::integral_constant<int, 0>{});
    }
  }
};

}  // namespace weft::cpu
