// Statements of too many Vars for one backward kernel: a part is recorded before the rest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/hoist_opaque.hpp"
#include "weft/autograd/expression/segment.hpp"
#include "weft/eval/rows/split.hpp"

namespace weft::autograd {

/// The most operands and gradients of one backward kernel, limited by the size of kernel arguments
/// on CUDA.
inline constexpr int most_backward_values = 46;

/// Whether each segment of an expression has a backward kernel.
template <class E>
inline constexpr bool fits_backward = true;

namespace detail {
template <class E>
inline constexpr bool reductions_fit = true;
template <class R, class E>
  requires has_var<E>
inline constexpr bool reductions_fit<Reduce<R, E>> = fits_backward<E>;
template <class T, class Op, class... Args>
  requires(has_var<Args> || ...)
inline constexpr bool reductions_fit<Map<T, Op, Args...>> = (reductions_fit<Args> && ...);
}  // namespace detail

template <class R, class E>
inline constexpr bool fits_backward<Reduce<R, E>> = fits_backward<E>;
template <class T, class Op, class... Args>
  requires(var_count<Map<T, Op, Args...>> > 8)
inline constexpr bool fits_backward<Map<T, Op, Args...>> = [] {
  using Parts = Segment<Map<T, Op, Args...>>;
  return weft::detail::count(typename Parts::types{}) +
                 weft::detail::count(typename Parts::ports{}) <=
             most_backward_values &&
         (detail::reductions_fit<Args> && ...);
}();

/// Its part that part_before_large names becomes a Var, with a backward kernel of its own.
template <class E>
  requires(!HoistOpaque<E>::changes && !OpaqueNode<E> && !fits_backward<E> &&
           weft::detail::part_before_large<E> != 0)
struct HoistInside<E> {
  static constexpr bool changes = true;
  using Without = weft::detail::WithoutParts<weft::detail::part_before_large<E>, E>;
  using type = typename Without::type;
  static type of(const E& e) {
    weft::detail::PartValues<typename Without::part> values;
    return Without::of(e, values);
  }
};

}  // namespace weft::autograd
