// What a row program's reductions and outputs share, as an operand that is computed once a row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/rows/kernel.hpp"
#include "weft/eval/rows/kept.hpp"

namespace weft::cpu::detail {

/// Types with one more.
template <class Types, class T>
struct AndType;
template <class... Ts, class T>
struct AndType<weft::detail::TypeList<Ts...>, T> {
  using type = weft::detail::TypeList<Ts..., T>;
};

/// What is shared, in a form of the program in which it is one more operand. Something that costs
/// no more than arithmetic is faster computed again; what is gathered is not.
template <class Outs, class Types, class Program, bool Possible>
struct SharingOf {
  static constexpr bool possible = false;
};
template <class Outs, class Types, class Program>
struct SharingOf<Outs, Types, Program, true> {
  using Found = weft::detail::KeptPart<Program, true>;
  using Part = std::remove_cvref_t<decltype(Found::of(std::declval<const Program&>()))>;
  static constexpr int leaf = weft::detail::count(Outs{}) + weft::detail::count(Types{});
  template <class T>
  using Leaf = Arg<leaf, T>;
  static constexpr bool possible =
      0 < fetched_bytes<Part> || (reads_all_operands<Part> && has_functions<Part, true>);
  static constexpr int bytes = sizeof(typename Part::type);

  using Less = decltype(Found::template without<Leaf>(std::declval<const Program&>()));
  static Less without(const Program& program) { return Found::template without<Leaf>(program); }
  using Kernel = RowFunctionTable<Outs, typename AndType<Types, typename Part::type>::type, Less>;
};
template <class Outs, class Types, class Program>
using Sharing =
    SharingOf<Outs, Types, Program,
              weft::detail::KeptPart<Program, true>::possible && weft::detail::count(Types{}) < 48>;

}  // namespace weft::cpu::detail
