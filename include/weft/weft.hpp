// weft without CUDA: tensors on the CPU, fused expressions and reductions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// This order, lower folders first, also keeps the compilers' messages short.
// clang-format off
#include "weft/tensor/tensor.hpp"    // Tensor<T, D>: handles, views, assignment
#include "weft/tensor/factory.hpp"   // zeros, full, tensor({...}), borrow
#include "weft/tensor/print.hpp"     // to_string(x), stream << x
#include "weft/ops/unary.hpp"        // exp, tanh, sqrt, relu, ...
#include "weft/ops/binary.hpp"       // + - * / %, pow, atan2, maximum, ...
#include "weft/ops/compare.hpp"      // == < isnan, logical operations
#include "weft/ops/ternary.hpp"      // where, clamp, lerp, fma
#include "weft/ops/cast.hpp"         // cast<T>(x), map(f, x, y)
#include "weft/ops/generate.hpp"     // arange, linspace, eye
#include "weft/ops/random.hpp"       // rand, randn, randint, bernoulli; uniform, normal, ...
#include "weft/ops/permutation.hpp"  // permutation(n)
#include "weft/ops/reduce.hpp"       // sum, mean, max, argmax, ... with axis(...)
#include "weft/ops/scan.hpp"         // cumsum, cumprod, cummax, ... along an axis
#include "weft/ops/matmul.hpp"       // matmul, mm, bmm, mv, dot, outer, linear
#include "weft/ops/einsum.hpp"       // einsum, tensordot
#include "weft/ops/sort.hpp"         // sort, argsort, topk
#include "weft/ops/search.hpp"       // searchsorted
#include "weft/ops/select.hpp"       // nonzero, masked_select
#include "weft/ops/unique.hpp"       // unique, with counts and inverse
#include "weft/ops/histogram.hpp"    // histogram, bincount
#include "weft/ops/gather.hpp"       // take, gather, index_select
#include "weft/ops/join.hpp"         // cat, stack
#include "weft/ops/scatter.hpp"      // scatter, index_add, put
#include "weft/ops/compose.hpp"      // softmax, layer_norm, cross_entropy, ...
#include "weft/ops/attention.hpp"    // scaled_dot_product_attention
#include "weft/ops/fuse.hpp"         // tie(x, y) = fuse(e1, e2): one kernel
#include "weft/ops/close.hpp"        // allclose, equal, isclose
#include "weft/eval/fuse.hpp"        // its evaluation
#include "weft/eval/transfer.hpp"    // evaluation, x.to(device)
#include "weft/cpu/device.hpp"       // synchronize(device), device_name(device)
#include "weft/cpu/for_each.hpp"     // the CPU's loops
#include "weft/cpu/reduce.hpp"       // reductions
#include "weft/cpu/row.hpp"          // expressions with reductions inside
#include "weft/cpu/scan.hpp"         // scans
#include "weft/cpu/sort.hpp"         // sorting
#include "weft/cpu/select.hpp"       // selection
#include "weft/cpu/histogram.hpp"    // counting
#include "weft/cpu/matmul.hpp"       // matrix products
#include "weft/cpu/attention.hpp"    // scaled_dot_product_attention
#include "weft/cpu/scatter.hpp"      // and scatters
// clang-format on
