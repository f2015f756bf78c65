// What a thread knows before its lanes: functions of one element for all of them, gathered slices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "weft/cuda/elementwise/vector_gather.hpp"
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

namespace weft::on_cuda {

/// Stands for a gather's finder where the elements of all V lanes have been read.
template <class C, int V>
struct ReadLanes {
  LaneValues<C, V> values;
};

}  // namespace weft::on_cuda

namespace weft {

template <class T, class C, int V, class... Ps>
struct Apply<op::gathered<T, on_cuda::ReadLanes<C, V>>, Ps...> {
  using type = C;
  op::gathered<T, on_cuda::ReadLanes<C, V>> op;
  Pack<Ps...> programs;

  template <class Inputs>
  __device__ __forceinline__ C operator()(const Inputs& inputs) const {
    return op.finder.values.lane[inputs.j];
  }
};

}  // namespace weft

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

/// A program over V lanes in which some parts are known: expensive functions of operands after the
/// first that are one element for all lanes, and gathers along an axis. The first operand is
/// usually as large as the statement; a test in each lane would keep its lanes from overlapping.
template <class P, int V>
struct Known {
  static constexpr bool any = false;
  using type = P;
  template <class Lanes>
  __device__ __forceinline__ static const P& of(const P& program, const Lanes&) {
    return program;
  }
};
template <class Op, int I, class T, int V>
  requires(I > 1 && is_expensive_function<Op, T>())
struct Known<Apply<Op, Arg<I, T>>, V> {
  static constexpr bool any = true;
  using C = compute_t<T>;
  using type = Apply<op::known_for_lanes<Op, C>, Arg<I, T>>;
  template <class Lanes>
  __device__ __forceinline__ static type of(const Apply<Op, Arg<I, T>>& program,
                                            const Lanes& lanes) {
    op::known_for_lanes<Op, C> known{program.op, lanes.stride(I) == 0, C{}, C{}};
    if (known.known) {
      const C x = lanes.at(0).template get<I>();
      known.y = program.op.value(x);
      known.slope = program.op.template derivative<0>(x, known.y);
    }
    return {known, program.programs};
  }
};
template <class T, int I, class Index, int V>
struct Known<Apply<op::gathered<T, AlongAxis>, Arg<I, IndexOperand>, Index>, V> {
  static constexpr bool any = true;
  using C = compute_t<T>;
  using P = Apply<op::gathered<T, AlongAxis>, Arg<I, IndexOperand>, Index>;
  using type = Apply<op::gathered<T, ReadLanes<C, V>>, Arg<I, IndexOperand>, Index>;
  template <class Lanes>
  __device__ __forceinline__ static type of(const P& program, const Lanes& lanes) {
    ReadLanes<C, V> read;
    if (lanes.stride(I) == 1 && are_alike(lanes)) {
      read.values = OneSlice<V>{0, lanes.last}(program, lanes.registers);
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        read.values.lane[j] = j < lanes.last ? program(lanes.at(j)) : program.op.none();
      }
    }
    return {{read, program.op.data}, program.programs};
  }

 private:
  /// Whether what the index reads is the same in all lanes.
  template <class Lanes>
  __device__ __forceinline__ static bool are_alike(const Lanes& lanes) {
    constexpr std::uint64_t reads = weft::detail::uses_of<Index>;
    bool alike = true;
#pragma unroll
    for (int k = 1; k < 64; ++k) {
      if ((reads >> k & 1U) != 0) alike = alike && lanes.stride(k) == 0;
    }
    return alike;
  }
};
template <class Op, class... Ps, int V>
  requires(Known<Ps, V>::any || ...)
struct Known<Apply<Op, Ps...>, V> {
  static constexpr bool any = true;
  using type = Apply<Op, typename Known<Ps, V>::type...>;
  template <class Lanes>
  __device__ __forceinline__ static type of(const Apply<Op, Ps...>& program, const Lanes& lanes) {
    return of(program, lanes, std::index_sequence_for<Ps...>{});
  }

 private:
  template <class Lanes, std::size_t... K>
  __device__ __forceinline__ static type of(const Apply<Op, Ps...>& program, const Lanes& lanes,
                                            std::index_sequence<K...>) {
    return {program.op, pack_of(typename Known<Ps, V>::type(Known<Ps, V>::of(
                            weft::get<static_cast<int>(K)>(program.programs), lanes))...)};
  }
};
/// A gradient computation runs a program: `forward()` returns it, and `with(q)` is the same for
/// program q.
template <class Program, int V>
  requires(Known<typename Program::forward_program, V>::any)
struct Known<Program, V> {
  static constexpr bool any = true;
  using Forward = Known<typename Program::forward_program, V>;
  using type =
      decltype(std::declval<const Program&>().with(std::declval<const typename Forward::type&>()));
  template <class Lanes>
  __device__ __forceinline__ static type of(const Program& program, const Lanes& lanes) {
    return program.with(Forward::of(program.forward(), lanes));
  }
};

/// A thread's lanes: its registers, how far apart each operand's elements are, and how many there
/// are.
template <class R, class Strides>
struct KnownLanes {
  const R& registers;
  const Strides& strides;
  int last;

  __device__ __forceinline__ Lane<R> at(int j) const { return {registers, j}; }
  /// Of operand I, as programs number them.
  __device__ __forceinline__ int stride(int i) const { return strides(i); }
};

}  // namespace weft::on_cuda::detail

#endif
