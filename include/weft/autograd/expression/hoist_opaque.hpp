// Parts of an expression that are recorded separately and keep their values: products and scans.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/without_vars.hpp"
#include "weft/eval/opaque.hpp"

namespace weft::autograd {

/// How an expression of type E is unpacked: each node that contains a Var and is not computed
/// together with its surroundings becomes a Var, which saves the backward pass from computing it
/// again.
///   using type = ...;  static constexpr bool changes;
///   static type of(const E& e);
template <class E>
struct HoistOpaque {
  static constexpr bool changes = false;
  using type = E;
  static const E& of(const E& e) { return e; }
};

template <class E>
using hoist_opaque_t = typename HoistOpaque<E>::type;

/// The expression with those nodes replaced.
template <class E>
decltype(auto) hoist_opaque(const E& e) {
  return HoistOpaque<E>::of(e);
}

template <OpaqueNode E>
  requires has_var<E>
struct HoistOpaque<E> {
  static constexpr bool changes = true;
  using type = typename weft::detail::Evaluated<E>::type;
  static type of(const E& e) { return type(e); }
};

template <class T, class Op, class... Args>
  requires(HoistOpaque<Args>::changes || ...)
struct HoistOpaque<Map<T, Op, Args...>> {
  static constexpr bool changes = true;
  using type = Map<T, Op, hoist_opaque_t<Args>...>;
  static type of(const Map<T, Op, Args...>& e) {
    return weft::detail::with_operands<type>(
        e, []<class X>(const X& x) -> decltype(auto) { return HoistOpaque<X>::of(x); });
  }
};

template <class R, class E>
requires HoistOpaque<E>::changes struct HoistOpaque<Reduce<R, E>> {
  static constexpr bool changes = true;
  using type = Reduce<R, hoist_opaque_t<E>>;
  static type of(const Reduce<R, E>& e) {
    return type(e.reducer(), hoist_opaque_t<E>(hoist_opaque(e.operand())), e.axes());
  }
};

template <class K, class E, class I>
requires HoistOpaque<E>::changes struct HoistOpaque<Gather<K, E, I>> {
  static constexpr bool changes = true;
  using type = Gather<K, hoist_opaque_t<E>, I>;
  static type of(const Gather<K, E, I>& e) {
    return type(hoist_opaque_t<E>(hoist_opaque(e.operand())), I(e.indices()), e.axis());
  }
};

/// The same for a whole statement, whose outermost node is recorded here.
template <class E>
struct HoistInside : HoistOpaque<E> {};
template <OpaqueNode E>
struct HoistInside<E> {
  static constexpr bool changes = false;
  using type = E;
  static const E& of(const E& e) { return e; }
};

}  // namespace weft::autograd
