// Linear algebra: solve, inv, svd and others. With Cuda include weft/cuda/linalg.hpp too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// clang-format off
#include "weft/weft.hpp"
#include "weft/ops/linalg/cholesky.hpp"         // cholesky, cholesky_solve
#include "weft/ops/linalg/det.hpp"              // det, slogdet
#include "weft/ops/linalg/eig.hpp"              // eig, eigvals
#include "weft/ops/linalg/eigh.hpp"             // eigh, eigvalsh
#include "weft/ops/statistics/low_rank.hpp"     // svd_lowrank, pca_lowrank
#include "weft/ops/linalg/lstsq.hpp"            // lstsq, pinv, matrix_rank
#include "weft/ops/linalg/lu.hpp"               // lu_factor, lu_solve, lu
#include "weft/ops/linalg/matrix_function.hpp"  // matrix_exp, matrix_power
#include "weft/ops/linalg/norms.hpp"            // vector_norm, matrix_norm, cond
#include "weft/ops/linalg/polynomial.hpp"       // poly, roots, polyder, polyint, polydiv
#include "weft/ops/linalg/products.hpp"         // multi_dot, kron, cross, vander, trace
#include "weft/ops/linalg/qr.hpp"               // qr
#include "weft/ops/linalg/solve.hpp"            // solve, inv
#include "weft/ops/linalg/svd.hpp"              // svd, svdvals
#include "weft/ops/linalg/triangular_solve.hpp" // triangular_solve
#include "weft/cpu/linalg/solver.hpp"           // the CPU's factorisations
// clang-format on
