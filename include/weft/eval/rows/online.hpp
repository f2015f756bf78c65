// Which pass over a row each reduction belongs to, and those that another would have to precede.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "weft/eval/rows/program.hpp"
#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/elementwise/unary.hpp"

namespace weft::detail {

/// A reduction as one pass over a row computes it: `Reducer`'s state over `program(reduction)`, and
/// the value that it has once the reductions are known that `anchors` names.
template <class Reduction>
struct RowPass {
  using Reducer = std::remove_cvref_t<decltype(std::declval<const Reduction&>().reducer)>;
  using Program = std::remove_cvref_t<decltype(std::declval<const Reduction&>().program)>;
  using State = typename Reduction::state;
  static constexpr std::uint32_t anchors = 0;
  WEFT_HD static const Reducer& reducer(const Reduction& r) { return r.reducer; }
  WEFT_HD static const Program& program(const Reduction& r) { return r.program; }
  template <class Values>
  WEFT_HD static auto finish(const Reduction& r, const State& s, long long count, const Values&) {
    return r.reducer.finish(s, count);
  }
};

/// The sum of exp(x - m) with a reduction m, mostly the largest x: the exponentials' sum relative
/// to the largest x so far, then brought to m. So it needs no pass after m's.
template <class Exp, class P, int M, class T, class Value>
  requires(std::is_base_of_v<op::exp, Exp>&& std::is_floating_point_v<T>&&
               std::is_same_v<typename P::type, T>)
struct RowPass<RowReduction<reducer::sum, Apply<Exp, Apply<op::sub, P, Reduced<M, T>>>, Value>> {
  using Reduction = RowReduction<reducer::sum, Apply<Exp, Apply<op::sub, P, Reduced<M, T>>>, Value>;
  using Reducer = weft::reducer::logsumexp;
  using Program = P;
  using State = typename Reducer::template State<T>;
  static constexpr std::uint32_t anchors = std::uint32_t{1} << M;
  WEFT_HD static Reducer reducer(const Reduction&) { return {}; }
  WEFT_HD static const P& program(const Reduction& r) {
    return weft::get<0>(weft::get<0>(r.program.programs).programs);
  }
  template <class Values>
  WEFT_HD static T finish(const Reduction&, const State& s, long long, const Values& values) {
    const T m = weft::get<M>(values);
    return s.max == m && m - m == T(0) ? s.sum : s.sum * math::exp(s.max - m);
  }
};

/// The sum or mean of (x - m)^2 with a reduction m, mostly the mean: the squared distances from the
/// x's own mean (Welford), then brought to m.
template <class R, class P, int M, class T, class Value>
  requires((std::is_same_v<R, reducer::sum> ||
            std::is_same_v<R, reducer::mean>)&&std::is_floating_point_v<T>&&
               std::is_same_v<typename P::type, T>)
struct RowPass<RowReduction<R, Apply<op::square, Apply<op::sub, P, Reduced<M, T>>>, Value>> {
  using Reduction = RowReduction<R, Apply<op::square, Apply<op::sub, P, Reduced<M, T>>>, Value>;
  using Reducer = weft::reducer::var;
  using Program = P;
  using State = typename Reducer::template State<T>;
  static constexpr std::uint32_t anchors = std::uint32_t{1} << M;
  WEFT_HD static Reducer reducer(const Reduction&) { return {}; }
  WEFT_HD static const P& program(const Reduction& r) {
    return weft::get<0>(weft::get<0>(r.program.programs).programs);
  }
  template <class Values>
  WEFT_HD static T finish(const Reduction&, const State& s, long long count, const Values& values) {
    const T away = s.mean - weft::get<M>(values);
    const T all = s.count == T(0) ? T(0) : s.m2 + s.count * away * away;
    return std::is_same_v<R, reducer::mean> ? all / static_cast<T>(count) : all;
  }
};

/// The passes of a row program: reductions of one level are computed together, those of the next
/// need values of it.
template <class Program>
struct RowLevels;
template <class... Rs, class Outputs>
struct RowLevels<RowProgram<Pack<Rs...>, Outputs>> {
  static constexpr int reductions = sizeof...(Rs);
  struct Levels {
    signed char of[reductions] = {};
    int count = 0;
  };
  static constexpr Levels levels = [] {
    constexpr std::uint32_t needs[] = {reductions_of<typename RowPass<Rs>::Program>...};
    constexpr std::uint32_t anchors[] = {RowPass<Rs>::anchors...};
    Levels out;
    for (int r = 0; r < reductions; ++r) {
      int level = 0;
      for (int q = 0; q < r; ++q) {
        const int at = out.of[q] + ((needs[r] >> q & 1U) != 0 ? 1 : 0);
        if (((needs[r] | anchors[r]) >> q & 1U) != 0 && at > level) level = at;
      }
      out.of[r] = static_cast<signed char>(level);
      if (level + 1 > out.count) out.count = level + 1;
    }
    return out;
  }();
};

/// Whether a reduction's states can be merged among rows: not where it tells where an element lies,
/// nor where a value of the row belongs to it.
template <class Reduction>
inline constexpr bool merges_rows = RowPass<Reduction>::anchors == 0;
template <class R, class P, class T>
  requires TakesPosition<R>
inline constexpr bool merges_rows<RowReduction<R, P, T>> = false;

/// Whether its values in several rows can be reduced once more.
template <class Reduction>
inline constexpr bool joins_rows = false;
template <class R, class P, std::floating_point T>
  requires JoinsResults<R>
inline constexpr bool joins_rows<RowReduction<R, P, T>> =
    std::is_same_v<typename P::type, T> && merges_rows<RowReduction<R, P, T>>;

/// Bit r: so it is of reduction r of a row program.
template <class Program>
struct RowMerges;
template <class... Rs, class Outputs>
struct RowMerges<RowProgram<Pack<Rs...>, Outputs>> {
  static constexpr std::uint32_t mask(std::initializer_list<bool> flags) {
    std::uint32_t out = 0;
    std::uint32_t bit = 1;
    for (const bool flag : flags) {
      if (flag) out |= bit;
      bit *= 2;
    }
    return out;
  }
  static constexpr std::uint32_t bits = mask({merges_rows<Rs>...});
  static constexpr std::uint32_t joins = mask({joins_rows<Rs>...});
};

}  // namespace weft::detail
