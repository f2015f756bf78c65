// Functions of what does not vary along a row, exp(s) of a number s say: computed once a row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/loop_contents.hpp"

namespace weft::cpu::detail {

/// What remains of a program once its functions of a single operand are numbers. There is a loop
/// for it only if that is arithmetic: for other programs it would cost compile time and gain less.
template <class P>
struct RowConstants {
  static constexpr bool possible = reads_all_operands<P>;
  static constexpr std::uint64_t functions = 0;  // a bit for each operand that they read
  static constexpr std::uint64_t beside = weft::detail::uses_of<P>;
  template <class At>
  WEFT_ALWAYS_INLINE static P with_values(const P& program, const At&) {
    return program;
  }
};
template <class Op, class... Ps>
struct RowConstants<Apply<Op, Ps...>> {
  using P = Apply<Op, Ps...>;
  static constexpr bool is_arithmetic = takes_few_instructions<Op>;
  static constexpr std::uint64_t uses = weft::detail::uses_of<P>;
  static constexpr bool is_function = !is_arithmetic && (uses & (uses - 1)) == 0 && uses != 0 &&
                                      (uses >> 62U) == 0 &&  // not Kept, nor Reused
                                      weft::detail::reductions_of<P> == 0 && reads_all_operands<P>;
  static constexpr bool possible =
      is_function || (is_arithmetic && (RowConstants<Ps>::possible && ...));
  static constexpr std::uint64_t functions =
      is_function ? uses : (RowConstants<Ps>::functions | ... | 0);
  static constexpr std::uint64_t beside = is_function ? 0 : (RowConstants<Ps>::beside | ... | 0);

  /// The program with a number in place of each function, of the operands at `at`.
  template <class At>
  WEFT_ALWAYS_INLINE static auto with_values(const P& program, const At& at) {
    if constexpr (is_function) {
      return Constant<typename P::type>{program(at)};
    } else {
      return [&]<std::size_t... I>(std::index_sequence<I...>) WEFT_ALWAYS_INLINE {
        const auto parts = make_pack(
            RowConstants<Ps>::with_values(weft::get<static_cast<int>(I)>(program.programs), at)...);
        return Apply<Op, decltype(RowConstants<Ps>::with_values(std::declval<const Ps&>(), at))...>{
            program.op, parts};
      }
      (std::index_sequence_for<Ps...>{});
    }
  }
};

/// Whether a program has functions of single operands, and beside them only arithmetic on others.
template <class P>
inline constexpr bool may_be_constant =
    RowConstants<P>::possible&& RowConstants<P>::functions != 0 && RowConstants<P>::beside != 0;

/// Whether those operands, step[i] for number i, do not vary along a row of n elements.
template <class P>
WEFT_INLINE bool is_constant(const std::int64_t* step, std::int64_t n) {
  std::int64_t any = 0;
  for (std::uint64_t left = RowConstants<P>::functions; left != 0; left &= left - 1) {
    any |= step[__builtin_ctzll(left)];
  }
  return any == 0 && n >= 8;
}

}  // namespace weft::cpu::detail
