// Operands read at computed places: a thread loads adjacent lanes together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/registers.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

/// Lanes of a thread, of so many at most: few where it finds elements one by one, since these
/// divide the planes of more images.
template <class Program>
constexpr int placed_lanes(int lanes) {
  return has_places<Program> && lanes > 4 ? 4 : lanes;
}

/// Evaluates a program at lanes first <= j < last, node by node. One load moves a thread's lanes
/// where they are adjacent in an operand too: where the first and the last are as far apart, unless
/// they belong to several rows.
template <int V, class R>
struct PlacedLanes {
  const R& registers;
  int first;
  int last;

  template <class P>
  __device__ __forceinline__ LaneValues<typename P::type, V> operator()(const P& program) const {
    if constexpr (has_places<P>) {
      return node(program);
    } else {
      LaneValues<typename P::type, V> out{};
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (!has_effects<P> || contains(j)) out.lane[j] = program(Lane<R, false>{registers, j});
      }
      return out;
    }
  }
  /// The same as elements of type Out.
  template <class Out, class P>
  __device__ __forceinline__ Vector<Out, V> stored(const P& program) const {
    const auto values = (*this)(program);
    Vector<Out, V> out;
#pragma unroll
    for (int j = 0; j < V; ++j) out.lane[j] = store_element<Out>(values.lane[j]);
    return out;
  }

 private:
  __device__ __forceinline__ bool contains(int j) const { return j >= first && j < last; }

  template <class Op, class Offsets, class Positions>
    requires requires { requires Op::finds_places; }
  __device__ __forceinline__ auto node(const Apply<Op, Offsets, Positions>& program) const {
    const auto offset = [&](int j) {
      return get<0>(program.programs)(Lane<R, false>{registers, j});
    };
    const auto position = [&](int j) {
      return get<1>(program.programs)(Lane<R, false>{registers, j});
    };
    if (!program.op.narrow) return read<long long, false>(program.op, offset, position);
    if constexpr (requires { Op::places::has_modes; }) {
      if (!program.op.constants) return read<unsigned, false>(program.op, offset, position);
    }
    return read<unsigned, true>(program.op, offset, position);
  }
  /// The elements, whose offsets are numbers of type I: where they are is found axis by axis, so
  /// that what is known of an axis is read once.
  template <class I, bool Constants, class Op, class Offset, class Position>
  __device__ __forceinline__ auto read(const Op& op, const Offset& offset,
                                       const Position& position) const {
    using T = std::remove_cvref_t<decltype(*op.data)>;
    using Signed = std::make_signed_t<I>;
    I at[V];
    unsigned found = ~0U;
#pragma unroll
    for (int j = 0; j < V; ++j) at[j] = static_cast<I>(offset(j));
#pragma unroll 1
    for (int a = 0; a < op.count; ++a) {
      const auto axis = op.axes[a];
      const auto mode = Op::template mode_of<Constants>(axis);
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const auto bits = static_cast<int>(static_cast<I>(position(j)) >> axis.shift);
        int u = (bits & axis.mask) - axis.before;
        if (!Op::places::find(u, axis.size, axis.divisor, mode)) found &= ~(1U << j);
        at[j] += static_cast<I>(u) * static_cast<I>(axis.stride);
      }
    }
    LaneValues<compute_t<T>, V> out{};
    constexpr unsigned all = ~0U >> (32 - V);
    const T* const p = op.data + static_cast<Signed>(at[0]);
    if (V > 1 && (found & ~registers.row_starts & all) == all && first == 0 && last == V &&
        at[V - 1] - at[0] == V - 1 &&
        reinterpret_cast<unsigned long long>(p) % (sizeof(T) * V) == 0) {
      const auto row = *reinterpret_cast<const Vector<T, V>*>(p);
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = load_element(row.lane[j]);
      return out;
    }
#pragma unroll
    for (int j = 0; j < V; ++j) {
      out.lane[j] = op.fill;
      if (contains(j) && (found >> j & 1U) != 0) {
        out.lane[j] = load_element(op.data[static_cast<Signed>(at[j])]);
      }
    }
    return out;
  }
  template <class Op, class... Ps>
  __device__ __forceinline__ auto node(const Apply<Op, Ps...>& program) const {
    return apply(program, std::make_index_sequence<sizeof...(Ps)>{});
  }
  template <class Op, class... Ps, std::size_t... K>
  __device__ __forceinline__ auto apply(const Apply<Op, Ps...>& program,
                                        std::index_sequence<K...>) const {
    return combine<typename Apply<Op, Ps...>::type>(
        program.op, (*this)(get<static_cast<int>(K)>(program.programs))...);
  }
  template <class T, class Op, class... Vs>
  __device__ __forceinline__ LaneValues<T, V> combine(const Op& op, const Vs&... values) const {
    LaneValues<T, V> out{};
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (!has_own_effects<Op> || contains(j)) out.lane[j] = op.value(values.lane[j]...);
    }
    return out;
  }
  template <class Op>
  static constexpr bool has_own_effects = requires {
    requires Op::has_effects;
  };
};

}  // namespace weft::on_cuda

#endif
