// Sums and products on compiler vectors, for reductions that join their values in registers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/elements.hpp"
#include "weft/cpu/elementwise/vector.hpp"
#include "weft/eval/rows/program.hpp"
#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/elementwise/unary.hpp"

namespace weft::cpu::detail {

template <class Op>
inline constexpr bool is_vector_operation =
    std::is_same_v<Op, op::add> || std::is_same_v<Op, op::sub> || std::is_same_v<Op, op::mul> ||
    std::is_same_v<Op, op::div> || std::is_same_v<Op, op::neg> || std::is_same_v<Op, op::square>;

/// Whether a program consists only of such operations on numbers of type C.
template <class P, class C>
inline constexpr bool runs_on_vectors = false;
template <int I, class C>
inline constexpr bool runs_on_vectors<Arg<I, C>, C> = std::is_floating_point_v<C>;
template <int I, class C>
inline constexpr bool runs_on_vectors<Reduced<I, C>, C> = std::is_floating_point_v<C>;
template <class C>
inline constexpr bool runs_on_vectors<Constant<C>, C> = std::is_floating_point_v<C>;
template <class Op, class... Ps, class C>
inline constexpr bool runs_on_vectors<Apply<Op, Ps...>, C> = is_vector_operation<Op> &&
                                                             (runs_on_vectors<Ps, C> && ...);

/// Whether an operation on floats and doubles is one that loops compute in vectors.
template <class Op, class... Ops>
inline constexpr bool is_one_of = (std::is_same_v<Op, Ops> || ...);
template <class Op>
inline constexpr bool has_vectors =
    is_one_of<Op, op::add, op::sub, op::mul, op::div, op::neg, op::square, op::abs, op::maximum,
              op::minimum, op::relu, op::reciprocal, op::sqrt, op::rsqrt, op::exp, op::exp2,
              op::expm1, op::log, op::log2, op::log10, op::log1p, op::tanh, op::sigmoid, op::silu,
              op::gelu, op::gelu_tanh, op::erf, op::erfc>;

/// The operations among them that take only a few instructions.
template <class Op>
inline constexpr bool takes_few_instructions =
    is_vector_operation<Op> ||
    is_one_of<Op, op::abs, op::maximum, op::minimum, op::relu, op::reciprocal, op::sqrt>;

/// Whether a program consists only of operations that have vectors, on numbers of type C, a float
/// or double.
template <class P, class C>
inline constexpr bool vectorises = runs_on_vectors<P, C>;
template <class Op, class... Ps, class C>
inline constexpr bool vectorises<Apply<Op, Ps...>, C> = has_vectors<Op> &&
                                                        (vectorises<Ps, C> && ...);

/// Sets x, a number or a vector, to the program's values from position i. at.data<I>() is the
/// address of operand I, at.reduced<I>() the value of a reduction.
template <class X, int I, class C, class At>
[[gnu::always_inline]] inline void vector_value(X& x, const Arg<I, C>&, const At& at, int i) {
  load_vector(x, at.template data<I>() + i);
}
template <class X, int I, class C, class At>
[[gnu::always_inline]] inline void vector_value(X& x, const Reduced<I, C>&, const At& at, int) {
  x = X{} + at.template reduced<I>();
}
template <class X, class C, class At>
[[gnu::always_inline]] inline void vector_value(X& x, const Constant<C>& c, const At&, int) {
  x = X{} + c.value;
}
template <class X, class Op, class... Ps, class At>
[[gnu::always_inline]] inline void vector_value(X& x, const Apply<Op, Ps...>& program, const At& at,
                                                int i) {
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
