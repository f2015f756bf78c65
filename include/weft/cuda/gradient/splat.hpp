// Functions of operands that are one element for all of a thread's lanes, computed once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "weft/eval/rows/pattern.hpp"

namespace weft::op {

/// A function of one operand whose value and derivative are known where all lanes have the same
/// element. C is the type that it is computed in.
template <class Op, class C>
struct known_for_lanes {
  static constexpr const char* text = Op::text;
  static constexpr int arity = 1;
  Op op;
  bool known;
  C y;
  C slope;

  WEFT_HD C value(C x) const { return known ? y : op.value(x); }
  template <int I>
  WEFT_HD C derivative(C x, C value) const {
    return known ? slope : op.template derivative<I>(x, value);
  }
};

}  // namespace weft::op

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

/// Whether a function of an operand of type T is expensive, and has a derivative of that type.
template <class Op, class T>
constexpr bool is_expensive_function() {
  using C = compute_t<T>;
  if constexpr (weft::detail::op_weight<Op> < 8 || !std::is_floating_point_v<C> ||
                requires(Op op) { op.draw.resolve(); }) {
    return false;
  } else if constexpr (requires(const Op& op, C x) {
                         { op.template derivative<0>(x, x) } -> std::same_as<C>;
                         { op.value(x) } -> std::same_as<C>;
                       }) {
    return !requires(const Op& op, C x) { op.template vjp<0>(x, x, x); };
  } else {
    return false;
  }
}

__device__ __forceinline__ Pack<> packed() { return {}; }
template <class Head, class... Tail>
__device__ __forceinline__ Pack<Head, Tail...> packed(const Head& head, const Tail&... tail) {
  return {head, packed(tail...)};
}

/// A program in which expensive functions of operands after the first may be known. The first is
/// usually as large as the statement; a test in each lane would keep its lanes from overlapping.
template <class P>
struct Splats {
  static constexpr bool any = false;
  using type = P;
  template <class Inputs>
  __device__ __forceinline__ static const P& of(const P& program, const Inputs&, const int*) {
    return program;
  }
};
template <class Op, int I, class T>
  requires(I > 1 && is_expensive_function<Op, T>())
struct Splats<Apply<Op, Arg<I, T>>> {
  static constexpr bool any = true;
  using C = compute_t<T>;
  using type = Apply<op::known_for_lanes<Op, C>, Arg<I, T>>;
  template <class Inputs>
  __device__ __forceinline__ static type of(const Apply<Op, Arg<I, T>>& program,
                                            const Inputs& inputs, const int* lane) {
    op::known_for_lanes<Op, C> known{program.op, lane[I] == 0, C{}, C{}};
    if (known.known) {
      const C x = inputs.template get<I>();
      known.y = program.op.value(x);
      known.slope = program.op.template derivative<0>(x, known.y);
    }
    return {known, program.programs};
  }
};
template <class Op, class... Ps>
  requires(Splats<Ps>::any || ...)
struct Splats<Apply<Op, Ps...>> {
  static constexpr bool any = true;
  using type = Apply<Op, typename Splats<Ps>::type...>;
  template <class Inputs>
  __device__ __forceinline__ static type of(const Apply<Op, Ps...>& program, const Inputs& inputs,
                                            const int* lane) {
    return of(program, inputs, lane, std::index_sequence_for<Ps...>{});
  }

 private:
  template <class Inputs, std::size_t... K>
  __device__ __forceinline__ static type of(const Apply<Op, Ps...>& program, const Inputs& inputs,
                                            const int* lane, std::index_sequence<K...>) {
    return {program.op, packed(typename Splats<Ps>::type(Splats<Ps>::of(
                            weft::get<static_cast<int>(K)>(program.programs), inputs, lane))...)};
  }
};
/// A gradient computation runs a program: `forward()` returns it, and `with(q)` is the same for
/// program q.
template <class Program>
  requires(Splats<typename Program::forward_program>::any)
struct Splats<Program> {
  static constexpr bool any = true;
  using Forward = Splats<typename Program::forward_program>;
  using type =
      decltype(std::declval<const Program&>().with(std::declval<const typename Forward::type&>()));
  template <class Inputs>
  __device__ __forceinline__ static type of(const Program& program, const Inputs& inputs,
                                            const int* lane) {
    return program.with(Forward::of(program.forward(), inputs, lane));
  }
};

}  // namespace weft::on_cuda::detail

#endif
