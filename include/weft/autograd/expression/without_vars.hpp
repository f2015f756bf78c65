// without_vars(e): an expression with each Var replaced by its values, as it is evaluated.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/tape/variable.hpp"
#include "weft/ops/elementwise/map.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/order/scan.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft::autograd {

using weft::detail::has_var;
using weft::detail::is_var;
using weft::detail::var_count;

/// How the Vars of an expression of type E are replaced; specialised for each kind of node:
///   using type = ...;
///   static type of(const E& e);
template <class E>
struct WithoutVars {
  static_assert(!has_var<E>, "weft: this operation has no gradient: write x.detach()");
  using type = E;
  static const E& of(const E& e) { return e; }
};

/// The type of an expression without its Vars.
template <class E>
using without_vars_t = typename WithoutVars<E>::type;

/// An expression with each Var replaced by its values.
template <class E>
decltype(auto) without_vars(const E& e) {
  return WithoutVars<E>::of(e);
}

template <class T, class D>
struct WithoutVars<Var<T, D>> {
  using type = Tensor<T, D>;
  static type of(const Var<T, D>& x) { return weft::detail::Access::operand(x.value()); }
};

template <class T, class Op, class... Args>
  requires(has_var<Args> || ...)
struct WithoutVars<Map<T, Op, Args...>> {
  using type = Map<T, Op, without_vars_t<Args>...>;
  static type of(const Map<T, Op, Args...>& e) {
    return weft::detail::with_operands<type>(
        e, []<class X>(const X& x) -> decltype(auto) { return WithoutVars<X>::of(x); });
  }
};

template <class R, class E>
  requires has_var<E>
struct WithoutVars<Reduce<R, E>> {
  using type = Reduce<R, without_vars_t<E>>;
  static type of(const Reduce<R, E>& e) {
    return type(e.reducer(), without_vars_t<E>(without_vars(e.operand())), e.axes());
  }
};

template <class K, class E, class I>
  requires has_var<E>
struct WithoutVars<Gather<K, E, I>> {
  using type = Gather<K, without_vars_t<E>, I>;
  static type of(const Gather<K, E, I>& e) {
    return type(without_vars_t<E>(without_vars(e.operand())), I(e.indices()), e.axis());
  }
};

template <class S, class E>
  requires has_var<E>
struct WithoutVars<Scan<S, E>> {
  using type = Scan<S, without_vars_t<E>>;
  static type of(const Scan<S, E>& e) {
    return type(without_vars_t<E>(without_vars(e.args().head)), e.axis(), e.repeats());
  }
};

/// f(variable, index) for each Var in an expression, from left to right.
template <int First = 0, class F>
void for_each_var(const Pack<>&, const F&) {}
template <int First = 0, class Head, class... Tail, class F>
void for_each_var(const Pack<Head, Tail...>& args, const F& f);
template <int First = 0, Expression E, class F>
void for_each_var(const E& e, const F& f) {
  if constexpr (is_var<E>) {
    f(e, First);
  } else if constexpr (has_var<E>) {
    if constexpr (requires { e.args(); }) {
      for_each_var<First>(e.args(), f);
    } else {
      for_each_var<First>(e.operand(), f);
    }
  }
}
template <int First, class Head, class... Tail, class F>
void for_each_var(const Pack<Head, Tail...>& args, const F& f) {
  for_each_var<First>(args.head, f);
  for_each_var<First + var_count<Head>>(args.tail, f);
}

}  // namespace weft::autograd
