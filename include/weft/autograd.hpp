// weft's gradients: Var, parameter, backward. With Cuda include weft/cuda/reduce.hpp too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/gradient.hpp"  // the loops of backward passes
#include "weft/weft.hpp"

// clang-format off
#include "weft/autograd/var.hpp"        // Var<T, D>, parameter, backward, NoGrad
#include "weft/autograd/movement.hpp"   // reshape, permute, slices, ... of a Var
#include "weft/autograd/indexing.hpp"   // gradients of take, gather, cumsum
#include "weft/autograd/matmul.hpp"     // gradients of matrix products
#include "weft/autograd/function.hpp"   // custom(f, vjp, x...)
#include "weft/autograd/compose.hpp"    // softmax, layer_norm, cross_entropy, ... of Vars
#include "weft/autograd/checkpoint.hpp" // grad(y, x...), checkpoint(f, x...)
#include "weft/autograd/gradcheck.hpp"  // gradients compared with differences
// clang-format on
