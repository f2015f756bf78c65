// Pack<Ts...>, an aggregate of values for kernels (std::tuple in device code needs an nvcc flag).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/config.hpp"

namespace weft {

/// A sequence of values, the first in `head`, the others in `tail`; trivially copyable if they are.
template <class... Ts>
struct Pack {};

template <class Head, class... Tail>
struct Pack<Head, Tail...> {
  Head head;
  Pack<Tail...> tail;
};

/// For expressions: each is made in place by Maker{}(x). (g++ 12 first zeroes an aggregate with
/// such members, which takes a good part of a small statement's time.)
template <class Head, class... Tail>
  requires(Head::is_expression)
struct Pack<Head, Tail...> {
  Pack() = default;
  constexpr Pack(Head first, Pack<Tail...> others)
      : head(static_cast<Head&&>(first)), tail(static_cast<Pack<Tail...>&&>(others)) {}
  template <class Maker, class X, class... Xs>
    requires(Maker::makes_operands && sizeof...(Xs) == sizeof...(Tail))
  constexpr Pack(Maker make, X&& x, Xs&&... xs)
      : head(make(static_cast<X&&>(x))), tail(make, static_cast<Xs&&>(xs)...) {}
  template <class Maker, class X>
    requires(Maker::makes_operands && sizeof...(Tail) == 0)
  constexpr Pack(Maker make, X&& x) : head(make(static_cast<X&&>(x))) {}
  Pack(const Pack&) = default;
  Pack(Pack&&) = default;
  Pack& operator=(const Pack&) = default;
  Pack& operator=(Pack&&) = default;
  // Inlined: a function for each statement's operands is larger than the few calls in it.
  WEFT_ALWAYS_INLINE constexpr ~Pack() = default;

  Head head;
  Pack<Tail...> tail;
};

/// The I-th value of a pack. Four steps in each call: kernels get values so often that their calls
/// would be a tenth of what nvcc compiles.
template <int I, class P>
WEFT_HD WEFT_INLINE constexpr auto& get(P& pack) {
  if constexpr (I == 0) {
    return pack.head;
  } else if constexpr (I == 1) {
    return pack.tail.head;
  } else if constexpr (I == 2) {
    return pack.tail.tail.head;
  } else if constexpr (I == 3) {
    return pack.tail.tail.tail.head;
  } else {
    return get<I - 4>(pack.tail.tail.tail.tail);
  }
}

constexpr Pack<> make_pack() { return {}; }

/// A pack of the given values.
template <class Head, class... Tail>
constexpr Pack<Head, Tail...> make_pack(Head head, Tail... tail) {
  return {static_cast<Head&&>(head), make_pack(static_cast<Tail&&>(tail)...)};
}

/// make_pack for values that kernels can copy, in a kernel too.
WEFT_HD WEFT_INLINE constexpr Pack<> pack_of() { return {}; }
template <class Head, class... Tail>
WEFT_HD WEFT_INLINE constexpr Pack<Head, Tail...> pack_of(const Head& head, const Tail&... tail) {
  return {head, pack_of(tail...)};
}

}  // namespace weft
