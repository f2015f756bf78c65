// What gradients depend on: the operands that they reach, and the operands whose values they need.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include "weft/eval/rows/program.hpp"
#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/elementwise/cast.hpp"
#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/elementwise/unary.hpp"
#include "weft/ops/index/gather.hpp"

namespace weft::autograd {

/// Whether an operation's derivative is 0 wherever it has one, so that no gradient passes it.
template <class Op>
inline constexpr bool is_flat = false;
template <>
inline constexpr bool is_flat<op::sign> = true;
template <>
inline constexpr bool is_flat<op::floor> = true;
template <>
inline constexpr bool is_flat<op::ceil> = true;
template <>
inline constexpr bool is_flat<op::round> = true;
template <>
inline constexpr bool is_flat<op::trunc> = true;

/// The operand that stands for a gather as a port, its offsets; 0 for other programs.
template <class P>
inline constexpr int gathered_port = 0;
template <class T, class Finder, int I, class Index>
inline constexpr int gathered_port<Apply<op::gathered<T, Finder>, Arg<I, IndexOperand>, Index>> = I;

/// Whether a gradient of a program's value reaches one of the operands that are the bits of Ports.
template <std::uint64_t Ports, class P>
inline constexpr bool reaches = (weft::detail::uses_of<P> & Ports) != 0;
template <std::uint64_t Ports, class Op, class... Ps>
inline constexpr bool reaches<Ports, Apply<Op, Ps...>> =
    !is_flat<Op> && (reaches<Ports, Ps> || ...);

/// The arguments, as bits, whose values the derivative by argument I needs. If it needs the
/// operation's value, it depends on all of them.
template <class Op, int I>
inline constexpr unsigned derivative_reads = ~0U;
template <int I>
inline constexpr unsigned derivative_reads<op::add, I> = 0;
template <int I>
inline constexpr unsigned derivative_reads<op::sub, I> = 0;
template <>
inline constexpr unsigned derivative_reads<op::neg, 0> = 0;
template <class T>
inline constexpr unsigned derivative_reads<op::cast<T>, 0> = 0;
template <int I>
inline constexpr unsigned derivative_reads<op::mul, I> = I == 0 ? 2 : 1;
template <>
inline constexpr unsigned derivative_reads<op::div, 0> = 2;
template <int I>
inline constexpr unsigned derivative_reads<op::where, I> = 1;

namespace detail {
template <std::uint64_t Ports, class Op, class... Ps>
struct ReverseReads;
}

/// The operands, as bits, whose values the gradients for Ports need.
template <std::uint64_t Ports, class P>
inline constexpr std::uint64_t reverse_reads = 0;
template <std::uint64_t Ports, class Op, class... Ps>
  requires reaches<Ports, Apply<Op, Ps...>>
inline constexpr std::uint64_t reverse_reads<Ports, Apply<Op, Ps...>> =
    detail::ReverseReads<Ports, Op, Ps...>::of(std::index_sequence_for<Ps...>{});

namespace detail {
template <std::uint64_t Ports, class Op, class... Ps>
struct ReverseReads {
  static constexpr std::uint64_t chosen(unsigned arguments) {
    std::uint64_t operands = 0;
    int k = 0;
    ((operands |= (arguments >> k++ & 1U) != 0 ? weft::detail::uses_of<Ps> : 0), ...);
    return operands;
  }
  template <std::size_t... I>
  static constexpr std::uint64_t of(std::index_sequence<I...>) {
    return ((reaches<Ports, Ps>
                 ? reverse_reads<Ports, Ps> | chosen(derivative_reads<Op, static_cast<int>(I)>)
                 : 0) |
            ...);
  }
};
}  // namespace detail

}  // namespace weft::autograd
