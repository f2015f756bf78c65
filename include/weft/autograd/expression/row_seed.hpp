// Where sweeps along rows begin: gradients of reductions and of the elements that they join.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/reduction.hpp"
#include "weft/eval/rows/rows.hpp"

namespace weft::autograd {

/// The gradient of a reduction's value: number Position of the sums that reduction Group made.
template <int First, int Group, int Position>
struct SummedGradient {
  static constexpr std::uint64_t reads = std::uint64_t{1} << (First + Group);
  template <class Inputs>
  WEFT_HD WEFT_INLINE auto operator()(const Inputs& inputs) const {
    return inputs.template get<First + Group>().values[Position];
  }
};
/// The same where the expression has one value a row: what a sweep gives for operand I.
template <int I, std::uint64_t Ports, class P, class Seed>
struct SweptGradient {
  static constexpr std::uint64_t reads = reverse_reads<Ports, P> | Seed::reads;
  Sweep<Ports, P, Seed> sweep;
  template <class Inputs>
  WEFT_HD WEFT_INLINE auto operator()(const Inputs& inputs) const {
    const auto gradients = sweep(inputs);
    return get<detail::port_number<Ports, I>>(gradients);
  }
};

/// A gradient of a reduction's value that has been computed.
template <class C>
struct KnownGradient : Constant<C> {
  static constexpr std::uint64_t reads = 0;
};

/// The expression's own gradient.
template <int I>
struct RowUpstream : Upstream<I> {
  static constexpr std::uint64_t reads = std::uint64_t{1} << I;
};

/// Whether a reduction's derivative reads the element.
template <class R>
inline constexpr bool reads_element = true;
template <>
inline constexpr bool reads_element<reducer::sum> = false;
template <>
inline constexpr bool reads_element<reducer::mean> = false;

/// The gradient of the elements that a reduction by R joins, whose value is operand Y and what else
/// its derivative needs operand Extra; `Of` gives that of its value.
template <class R, class Of, class Elements, int Y, int Extra>
struct ElementGradient {
  static constexpr std::uint64_t reads =
      Of::reads | (reads_element<R> ? weft::detail::uses_of<Elements> : 0) |
      (Derivative<R>::reads_value ? std::uint64_t{1} << Y : 0) |
      (Extra >= 0 ? std::uint64_t{1} << (Extra < 0 ? 0 : Extra) : 0);
  R reducer;
  Of of;
  long long n;
  template <class Inputs, class C>
  WEFT_HD WEFT_INLINE C operator()(const Inputs& inputs, C x) const {
    C extra{};
    C y = x;
    if constexpr (Extra >= 0) extra = inputs.template get<Extra>();
    if constexpr (Derivative<R>::reads_value) y = inputs.template get<Y>();
    return of(inputs) * Derivative<R>::of(reducer, x, y, extra, C{}, n);
  }

  /// The same with the gradient of the reduction's value computed, where that reads reductions
  /// only, from operand First on: it is one number for the row.
  template <int First, class Row>
  WEFT_HD WEFT_INLINE auto along(const Row& row) const {
    if constexpr ((Of::reads & ((std::uint64_t{1} << First) - 1)) == 0) {
      const auto known = of(row);
      using Known = KnownGradient<std::remove_const_t<decltype(known)>>;
      return ElementGradient<R, Known, Elements, Y, Extra>{reducer, Known{{known}}, n};
    } else {
      return *this;
    }
  }
};

/// A sweep with what is one number for the row computed.
template <int First, std::uint64_t Ports, class P, class Seed, class Row>
WEFT_HD WEFT_INLINE auto swept_along(const Sweep<Ports, P, Seed>& sweep, const Row& row) {
  if constexpr (requires { sweep.seed.template along<First>(row); }) {
    const auto seed = sweep.seed.template along<First>(row);
    return Sweep<Ports, P, std::remove_const_t<decltype(seed)>>{sweep.program, seed};
  } else {
    return sweep;
  }
}

}  // namespace weft::autograd
