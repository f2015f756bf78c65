// contents_of<E>: what an expression is made of, as bits, found in one walk over its type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/effects.hpp"
#include "weft/ops/elementwise/map.hpp"

namespace weft {

class Positions;  // in ops/elementwise/generate.hpp

namespace detail {

/// What contents_of finds. Each kind of node that is not a Map has a bit of its own, or is among
/// the others; what is inside it is not looked at, except for gathered rows inside reductions.
struct Contents {
  // The first bits are the operations' Effects.
  static constexpr unsigned tensors = 1U << 8U;
  static constexpr unsigned numbers = 1U << 9U;
  static constexpr unsigned positions = 1U << 10U;
  static constexpr unsigned reductions = 1U << 11U;      // that a row program can include
  static constexpr unsigned var_reductions = 1U << 12U;  // of Vars
  static constexpr unsigned gathered_rows = 1U << 13U;   // evaluated before a row program
  static constexpr unsigned scans = 1U << 14U;
  static constexpr unsigned others = 1U << 15U;
};

template <class E>
inline constexpr unsigned contents_of = is_tensor<E>   ? Contents::tensors
                                        : is_scalar<E> ? Contents::numbers
                                                       : Contents::others;
template <>
inline constexpr unsigned contents_of<Positions> = Contents::positions;
template <class T, class Op, class... Args>
inline constexpr unsigned contents_of<Map<T, Op, Args...>> = (Effects::of<Op>() | ... |
                                                              contents_of<Args>);

template <class E>
inline constexpr bool is_map = false;
template <class T, class Op, class... Args>
inline constexpr bool is_map<Map<T, Op, Args...>> = true;

/// Whether an expression contains nothing but these.
template <class E, unsigned These>
inline constexpr bool is_made_of = (contents_of<E> & ~These) == 0;

}  // namespace detail
}  // namespace weft
