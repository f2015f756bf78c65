// fuse and tie: several expressions that one kernel computes, into new tensors or in place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "weft/ops/elementwise.hpp"

namespace weft {

template <Expression... Es>
class Fused;

namespace detail {
template <class E, class D>
using value_on = Tensor<typename E::value_type, std::conditional_t<std::is_same_v<D, AnyDevice>, Cpu, D>>;

// Defined in eval/fuse.hpp.
template <class... Es>
auto materialize_fused(const Pack<Es...>& expressions);
template <class... Targets, class... Es>
void write_fused(const Pack<Targets...>& targets, const Pack<Es...>& expressions);

/// Whether expressions of these types can be fused.
template <class... Xs>
constexpr bool can_fuse() {
  constexpr bool expressions = (ExpressionLike<Xs> && ...);
  static_assert(expressions,
                "weft: fuse takes tensors and expressions: write full_like(x, v) for a number");
  if constexpr (expressions) {
    constexpr bool device =
        !std::is_same_v<common_device_of<std::remove_cvref_t<Xs>...>, NoDevice>;
    static_assert(device,
                  "weft: one expression is on Cpu and another on Cuda (or on another CudaAt<N>); "
                  "fuse runs on one device: write x.to(Cuda{}) or x.to(Cpu{})");
    return device;
  }
  return false;
}

/// Whether an Xs... is what tie(targets...) takes.
template <class X>
inline constexpr int fused_count = -1;
template <class... Es>
inline constexpr int fused_count<Fused<Es...>> = sizeof...(Es);

template <class X, int Targets>
constexpr bool can_tie() {
  static_assert(fused_count<X> >= 0,
                "weft: tie(x, y) takes as many expressions: write tie(x, y) = fuse(e1, e2)");
  static_assert(fused_count<X> < 0 || fused_count<X> == Targets,
                "weft: tie and fuse differ in how many they have: each tensor takes one expression");
  return fused_count<X> == Targets;
}
}  // namespace detail
