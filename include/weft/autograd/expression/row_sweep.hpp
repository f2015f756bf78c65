// Sweeps along rows: the programs that give the gradients of an expression with reductions inside.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/row_seed.hpp"

namespace weft::autograd {

/// A row program's program with the reductions' values as operands from First on.
template <int First, class P>
const P& as_operands(const P& program) {
  return program;
}
template <int First, int I, class T>
Arg<First + I, T> as_operands(const Reduced<I, T>&) {
  return {};
}
template <int First, class Op, class... Ps>
auto as_operands(const Apply<Op, Ps...>& program);
namespace detail {
template <int First, class Op, class... Ps, std::size_t... I>
auto operands_inside(const Apply<Op, Ps...>& program, std::index_sequence<I...>) {
  return Apply<Op, std::remove_cvref_t<decltype(as_operands<First>(std::declval<const Ps&>()))>...>{
      program.op,
      make_pack(std::remove_cvref_t<decltype(as_operands<First>(std::declval<const Ps&>()))>(
          as_operands<First>(weft::get<static_cast<int>(I)>(program.programs)))...)};
}
}  // namespace detail
template <int First, class Op, class... Ps>
auto as_operands(const Apply<Op, Ps...>& program) {
  return detail::operands_inside<First>(program, std::index_sequence_for<Ps...>{});
}

/// A row's inputs as those programs read them.
template <int First, class Inputs>
struct RowInputs {
  const Inputs& inputs;
  template <int I>
  WEFT_HD WEFT_INLINE auto get() const {
    if constexpr (I < First) {
      return inputs.template get<I>();
    } else {
      return inputs.template reduced<I - First>();
    }
  }
};

/// Several numbers that one reduction sums.
template <class C, int N>
struct Sums {
  C values[N];
  WEFT_HD WEFT_INLINE constexpr void add(const Sums& other) {
    WEFT_UNROLL
    for (int k = 0; k < N; ++k) values[k] += other.values[k];
  }
};
struct SumTogether {
  static constexpr const char* text = "sum";
  static constexpr bool has_identity = true;
  template <class T>
  using State = T;
  template <class T>
  WEFT_HD static void add(T& s, const T& x, long long) {
    s.add(x);
  }
  template <class T>
  WEFT_HD static void merge(T& s, const T& later) {
    s.add(later);
  }
  template <class T>
  WEFT_HD T finish(const T& s, long long) const {
    return s;
  }
};

/// 1 where an element is the extreme that reduction Y found.
template <class C, class P, int Y>
struct Ties {
  using type = C;
  static constexpr std::uint64_t operands = weft::detail::uses_of<P>;
  static constexpr std::uint32_t reductions = weft::detail::reductions_of<P> | std::uint32_t{1}
                                                                                   << Y;
  P program;
  template <class Inputs>
  WEFT_HD WEFT_INLINE type operator()(const Inputs& inputs) const {
    return program(inputs) == inputs.template reduced<Y>() ? C(1) : C(0);
  }
};

/// What a sweep reads of a row.
template <int First, std::uint64_t Reads>
struct RowReads {
  static constexpr std::uint64_t operands = Reads & ((std::uint64_t{1} << First) - 1);
  static constexpr auto reductions = static_cast<std::uint32_t>(Reads >> First);
};

/// The gradients of the reductions that a program reads, the bits of Inner among operands, and W
/// sums of the gradients of other operands, which `chosen` names.
template <class C, int First, std::uint64_t Inner, int W, std::uint64_t Ports, class P, class Seed>
struct RowSums : RowReads<First, reverse_reads<Ports, P> | Seed::reads> {
  static constexpr int inner = __builtin_popcountll(Inner);
  using type = Sums<C, inner + W>;
  Sweep<Ports, P, Seed> sweep;
  std::uint64_t chosen[W > 0 ? W : 1];

  template <class Inputs>
  WEFT_HD WEFT_INLINE type operator()(const Inputs& inputs) const {
    const auto gradients = sweep(RowInputs<First, Inputs>{inputs});
    type out{};
    take(out, gradients, std::make_index_sequence < First + 32 < 64 ? First + 32 : 64 > {});
    return out;
  }
  /// The program for a row whose reductions so far are known.
  template <class Row>
  WEFT_HD WEFT_INLINE auto along(const Row& row) const {
    const auto known = swept_along<First>(sweep, RowInputs<First, Row>{row});
    using Known = std::remove_const_t<decltype(known)>;
    RowSums<C, First, Inner, W, Ports, P, decltype(Known::seed)> out{{}, known, {}};
    for (int w = 0; w < W; ++w) out.chosen[w] = chosen[w];
    return out;
  }

