// The arithmetic of min, max, argmin and argmax: NaN wins, and among equals the first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/dtype.hpp"
#include "weft/core/math/functions.hpp"
#include "weft/ops/elementwise/domain.hpp"
#include "weft/ops/reduce/rule.hpp"

namespace weft::reducer {

/// The smallest or largest value so far and its position; `index` < 0 before the first.
template <class C>
struct Extremum {
  C value{};
  long long index = -1;
};

/// True when a challenger at index i replaces the holder: it is better, or is the first NaN, or
/// equal (or both NaN) with a lower index.
template <bool Max, class C>
WEFT_HD bool beats(C challenger, long long i, C holder, long long at) {
  if (i < 0 || at < 0) return at < 0 && i >= 0;
  const bool nan = challenger != challenger;
  const bool held_nan = holder != holder;
  if (nan || held_nan) return nan && (!held_nan || i < at);
  if (challenger == holder) return i < at;
  return Max ? holder < challenger : challenger < holder;
}

/// The same for a challenger of a higher index.
template <bool Max, class C>
WEFT_HD bool surpasses(C challenger, C holder) {
  if constexpr (is_floating<C>) {  // a comparison with NaN is false
    return !(Max ? challenger <= holder : holder <= challenger) && holder == holder;
  } else {
    return Max ? holder < challenger : challenger < holder;
  }
}

template <bool Max>
struct extreme_value {
  using domain = op::Ordered;
  static constexpr const char* text = Max ? "max" : "min";
  static constexpr bool joins_results = true;
  static constexpr bool has_identity = false;
  template <class T>
  using result = T;
  template <class C>
  struct State {
    C value = is_floating<C> ? (Max ? -math::infinity<C> : math::infinity<C>)
                             : (Max ? math::lowest<C> : math::highest<C>);
  };
  template <class S, class C>
  WEFT_HD static void add(S& s, C x, long long) {
    s.value = Max ? math::maximum(s.value, x) : math::minimum(s.value, x);
  }
  template <int V, class S, class C, int N>
  WEFT_HD static void add_all(S& s, const C (&x)[N], long long, long long) {
    for (int i = 0; i < N; ++i) add(s, x[i], 0);
  }
  template <class S>
  WEFT_HD static void merge(S& s, S later) {
    s.value = Max ? math::maximum(s.value, later.value) : math::minimum(s.value, later.value);
  }
  template <class S>
  WEFT_HD auto finish(S s, long long) const {
    return s.value;
  }
};

template <bool Max>
struct extreme_position {
  using domain = op::Ordered;
  static constexpr const char* text = Max ? "argmax" : "argmin";
  static constexpr bool takes_position = true;
  using extreme = extreme_value<Max>;
  static constexpr bool has_identity = false;
  template <class T>
  using result = std::int64_t;
  template <class C>
  using State = Extremum<C>;
  /// Whether a challenger of a higher index replaces the holder.
  template <class C>
  WEFT_HD static bool surpasses(C challenger, C holder) {
    return reducer::surpasses<Max>(challenger, holder);
  }
  template <class S, class C>
  WEFT_HD static void add(S& s, C x, long long i) {
    if (beats<Max>(x, i, s.value, s.index)) s = {x, i};
  }
  template <int V, class S, class C, int N>
  WEFT_HD static void add_all(S& s, const C (&x)[N], long long position, long long step) {
    C best = x[0];
    int at = 0;
    for (int i = 1; i < N; ++i) {
      const bool better = surpasses(x[i], best);
      best = better ? x[i] : best;
      at = better ? i : at;
    }
    add(s, best, position + at / V * step + at % V);
  }
  /// The same of the first n, at least one, that are `step` apart.
  template <class S, class C, int N>
  WEFT_HD static void add_first_at(S& s, const C (&x)[N], int n, long long position,
                                   long long step) {
    C best = x[0];
    int at = 0;
    for (int i = 1; i < N; ++i) {
      if (i >= n) break;
      const bool better = surpasses(x[i], best);
      best = better ? x[i] : best;
      at = better ? i : at;
    }
    add(s, best, position + at * step);
  }
  template <class S>
  WEFT_HD static void merge(S& s, S later) {
    if (beats<Max>(later.value, later.index, s.value, s.index)) s = later;
  }
  template <class S>
  WEFT_HD auto finish(S s, long long) const {
    return static_cast<std::int64_t>(s.index);
  }
};

struct min : extreme_value<false> {};
struct max : extreme_value<true> {};
struct argmin : extreme_position<false> {};
struct argmax : extreme_position<true> {};

/// The reducer that gives the position of what R gives.
template <class R>
using position_of = std::conditional_t<std::is_same_v<R, max>, argmax, argmin>;

WEFT_MODEL(ReductionRule<min>&& ReductionRule<max>);
WEFT_MODEL(ReductionRule<argmin>&& ReductionRule<argmax>);

}  // namespace weft::reducer
