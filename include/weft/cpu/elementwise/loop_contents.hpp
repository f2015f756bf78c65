// loop_contents<P>: what decides which loop runs a program, as bits, found in one walk.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/rows/program.hpp"
#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/elementwise/cast.hpp"
#include "weft/ops/elementwise/compare.hpp"
#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/elementwise/unary.hpp"

namespace weft::op {
struct floor_divide;  // elsewhere
}

namespace weft::cpu::detail {

template <class Op, class... Ops>
inline constexpr bool is_one_of = (std::is_same_v<Op, Ops> || ...);

/// Arithmetic that the compilers' vector types have.
template <class Op>
inline constexpr bool is_vector_operation =
    is_one_of<Op, op::add, op::sub, op::mul, op::div, op::neg, op::square>;

/// Operations of a few instructions.
template <class Op>
inline constexpr bool takes_few_instructions =
    is_vector_operation<Op> ||
    is_one_of<Op, op::abs, op::maximum, op::minimum, op::relu, op::reciprocal, op::sqrt, op::where,
              op::lt, op::le, op::gt, op::ge, op::eq, op::ne, op::clamp, op::clamp_min,
              op::clamp_max, op::fmax, op::fmin>;

/// Operations on floats and doubles whose loops g++ and clang vectorise.
template <class Op>
inline constexpr bool has_vectors =
    takes_few_instructions<Op> ||
    is_one_of<Op, op::rsqrt, op::exp, op::exp2, op::expm1, op::log, op::log2, op::log10, op::log1p,
              op::tanh, op::sigmoid, op::silu, op::gelu, op::gelu_tanh, op::erf, op::erfc, op::sin,
              op::cos, op::tan, op::asin, op::acos, op::atan, op::sinh, op::cosh, op::asinh,
              op::acosh, op::atanh, op::cbrt, op::pow, op::atan2, op::hypot, op::floor, op::ceil,
              op::trunc, op::round, op::frac, op::sign, op::softplus, op::mish, op::elu>;

/// Whether an operation on numbers of types Ts has a faster form for near arguments: a small angle,
/// or two numbers whose quotient is not large.
template <class Op, class... Ts>
inline constexpr bool is_faster_near =
    is_one_of<Op, op::sin, op::cos, op::tan, op::mod, op::fmod, op::remainder, op::floor_divide> &&
    ((std::is_same_v<Ts, float> && ...) || (std::is_same_v<Ts, double> && ...));

/// What loop_contents finds.
struct LoopContents {
  static constexpr unsigned floats = 1;
  static constexpr unsigned doubles = 2;
  static constexpr unsigned others = 4;     // operands of other types
  static constexpr unsigned functions = 8;  // more than is_vector_operation
  static constexpr unsigned branches = 16;  // more than has_vectors
  static constexpr unsigned nearness = 32;  // is_faster_near

  template <class T>
  static constexpr unsigned of_operand() {
    return std::is_same_v<T, float> ? floats : std::is_same_v<T, double> ? doubles : others;
  }
  template <class Op, class... Ts>
  static constexpr unsigned of_operation() {
    unsigned found = 0;
    if constexpr (!is_vector_operation<Op>) found |= functions;
    if constexpr (!has_vectors<Op>) found |= branches;
    if constexpr (is_faster_near<Op, Ts...>) found |= nearness;
    return found;
  }
};

template <class P>
inline constexpr unsigned loop_contents = LoopContents::others;
template <int I, class T>
inline constexpr unsigned loop_contents<Arg<I, T>> = LoopContents::of_operand<T>();
template <int I, class T>
inline constexpr unsigned loop_contents<Reduced<I, T>> = LoopContents::of_operand<T>();
template <class T>
inline constexpr unsigned loop_contents<Constant<T>> = LoopContents::of_operand<T>();
template <class Op, class... Ps>
inline constexpr unsigned loop_contents<Apply<Op, Ps...>> =
    (LoopContents::of_operation<Op, typename Ps::type...>() | ... | loop_contents<Ps>);

/// Whether a program consists only of vector arithmetic on numbers of type C, a float or double.
template <class P, class C>
inline constexpr bool runs_on_vectors = std::is_floating_point_v<C> &&
                                        (loop_contents<P> & ~LoopContents::of_operand<C>()) == 0;

/// Whether a loop over a program on numbers of type C vectorises.
template <class P, class C>
inline constexpr bool vectorises = std::is_floating_point_v<C> &&
                                   (loop_contents<P> & ~(LoopContents::of_operand<C>() |
                                                         LoopContents::functions)) == 0;

/// Operations that load nothing, or the same whatever their arguments' branches.
template <class Op>
inline constexpr bool loads_nothing =
    has_vectors<Op> || std::is_base_of_v<op::exp, Op> ||
    is_one_of<Op, op::hardswish, op::hardsigmoid, op::leaky_relu, op::copysign, op::bitwise_not,
              op::bitwise_and, op::bitwise_or, op::bitwise_xor, op::lerp, op::fma>;
template <class To>
inline constexpr bool loads_nothing<op::cast<To>> = true;

/// Whether a program reads each of its operands at each element, and nothing else.
template <class P>
inline constexpr bool reads_all_operands = false;
template <int I, class T>
inline constexpr bool reads_all_operands<Arg<I, T>> = true;
template <int I, class T>
inline constexpr bool reads_all_operands<Reduced<I, T>> = true;
template <class T>
inline constexpr bool reads_all_operands<Constant<T>> = true;
template <class Op, class... Ps>
inline constexpr bool reads_all_operands<Apply<Op, Ps...>> = loads_nothing<Op> &&
                                                             (reads_all_operands<Ps> && ...);

}  // namespace weft::cpu::detail
