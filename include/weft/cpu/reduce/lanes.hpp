// Reducing a run of values: in lanes that vectorise, and faster ways for some reducers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/vector.hpp"

namespace weft::cpu {

using std::int64_t;

namespace detail {

/// Merges states of equal weight pairwise as they come, so that rounding grows with the logarithm
/// of their number; up to N reductions side by side.
template <class R, class S, int N, int Levels = 40>
class Tree {
 public:
  explicit Tree(const R& reducer) : reducer_(reducer) {}
  /// Takes a state for each of the first m reductions, and leaves them changed.
  WEFT_ALWAYS_INLINE void push(S* states, int m) {
    int level = 0;
    for (; (filled_ >> level & 1U) != 0; ++level) merge_into(states, level, m);  // < 2^Levels
    for (int i = 0; i < m; ++i) levels[level][i] = states[i];
    ++filled_;
  }
  /// Merges all states into `out`, which holds no elements.
  WEFT_ALWAYS_INLINE void total(S* out, int m) const {
    for (int level = 0; filled_ >> level != 0; ++level) {
      if ((filled_ >> level & 1U) != 0) merge_into(out, level, m);
    }
  }
  const R& reducer() const { return reducer_; }

 private:
  WEFT_ALWAYS_INLINE void merge_into(S* later, int level, int m) const {
    for (int i = 0; i < m; ++i) {
      S earlier = levels[level][i];
      reducer_.merge(earlier, later[i]);
      later[i] = earlier;
    }
  }

  const R& reducer_;
  union {
    S levels[Levels][N];  // not initialised: a level is read only after it was filled
  };
  unsigned long long filled_ = 0;
};

/// Lanes of a run: fixed, so that a result's bits depend on neither threads nor vectors.
inline constexpr int lanes = 64;

/// Merges the states of all lanes into the first.
template <int Width, class S, class Merge>
WEFT_INLINE void halve(S* state, const Merge& merge) {
  for (int lane = 0; lane < Width; ++lane) merge(state[lane], state[lane + Width]);
  if constexpr (Width > 1) halve<Width / 2>(state, merge);
}

/// add(state, i) for all i < m, in lanes that begin as `empty`, merged; of a few, in one lane.
template <class S, class Add, class Merge>
WEFT_INLINE S in_lanes(int m, S empty, const Add& add, const Merge& merge) {
  if (m < lanes / 2) {
    S one = empty;
    for (int i = 0; i < m; ++i) add(one, i);
    return one;
  }
  S state[lanes];
  for (int lane = 0; lane < lanes; ++lane) state[lane] = empty;
  int i = 0;
  for (; i + lanes <= m; i += lanes) {
    for (int lane = 0; lane < lanes; ++lane) add(state[lane], i + lane);
  }
  const int rest = m - i;
  for (int lane = 0; lane < rest; ++lane) add(state[lane], i + lane);
  halve<lanes / 2>(state, merge);
  return state[0];
}

/// The position of the first of m values that equals x, with NaN equal to NaN; there is one.
template <class C>
WEFT_INLINE int find(const C* values, int m, C x) {
  const auto is_it = [=](C v) WEFT_ALWAYS_INLINE { return v == x || (v != v && x != x); };
  constexpr int block = 64;
  int i = 0;
  for (; i + block <= m; i += block) {
    unsigned found = 0;
    for (int k = 0; k < block; ++k) {
      found |= static_cast<unsigned>((values[i + k] == x) |
                                     ((values[i + k] != values[i + k]) & (x != x)));
    }
    if (found != 0) break;
  }
  while (i + 1 < m && !is_it(values[i])) ++i;
  return i;
}

/// How many of m bools are true: side by side in 32 bytes, for as long as a byte holds the count.
WEFT_INLINE int64_t count_true(const bool* values, int m) {
  typedef unsigned char Bytes __attribute__((vector_size(32)));
  constexpr int size = static_cast<int>(sizeof(Bytes));
  constexpr std::uint64_t even = 0x00FF00FF00FF00FF;
  int64_t count = 0;
  int i = 0;
  while (m - i >= size) {
    const int end = m - i < 255 * size ? i + ((m - i) & -size) : i + 255 * size;
    Bytes found{};
    for (; i < end; i += size) {
      Bytes some;
      __builtin_memcpy(&some, values + i, sizeof(Bytes));
      found += some;
    }
    const Bytes bytes = found;  // a copy, so that the vector itself stays in a register
    std::uint64_t words[4];
    __builtin_memcpy(words, &bytes, sizeof(Bytes));
    for (const std::uint64_t word : words) {
      const std::uint64_t pairs = (word & even) + (word >> 8 & even);
      count += static_cast<int64_t>(pairs * 0x0001000100010001 >> 48);
    }
  }
  for (; i < m; ++i) count += values[i] ? 1 : 0;
  return count;
}
/// Whether R's reduction of values of type C is count_true.
template <class R, class C>
inline constexpr bool counts_true = std::is_same_v<C, bool> &&
                                    (std::is_same_v<R, reducer::sum> ||
                                     std::is_same_v<R, reducer::count_nonzero>);

/// The sum of f(x) over the values x; f takes numbers, and vectors of them.
template <class C, class F>
WEFT_INLINE C lane_sum(const C* values, int m, const F& f) {
  return join_run<Join<reducer::sum>>(values, m, C{}, f);
}
}  // namespace detail

/// The reduction by R of values of type C that come in runs, from low positions to high ones.
template <class R, class C>
class Reduction {
 public:
  using State = typename R::template State<C>;
  explicit Reduction(const R& reducer) : reducer_(reducer), tree_(reducer) {}

