// Programs over the elements that a thread has of a row: gathered rows are read by vectors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/row_walk.hpp"
#include "weft/cuda/rows.hpp"

#if defined(__CUDACC__)

namespace weft::cuda::detail {

/// Evaluates a program at the elements of an item, `lane(j)` its inputs; a gather whose index is
/// the same along the row (its operands are among `constants`) looks it up once.
template <int V, class LaneAt>
struct RowElements {
  const LaneAt& lane;
  const RowItem& item;
  std::uint64_t constants;

  template <class P>
  __device__ __forceinline__ Values<typename P::type, V> operator()(const P& program) const {
    if constexpr (has_rows<P>) {
      return node(program);
    } else {
      Values<typename P::type, V> out{};
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (!has_effects<P> || j < item.n) out.lane[j] = program(lane(j));
      }
      return out;
    }
  }

 private:
  template <class T, class Offsets, class Index>
  __device__ __forceinline__ Values<compute_t<T>, V> node(
      const Apply<op::gathered<T, AlongAxis>, Offsets, Index>& program) const {
    const op::gathered<T, AlongAxis>& op = program.op;
    Values<compute_t<T>, V> out{};
    constexpr std::uint64_t index = weft::detail::uses_of<Index>;
    if constexpr (has_effects<Index>) {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (j < item.n) out.lane[j] = program(lane(j));
      }
    } else if ((index & ~constants) != 0) {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (j < item.n) out.lane[j] = program(lane(j));
      }
    } else {
      const Offsets& offsets = weft::get<0>(program.programs);
      const long long first = offsets(lane(0));
      const long long step = V > 1 ? offsets(lane(V > 1 ? 1 : 0)) - first : 1;
      long long at = first;
      if (!op.finder.find(at, weft::get<1>(program.programs)(lane(0)))) {
#pragma unroll
        for (int j = 0; j < V; ++j) out.lane[j] = op.none();
      } else if (item.n == V && step == 1 && is_aligned_vector<T, V>(op.data + at)) {
        const auto row = *reinterpret_cast<const Vector<T, V>*>(op.data + at);
#pragma unroll
        for (int j = 0; j < V; ++j) out.lane[j] = load_element(row.lane[j]);
      } else {
#pragma unroll
        for (int j = 0; j < V; ++j) {
          if (j < item.n) out.lane[j] = load_element(op.data[at + offsets(lane(j)) - first]);
        }
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
        program.op, (*this)(weft::get<static_cast<int>(K)>(program.programs))...);
  }
  template <class T, class Op, class... Vs>
  __device__ __forceinline__ Values<T, V> combine(const Op& op, const Vs&... values) const {
    Values<T, V> out;
#pragma unroll
    for (int j = 0; j < V; ++j) out.lane[j] = op.value(values.lane[j]...);
    return out;
  }
};

}  // namespace weft::cuda::detail

#endif
