// weft's gradients: Var, parameter, backward. With Cuda include weft/cuda/gradient.hpp too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// This order also keeps the compilers' messages short.
// clang-format off
#include "weft/weft.hpp"
#include "weft/cpu/gradient.hpp"         // the loops of backward passes
#include "weft/autograd/var.hpp"         // Var<T, D>, parameter, backward
#include "weft/autograd/fuse.hpp"  // fuse(e1, e2) of Vars
#include "weft/autograd/expression/let.hpp"  // gradients of let(e, f)
#include "weft/autograd/mode.hpp"        // NoGrad, EnableGrad, AnomalyMode
#include "weft/autograd/shape/movement.hpp"    // reshape, permute, slices, ... of a Var
#include "weft/autograd/shape/join.hpp"        // cat, stack of Vars
#include "weft/autograd/index/indexing.hpp"    // gradients of take, gather, cumsum
#include "weft/autograd/index/scan.hpp"        // gradients of cumprod, cummax, cummin, logcumsumexp
#include "weft/autograd/shape/rearrange.hpp"   // gradients of pad, roll, tile
#include "weft/autograd/shape/parts.hpp"       // of slice_scatter and its like
#include "weft/autograd/linalg/matmul.hpp"      // gradients of matrix products
#include "weft/conv.hpp"
#include "weft/autograd/conv/conv.hpp"        // gradients of convolutions
#include "weft/autograd/conv/batch_norm.hpp"  // batch norm in closed form
#include "weft/autograd/conv/fold.hpp"        // gradients of unfold and fold
#include "weft/autograd/conv/pool.hpp"        // gradients of pooling
#include "weft/autograd/conv/resample.hpp"    // gradients of interpolate
#include "weft/autograd/function.hpp"    // custom(f, vjp, x...)
#include "weft/autograd/linalg/linalg.hpp"      // gradients of linear algebra
#include "weft/autograd/index/order.hpp"       // sort, topk, masked_select, scatter_add of Vars
#include "weft/autograd/index/writes.hpp"      // scatter, index_copy, put of Vars
#include "weft/autograd/rows/compose.hpp"     // softmax, layer_norm, cross_entropy, ... of Vars
#include "weft/attention.hpp"
#include "weft/autograd/attention/attention.hpp"   // gradients of scaled_dot_product_attention
#include "weft/autograd/checkpoint.hpp"  // grad(y, x...), checkpoint(f, x...)
#include "weft/autograd/arena.hpp"       // leaves in one block of memory
#include "weft/autograd/gradcheck.hpp"   // gradients compared with differences
#include "weft/autograd/hvp.hpp"         // hvp(f, x, v): Hessian-vector products
// clang-format on