 private:
  template <class Gradients, std::size_t... I>
  WEFT_HD WEFT_INLINE void take(type& out, const Gradients& gradients,
                                std::index_sequence<I...>) const {
    (take_one<static_cast<int>(I)>(out, gradients), ...);
  }
  template <int I, class Gradients>
  WEFT_HD WEFT_INLINE void take_one(type& out, const Gradients& gradients) const {
    if constexpr ((Ports >> I & 1U) == 0) {
    } else if constexpr ((Inner >> I & 1U) != 0) {
      out.values[detail::port_number<Inner, I>] = get<detail::port_number<Ports, I>>(gradients);
    } else {
      WEFT_UNROLL
      for (int w = 0; w < W; ++w) {
        if ((chosen[w] >> I & 1U) != 0) {
          out.values[inner + w] += get<detail::port_number<Ports, I>>(gradients);
        }
      }
    }
  }
};

/// The sum of the gradients that sweeps give for the operands in `chosen`: one tensor's; plus
/// operand Before if it `adds`.
template <class C, int First, int Before, class... Sweeps>
struct RowGradient;
template <class C, int First, int Before, std::uint64_t... Ports, class... Ps, class... Seeds>
struct RowGradient<C, First, Before, Sweep<Ports, Ps, Seeds>...>
    : RowReads<First,
               ((std::uint64_t{1} << Before) | ... | (reverse_reads<Ports, Ps> | Seeds::reads))> {
  using type = C;
  Pack<Sweep<Ports, Ps, Seeds>...> sweeps;
  std::uint64_t chosen = 0;
  bool adds = false;

  template <class Inputs>
  WEFT_HD WEFT_INLINE C operator()(const Inputs& inputs) const {
    C total = adds ? inputs.template get<Before>() : C{};
    add(total, RowInputs<First, Inputs>{inputs}, sweeps);
    return total;
  }
  /// The program for a row whose reductions are known.
  template <class Row>
  WEFT_HD WEFT_INLINE auto along(const Row& row) const {
    return along(RowInputs<First, Row>{row}, std::index_sequence_for<Ps...>{});
  }

 private:
  template <class Row, std::size_t... I>
  WEFT_HD WEFT_INLINE auto along(const Row& row, std::index_sequence<I...>) const {
    const auto known = pack_of(swept_along<First>(get<static_cast<int>(I)>(sweeps), row)...);
    return with(known);
  }
  template <class... Sweeps>
  WEFT_HD WEFT_INLINE auto with(const Pack<Sweeps...>& known) const {
    return RowGradient<C, First, Before, Sweeps...>{{}, known, chosen, adds};
  }
  template <class Inputs>
  WEFT_HD WEFT_INLINE void add(C&, const Inputs&, const Pack<>&) const {}
  template <class Inputs, std::uint64_t Mine, class P, class Seed, class... Tail>
  WEFT_HD WEFT_INLINE void add(C& total, const Inputs& inputs,
                               const Pack<Sweep<Mine, P, Seed>, Tail...>& all) const {
    const auto gradients = all.head(inputs);
    add_ports<Mine>(total, gradients, std::make_index_sequence<First>{});
    add(total, inputs, all.tail);
  }
  template <std::uint64_t Mine, class Gradients, std::size_t... I>
  WEFT_HD WEFT_INLINE void add_ports(C& total, const Gradients& gradients,
                                     std::index_sequence<I...>) const {
    (add_port<Mine, static_cast<int>(I)>(total, gradients), ...);
  }
  template <std::uint64_t Mine, int I, class Gradients>
  WEFT_HD WEFT_INLINE void add_port(C& total, const Gradients& gradients) const {
    if constexpr ((Mine >> I & 1U) != 0) {
      if ((chosen >> I & 1U) != 0) total += get<detail::port_number<Mine, I>>(gradients);
    }
  }
};

/// A number of the row: a reduction's value, or from M on one of the sums behind the first `Inner`
/// of reduction Group, as `choice` says; 0 if that is negative.
template <class C, int M, int Group, int Inner, int W>
struct RowNumber {
  using type = C;
  static constexpr std::uint64_t operands = 0;
  static constexpr std::uint32_t reductions = ((std::uint32_t{1} << M) - 1) | std::uint32_t{1}
                                                                                  << Group;
  int choice;

  template <class Inputs>
  WEFT_HD WEFT_INLINE C operator()(const Inputs& inputs) const {
    C value{};
    take(value, inputs, std::make_index_sequence<M>{});
    WEFT_UNROLL
    for (int w = 0; w < W; ++w) {
      if (choice == M + w) value = inputs.template reduced<Group>().values[Inner + w];
    }
    return value;
  }

 private:
  template <class Inputs, std::size_t... R>
  WEFT_HD WEFT_INLINE void take(C& value, const Inputs& inputs, std::index_sequence<R...>) const {
    ((value =
          choice == static_cast<int>(R) ? inputs.template reduced<static_cast<int>(R)>() : value),
     ...);
  }
};

/// A program that says itself what it reads of a row.
template <class P>
concept RowSweep = requires {
  P::operands;
  P::reductions;
};

}  // namespace weft::autograd

namespace weft::detail {
template <autograd::RowSweep P>
inline constexpr std::uint64_t uses_of<P> = P::operands;
template <autograd::RowSweep P>
inline constexpr std::uint32_t reductions_of<P> = P::reductions;
template <autograd::RowSweep P>
inline constexpr bool sweeps_back<P> = P::operands != 0;
}  // namespace weft::detail
