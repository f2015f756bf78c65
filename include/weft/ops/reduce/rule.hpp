// ReductionRule: the concept of a reduction's arithmetic.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "weft/core/dtype.hpp"

namespace weft {

/// Each reducer R has, for an operand of element type T (computed in C = compute_t<T>):
///   R::result<T>                      the result's element type
///   R::State<C>                       trivially copyable; value-initialised it holds no element
///   add(State&, C value, index)       a value joins; index is its position in the reduced axes
///   merge(State&, State later)        later holds only values of higher positions, or of any
///   finish(State, count)              the result, in compute_t<result<T>>
/// and where several values at once are cheaper than one after the other:
///   add_all<V>(State&, const C (&x)[N], index, step)   x[u * V + j] joins at index + u * step + j
template <class R, class T = float>
concept ReductionRule = requires(const R& reducer, typename R::template State<compute_t<T>>& state,
                                 compute_t<T> value) {
  { R::text } -> std::convertible_to<const char*>;
  typename R::domain;
  reducer.add(state, value, 0LL);
  reducer.merge(state, state);
  { reducer.finish(state, 1LL) } -> std::convertible_to<compute_t<typename R::template result<T>>>;
};

/// A reducer with `static constexpr bool joins_results = true`: reducing results of equal parts, as
/// values in compute_t<T>, gives the result of the whole.
template <class R>
concept JoinsResults = requires {
  requires R::joins_results;
};
/// A reducer with `takes_position = true`: its result tells where an element lies.
template <class R>
concept TakesPosition = requires {
  requires R::takes_position;
};

namespace detail {
/// A single thread, for MergesAmongThreads.
struct OneThread {
  template <class T>
  WEFT_HD T first(T x) const {
    return x;
  }
  template <class T>
  WEFT_HD T sum(T x) const {
    return x;
  }
  template <class T>
  WEFT_HD T largest(T x) const {
    return x;
  }
};
}  // namespace detail

/// A reducer that makes the states of several threads one, the same in each of them, from the first
/// thread's value, the sum and the largest of all threads' values, for fewer instructions than
/// merges of two at a time.
template <class R, class State>
concept MergesAmongThreads = requires(State& state) {
  R::merge_among(state, detail::OneThread{});
};

namespace reducer {
/// Calls f(i) for the first n of N elements; of the first Edge, only for those from `begin` to
/// `end` - 1. With an Edge, n is a multiple of it, and each Edge elements take one test.
template <int Edge, int N, class F>
WEFT_HD void for_first(int n, int begin, int end, const F& f) {
  if constexpr (Edge == 0) {
    for (int i = 0; i < N; ++i) {
      if (i < n) f(i);
    }
  } else {
    for (int i = 0; i < N && i < n; i += Edge) {
      const bool whole = i > 0 || end - begin >= Edge;
      for (int j = 0; j < Edge; ++j) {
        if (whole || (j >= begin && j < end)) f(i + j);
      }
    }
  }
}
}  // namespace reducer

}  // namespace weft
