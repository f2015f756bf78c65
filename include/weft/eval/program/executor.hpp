// Executor<D>: the loops of a device, which evaluation runs programs in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/device.hpp"
#include "weft/core/dtype.hpp"
#include "weft/eval/program/name.hpp"

namespace weft {

/// The loops of device D, specialised where they live (cpu/elementwise/for_each.hpp,
/// cuda/elementwise/for_each.hpp):
///   template <class Out, class Types, class Program>
///   static void for_each(const Name&, D, const Shape&, Operand* operands, const Program&);
/// operands[0] is the target of element type Out, the others those that Types lists. Several
/// targets: Out is a TypeList of their element types, they are the first operands, and Program is a
/// Pack with a program for each; Arg<1> is still the first operand behind the targets.
template <class D>
struct Executor;

/// The reductions of device D (cpu/reduce.hpp, cuda/reduce.hpp):
///   template <class Out, class Types, class R, class Program>
///   static void reduce(const Name&, const R&, D, const Shape& kept, const Shape& reduced,
///   Operand*,
///                      const Program&);
/// each operand's strides are those along the kept dimensions, then along the reduced ones.
template <class D>
struct Reducer;

namespace detail {
/// The device whose loops run on D: Cuda for every CudaAt<N>.
template <class D>
using loops_of = std::conditional_t<is_cuda<D>, Cuda, D>;

/// How many targets a for_each of Out writes.
template <class Out>
inline constexpr int target_count = 1;
template <class... Outs>
inline constexpr int target_count<TypeList<Outs...>> = sizeof...(Outs);

template <class T>
concept Complete = requires {
  sizeof(T);
};

/// Whether the header with D's reductions is included; if not, one compile error that names it.
template <class D>
constexpr bool can_reduce() {
  constexpr bool here = Complete<Reducer<D>>;
  static_assert(here, "weft: to reduce on Cuda include <weft/cuda/reduce.hpp>");
  return here;
}
}  // namespace detail

}  // namespace weft
