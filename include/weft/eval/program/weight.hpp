// op_weight, program_weight: roughly what a program costs, for planners.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program/program.hpp"
#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/elementwise/compare.hpp"
#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/elementwise/unary.hpp"

namespace weft::detail {

/// What planners weigh an operation as: 1 for the common ones of one or two instructions, 8 for all
/// others, so that a kernel's form does not depend on a few instructions more or less. op_cost
/// (eval/inspect/op_cost.hpp) has the figures; its test checks that they agree.
template <class Op>
inline constexpr int op_weight = 8;
template <class... Ops>
struct LightOps {
  template <class Op>
  static constexpr bool has = (std::is_same_v<Op, Ops> || ...);
};
using Light =
    LightOps<op::add, op::sub, op::mul, op::neg, op::abs, op::square, op::maximum, op::minimum,
             op::clamp_min, op::clamp_max, op::clamp, op::where, op::fma, op::eq, op::ne, op::lt,
             op::le, op::gt, op::ge, op::logical_and, op::logical_or, op::logical_not, op::relu>;
template <class Op>
  requires(Light::has<Op>)
inline constexpr int op_weight<Op> = 1;
template <class To>
inline constexpr int op_weight<op::cast<To>> = 1;
/// To load an operand's element: the address, the load, the conversion.
inline constexpr int load_weight = 3;

/// Roughly how many instructions an element of a program takes; what reads no operand is computed
/// once.
template <class P>
inline constexpr int program_weight = 0;
template <int I, class T>
inline constexpr int program_weight<Arg<I, T>> = load_weight;
template <class Op, class... Ps>
inline constexpr int program_weight<Apply<Op, Ps...>> = uses_of<Apply<Op, Ps...>> == 0
                                                            ? 0
                                                            : op_weight<Op> +
                                                                  (program_weight<Ps> + ... + 0);

}  // namespace weft::detail
