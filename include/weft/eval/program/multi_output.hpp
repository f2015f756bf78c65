// Multi-output programs: one program that gives the values of several targets, each wanted or not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program/executor.hpp"
#include "weft/eval/program/program.hpp"

namespace weft {

/// What a kernel does with each target of a multi-output program, as bits: write it, add to it, or
/// write the sum along the axes in which the target has size 1. A target without a bit is left
/// alone.
struct Stores {
  unsigned wanted = 0;
  unsigned adds = 0;
  unsigned sums = 0;
  WEFT_HD Stores next() const { return {wanted >> 1, adds >> 1, sums >> 1}; }
};

/// A program that returns a Pack with a value for each target, of the types that `values` lists.
/// only<V>(k) is a program for value k alone, of type V, with those that are added to it.
template <class P>
concept MultiOutputProgram = requires(const P& program) {
  typename P::values;
  requires std::is_same_v<std::remove_cvref_t<decltype(program.stores)>, Stores>;
};

/// The multi-output programs of device D, with sums (cpu/gradient.hpp, cuda/gradient.hpp);
/// GradientDevice says what they provide.
template <class D>
struct GradientExecutor;

/// A device that runs multi-output programs: run<Outs, Types>(name, device, shape, operands,
/// program), the targets first among the operands. One that is summed has the type its values are
/// computed in, and is contiguous; the others have the element types Outs.
template <class D>
concept GradientDevice = requires(const detail::Name& name, D device, const Shape& shape,
                                  detail::Operand* operands, const Arg<1, float>& program) {
  GradientExecutor<D>::template run<detail::TypeList<float>, detail::TypeList<float>>(
      name, device, shape, operands, program);
};

namespace detail {
/// Whether the header with D's gradient loops is included; if not, one compile error that names it.
template <class D>
constexpr bool can_run_multi_output() {
  constexpr bool here = Complete<GradientExecutor<D>>;
  static_assert(here || !is_cuda<D>,
                "weft: for gradients on Cuda include <weft/cuda/gradient.hpp>");
  static_assert(here || is_cuda<D>, "weft: for gradients on Cpu include <weft/autograd.hpp>");
  return here;
}
}  // namespace detail

}  // namespace weft
