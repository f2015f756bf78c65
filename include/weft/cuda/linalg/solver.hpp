// CUDA's linear algebra: weft's kernels for small matrices, cuSOLVER and cuBLAS for the others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/for_each.hpp"
#include "weft/cuda/linalg/library_solver.hpp"

namespace weft {

#if !defined(__CUDACC__)
/// In files that nvcc does not compile: linalg::takes() says so.
template <>
struct MatrixSolver<Cuda> {
  static constexpr bool is_compiled = false;
};
#elif defined(WEFT_CUSOLVER)
template <>
struct MatrixSolver<Cuda> : on_cuda::LibrarySolver {
  static constexpr bool is_compiled = true;
  static constexpr bool complete = true;
};
#else
/// Without cuSOLVER matrices of more than 16 rows are factorised on the CPU.
template <>
struct MatrixSolver<Cuda> : on_cuda::SmallSolver {
  static constexpr bool is_compiled = true;
  static constexpr bool complete = false;
  static constexpr bool has_eig = false;
};
#endif

}  // namespace weft
