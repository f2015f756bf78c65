// The part of a row program that its reductions and outputs share, computed once before them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/rows/reuse.hpp"

namespace weft::detail {

/// The first part of P that has the pattern of this number.
template <std::uint64_t Number, class P>
WEFT_HD WEFT_INLINE const auto& part_of(const P& program);
template <std::uint64_t Number, class Head, class... Tail>
WEFT_HD WEFT_INLINE const auto& part_among(const Pack<Head, Tail...>& programs) {
  if constexpr (has_part<Head, Number>) {
    return part_of<Number>(programs.head);
  } else {
    return part_among<Number>(programs.tail);
  }
}
template <std::uint64_t Number, class P>
WEFT_HD WEFT_INLINE const auto& part_of(const P& program) {
  if constexpr (is_part<P, Number>) {
    return program;
  } else {
    return part_among<Number>(program.programs);
  }
}

/// The part of a row program worth computing before its reductions: one that reads no reduction,
/// has several operands or costly operations, and occurs several times. `Acts`: one that gathers,
/// too.
template <class Program, bool Acts = false>
struct KeptPart;
template <class... Rs, class... Ps, bool Acts>
struct KeptPart<RowProgram<Pack<Rs...>, Pack<Ps...>>, Acts> {
  using Program = RowProgram<Pack<Rs...>, Pack<Ps...>>;
  /// Of several operands, or with operations that cost more than reading the operand again.
  static constexpr int least_weight = 7;
  /// Its pattern's number; 0: there is none.
  static constexpr std::uint64_t number = [] {
    constexpr int in_reductions = (CollectPatterns<decltype(Rs::program)>::count + ... + 0);
    constexpr int all = in_reductions + (CollectPatterns<Ps>::count + ... + 0);
    PatternNode nodes[all + 1];
    int n = 0;
    (CollectPatterns<decltype(Rs::program)>::run(nodes, n, -1), ...);
    (CollectPatterns<Ps>::run(nodes, n, -1), ...);
    std::uint64_t best = 0;
    int most = 0;
    for (int i = 0; i < in_reductions; ++i) {
      const PatternNode& node = nodes[i];
      if (!node.may_be_kept && !(Acts && node.acts)) continue;
      if (node.reads_reductions || node.weight < least_weight) continue;
      int times = 0;
      for (int j = 0; j < n; ++j) times += nodes[j].number == node.number;
      const int gain = node.weight * (times - 1);
      if (gain > most) {
        most = gain;
        best = node.number;
      }
    }
    return best;
  }();

  static constexpr bool possible = number != 0;
  /// The first reduction that contains it.
  static constexpr int first = [] {
    int i = 0;
    static_cast<void>(((has_part<decltype(Rs::program), number> || (++i, false)) || ...));
    return i;
  }();
  /// The part itself, as that reduction reads it.
  WEFT_HD WEFT_INLINE static const auto& of(const Program& program) {
    return part_of<number>(weft::get<first>(program.reductions).program);
  }
  /// The program with the part replaced by its value.
  template <template <class> class Leaf = Kept>
  WEFT_HD WEFT_INLINE static auto without(const Program& program) {
    return replaced<Leaf>(program, std::make_index_sequence<sizeof...(Rs)>{},
                          std::make_index_sequence<sizeof...(Ps)>{});
  }
  /// Whether all parts of the pattern that a task computes have one value; see SameValue. `Row`
  /// also says whether the task computes reduction R: computes(R).
  template <class Row>
  static bool same(const void* opaque, const Row& row) {
    const auto& program = *static_cast<const Program*>(opaque);
    const SameValue<Row> same(row);
    return row.computes(first) && same_in<0>(same, row, of(program), program.reductions) &&
           has_same_parts<number>(same, of(program), program.outputs);
  }

 private:
  template <template <class> class Leaf, class R, class P, class Value>
  WEFT_HD WEFT_INLINE static auto replaced(const RowReduction<R, P, Value>& r) {
    auto program = with_leaf<Leaf, number>(r.program);
    return RowReduction<R, decltype(program), Value>{r.reducer, program};
  }
  template <template <class> class Leaf, std::size_t... I, std::size_t... K>
  WEFT_HD WEFT_INLINE static auto replaced(const Program& program, std::index_sequence<I...>,
                                           std::index_sequence<K...>) {
    auto reductions =
        pack_of(replaced<Leaf>(weft::get<static_cast<int>(I)>(program.reductions))...);
    auto outputs =
        pack_of(with_leaf<Leaf, number>(weft::get<static_cast<int>(K)>(program.outputs))...);
    return RowProgram<decltype(reductions), decltype(outputs)>{reductions, outputs};
  }
  template <int I, class Same, class Row, class Part, class... Reductions>
  static bool same_in(const Same& same, const Row& row, const Part& part,
                      const Pack<Reductions...>& all) {
    if constexpr (sizeof...(Reductions) == 0) {
      return true;
    } else {
      return (!row.computes(I) || has_same_parts<number>(same, part, all.head.program)) &&
             same_in<I + 1>(same, row, part, all.tail);
    }
  }
};

}  // namespace weft::detail
