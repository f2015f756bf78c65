// Executor<D>: the loops of a device, in which programs run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "weft/core/failure.hpp"
#include "weft/eval/program/name.hpp"
#include "weft/eval/program/plan.hpp"
#include "weft/eval/program/program.hpp"
#include "weft/tensor/rules.hpp"

namespace weft {

/// The loops of device D, specialised where they live (cpu/elementwise/for_each.hpp,
/// cuda/elementwise/for_each.hpp); ElementwiseDevice says what they provide.
template <class D>
struct Executor;

/// The reductions of device D (cpu/reduce.hpp, cuda/reduce.hpp); ReducingDevice says what they
/// provide.
template <class D>
struct Reducer;

/// A device that runs element-wise programs: for_each<Out, Types>(name, device, shape, operands,
/// program) sets operands[0], of element type Out, to the program over the others, whose types
/// Types lists. With several targets, Out is a TypeList of their element types, the targets are the
/// first operands, and the program is a Pack with one program each; Arg<1> is still the first
/// operand after the targets. may_overwrite(storage, others): whether nobody can see the storage's
/// elements through `others` further handles. failure_flag(device): where loops leave a failure.
template <class D>
concept ElementwiseDevice = requires(const detail::Name& name, D device, const Shape& shape,
                                     detail::Operand* operands, const Arg<1, float>& program,
                                     const Storage* storage) {
  Executor<D>::template for_each<float, detail::TypeList<float>>(name, device, shape, operands,
                                                                 program);
  { Executor<D>::may_overwrite(storage, 1L) } -> std::same_as<bool>;
  { Executor<D>::failure_flag(device) } -> std::same_as<Failure*>;
};

/// A device that reduces: reduce<Out, Types>(name, reducer, device, kept, reduced, operands,
/// program) sets operands[0] at each coordinate of `kept` to the program over the others joined
/// along `reduced`; each operand's strides are those along the kept dimensions, then along the
/// reduced ones. R is a reducer (ops/reduce/reducers.hpp).
template <class D, class R>
concept ReducingDevice = requires(const detail::Name& name, const R& reducer, D device,
                                  const Shape& shape, detail::Operand* operands,
                                  const Arg<1, float>& program) {
  Reducer<D>::template reduce<float, detail::TypeList<float>>(name, reducer, device, shape, shape,
                                                              operands, program);
};

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

/// A hook around the statements of device D, empty unless a test defines it for its whole program
/// (tests/watched_statements.hpp): run(lowered, device, f) calls f(device), which runs the
/// statement or, on a DryRun, plans it.
template <class D>
struct StatementWatch;
template <class D>
concept WatchedDevice = Complete<StatementWatch<D>>;

/// Whether the header with D's loops is included; if not, one compile error that names it.
template <class D>
constexpr bool can_run() {
  constexpr bool here = Complete<Executor<loops_of<D>>>;
  if constexpr (is_included<D>()) {
    static_assert(here, "weft: to compute on Cuda include <weft/cuda.hpp>");
  }
  return is_included<D>() && here;
}

/// Whether the header with D's reductions is included; if not, one compile error that names it.
template <class D>
constexpr bool can_reduce() {
  constexpr bool here = Complete<Reducer<D>>;
  static_assert(here, "weft: to reduce on Cuda include <weft/cuda/reduce.hpp>");
  return here;
}
}  // namespace detail

}  // namespace weft
