// A kernel for element-wise statements whose equal parts are known to have one value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/shared.hpp"

namespace weft::on_cuda::detail {

/// What a kernel may assume once the host has verified it: that each of these parts has one value
/// wherever it occurs. It then loads each distinct operand once, all at the start, without
/// branches, so that sharing pays for cheap parts too.
template <class Program>
using ElementAssumed = ElementSharedFrom<Program, 7>;
/// Whether that kernel is worth its compile time: a part has several operands or is expensive, and
/// it is not just a pair as in (x + y) * (z + b), which is seldom one value.
template <class Outputs>
inline constexpr bool is_worth_assuming = false;
template <class... Ps>
inline constexpr bool is_worth_assuming<Pack<Ps...>> = [] {
  weft::detail::PatternNode nodes[(weft::detail::CollectPatterns<Ps>::count + ... + 1)];
  int n = 0;
  (weft::detail::CollectPatterns<Ps>::run(nodes, n, -1), ...);
  for (int i = 0; i < n; ++i) {
    const weft::detail::PatternNode& x = nodes[i];
    if (!x.may_be_kept || x.weight < 7 || (x.weight < 12 && x.operands < 2)) continue;
    int times = 0;
    int beside = 0;
    for (int j = 0; j < n; ++j) {
      if (nodes[j].number != x.number) continue;
      ++times;
      beside += nodes[j].parent == x.parent;
    }
    if (times > 2 || (times == 2 && beside == 1)) return true;
  }
  return false;
}();
template <class Program>
inline constexpr bool assumes_parts = [] {
  if constexpr (ElementAssumed<Program>::table.count > 0) {
    return is_worth_assuming<typename ElementPatterns<Program>::Outputs>;
  }
  return false;
}();

/// The operands that are then read, as bits; `done` are the parts already computed.
template <class Shared, class P>
struct Needed {
  static constexpr void run(bool*, std::uint64_t& needed) { needed |= weft::detail::uses_of<P>; }
};
template <class Shared, class Op, class... Ps>
  requires(weft::detail::has_shared<Shared, Apply<Op, Ps...>>)
struct Needed<Shared, Apply<Op, Ps...>> {
  static constexpr void run(bool* done, std::uint64_t& needed) {
    constexpr int k = weft::detail::shared_pattern<Shared, Apply<Op, Ps...>>;
    if constexpr (k >= 0) {
      if (done[k]) return;
    }
    (Needed<Shared, Ps>::run(done, needed), ...);
    if constexpr (k >= 0) done[k] = true;
  }
};
template <class Shared, class Programs>
inline constexpr std::uint64_t needed_operands = 0;
template <class Shared, class... Ps>
inline constexpr std::uint64_t needed_operands<Shared, Pack<Ps...>> = [] {
  bool done[3] = {};
  std::uint64_t needed = 0;
  (Needed<Shared, Ps>::run(done, needed), ...);
  return needed;
}();

/// The number of operands and targets of a statement for which ElementAssumed holds.
template <class Out, class Program>
inline constexpr int distinct_operands =
    __builtin_popcountll(
        needed_operands<ElementAssumed<Program>, typename ElementPatterns<Program>::Outputs>) +
    weft::detail::target_count<Out>;

/// Whether the parts of ElementAssumed have one value each.
template <class Program>
bool has_assumed_parts(const void* opaque, const Operand* operands, int before, int rank) {
  const auto& program = *static_cast<const Program*>(opaque);
  const FirstOperand first{operands, before, rank};
  weft::detail::ShareValues<ElementAssumed<Program>, FirstOperand> sharing(first);
  if constexpr (requires { program.programs; }) {
    sharing.run(program);
  } else {
    sharing.run_all(program);
  }
  return sharing.is_single();
}

#if defined(__CUDACC__)

/// The values of programs at V elements where ElementAssumed holds; lane(j) is read at element j.
template <class Shared, class LaneOf, int V>
struct AssumedValues {
  const LaneOf& lane;
  float kept[Shared::table.count][V];
  bool done[Shared::table.count] = {};  // known to the compiler

  template <class P>
  __device__ __forceinline__ void run(const P& program, typename P::type (&out)[V]) {
    constexpr int k = shared_pattern<Shared, P>;
    if constexpr (!has_shared<Shared, P>) {
#pragma unroll
      for (int j = 0; j < V; ++j) out[j] = program(lane(j));
    } else {
      if constexpr (k >= 0) {
        if (!done[k]) {
          run_parts<V>(*this, program, program.programs, V, kept[k]);
          done[k] = true;
        }
#pragma unroll
        for (int j = 0; j < V; ++j) out[j] = kept[k][j];
      } else {
        run_parts<V>(*this, program, program.programs, V, out);
      }
    }
  }
};

template <class Out, int V, class Values, class P>
__device__ __forceinline__ Vector<Out, V> compute_assumed(Values& values, const P& program) {
  typename P::type x[V];
  values.run(program, x);
  Vector<Out, V> out;
#pragma unroll
  for (int j = 0; j < V; ++j) out.lane[j] = store_element<Out>(x[j]);
  return out;
}
template <int V, class Values>
__device__ __forceinline__ Pack<> compute_each_assumed(weft::detail::TypeList<>, Values&,
                                                       const Pack<>&) {
  return {};
}
template <int V, class Out, class... Outs, class Values, class P, class... Ps>
__device__ __forceinline__ Pack<Vector<Out, V>, Vector<Outs, V>...> compute_each_assumed(
    weft::detail::TypeList<Out, Outs...>, Values& values, const Pack<P, Ps...>& programs) {
  const auto first = compute_assumed<Out, V>(values, programs.head);
  return {first, compute_each_assumed<V>(weft::detail::TypeList<Outs...>{}, values, programs.tail)};
}

/// compute_all where ElementAssumed holds; load is compute_parts'.
template <class Out, class Types, int V, class Program, class Load>
__device__ __forceinline__ auto compute_assumed_parts(const Program& program, const Load& load) {
  using Shared = ElementAssumed<Program>;
  using R = Registers<Types, V>;
  R registers;
  registers.template load_each<needed_operands<Shared, typename ElementPatterns<Program>::Outputs>>(
      load);
  const auto lane = [&](int j) { return Lane<R>{registers, j}; };
  AssumedValues<Shared, decltype(lane), V> values{lane};
  if constexpr (1 < weft::detail::target_count<Out>) {
    return compute_each_assumed<V>(Out{}, values, program);
  } else {
    return compute_assumed<Out, V>(values, program);
  }
}

#endif

}  // namespace weft::on_cuda::detail
