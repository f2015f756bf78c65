// CUDA's linear algebra: weft's kernels for small matrices, cuSOLVER and cuBLAS for the others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/for_each.hpp"
#include "weft/cuda/linalg/library_solver.hpp"

namespace weft {

#if !defined(__CUDACC__)
template <>
struct MatrixSolver<Cuda> {
  static constexpr bool complete = true;
  static constexpr bool has_eig = true;
  // clang-format off
  template <class... Xs> static void cholesky(const Xs&...) { needs_nvcc<Xs...>(); }
  template <class... Xs> static void lu(const Xs&...) { needs_nvcc<Xs...>(); }
  template <class... Xs> static void check_pivots(const Xs&...) { needs_nvcc<Xs...>(); }
  template <class... Xs> static void lu_solve(const Xs&...) { needs_nvcc<Xs...>(); }
  template <class... Xs> static void triangular_solve(const Xs&...) { needs_nvcc<Xs...>(); }
  template <class... Xs> static void qr(const Xs&...) { needs_nvcc<Xs...>(); }
  template <class... Xs> static void householder_q(const Xs&...) { needs_nvcc<Xs...>(); }
  template <class... Xs> static void eigh(const Xs&...) { needs_nvcc<Xs...>(); }
  template <class... Xs> static void svd(const Xs&...) { needs_nvcc<Xs...>(); }
  template <class... Xs> static void eig(const Xs&...) { needs_nvcc<Xs...>(); }
  template <class... Xs> static void small_det(const Xs&...) { needs_nvcc<Xs...>(); }
  template <class... Xs> static void small_inv(const Xs&...) { needs_nvcc<Xs...>(); }
  template <class... Xs> static void small_solve(const Xs&...) { needs_nvcc<Xs...>(); }
  template <class... Xs> static void small_cholesky(const Xs&...) { needs_nvcc<Xs...>(); }
  // clang-format on

 private:
  template <class... Xs>
  static void needs_nvcc() {
    static_assert(detail::always_false<Xs...>,
                  "weft: linear algebra on Cuda is run in a file that nvcc compiles: move this "
                  "statement to a .cu file");
  }
};
#elif defined(WEFT_CUSOLVER)
template <>
struct MatrixSolver<Cuda> : on_cuda::LibrarySolver {
  static constexpr bool complete = true;
};
#else
/// Without cuSOLVER matrices of more than 16 rows are factorised on the CPU.
template <>
struct MatrixSolver<Cuda> : on_cuda::SmallSolver {
  static constexpr bool complete = false;
  static constexpr bool has_eig = false;
};
#endif

}  // namespace weft
