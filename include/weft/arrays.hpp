// weft's array functions: what NumPy and PyTorch have to shape, move, choose and make arrays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// clang-format off
#include "weft/weft.hpp"
#include "weft/ops/shape/roll.hpp"      // roll, shift
#include "weft/ops/shape/pad_values.hpp"  // pad with means, extrema, ramps
#include "weft/ops/shape/repeat.hpp"    // tile, repeat, repeat_interleave
#include "weft/ops/shape/axes.hpp"      // movedim, flatten, unflatten, flip, rot90, atleast_2d, ...
#include "weft/ops/shape/pieces.hpp"    // split, tensor_split, unbind, select
#include "weft/ops/shape/stack.hpp"     // hstack, vstack, dstack, column_stack, append
#include "weft/ops/shape/grid.hpp"      // meshgrid, broadcast_tensors, ix_
#include "weft/ops/shape/combinations.hpp"  // cartesian_prod, combinations
#include "weft/ops/shape/strided.hpp"   // as_strided, windows, bit_cast
#include "weft/ops/shape/triangle.hpp"  // tril, triu, index_along, tri, eye(n, m, k)
#include "weft/ops/shape/diagonal.hpp"  // diag, diag_embed, diagflat, block_diag
#include "weft/ops/shape/edit.hpp"      // insert, erase, trim_zeros, slice_scatter
#include "weft/ops/shape/choose.hpp"    // masked_fill, masked_scatter, select, piecewise, one_hot
#include "weft/ops/index/ravel.hpp"     // ravel_multi_index, unravel_index
#include "weft/ops/index/several.hpp"   // x at (i, j), index_put, gather_nd, scatter_nd
#include "weft/ops/index/scatter_reduce.hpp"  // scatter_reduce, index_reduce
#include "weft/ops/elementwise/spaced.hpp"    // logspace, geomspace, indices
#include "weft/tensor/nested.hpp"             // tensor of vectors of vectors
// clang-format on
