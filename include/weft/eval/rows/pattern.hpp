// Which parts of a row program recur, found by type: a number for each part, and what it costs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "weft/eval/program/weight.hpp"
#include "weft/eval/rows/program.hpp"

namespace weft::detail {

/// A hash of a type's name, the same throughout a translation unit. Lambdas of the same signature
/// share one: `type_tag` tells them apart at run time.
template <class T>
inline constexpr char type_tag = 0;
template <class T>
constexpr std::uint64_t type_number() {
  std::uint64_t hash = 0xCBF29CE484222325U;  // FNV-1a
  for (const char* c = __PRETTY_FUNCTION__; *c != 0; ++c) {
    hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001B3U;
  }
  return hash;
}
constexpr std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t x =
      (a ^ (b + 0x9E3779B97F4A7C15U + (a << 6U) + (a >> 2U))) * 0xFF51AFD7ED558CCDU;
  return x ^ (x >> 33U);
}

/// A hash of what a program computes, whichever operands it reads: programs that may have the same
/// value have the same number. What reads no operand is constant along a row, whatever it computes.
template <class P>
inline constexpr std::uint64_t pattern_number = mixed(1, type_number<typename P::type>());
template <int I, class T>
inline constexpr std::uint64_t pattern_number<Arg<I, T>> = mixed(2, type_number<T>());
template <class Op, class... Ps>
inline constexpr std::uint64_t pattern_number<Apply<Op, Ps...>> = [] {
  using P = Apply<Op, Ps...>;
  if (uses_of<P> == 0) return mixed(1, type_number<typename P::type>());
  std::uint64_t number = type_number<Op>();
  ((number = mixed(number, pattern_number<Ps>)), ...);
  return number;
}();

/// Whether two reductions may have the same value.
template <class A, class B>
inline constexpr bool may_be_equal = false;
template <class R, class P, class Q, class Value>
inline constexpr bool may_be_equal<RowReduction<R, P, Value>, RowReduction<R, Q, Value>> =
    pattern_number<P> == pattern_number<Q>;

/// A node of a program that may be shared.
struct PatternNode {
  std::uint64_t number = 0;
  int weight = 0;
  int parent = -1;
  bool may_be_kept = false;
  bool acts = false;  // but could be: gathers, say, which report what they do not find
  bool reads_reductions = false;
  int operands = 0;
};
/// A program's nodes of this kind: how many, and run(nodes, n, parent), which appends them.
template <class P>
struct CollectPatterns {
  static constexpr int count = 0;
  static constexpr void run(PatternNode*, int&, int) {}
};
template <class Op, class... Ps>
struct CollectPatterns<Apply<Op, Ps...>> {
  using P = Apply<Op, Ps...>;
  static constexpr int count = uses_of<P> == 0 ? 0 : 1 + (CollectPatterns<Ps>::count + ... + 0);
  static constexpr void run(PatternNode* nodes, int& n, int parent) {
    if (uses_of<P> == 0) return;
    const int me = n++;
    [[maybe_unused]] constexpr bool kept =
        std::is_same_v<typename P::type, float> && !has_effects<P> && sizeof...(Ps) <= 3;
    nodes[me] = {pattern_number<P>,
                 program_weight<P>,
                 parent,
                 kept,
                 has_effects<P> && std::is_floating_point_v<typename P::type>,
                 reductions_of<P> != 0,
                 __builtin_popcountll(uses_of<P>)};
    (CollectPatterns<Ps>::run(nodes, n, me), ...);
  }
};

/// The patterns of a row program whose values a thread keeps for their next occurrence: those that
/// recur, weigh at least LeastWeight, and are not always part of a larger one.
template <class Program, int LeastWeight>
struct SharedPatterns;
template <class... Rs, class... Ps, int LeastWeight>
struct SharedPatterns<RowProgram<Pack<Rs...>, Pack<Ps...>>, LeastWeight> {
  static constexpr int most = 3;
  struct Table {
    std::uint64_t number[most] = {};
    int count = 0;
    int slots = 1;  // how many values of each are kept
  };
  static constexpr Table table = [] {
    constexpr int all = (CollectPatterns<decltype(Rs::program)>::count + ... + 0) +
                        (CollectPatterns<Ps>::count + ... + 0);
    PatternNode nodes[all + 1];
    int n = 0;
    (CollectPatterns<decltype(Rs::program)>::run(nodes, n, -1), ...);
    (CollectPatterns<Ps>::run(nodes, n, -1), ...);
    int times[all + 1] = {};
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) times[i] += nodes[i].number == nodes[j].number;
    }
    Table out;
    while (out.count < most) {
      int best = -1;
      for (int i = 0; i < n; ++i) {
        const PatternNode& node = nodes[i];
        const bool outermost = node.parent < 0 || times[node.parent] < times[i];
        if (!node.may_be_kept || times[i] < 2 || node.weight < LeastWeight || !outermost) continue;
        bool known = false;
        for (int k = 0; k < out.count; ++k) known = known || out.number[k] == node.number;
        if (known) continue;
        const auto gain = [&](int x) { return nodes[x].weight * (times[x] - 1); };
        if (best < 0 || gain(i) > gain(best)) best = i;
      }
      if (best < 0) break;
      out.number[out.count++] = nodes[best].number;
      if (times[best] > 6) out.slots = 2;
    }
    return out;
  }();
};

/// Which of the shared patterns a program is; -1: none.
template <class Shared, class P>
inline constexpr int shared_pattern = -1;
template <class Shared, class Op, class... Ps>
inline constexpr int shared_pattern<Shared, Apply<Op, Ps...>> = [] {
  for (int k = 0; k < Shared::table.count; ++k) {
    if (pattern_number<Apply<Op, Ps...>> == Shared::table.number[k]) return k;
  }
  return -1;
}();
/// Whether a program or a part of it is one of the shared patterns.
template <class Shared, class P>
inline constexpr bool has_shared = false;
template <class Shared, class Op, class... Ps>
inline constexpr bool has_shared<Shared, Apply<Op, Ps...>> =
    sizeof...(Ps) <= 3 &&
    (shared_pattern<Shared, Apply<Op, Ps...>> >= 0 || (has_shared<Shared, Ps> || ...));

}  // namespace weft::detail
