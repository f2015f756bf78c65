// Executor<D>: the loops of a device, which evaluation runs programs in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/device.hpp"

namespace weft {

/// The loops of device D, specialised where they live (cpu/for_each.hpp, cuda/for_each.hpp):
///   template <class Out, class Types, class Program>
///   static void for_each(const char* name, const Shape&, Operand* operands, const Program&);
/// operands[0] is the target of element type Out, the others those that Types lists.
template <class D>
struct Executor;

/// The reductions of device D (cpu/reduce.hpp, cuda/reduce.hpp):
///   template <class Out, class Types, class R, class Program>
///   static void reduce(const R&, const Shape& kept, const Shape& reduced, Operand*, const Program&);
/// each operand's strides are those along the kept dimensions, then along the reduced ones.
template <class D>
struct Reducer;

namespace detail {
template <class T>
concept Complete = requires { sizeof(T); };
}  // namespace detail

}  // namespace weft
