// Small matrices and vectors as elements of tensors: rotations, quaternions, points.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// clang-format off
#include "weft/weft.hpp"
#include "weft/core/small.hpp"             // Small<T, R, C>
#include "weft/ops/small/value.hpp"        // dot, cross, norm, transpose, ... of single values
#include "weft/ops/small/factor.hpp"       // det, inv, solve, cholesky, eigh of single values
#include "weft/ops/small/arithmetic.hpp"   // x + y, a * b, x == y of tensors
#include "weft/ops/small/products.hpp"     // dot, cross, outer, hadamard of tensors
#include "weft/ops/small/matrix.hpp"       // norm, transpose, det, inv, solve, eigh of tensors
#include "weft/ops/small/components.hpp"   // small<3>(x, y, z), component<0>(p), as_small, components
#include "weft/ops/small/quaternion_value.hpp" // the same of single values
#include "weft/ops/small/quaternion.hpp"   // quaternion::multiply, rotate, matrix, slerp, ...
#include "weft/ops/small/reduce.hpp"       // sum, mean, allclose, to_string
#if defined(__CUDACC__)
#include "weft/cuda/small/for_each.hpp"    // their kernel
#endif
// clang-format on
