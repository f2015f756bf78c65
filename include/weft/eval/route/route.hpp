// route_of<E>: the one decision on how an expression is evaluated, which every statement asks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/node.hpp"
#include "weft/eval/route/product_pattern.hpp"
#include "weft/eval/route/scan_pattern.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft::detail {

/// The ways to evaluate an expression. The first that matches is taken.
enum class Route {
  opaque,      // a node that evaluates itself: scan, sort, product alone (eval/opaque.hpp)
  product,     // a product and what fits into its library call (eval/product/epilogue.hpp)
  reduction,   // one reduction of an expression without another inside (eval/assign.hpp), on CUDA
               // also what is computed from its values alone (eval/finished.hpp)
  rows,        // reductions inside a larger expression (eval/rows/rows.hpp)
  scan,        // on CUDA: a scan and what reads it, element by element (eval/scanned.hpp)
  elementwise  // all else: one loop over the elements (eval/assign.hpp)
};

/// Whether an expression contains a reduction that a row program can include.
template <class E>
inline constexpr bool has_reduction = (contents_of<E> & Contents::reductions) != 0;

/// Whether an expression is evaluated as a row program: a reduction alone has kernels of its own.
template <class E>
inline constexpr bool is_row_expression = has_reduction<E>;
template <class R, class E>
inline constexpr bool is_row_expression<Reduce<R, E>> = has_reduction<E>;

template <class E>
inline constexpr bool is_reduction = false;
template <class R, class E>
inline constexpr bool is_reduction<Reduce<R, E>> = true;

/// The reductions that E is a function of; more than 1 where it reads anything but one and numbers,
/// or where that one takes more than one step: gathered rows, Small.
template <class E>
inline constexpr int sole_reductions = 2;
template <class T>
inline constexpr int sole_reductions<Scalar<T>> = 0;
template <class R, class E>
inline constexpr int sole_reductions<Reduce<R, E>> =
    contents_of<Reduce<R, E>> == Contents::reductions && !has_reduction<E> && leaf_count<E> <= 16
        ? 1
        : 2;
template <class T, class Op, class... Args>
inline constexpr int sole_reductions<Map<T, Op, Args...>> = (sole_reductions<Args> + ...);

/// Whether E is computed from the values of one reduction alone, as sqrt(sum(x)) / 2 is, on a
/// device whose reductions do so as they finish.
template <class E>
inline constexpr bool is_finished_reduction = false;
template <class T, class Op, class... Args>
inline constexpr bool is_finished_reduction<Map<T, Op, Args...>> =
    is_cuda<typename Map<T, Op, Args...>::device_type>&& sole_reductions<Map<T, Op, Args...>> == 1;

/// How E is evaluated.
template <class E>
constexpr Route route_of() {
  if constexpr (OpaqueNode<E>) {
    return Route::opaque;
  } else if constexpr (EpilogueParts<E>::matches) {
    return Route::product;
  } else if constexpr ((is_reduction<E> && !is_row_expression<E>) || is_finished_reduction<E>) {
    return Route::reduction;
  } else if constexpr (is_row_expression<E>) {
    return Route::rows;
  } else if constexpr (finishes_scan<E>) {
    return Route::scan;
  } else {
    return Route::elementwise;
  }
}

/// Whether `z = e` may be written over an operand of e that lies where z does. Rows and products
/// mark the operands that they read at other elements than the one they write as `moved`.
constexpr bool may_write_in_place(Route route) {
  return route != Route::opaque && route != Route::reduction && route != Route::scan;
}

/// A lowered expression: operands[0] is the target, still to be set, and `run<Out>(shape, device)`
/// runs it. One specialisation per route.
template <class E, Route = route_of<E>()>
struct Lowered;

}  // namespace weft::detail
