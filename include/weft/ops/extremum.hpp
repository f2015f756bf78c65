// The arithmetic of min, max, argmin and argmax: NaN wins, and among equals the first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/dtype.hpp"
#include "weft/ops/domain.hpp"

namespace weft::reducer {

/// The smallest or largest value so far and where; `index` < 0 before the first.
template <class C, class Index = long long>
struct Extremum {
  C value{};
  Index index = -1;
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

template <bool Max, bool Index>
struct extremum {
  using domain = op::Ordered;
  static constexpr const char* text = Index ? (Max ? "argmax" : "argmin") : (Max ? "max" : "min");
  static constexpr bool has_identity = false;
  template <class T>
  using result = std::conditional_t<Index, std::int64_t, T>;
  template <class C>
  using State = Extremum<C, std::conditional_t<Index, long long, int>>;
  template <class S, class C>
  WEFT_HD static void add(S& s, C x, long long i) {
    if constexpr (Index) {
      if (beats<Max>(x, i, s.value, s.index)) s = {x, i};
    } else {
      if (s.index < 0 || surpasses<Max>(x, s.value)) s = {x, 0};
    }
  }
  template <int V, class S, class C, int N>
  WEFT_HD static void add_all(S& s, const C (&x)[N], long long position, long long step) {
    C best = x[0];
    int at = 0;
    for (int i = 1; i < N; ++i) {
      const bool better = surpasses<Max>(x[i], best);
      best = better ? x[i] : best;
      at = better ? i : at;
    }
    add(s, best, position + at / V * step + at % V);
  }
  template <class S>
  WEFT_HD static void merge(S& s, S later) {
    if (beats<Max>(later.value, later.index, s.value, s.index)) s = later;
  }
  template <class S>
  WEFT_HD auto finish(S s, long long) const {
    if constexpr (Index) {
      return static_cast<std::int64_t>(s.index);
    } else {
      return s.value;
    }
  }
};
struct min : extremum<false, false> {};
struct max : extremum<true, false> {};
struct argmin : extremum<false, true> {};
struct argmax : extremum<true, true> {};

}  // namespace weft::reducer
