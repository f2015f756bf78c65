// weft without CUDA: tensors on the CPU, fused expressions and reductions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if __cplusplus < 202002L  // a missing header stops the compiler at once, #error does not
#include "weft needs C++20: compile with -std=c++20"
#endif

// This order, lower folders first, also keeps the compilers' messages short.
// clang-format off
#include "weft/tensor/rules.hpp"              // compile-time rules and their sentences
#include "weft/tensor/tensor.hpp"             // Tensor<T, D>: handles, views, assignment
#include "weft/tensor/factory.hpp"            // zeros, full
#include "weft/tensor/from_values.hpp"        // tensor({...})
#include "weft/tensor/borrow.hpp"             // borrow: memory of your own
#include "weft/tensor/print.hpp"              // to_string(x), stream << x
#include "weft/ops/elementwise/domain.hpp"    // which element types an operation takes
#include "weft/ops/elementwise/map.hpp"       // lift: what every operation makes
#include "weft/ops/elementwise/unary.hpp"     // exp, tanh, sqrt, relu, ...
#include "weft/ops/elementwise/binary.hpp"    // + - * / %, pow, atan2, maximum, ...
#include "weft/ops/elementwise/compare.hpp"   // == < isnan, logical operations
#include "weft/ops/elementwise/ternary.hpp"   // where, clamp, lerp, fma
#include "weft/ops/elementwise/cast.hpp"      // cast<T>(x), map(f, x, y)
#include "weft/ops/elementwise/generate.hpp"  // arange, linspace, eye
#include "weft/ops/random/random.hpp"         // rand, randn, randint, bernoulli; uniform, normal, ...
#include "weft/ops/random/permutation.hpp"    // permutation(n)
#include "weft/ops/reduce/reduce.hpp"         // sum, mean, max, argmax, ... with axis(...)
#include "weft/ops/order/scan.hpp"            // cumsum, cumprod, cummax, ... along an axis
#include "weft/ops/linalg/matmul.hpp"         // matmul, mm, bmm, mv, dot, outer, linear
#include "weft/ops/linalg/einsum.hpp"         // einsum, tensordot
#include "weft/ops/order/sort.hpp"            // sort, argsort, topk
#include "weft/ops/order/search.hpp"          // searchsorted
#include "weft/ops/order/select.hpp"          // nonzero, masked_select
#include "weft/ops/order/unique.hpp"          // unique, with counts and inverse
#include "weft/ops/order/histogram.hpp"       // histogram, bincount
#include "weft/ops/index/gather.hpp"          // take, gather, index_select
#include "weft/ops/join.hpp"                  // cat, stack
#include "weft/ops/shape/pad.hpp"             // pad
#include "weft/ops/index/scatter.hpp"         // scatter, index_add, put
#include "weft/ops/at_indices.hpp"      // x[mask], x[indices]
#include "weft/ops/elsewhere.hpp"             // which header has parameter, explain, load_npy, ...
#include "weft/ops/incomplete.hpp"            // what calls without an operand say
#include "weft/ops/views.hpp"                 // reshape(x, shape), transpose(x, a, b), ...
#include "weft/ops/compose.hpp"               // softmax, layer_norm, cross_entropy, ...
#include "weft/ops/fuse.hpp"                  // tie(x, y) = fuse(e1, e2): one kernel
#include "weft/ops/close.hpp"                 // allclose, equal, isclose
#include "weft/eval/batch.hpp"                // Batch: one statement over many tensors, one kernel
#include "weft/eval/fuse.hpp"                 // its evaluation
#include "weft/eval/join.hpp"                 // cat inside expressions, pad
#include "weft/eval/let.hpp"                  // let(e, f): a formula of one value
#include "weft/eval/transfer.hpp"             // evaluation, x.to(device)
#include "weft/cpu/device.hpp"                // synchronize(device), device_name(device)
#include "weft/cpu/elementwise/for_each.hpp"  // the CPU's loops
#include "weft/cpu/reduce.hpp"                // reductions
#include "weft/cpu/rows/rows.hpp"             // expressions with reductions inside
#include "weft/cpu/order/scan.hpp"            // scans
#include "weft/cpu/order/sort.hpp"            // sorting
#include "weft/cpu/order/select.hpp"          // selection
#include "weft/cpu/order/histogram.hpp"       // counting
#include "weft/cpu/matmul.hpp"                // matrix products
#include "weft/cpu/elementwise/scatter.hpp"   // and scatters
// clang-format on

#if defined(WEFT_LIB) || defined(WEFT_LIB_BUILD)  // by the target weft::lib
#include "weft/lib.hpp"
#endif
