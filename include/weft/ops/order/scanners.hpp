// The scans' arithmetic: the state that values are joined in, and how it is carried along a scan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/functions.hpp"
#include "weft/ops/elementwise/domain.hpp"
#include "weft/ops/reduce/reducers.hpp"

/// Each scanner S has, for an operand of element type T (computed in C = compute_t<T>):
///   S::result<T>             the result's element type
///   S::State<C>              what elements are joined in; S::enter(C) is that of one element
///   S::identity<State>()     joins with any state to that state
///   S::join(State, later)    the two one after the other
///   S::finish(State)         the result, in compute_t<result<T>>
///   S::Carry<C>              what the states before a stretch of elements are joined in: State<C>,
///                            or double for sums of floats
namespace weft {
template <class S, class T = float>
concept ScanRule = requires(compute_t<T> value, typename S::template State<compute_t<T>> state) {
  { S::text } -> std::convertible_to<const char*>;
  typename S::domain;
  typename S::template result<T>;
  typename S::template Carry<compute_t<T>>;
  { S::enter(value) } -> std::convertible_to<decltype(state)>;
  { S::join(state, state) } -> std::convertible_to<decltype(state)>;
  S::finish(state);
};
}  // namespace weft

namespace weft::scanner {

/// A double as two floats whose sum it is, so that adding a float to it rounds about once.
struct SplitDouble {
  float high;
  float low;
  SplitDouble() = default;
  WEFT_HD explicit SplitDouble(double x) : high(static_cast<float>(x)), low(-0.0F) {
    if (high - high == 0 && x != high) low = static_cast<float>(x - high);
  }
};

/// A carry in the form in which it is joined with many states.
template <class State, class Carry>
WEFT_HD auto prefix_of(Carry carry) {
  if constexpr (std::is_same_v<State, Carry>) {
    return carry;
  } else {
    return SplitDouble(carry);
  }
}
/// The state that follows a prefix.
template <class S, class State>
WEFT_HD State after(State prefix, State state) {
  return S::join(prefix, state);
}
template <class S>
WEFT_HD float after(SplitDouble prefix, float state) {
  return prefix.high + (prefix.low + state);
}

/// Floats are carried in double: a running sum of millions stays as exact as its elements.
struct cumsum {
  using domain = op::Any;
  static constexpr const char* text = "cumsum";
  template <class T>
  using result = reducer::widened<T>;
  template <class C>
  using State = reducer::widened<C>;
  template <class C>
  using Carry = std::conditional_t<std::is_same_v<C, float>, double, State<C>>;
  template <class C>
  WEFT_HD static State<C> enter(C x) {
    return static_cast<State<C>>(x);
  }
  template <class S>
  WEFT_HD static constexpr S identity() {
    if constexpr (is_integer<S>) {
      return 0;
    } else {
      return -S(0);  // -0 + x is x, also for -0
    }
  }
  template <class S>
  WEFT_HD static S join(S a, S b) {
    return math::add(a, b);
  }
  template <class S>
  WEFT_HD static S finish(S state) {
    return state;
  }
};

struct cumprod {
  using domain = op::Any;
  static constexpr const char* text = "cumprod";
  template <class T>
  using result = reducer::widened<T>;
  template <class C>
  using State = reducer::widened<C>;
  template <class C>
  using Carry = State<C>;
  template <class C>
  WEFT_HD static State<C> enter(C x) {
    return static_cast<State<C>>(x);
  }
  template <class S>
  WEFT_HD static constexpr S identity() {
    return S(1);
  }
  template <class S>
  WEFT_HD static S join(S a, S b) {
    return math::mul(a, b);
  }
  template <class S>
  WEFT_HD static S finish(S state) {
    return state;
  }
};

/// The largest or smallest so far; NaN from the first one on.
template <bool Max>
struct running_extremum {
  using domain = op::Ordered;
  static constexpr const char* text = Max ? "cummax" : "cummin";
  template <class T>
  using result = T;
  template <class C>
  using State = C;
  template <class C>
  using Carry = C;
  template <class C>
  WEFT_HD static C enter(C x) {
    return x;
  }
  template <class S>
  WEFT_HD static constexpr S identity() {
    if constexpr (is_floating<S>) {
      return Max ? -math::infinity<S> : math::infinity<S>;
    } else {
      return Max ? math::lowest<S> : math::highest<S>;
    }
  }
  template <class S>
  WEFT_HD static S join(S a, S b) {
    if constexpr (is_bool<S>) {
      return Max ? a || b : a && b;
    } else {
      return Max ? math::maximum(a, b) : math::minimum(a, b);
    }
  }
  template <class S>
  WEFT_HD static S finish(S state) {
    return state;
  }
};
struct cummax : running_extremum<true> {};
struct cummin : running_extremum<false> {};

struct logcumsumexp {
  using domain = op::Floating;
  static constexpr const char* text = "logcumsumexp";
  /// States are sums relative to a maximum: those with one maximum are joined by an addition.
  static constexpr bool is_relative = true;
  template <class T>
  using result = T;
  template <class C>
  using State = reducer::logsumexp::State<C>;
  template <class C>
  using Carry = State<C>;
  template <class C>
  WEFT_HD static State<C> enter(C x) {
    return {x, C(1)};
  }
  template <class S>
  WEFT_HD static constexpr S identity() {
    return {};
  }
  template <class S>
  WEFT_HD static S join(S a, S b) {
    reducer::logsumexp::merge(a, b);
    return a;
  }
  /// Joins all elements, whose order does not matter, to a state.
  template <class S, class C, int N>
  WEFT_HD static void join_all(S& state, const C (&x)[N]) {
    reducer::logsumexp::add_first(state, x, N);
  }
  template <class S>
  WEFT_HD static auto finish(S state) {
    return reducer::logsumexp{}.finish(state, 0);
  }
};

static_assert(ScanRule<cumsum> && ScanRule<cumprod> && ScanRule<logcumsumexp>);
static_assert(ScanRule<cummax> && ScanRule<cummin>);

}  // namespace weft::scanner