  /// The state of m values, the first of them at `position`.
  WEFT_ALWAYS_INLINE static State part(const R& reducer, const C* values, int m, int64_t position) {
    if constexpr (detail::counts_true<R, C>) return State{detail::count_true(values, m)};
    if constexpr (std::is_same_v<C, bool> && std::is_same_v<R, reducer::any>) {
      return State{detail::count_true(values, m) != 0};
    }
    if constexpr (std::is_same_v<C, bool> && std::is_same_v<R, reducer::all>) {
      return State{detail::count_true(values, m) == m};
    }
    if constexpr (std::is_same_v<R, reducer::norm> && std::is_floating_point_v<C>) {
      return State{detail::lane_sum(values, m, [](auto& x) WEFT_ALWAYS_INLINE { x *= x; })};
    }
    if constexpr (detail::joins<R, C>) {
      using J = detail::Joined<R, C>;
      return State{static_cast<C>(detail::join_run<detail::Join<R>>(
          reinterpret_cast<const J*>(values), m, static_cast<J>(State{}.value),
          [](auto&) WEFT_ALWAYS_INLINE {}))};
    }
    return detail::in_lanes(
        m, State{},
        [&](State& s, int i) WEFT_ALWAYS_INLINE { reducer.add(s, values[i], position + i); },
        [&](State& s, const State& later) WEFT_ALWAYS_INLINE { reducer.merge(s, later); });
  }
  /// The state of a whole row.
  WEFT_ALWAYS_INLINE static State whole(const R& reducer, const C* values, int m) {
    return part(reducer, values, m, 0);
  }

  /// m values, the first of them at `position`.
  WEFT_ALWAYS_INLINE void add(const C* values, int m, int64_t position) {
    const R reducer = reducer_;
    push(part(reducer, values, m, position));
  }
  /// The state of what comes next.
  WEFT_ALWAYS_INLINE void push(State state) { tree_.push(&state, 1); }
  WEFT_ALWAYS_INLINE State total() const {
    State out{};
    tree_.total(&out, 1);
    return out;
  }

