// ElementCost: what computing one element of a program costs a GPU, found from its type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/complex.hpp"
#include "weft/eval/inspect/op_cost.hpp"
#include "weft/eval/rows/pattern.hpp"

namespace weft {

/// Instructions of one thread for one element, without finding and moving operands.
struct ElementCost {
  double slots = 0;    ///< of all
  double special = 0;  ///< of the special function unit
  double wide = 0;     ///< of the double-precision unit

  constexpr ElementCost& operator+=(const ElementCost& other) {
    slots += other.slots;
    special += other.special;
    wide += other.wide;
    return *this;
  }
  friend constexpr ElementCost operator*(double n, const ElementCost& x) {
    return {n * x.slots, n * x.special, n * x.wide};
  }
};

namespace detail {

/// Adds up the operations of a program. Equal parts count once if they are worth keeping, as
/// kernels then compute them once; the pattern decides, since the tensors are not known here.
struct CostSum {
  static constexpr int most = 64;
  static constexpr int least_shared = 7;  // a part's weight
  std::uint64_t seen[most] = {};
  int count = 0;
  ElementCost total;

  constexpr bool is_new(std::uint64_t number) {
    for (int i = 0; i < count; ++i) {
      if (seen[i] == number) return false;
    }
    if (count < most) seen[count++] = number;
    return true;
  }
};

/// What an operation costs on operands of these types: operations on complex numbers count four
/// times, those on 64-bit integers twice.
template <class Op, class... Ts>
constexpr ElementCost operation_cost() {
  constexpr OpCost cost = op_cost<Op>;
  if constexpr ((std::is_same_v<Ts, double> || ...)) {
    return {cost.double_slots, 0, cost.wide};
  } else if constexpr ((std::is_same_v<Ts, complex<double>> || ...)) {
    return 4 * ElementCost{cost.double_slots, 0, cost.wide};
  } else {
    constexpr bool pairs = ((std::is_integral_v<Ts> && sizeof(Ts) == 8) || ...);
    constexpr bool complexes = (std::is_same_v<Ts, complex<float>> || ...);
    return (complexes ? 4.0 : pairs ? 2.0 : 1.0) * ElementCost{cost.slots, cost.special, 0};
  }
}

/// Divisors that read no operand: a product with the reciprocal, and its correction.
template <class Op, class... Ps>
inline constexpr bool divides_by_constant = false;
template <class P, class Q>
inline constexpr bool divides_by_constant<op::div, P, Q> = uses_of<Q> == 0;

template <class P>
struct AddCost {
  static constexpr void run(CostSum& sum) {
    if constexpr (requires { typename P::forward_program; }) {
      // Forward, then back by the chain rule: each derivative is about another operation and a sum.
      CostSum forward;
      AddCost<typename P::forward_program>::run(forward);
      sum.total += 2.5 * forward.total;
    }
  }
};
/// An element of fewer than 4 bytes is converted.
template <int I, class T>
struct AddCost<Arg<I, T>> {
  static constexpr void run(CostSum& sum) {
    if constexpr (!std::is_same_v<T, IndexOperand> && sizeof(T) < 4) sum.total.slots += 1;
  }
};
template <class Op, class... Ps>
struct AddCost<Apply<Op, Ps...>> {
  using P = Apply<Op, Ps...>;
  static constexpr void run(CostSum& sum) {
    if (uses_of<P> == 0) return;  // once for all elements
    if (program_weight<P> >= CostSum::least_shared && !sum.is_new(pattern_number<P>)) return;
    if constexpr (requires {
                    typename Op::result_type;
                    sizeof(Op::program);
                  }) {  // op::let
      AddCost<decltype(Op::program)>::run(sum);
    } else if constexpr (divides_by_constant<Op, Ps...>) {
      sum.total += 3 * operation_cost<op::mul, typename P::type>();
    } else {
      sum.total += operation_cost<Op, typename P::type, typename Ps::type...>();
    }
    (AddCost<Ps>::run(sum), ...);
  }
};
template <class... Ps>
struct AddCost<Pack<Ps...>> {
  static constexpr void run(CostSum& sum) { (AddCost<Ps>::run(sum), ...); }
};

}  // namespace detail

/// The cost of an element of a program, or of a Pack of programs computed together.
template <class P>
inline constexpr ElementCost element_cost = [] {
  detail::CostSum sum;
  detail::AddCost<P>::run(sum);
  return sum.total;
}();

/// The cost of adding a value to a state: as many instructions as it has 32-bit words, and for
/// those of several words, which depend on each other, as many for each.
template <class State>
inline constexpr ElementCost add_cost = [] {
  const double words = (sizeof(State) + 3) / 4;
  return ElementCost{words < 4 ? words * words : 16, words > 1 && words < 4 ? 0.5 : 0, 0};
}();

namespace detail {

/// The cost of an element of each reduction of a row program; in the last entry, of the outputs.
/// A part that an earlier one has too costs nothing: a thread keeps its value.
template <class Program>
struct RowCosts;
template <class... Rs, class... Ps>
struct RowCosts<RowProgram<Pack<Rs...>, Pack<Ps...>>> {
  struct Table {
    ElementCost of[sizeof...(Rs) + 1];
  };
  static constexpr Table table = [] {
    Table out;
    CostSum sum;
    int n = 0;
    const auto take = [&](ElementCost more) {
      out.of[n] = sum.total;
      out.of[n++] += more;
      sum.total = {};
    };
    ((AddCost<decltype(Rs::program)>::run(sum), take(add_cost<typename Rs::state>)), ...);
    AddCost<Pack<Ps...>>::run(sum);
    take({});
    return out;
  }();
};

}  // namespace detail
}  // namespace weft
