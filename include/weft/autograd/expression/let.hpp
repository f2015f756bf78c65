// Gradients of let(e, f): the formula run forward and back in registers, as a statement is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/differentiable.hpp"
#include "weft/autograd/expression/sweep.hpp"
#include "weft/eval/let.hpp"

namespace weft {

namespace autograd::detail {

/// Bit N for each operand N of a formula that is its argument I.
template <int I, int... S>
inline constexpr std::uint64_t uses_of_argument = [] {
  std::uint64_t uses = 0;
  std::uint64_t bit = 1;
  ((uses |= S == I ? bit : 0, bit <<= 1U), ...);
  return uses;
}();

/// Whether gradients pass from a program to its operands in Ports, along every path.
template <std::uint64_t Ports, class P>
inline constexpr bool all_ways_pass = true;
template <class Op, class... Ps, std::size_t... I>
constexpr bool arguments_pass(std::uint64_t ports, std::index_sequence<I...>) {
  return (((weft::detail::uses_of<Ps> & ports) == 0 ||
           passes_gradient<static_cast<int>(I), Op, typename Ps::type...>()) &&
          ...);
}
template <std::uint64_t Ports, class Op, class... Ps>
inline constexpr bool all_ways_pass<Ports, Apply<Op, Ps...>> =
    arguments_pass<Op, Ps...>(Ports, std::index_sequence_for<Ps...>{}) &&
    (all_ways_pass<Ports, Ps> && ...);

/// The gradient of a formula's value, the same for all its operands.
template <class G>
struct Given {
  G g;
  template <class Inputs, class Y>
  WEFT_HD G operator()(const Inputs&, Y) const {
    return g;
  }
};

WEFT_HD inline auto total(const Pack<>&) { return 0; }
template <class G, class... Gs>
WEFT_HD auto total(const Pack<G, Gs...>& gradients) {
  if constexpr (sizeof...(Gs) == 0) {
    return gradients.head;
  } else {
    return static_cast<G>(gradients.head + total(gradients.tail));
  }
}

}  // namespace autograd::detail

namespace op {

template <int I, class Result, class Program, int... S>
inline constexpr bool formula_passes<I, let<Result, Program, S...>> =
    autograd::detail::all_ways_pass<autograd::detail::uses_of_argument<I, S...>, Program>;

/// The gradient of a formula's argument I, given the gradient g of its value: the sum over all its
/// uses.
template <int I, class Result, class Program, int... S, class G, class Inputs>
WEFT_HD auto formula_gradient(const let<Result, Program, S...>& formula, G g,
                              const Inputs& inputs) {
  constexpr std::uint64_t ports = autograd::detail::uses_of_argument<I, S...>;
  using Seed = autograd::detail::Given<G>;
  return autograd::detail::total(
      autograd::Sweep<ports, Program, Seed>{formula.program, Seed{g}}(inputs));
}

}  // namespace op
}  // namespace weft
