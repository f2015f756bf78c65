// The arithmetic of var and std: moments that lose no digits to a large mean.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/functions.hpp"
#include "weft/ops/elementwise/domain.hpp"
#include "weft/ops/reduce/rule.hpp"

namespace weft::reducer {

/// Mean and sum of squared distances from it (Welford 1962; merged as in Chan et al. 1983).
template <class C>
struct Moments {
  C count{};
  C mean{};
  C m2{};
};

/// part / all of two counts, to two units in the last place.
template <class C>
WEFT_HD C share_of(C part, C all) {
#if defined(__CUDA_ARCH__)
  if constexpr (std::is_same_v<C, float>) return __fdividef(part, all);
#endif
  return part / all;
}

struct var {
  using domain = op::Floating;
  static constexpr const char* text = "var";
  static constexpr bool has_identity = true;
  long long correction = 1;
  template <class T>
  using result = T;
  template <class C>
  using State = Moments<C>;
  template <class S, class C>
  WEFT_HD static void add(S& s, C x, long long) {
    s.count += C(1);
    const C delta = x - s.mean;
    s.mean += delta / s.count;
    s.m2 += delta * (x - s.mean);
  }
  /// Distances from the first value, then from the mean, so that large means cost no digits.
  template <int, class S, class C, int N>
  WEFT_HD static void add_all(S& s, const C (&x)[N], long long, long long) {
    C sum{};
    for (int i = 1; i < N; ++i) sum += x[i] - x[0];
    S later{C(N), x[0] + sum * (C(1) / C(N)), C(0)};
    for (int i = 0; i < N; ++i) later.m2 += (x[i] - later.mean) * (x[i] - later.mean);
    merge(s, later);
  }
  /// The same of the first n of them; of the first Edge, only those from `begin` to `end` - 1,
  /// where begin is 0 or end is Edge.
  template <int Edge = 0, class S, class C, int N>
  WEFT_HD static void add_first(S& s, const C (&x)[N], int n, int begin = 0, int end = Edge) {
    if (n == 0) return;
    const C one = Edge > 0 && begin > 0 ? x[Edge - 1] : x[0];
    C sum{};
    for_first<Edge, N>(n, begin, end, [&](int i) { sum += x[i] - one; });
    const C count(n - begin - (Edge - end));
    S later{count, one + share_of(sum, count), C(0)};
    for_first<Edge, N>(n, begin, end, [&](int i) {
      const C distance = x[i] - later.mean;
      later.m2 += distance * distance;
    });
    merge(s, later);
  }
  template <class S>
  WEFT_HD static void merge(S& s, S later) {
    if (later.count == 0) return;
    if (s.count == 0) {  // delta * delta below may overflow
      s = later;
      return;
    }
    const auto count = s.count + later.count;
    const auto delta = later.mean - s.mean;
    const auto share = share_of(later.count, count);
    s.mean += delta * share;
    s.m2 += later.m2 + delta * delta * s.count * share;
    s.count = count;
  }
  /// See MergesAmongThreads; the first thread must have elements if any has.
  template <class S, class Threads>
  WEFT_HD static void merge_among(S& s, const Threads& threads) {
    using C = decltype(s.m2);
    const bool empty = s.count == C(0);
    const C near = threads.first(s.mean);
    const C count = threads.sum(s.count);
    const C further = threads.sum(empty ? C(0) : s.count * (s.mean - near));
    const C mean = count == C(0) ? C(0) : near + share_of(further, count);
    const C distance = s.mean - mean;
    s = {count, mean, threads.sum(empty ? C(0) : s.m2 + s.count * (distance * distance))};
  }
  template <class S>
  WEFT_HD auto finish(S s, long long count) const {
    using C = decltype(s.m2);
    const long long divisor = count - correction;
    return s.m2 / static_cast<C>(divisor > 0 ? divisor : 0);
  }
};

struct stddev : var {
  static constexpr const char* text = "std";
  template <class S>
  WEFT_HD auto finish(S s, long long count) const {
    return math::sqrt(var::finish(s, count));
  }
};

WEFT_MODEL(ReductionRule<var>&& ReductionRule<stddev>);

}  // namespace weft::reducer
