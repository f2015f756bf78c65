// The arithmetic of reductions: a state, how values are added, how states merge, and the result.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "weft/core/math/functions.hpp"
#include "weft/ops/elementwise/domain.hpp"
#include "weft/ops/reduce/extremum.hpp"
#include "weft/ops/reduce/moments.hpp"
#include "weft/ops/reduce/rule.hpp"
#include "weft/ops/reduce/sums.hpp"
#include "weft/ops/reduce/table.hpp"

// clang-format off
//             name  domain   result      an element      identity  two of them      derivative
WEFT_REDUCTION(prod, Any,     widened<T>, x,              1,        math::mul(a, b), none)
WEFT_REDUCTION(any,  Any,     bool,       x != C(0),      false,    a || b,          none)
WEFT_REDUCTION(all,  Any,     bool,       x != C(0),      true,     a && b,          none)
// clang-format on

namespace weft::reducer {

struct sum {
  using domain = op::Any;
  static constexpr const char* text = "sum";
  static constexpr bool joins_results = true;
  static constexpr bool has_identity = true;
  template <class T>
  using result = widened<T>;
  template <class C>
  using State = SumOf<widened<C>>;
  template <class S, class C>
  WEFT_HD static void add(S& s, C x, long long) {
    s.value = math::add(s.value, static_cast<decltype(s.value)>(x));
  }
  template <int, class S, class C, int N>
  WEFT_HD static void add_all(S& s, const C (&x)[N], long long, long long) {
    merge(s, S{sum_of<decltype(s.value)>(x)});
  }
  template <class S>
  WEFT_HD static void merge(S& s, S later) {
    s.value = math::add(s.value, later.value);
  }
  template <class S>
  WEFT_HD auto finish(S s, long long count) const {
    return finished_sum(s.value, count);
  }
  template <class C>
  WEFT_HD static C derivative(C, long long) {
    return C(1);
  }
};

/// The sum divided by the number of elements; integers give double.
struct mean {
  using domain = op::Numeric;
  static constexpr const char* text = "mean";
  static constexpr bool joins_results = true;
  static constexpr bool has_identity = true;
  template <class T>
  using result = mean_of<T>;
  template <class C>
  using State = SumOf<mean_of<C>>;
  template <class S, class C>
  WEFT_HD static void add(S& s, C x, long long) {
    s.value = s.value + static_cast<decltype(s.value)>(x);
  }
  template <int, class S, class C, int N>
  WEFT_HD static void add_all(S& s, const C (&x)[N], long long, long long) {
    merge(s, S{sum_of<decltype(s.value)>(x)});
  }
  template <class S>
  WEFT_HD static void merge(S& s, S later) {
    s.value = s.value + later.value;
  }
  template <class S>
  WEFT_HD auto finish(S s, long long count) const {
    return s.value / static_cast<real_t<decltype(s.value)>>(count);
  }
  template <class C>
  WEFT_HD static C derivative(C, long long n) {
    return C(1) / static_cast<C>(n);
  }
};

struct count_nonzero {
  using domain = op::Any;
  static constexpr const char* text = "count_nonzero";
  static constexpr bool has_identity = true;
  template <class T>
  using result = std::int64_t;
  template <class C>
  using State = Sum<std::int64_t>;
  template <class S, class C>
  WEFT_HD static void add(S& s, C x, long long) {
    s.value += x != C(0) ? 1 : 0;
  }
  template <int, class S, class C, int N>
  WEFT_HD static void add_all(S& s, const C (&x)[N], long long, long long) {
    int some = 0;
    for (int i = 0; i < N; ++i) some += x[i] != C(0) ? 1 : 0;
    s.value += some;
  }
  template <class S>
  WEFT_HD static void merge(S& s, S later) {
    s.value += later.value;
  }
  template <class S>
  WEFT_HD std::int64_t finish(S s, long long) const {
    return s.value;
  }
};

/// The square root of the sum of the absolute values' squares.
struct norm {
  using domain = op::FloatingOrComplex;
  static constexpr const char* text = "norm";
  static constexpr bool joins_results = true;
  static constexpr bool has_identity = true;
  template <class T>
  using result = real_t<T>;
  template <class C>
  using State = Sum<real_t<C>>;
  template <class S, class C>
  WEFT_HD static void add(S& s, C x, long long) {
    const auto size = math::abs(x);
    s.value += size * size;
  }
  template <int, class S, class C, int N>
  WEFT_HD static void add_all(S& s, const C (&x)[N], long long, long long) {
    real_t<C> squares[N];
    for (int i = 0; i < N; ++i) squares[i] = math::abs(x[i]) * math::abs(x[i]);
    merge(s, S{sum_of<real_t<C>>(squares)});
  }
  template <class S>
  WEFT_HD static void merge(S& s, S later) {
    s.value += later.value;
  }
  template <class S>
  WEFT_HD auto finish(S s, long long) const {
    return math::sqrt(s.value);
  }
};

/// The p-norm of the elements' absolute values; infinity gives the largest.
struct norm_p {
  using domain = op::FloatingOrComplex;
  static constexpr const char* text = "norm_p";
  static constexpr bool has_identity = true;
  double p = 2;
  template <class T>
  using result = real_t<T>;
  template <class C>
  using State = Sum<real_t<C>>;
  template <class S, class C>
  WEFT_HD void add(S& s, C x, long long) const {
    const auto size = math::abs(x);
    s.value = p > largest() ? math::maximum(s.value, size)
                            : s.value + (p == 2 ? size * size : power(size));
  }
  template <class S>
  WEFT_HD void merge(S& s, S later) const {
    s.value = p > largest() ? math::maximum(s.value, later.value) : s.value + later.value;
  }
  template <class S>
  WEFT_HD auto finish(S s, long long) const {
    using R = decltype(s.value);
    if (p == 2) return math::sqrt(s.value);
    return p > largest() || p == 1 ? s.value : math::pow(s.value, static_cast<R>(1 / p));
  }

