// The reverse sweep: a program that gives the gradients of another one's operands, in registers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/reverse.hpp"

namespace weft::autograd {

namespace detail {
/// The types of a program's ports, in the order of the operands.
template <std::uint64_t Ports, class P>
struct PortTypes {
  using type = weft::detail::TypeList<>;
};
template <std::uint64_t Ports, int I, class T>
  requires((Ports >> I & 1U) != 0)
struct PortTypes<Ports, Arg<I, T>> {
  using type = weft::detail::TypeList<typename Arg<I, T>::type>;
};
template <std::uint64_t Ports, class Op, class... Ps>
  requires((Ports >> gathered_port<Apply<Op, Ps...>> & 1U) != 0 &&
           gathered_port<Apply<Op, Ps...>> != 0)
struct PortTypes<Ports, Apply<Op, Ps...>> {
  using type = weft::detail::TypeList<typename Apply<Op, Ps...>::type>;
};
template <std::uint64_t Ports, class Op, class... Ps>
struct PortTypes<Ports, Apply<Op, Ps...>> {
  using type = typename weft::detail::Join<weft::detail::TypeList<>,
                                           typename PortTypes<Ports, Ps>::type...>::type;
};

template <class Types>
struct PackOf;
template <class... Ts>
struct PackOf<weft::detail::TypeList<Ts...>> {
  using type = Pack<Ts...>;
};
}  // namespace detail

/// A program's gradients with respect to the operands in Ports, each read once. `Seed` gives the
/// gradient of its value: seed(inputs, value).
template <std::uint64_t Ports, class P, class Seed>
struct Sweep {
  using values = typename detail::PortTypes<Ports, P>::type;
  static constexpr int count = weft::detail::count(values{});
  using forward_program = P;
  P program;
  Seed seed;

  /// The same for another program of the same values.
  template <class Q>
  WEFT_HD Sweep<Ports, Q, Seed> with(const Q& q) const {
    return {q, seed};
  }

  template <class Inputs>
  WEFT_HD WEFT_INLINE typename detail::PackOf<values>::type operator()(const Inputs& inputs) const {
    typename detail::PackOf<values>::type gradients{};
    if constexpr (reaches<Ports, P>) {
      Primal<Ports, P> done;
      detail::run_forward<Ports>(program, inputs, done);
      detail::reverse<Ports>(program, done, seed(inputs, done.value), gradients);
    }
    return gradients;
  }
};

/// The sum, a V, of a sweep's gradients that have a bit in `chosen`: the gradient of one tensor.
template <class S, class V>
struct ChosenSweep {
  using type = V;
  S sweep;
  unsigned chosen;

  WEFT_HD const typename S::forward_program& forward() const { return sweep.program; }
  WEFT_HD typename S::forward_program& forward() { return sweep.program; }
  template <class Inputs>
  WEFT_HD WEFT_INLINE type operator()(const Inputs& inputs) const {
    return sum(sweep(inputs), std::make_index_sequence<S::count>{});
  }

 private:
  template <class Gradients, std::size_t... J>
  WEFT_HD WEFT_INLINE type sum(const Gradients& gradients, std::index_sequence<J...>) const {
    type total{};
    (add_if<static_cast<int>(J)>(total, get<static_cast<int>(J)>(gradients)), ...);
    return total;
  }
  /// Gradients of one tensor are of one type.
  template <int J, class G>
  WEFT_HD WEFT_INLINE void add_if(type& total, const G& gradient) const {
    if constexpr (std::is_same_v<G, V>) {
#if defined(__CUDA_ARCH__)
      if ((chosen >> J & 1U) != 0) total += gradient;
#else
      total += math::choose((chosen >> J & 1U) != 0, gradient, V{});  // no branch in a loop
#endif
    }
  }
};

/// All gradients of a sweep at once. Ports of the same tensor share a slot, the number of the first
/// of them, which receives their sum.
template <class S>
struct MultiOutputSweep {
  using values = typename S::values;
  using forward_program = typename S::forward_program;
  S sweep;
  Stores stores;
  signed char slot[S::count];
  bool merges = false;  ///< some ports share a slot

