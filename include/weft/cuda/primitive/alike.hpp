// A program's values at several lanes: parts of what is alike in all are computed once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/vector.hpp"
#include "weft/eval/program/weight.hpp"

namespace weft::on_cuda::detail {

using weft::detail::program_weight;
using weft::detail::uses_of;

/// Whether a program reads one operand and takes more than a few instructions, so that lanes which
/// are alike in it should share its value.
template <class P>
inline constexpr bool is_costly_part = __builtin_popcountll(uses_of<P>) == 1 && program_weight<P> >=
                                                                                    8;

/// Whether there is such a part beside other operands.
template <class P>
inline constexpr bool has_costly_part = false;
template <class Op, class... Ps>
inline constexpr bool has_costly_part<Apply<Op, Ps...>> =
    !has_effects<Apply<Op, Ps...>> && __builtin_popcountll(uses_of<Apply<Op, Ps...>>) > 1 &&
    sizeof...(Ps) <= 3 && ((is_costly_part<Ps> || has_costly_part<Ps>) || ...);

#if defined(__CUDACC__)

/// The values of a program at V lanes, whose inputs are lane(j); `most`: see ends_at.
template <int V, class P, class LaneOf>
__device__ __forceinline__ void run_each(const P& program, const LaneOf& lane, int most,
                                         typename P::type (&out)[V]) {
#pragma unroll
  for (int j = 0; j < V; ++j) {
    if (ends_at<V>(j, most)) break;
    out[j] = program(lane(j));
  }
}
/// The same for a part of a program, computed once if its operand is alike in all lanes: bit i of
/// `alike` says so of operand i. Returns false, and does nothing, if it is not.
template <int V, class P, class LaneOf>
__device__ __forceinline__ bool run_once(const P& program, const LaneOf& lane, std::uint64_t alike,
                                         typename P::type (&out)[V]) {
  if constexpr (V > 1 && is_costly_part<P>) {
    if ((uses_of<P> & ~alike) == 0) {
      const auto value = program(lane(0));
#pragma unroll
      for (int j = 0; j < V; ++j) out[j] = value;
      return true;
    }
  }
  return false;
}

/// The same for a whole program, of which parts may be computed once.
template <int V, class P, class LaneOf>
__device__ __forceinline__ void run_lanes(const P& program, const LaneOf& lane, std::uint64_t alike,
                                          int most, typename P::type (&out)[V]);

template <int V, class P, class LaneOf>
__device__ __forceinline__ auto lanes_of_part(const P& part, const LaneOf& lane,
                                              std::uint64_t alike, int most) {
  LaneValues<typename P::type, V> x;
  if (!run_once<V>(part, lane, alike, x.lane)) run_lanes<V>(part, lane, alike, most, x.lane);
  return x;
}
template <int V, class P, class LaneOf, std::size_t... I>
__device__ __forceinline__ void run_lane_parts(const P& program, const LaneOf& lane,
                                               std::uint64_t alike, int most,
                                               typename P::type (&out)[V],
                                               std::index_sequence<I...>) {
  const auto parts = pack_of(
      lanes_of_part<V>(weft::get<static_cast<int>(I)>(program.programs), lane, alike, most)...);
#pragma unroll
  for (int j = 0; j < V; ++j) {
    if (ends_at<V>(j, most)) break;
    out[j] = program.op.value(weft::get<static_cast<int>(I)>(parts).lane[j]...);
  }
}
template <int V, class LaneOf, class Op, class... Ps>
__device__ __forceinline__ void run_lane_parts(const Apply<Op, Ps...>& program, const LaneOf& lane,
                                               std::uint64_t alike, int most,
                                               typename Apply<Op, Ps...>::type (&out)[V]) {
  run_lane_parts<V>(program, lane, alike, most, out, std::make_index_sequence<sizeof...(Ps)>{});
}
template <int V, class P, class LaneOf>
__device__ __forceinline__ void run_lanes(const P& program, const LaneOf& lane, std::uint64_t alike,
                                          int most, typename P::type (&out)[V]) {
  if constexpr (V > 1 && has_costly_part<P>) {
    run_lane_parts<V>(program, lane, alike, most, out);
  } else {
    run_each<V>(program, lane, most, out);
  }
}

#endif

}  // namespace weft::on_cuda::detail
