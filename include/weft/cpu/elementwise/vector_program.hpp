// Sums and products on compiler vectors, for reductions that join their values in registers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/elements.hpp"
#include "weft/cpu/elementwise/loop_contents.hpp"
#include "weft/cpu/elementwise/vector.hpp"

namespace weft::cpu::detail {

/// Sets x, a number or a vector, to the program's values from position i. at.data<I>() is the
/// address of operand I, at.reduced<I, C>() the value of a reduction.
template <class X, int I, class C, class At>
WEFT_INLINE void vector_value(X& x, const Arg<I, C>&, const At& at, int i) {
  load_vector(x, at.template data<I>() + i);
}
template <class X, int I, class C, class At>
WEFT_INLINE void vector_value(X& x, const Reduced<I, C>&, const At& at, int) {
  x = X{} + at.template reduced<I, C>();
}
template <class X, class C, class At>
WEFT_INLINE void vector_value(X& x, const Constant<C>& c, const At&, int) {
  x = X{} + c.value;
}
template <class X, class Op, class... Ps, class At>
WEFT_INLINE void vector_value(X& x, const Apply<Op, Ps...>& program, const At& at, int i) {
  vector_value(x, weft::get<0>(program.programs), at, i);
  if constexpr (std::is_same_v<Op, op::neg>) {
    x = -x;
  } else if constexpr (std::is_same_v<Op, op::square>) {
    x *= x;
  } else {
    X y;
    vector_value(y, weft::get<1>(program.programs), at, i);
    if constexpr (std::is_same_v<Op, op::add>) x += y;
    if constexpr (std::is_same_v<Op, op::sub>) x -= y;
    if constexpr (std::is_same_v<Op, op::mul>) x *= y;
    if constexpr (std::is_same_v<Op, op::div>) x /= y;
  }
}

}  // namespace weft::cpu::detail
