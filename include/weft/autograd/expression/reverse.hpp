// A program run forward, then backward from the gradient of its value, in registers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/chain_rule.hpp"
#include "weft/autograd/expression/dependence.hpp"
#include "weft/eval/program/multi_output.hpp"

namespace weft::autograd {

/// What the forward pass of a program keeps for the reverse pass: its value, and the values of the
/// sub-programs on the way to a port.
template <std::uint64_t Ports, class P>
struct Primal {
  typename P::type value;
};
template <std::uint64_t Ports, class Op, class... Ps>
  requires(reaches<Ports, Apply<Op, Ps...>>&& gathered_port<Apply<Op, Ps...>> == 0)
struct Primal<Ports, Apply<Op, Ps...>> {
  typename Apply<Op, Ps...>::type value;
  Pack<Primal<Ports, Ps>...> args;
};

namespace detail {
template <class Op, class Args, std::size_t... I>
WEFT_HD WEFT_INLINE constexpr auto value_of(const Op& op, const Args& args,
                                            std::index_sequence<I...>) {
  return op.value(get<static_cast<int>(I)>(args).value...);
}

/// Runs a program forward, into `done`: a copy of what is in it would go through memory in g++'s
/// loops, an element at a time.
template <std::uint64_t Ports, class P, class Inputs>
WEFT_HD WEFT_INLINE constexpr void run_forward(const P& program, const Inputs& inputs,
                                               Primal<Ports, P>& done) {
  done.value = program(inputs);
}
template <std::uint64_t Ports, class Op, class... Ps, class Inputs>
  requires(reaches<Ports, Apply<Op, Ps...>>&& gathered_port<Apply<Op, Ps...>> == 0)
WEFT_HD WEFT_INLINE constexpr void run_forward(const Apply<Op, Ps...>& program,
                                               const Inputs& inputs,
                                               Primal<Ports, Apply<Op, Ps...>>& done);

template <std::uint64_t Ports, class Programs, class Inputs, class Args, std::size_t... I>
WEFT_HD WEFT_INLINE constexpr void run_all_forward(const Programs& programs, const Inputs& inputs,
                                                   Args& args, std::index_sequence<I...>) {
  (run_forward<Ports>(get<static_cast<int>(I)>(programs), inputs, get<static_cast<int>(I)>(args)),
   ...);
}
template <std::uint64_t Ports, class Op, class... Ps, class Inputs>
  requires(reaches<Ports, Apply<Op, Ps...>>&& gathered_port<Apply<Op, Ps...>> == 0)
WEFT_HD WEFT_INLINE constexpr void run_forward(const Apply<Op, Ps...>& program,
                                               const Inputs& inputs,
                                               Primal<Ports, Apply<Op, Ps...>>& done) {
  constexpr std::index_sequence_for<Ps...> all;
  run_all_forward<Ports>(program.programs, inputs, done.args, all);
  done.value = value_of(program.op, done.args, all);
}

/// The number of operand I among the ports.
template <std::uint64_t Ports, int Operand>
inline constexpr int port_number = __builtin_popcountll(Ports&((std::uint64_t{1} << Operand) - 1));

/// Runs a program backward from the gradient g of its value.
template <std::uint64_t Ports, int I, class T, class G, class Gradients>
WEFT_HD WEFT_INLINE constexpr void reverse(const Arg<I, T>&, const Primal<Ports, Arg<I, T>>&, G g,
                                           Gradients& gradients) {
  get<port_number<Ports, I>>(gradients) = static_cast<typename Arg<I, T>::type>(g);
}
template <std::uint64_t Ports, class Op, class... Ps, class G, class Gradients>
WEFT_HD WEFT_INLINE constexpr void reverse(const Apply<Op, Ps...>& program,
                                           const Primal<Ports, Apply<Op, Ps...>>& done, G g,
                                           Gradients& gradients);

template <std::uint64_t Ports, int I, class Op, class... Ps, class G, class Gradients,
          std::size_t... K>
WEFT_HD WEFT_INLINE constexpr void reverse_argument(const Apply<Op, Ps...>& program,
                                                    const Primal<Ports, Apply<Op, Ps...>>& done,
                                                    G g, Gradients& gradients,
                                                    std::index_sequence<K...>) {
  using Argument = std::remove_cvref_t<decltype(get<I>(program.programs))>;
  if constexpr (reaches<Ports, Argument>) {
    const auto pulled =
        pull_back<I>(program.op, g, done.value, get<static_cast<int>(K)>(done.args).value...);
    if constexpr (!std::is_same_v<decltype(pulled), const op::NotDifferentiable>) {
      reverse<Ports>(get<I>(program.programs), get<I>(done.args), pulled, gradients);
    }
  }
}
template <std::uint64_t Ports, class Op, class... Ps, class G, class Gradients, std::size_t... I>
WEFT_HD WEFT_INLINE constexpr void reverse_arguments(const Apply<Op, Ps...>& program,
                                                     const Primal<Ports, Apply<Op, Ps...>>& done,
                                                     G g, Gradients& gradients,
                                                     std::index_sequence<I...> all) {
  (reverse_argument<Ports, static_cast<int>(I)>(program, done, g, gradients, all), ...);
}
template <std::uint64_t Ports, class Op, class... Ps, class G, class Gradients>
WEFT_HD WEFT_INLINE constexpr void reverse(const Apply<Op, Ps...>& program,
                                           const Primal<Ports, Apply<Op, Ps...>>& done, G g,
                                           Gradients& gradients) {
  using P = Apply<Op, Ps...>;
  if constexpr (gathered_port<P> != 0) {
    get<port_number<Ports, gathered_port<P>>>(gradients) = static_cast<typename P::type>(g);
  } else {
    reverse_arguments<Ports>(program, done, g, gradients, std::index_sequence_for<Ps...>{});
  }
}
}  // namespace detail

}  // namespace weft::autograd
