// Which part of a statement too large for one kernel is evaluated before the rest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program/leaves.hpp"
#include "weft/eval/rows/pattern.hpp"
#include "weft/eval/rows/rows.hpp"

namespace weft::detail {

/// A number for an expression's type, by its structure.
template <class E>
inline constexpr std::uint64_t expression_number = type_number<E>();
template <class T, class Op, class... Args>
inline constexpr std::uint64_t expression_number<Map<T, Op, Args...>> = [] {
  std::uint64_t number = mixed(type_number<T>(), type_number<Op>());
  ((number = mixed(number, expression_number<Args>)), ...);
  return number;
}();
template <class R, class E>
inline constexpr std::uint64_t expression_number<Reduce<R, E>> = mixed(type_number<R>(),
                                                                       expression_number<E>);

/// Calls parts.add<X>() for each operation and reduction X of E, outermost first; if it returns
/// false, those inside X are skipped.
template <class E>
struct CollectParts {
  template <class Parts>
  static constexpr void run(Parts&) {}
};
template <class T, class Op, class... Args>
struct CollectParts<Map<T, Op, Args...>> {
  template <class Parts>
  static constexpr void run(Parts& parts) {
    if (parts.template add<Map<T, Op, Args...>>()) (CollectParts<Args>::run(parts), ...);
  }
};
template <class R, class E>
struct CollectParts<Reduce<R, E>> {
  template <class Parts>
  static constexpr void run(Parts& parts) {
    if (parts.template add<Reduce<R, E>>()) CollectParts<E>::run(parts);
  }
};

/// The operands and reductions' values that a kernel takes at most; a program's operands are bits.
inline constexpr int most_kernel_values = 58;
inline constexpr int most_kernel_reductions = 30;

/// The operands and reductions of an expression's kernel; with Vars, of the recorded statement's
/// backward kernel.
template <class E>
inline constexpr int kernel_values = [] {
  if constexpr (has_var<E>) {
    return var_count<E> + leaf_count<E>;
  } else {
    return count(typename RowLowering<E>::types{}) + RowLowering<E>::reductions;
  }
}();
/// Whether a row program of E is too large.
template <class E>
inline constexpr bool has_large_rows =
    kernel_values<E> > most_kernel_values || RowLowering<E>::reductions > most_kernel_reductions;

/// What one of several expressions of a kernel adds to its operands and reductions' values, and to
/// its reductions.
template <class E>
inline constexpr int values_of_output = operand_count<E>;
template <class E>
  requires has_reduction<E>
inline constexpr int values_of_output<E> = kernel_values<E>;
template <class E>
inline constexpr int reductions_of_output = 0;
template <class E>
  requires has_reduction<E>
inline constexpr int reductions_of_output<E> = RowLowering<E>::reductions;

/// The parts of a large expression, with the values that a kernel for them would take.
struct LargeParts {
  static constexpr int most = 512;
  struct Part {
    std::uint64_t number = 0;
    int values = 0;
    bool is_reduction = false;
  };
  Part part[most] = {};
  int count = 0;

  template <class E>
  constexpr bool add() {
    if (count < most && Device<typename E::device_type>) {
      part[count++] = {expression_number<E>, kernel_values<E>, is_reduction<E>};
    }
    return true;
  }
};

/// The number of the part to evaluate first: the largest reduction if it is at least a quarter of
/// the expression, since its value is small, otherwise the largest operation of at most two thirds.
/// 0: none.
template <class E>
inline constexpr std::uint64_t part_before_large = [] {
  LargeParts parts;
  CollectParts<E>::run(parts);
  const int all = kernel_values<E>;
  LargeParts::Part reduction;
  LargeParts::Part other;
  for (int i = 1; i < parts.count; ++i) {  // the first is the expression itself
    const LargeParts::Part& part = parts.part[i];
    if (part.is_reduction && part.values > reduction.values && part.values < all) reduction = part;
    if (part.values > other.values && 3 * part.values <= 2 * all) other = part;
  }
  if (4 * reduction.values >= all) return reduction.number;
  return other.values > 1 ? other.number : reduction.number;
}();

/// Whether one kernel for several expressions takes too much.
template <class... Es>
inline constexpr bool has_large_outputs =
    (values_of_output<Es> + ...) + static_cast<int>(sizeof...(Es)) > most_kernel_values + 1 ||
    (reductions_of_output<Es> + ...) > most_kernel_reductions;

/// The number of the part to evaluate before several expressions: the largest that recurs, else the
/// largest. 0: one kernel takes them.
template <class... Es>
inline constexpr std::uint64_t part_before_outputs = [] {
  LargeParts::Part recurring;
  LargeParts::Part largest;
  if constexpr (has_large_outputs<Es...>) {
    LargeParts parts;
    (CollectParts<Es>::run(parts), ...);
    for (int i = 0; i < parts.count; ++i) {
      const LargeParts::Part& part = parts.part[i];
      if (part.values > largest.values) largest = part;
      bool recurs = false;
      for (int j = 0; j < i && !recurs; ++j) recurs = parts.part[j].number == part.number;
      if (recurs && part.values > recurring.values) recurring = part;
    }
  }
  return recurring.values > 1 ? recurring.number : largest.number;
}();

/// Whether an expression has a part of number N.
template <std::uint64_t N, class E>
inline constexpr bool has_numbered_part = false;
template <std::uint64_t N, class T, class Op, class... Args>
inline constexpr bool has_numbered_part<N, Map<T, Op, Args...>> =
    expression_number<Map<T, Op, Args...>> == N || (has_numbered_part<N, Args> || ...);
template <std::uint64_t N, class R, class E>
inline constexpr bool has_numbered_part<N, Reduce<R, E>> =
    expression_number<Reduce<R, E>> == N || has_numbered_part<N, E>;

}  // namespace weft::detail
