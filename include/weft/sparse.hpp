// Sparse matrices: Csr, Coo, products with dense ones, gradients. In .cu files for CUDA too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// clang-format off
#include "weft/autograd.hpp"
#include "weft/ops/sparse/csr.hpp"         // Csr, csr
#include "weft/ops/sparse/coo.hpp"         // Coo, coo
#include "weft/ops/sparse/product.hpp"     // matmul(csr, x), sddmm
#include "weft/ops/sparse/convert.hpp"     // to_csr, to_coo, to_dense, coalesce
#include "weft/ops/sparse/arithmetic.hpp"  // csr * x, csr + csr, sum(csr)
#include "weft/ops/sparse/rows.hpp"        // softmax(csr), matmul(csr, csr)
#include "weft/ops/sparse/make.hpp"        // sparse_eye, sparse_diag, sparse_diags
#include "weft/ops/sparse/print.hpp"       // stream << csr
#include "weft/eval/sparse/epilogue.hpp"   // relu(matmul(csr, x) + b) in one loop
#include "weft/cpu/sparse/loops.hpp"       // on the CPU
#include "weft/cpu/sparse/rows.hpp"        // and products of two sparse matrices
#include "weft/autograd/sparse/product.hpp"        // gradients
// clang-format on

#if defined(__CUDACC__)
#include "weft/cuda/algorithms.hpp"
#include "weft/cuda/gradient.hpp"
#include "weft/cuda/sparse/loops.hpp"
#endif