 private:
  const R& reducer_;
  detail::Tree<R, State, 1> tree_;
};

/// First the best of a run, all lanes at once; its position is looked up only if it beats the best
/// so far.
template <class R, class C>
  requires requires { typename R::extreme; }
class Reduction<R, C> {
 public:
  using State = typename R::template State<C>;
  explicit Reduction(const R&) {}

  WEFT_ALWAYS_INLINE static State whole(const R& reducer, const C* values, int m) {
    Reduction reduction(reducer);
    if (m > 0) reduction.add(values, m, 0);
    return reduction.state_;
  }

  WEFT_ALWAYS_INLINE void add(const C* values, int m, int64_t position) {
    using Extreme = typename R::extreme;
    const C best = Reduction<Extreme, C>::part(Extreme{}, values, m, 0).value;
    if (state_.index >= 0 && !R::surpasses(best, state_.value)) return;
    const int i = detail::find(values, m, best);
    state_ = {values[i], position + i};
  }
  State total() const { return state_; }

 private:
  State state_{};
};

/// A reduction whose runs are each reduced as a whole, by Self::whole, and then merged in a tree.
template <class Self, class R, class C>
class OfWholeRuns {
 public:
  using State = typename R::template State<C>;
  explicit OfWholeRuns(const R& reducer) : tree_(reducer) {}

  WEFT_ALWAYS_INLINE void add(const C* values, int m, int64_t) {
    State state = Self::whole(tree_.reducer(), values, m);
    tree_.push(&state, 1);
  }
  WEFT_ALWAYS_INLINE State total() const {
    State out{};
    tree_.total(&out, 1);
    return out;
  }

 private:
  detail::Tree<R, State, 1> tree_;
};

/// First the mean of a run, then the squared distances from it: no division per element.
template <class R, class C>
  requires std::is_floating_point_v<C> && requires(typename R::template State<C> s) { s.m2; }
class Reduction<R, C> : public OfWholeRuns<Reduction<R, C>, R, C> {
 public:
  using State = typename R::template State<C>;
  using OfWholeRuns<Reduction, R, C>::OfWholeRuns;

  WEFT_ALWAYS_INLINE static State whole(const R&, const C* values, int m) {
    if (m == 0) return State{};
    const C count = static_cast<C>(m);
    const C first = values[0];  // a large mean costs no digits
    const C mean = first + detail::lane_sum(values, m, [=](auto& x) WEFT_ALWAYS_INLINE {
                             x -= first;
                           }) / count;
    return {count, mean, detail::lane_sum(values, m, [=](auto& x) WEFT_ALWAYS_INLINE {
              x -= mean;
              x *= x;
            })};
  }
};

/// First the largest of a run, then the sum of the exponentials of the distances from it.
template <class C>
  requires std::is_floating_point_v<C>
class Reduction<reducer::logsumexp, C>
    : public OfWholeRuns<Reduction<reducer::logsumexp, C>, reducer::logsumexp, C> {
 public:
  using R = reducer::logsumexp;
  using State = R::State<C>;
  using OfWholeRuns<Reduction, R, C>::OfWholeRuns;

  WEFT_ALWAYS_INLINE static State whole(const R&, const C* values, int m) {
    const auto same = [](auto&) WEFT_ALWAYS_INLINE {};
    const C max =
        detail::join_run<detail::Join<reducer::extreme_value<true>>>(values, m, State{}.max, same);
    if (max == State{}.max) return State{};
    if (max - max != 0) return {max, C(1)};  // infinite or NaN
    constexpr int most = 512;
    alignas(64) C terms[most];
    C sum{};
    for (int i = 0; i < m; i += most) {
      const int n = m - i < most ? m - i : most;
      for (int k = 0; k < n; ++k) terms[k] = math::exp_of_term(values[i + k] - max);
      sum += detail::lane_sum(terms, n, same);
    }
    return {max, sum};
  }
};

}  // namespace weft::cpu