  /// Has port j add its gradient to that of port `first`, which may be itself.
  void share(int j, int first) {
    slot[j] = static_cast<signed char>(first);
    merges = merges || first != j;
  }

  WEFT_HD const forward_program& forward() const { return sweep.program; }
  WEFT_HD forward_program& forward() { return sweep.program; }
  template <class Q>
  WEFT_HD auto with(const Q& q) const {
    MultiOutputSweep<decltype(sweep.with(q))> out{sweep.with(q), stores, {}, merges};
    for (int j = 0; j < S::count; ++j) out.slot[j] = slot[j];
    return out;
  }

  template <class Inputs>
  WEFT_HD WEFT_INLINE auto operator()(const Inputs& inputs) const {
    auto gradients = separate(inputs);
    merge(gradients);
    return gradients;
  }
  /// The same before merge(), for those that compute several elements before they merge any.
  template <class Inputs>
  WEFT_HD WEFT_INLINE auto separate(const Inputs& inputs) const {
    return sweep(inputs);
  }
  /// Adds the gradients of ports that share a slot.
  template <class Gradients>
  WEFT_HD WEFT_INLINE void merge(Gradients& gradients) const {
    merge(gradients, std::make_index_sequence<S::count>{});
  }
  /// The gradient of slot k, of type V, alone.
  template <class V>
  ChosenSweep<S, V> only(int k) const {
    ChosenSweep<S, V> out{sweep, 0};
    for (int j = 0; j < S::count; ++j) out.chosen |= slot[j] == k ? 1U << j : 0U;
    return out;
  }

 private:
  template <class Gradients, std::size_t... J>
  WEFT_HD WEFT_INLINE void merge(Gradients& gradients, std::index_sequence<J...>) const {
    (merge_one<static_cast<int>(J)>(gradients, std::make_index_sequence<J>{}), ...);
  }
  template <int J, class Gradients, std::size_t... I>
  WEFT_HD WEFT_INLINE void merge_one(Gradients& gradients, std::index_sequence<I...>) const {
    (add_if_same<static_cast<int>(I), J>(gradients), ...);
  }
  template <int I, int J, class Gradients>
  WEFT_HD WEFT_INLINE void add_if_same(Gradients& gradients) const {
    auto& first = get<I>(gradients);
    const auto& other = get<J>(gradients);
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(first)>,
                                 std::remove_cvref_t<decltype(other)>>) {
#if defined(__CUDA_ARCH__)
      if (slot[J] == I) first += other;
#else
      first = math::choose(slot[J] == I,
                           static_cast<std::remove_cvref_t<decltype(first)>>(first + other), first);
#endif
    }
  }
};

/// A gradient that is simply operand I.
template <int I>
struct Upstream {
  template <class Inputs, class Y>
  WEFT_HD WEFT_INLINE auto operator()(const Inputs& inputs, Y) const {
    return inputs.template get<I>();
  }
};

}  // namespace weft::autograd

namespace weft {

template <std::uint64_t Ports, class P, class Seed>
inline constexpr unsigned effects_of<autograd::Sweep<Ports, P, Seed>> =
    effects_of<P>&(Effects::draws | Effects::acts);
template <class S>
inline constexpr unsigned effects_of<autograd::MultiOutputSweep<S>> = effects_of<S>;
template <class S, class V>
inline constexpr unsigned effects_of<autograd::ChosenSweep<S, V>> = effects_of<S>;

namespace autograd {
template <std::uint64_t Ports, class P, class Seed>
WEFT_HD void resolve_draws(Sweep<Ports, P, Seed>& sweep) {
  weft::resolve_draws(sweep.program);
}
template <class S>
WEFT_HD void resolve_draws(MultiOutputSweep<S>& program) {
  resolve_draws(program.sweep);
}
template <class S, class V>
WEFT_HD void resolve_draws(ChosenSweep<S, V>& program) {
  resolve_draws(program.sweep);
}
}  // namespace autograd

}  // namespace weft