 private:
  WEFT_HD static constexpr double largest() { return 1.7976931348623157e308; }
  template <class R>
  WEFT_HD R power(R size) const {
    return p == 1 ? size : math::pow(size, static_cast<R>(p));
  }
};

/// log(sum(exp(x))), with the largest element subtracted first.
struct logsumexp {
  using domain = op::Floating;
  static constexpr const char* text = "logsumexp";
  static constexpr bool joins_results = true;
  static constexpr bool has_identity = true;
  template <class T>
  using result = T;
  template <class C>
  struct State {
    C max = -math::infinity<C>;
    C sum{};
  };
  template <class S, class C>
  WEFT_HD static void add(S& s, C x, long long) {
    merge(s, S{x, C(1)});
  }
  template <int, class S, class C, int N>
  WEFT_HD static void add_all(S& s, const C (&x)[N], long long, long long) {
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<C, float>) return merge(s, state_of<S>(x));
#endif
    C max = x[0];
    for (int i = 1; i < N; ++i) max = max < x[i] ? x[i] : max;
    if (max - max == C(0)) {
      C sum{};
      for (int i = 0; i < N; ++i) sum += math::exp_of_term(x[i] - max);
      merge(s, S{max, sum});
    } else {  // infinite or NaN
      for (int i = 0; i < N; ++i) add(s, x[i], 0);
    }
  }
  /// The first n of them; of the first Edge only [begin, end), where begin is 0 or end is Edge.
  template <int Edge = 0, class S, class C, int N>
  WEFT_HD static void add_first(S& s, const C (&x)[N], int n, int begin = 0, int end = Edge) {
    if (n == 0) return;
#if defined(__CUDA_ARCH__)
    if constexpr (std::is_same_v<C, float>) {
      if constexpr (N >= 16) {
        if (n <= N / 2) return merge(s, state_of_first<Edge, N / 2, S>(x, n, begin, end));
      }
      return merge(s, state_of_first<Edge, N, S>(x, n, begin, end));
    }
#endif
    C max = Edge > 0 && begin > 0 ? x[Edge - 1] : x[0];
    for_first<Edge, N>(n, begin, end, [&](int i) { max = max < x[i] ? x[i] : max; });
    S later{max, C(1)};
    if (max - max == C(0)) {
      later.sum = C(0);
      for_first<Edge, N>(n, begin, end, [&](int i) { later.sum += math::exp_of_term(x[i] - max); });
    } else {  // infinite or NaN
      for_first<Edge, N>(n, begin, end, [&](int i) {
        if (x[i] != x[i]) later = S{x[i], x[i]};
      });
    }
    merge(s, later);
  }
  template <class S>
  WEFT_HD static void merge(S& s, S later) {
    if (s.max != s.max) return;
    if (later.max <= s.max) {
      if (later.max != -math::infinity<decltype(s.max)>)
        s.sum += later.sum * scale(later.max, s.max);
    } else {
      s.sum = later.sum +
              (s.max != -math::infinity<decltype(s.max)> ? s.sum * scale(s.max, later.max) : 0);
      s.max = later.max;
    }
  }
  /// See MergesAmongThreads.
  template <class S, class Threads>
  requires std::is_floating_point_v<decltype(S::max)> WEFT_HD static void merge_among(
      S& s, const Threads& threads) {
    const auto max = threads.largest(s.max);
    const auto sum = threads.sum(s.sum * scale(s.max, max));
    s = {sum != sum ? sum : max, sum};
  }
  template <class S>
  WEFT_HD auto finish(S s, long long) const {
    return s.max == -math::infinity<decltype(s.max)> ? s.max : s.max + math::log(s.sum);
  }

 private:
  /// The state of N values in a GPU's registers. A few that are not numbers make the sum NaN.
  template <class S, class C, int N>
  WEFT_HD static S state_of(const C (&x)[N]) {
    C max = x[0];
    for (int i = 1; i < N; ++i) max = std::fmax(max, x[i]);
    C sum{};
    if (max - max == C(0)) {
      for (int i = 0; i < N; ++i) sum += math::exp_of_term(x[i] - max);
    } else {  // infinite, or all NaN
      for (int i = 0; i < N; ++i) sum += x[i] != x[i] ? x[i] : C(x[i] == max && max > C(0));
      if (sum != sum) max = sum;
    }
    return {max, sum};
  }
  /// The same of the first M of x; exp(x) of those that add_first() would leave out counts as 0.
  template <int Edge, int M, class S, class C, int N>
  WEFT_HD static S state_of_first(const C (&x)[N], int n, int begin, int end) {
    C present[M];
    for (int i = 0; i < M; ++i) present[i] = -math::infinity<C>;
    for_first<Edge, M>(n, begin, end, [&](int i) { present[i] = x[i]; });
    return state_of<S>(present);
  }
  template <class C>
  WEFT_HD static C scale(C from, C to) {
    if constexpr (is_dual<C>) {  // equal values may move apart
      if (from == to) return {1, from.tangent - to.tangent};
    }
    return from == to ? C(1) : math::exp_of_term(from - to);
  }
};

WEFT_MODEL(ReductionRule<sum>&& ReductionRule<prod>&& ReductionRule<mean>);
WEFT_MODEL(ReductionRule<any, bool>&& ReductionRule<all, bool>);
WEFT_MODEL(ReductionRule<count_nonzero>&& ReductionRule<norm>&& ReductionRule<logsumexp>);

}  // namespace weft::reducer
