// The row program of an expression's gradients: the forward pass's reductions, sums, and outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/row_reads.hpp"
#include "weft/autograd/expression/row_shape.hpp"

namespace weft::autograd {

/// The row program of E's gradients. Its outputs are the gradients of up to `wholes` Vars of the
/// rows' shape, and `sums` numbers for each row, gradients of what is one number along the row.
template <class E>
struct RowAdjoint {
  using Plain = without_vars_t<E>;
  using Lower = weft::detail::RowLowering<Plain>;
  using Element = typename RowStatement<E>::Element;
  using C = compute_t<Element>;
  static constexpr int leaves = weft::detail::count(typename Lower::types{});
  static constexpr int forward = Lower::reductions;
  static constexpr std::uint64_t vars = detail::var_operands<E>();

 private:
  template <int Outputs>
  using Lowered = decltype(Lower::template lower<Outputs, 0>(
      std::declval<const Plain&>(), static_cast<Operand*>(nullptr),
      static_cast<weft::detail::RowNode*>(nullptr)));
  using AtZero = Lowered<0>;
  using Shape0 = detail::RowShape<vars, decltype(AtZero::program), decltype(AtZero::reductions)>;
  static constexpr auto facts = Shape0::facts;
  template <class... Rs>
  static constexpr bool all_real(const Pack<Rs...>*) {
    return (std::is_same_v<typename Rs::value, C> && ...) &&
           ((effects_of<decltype(Rs::program)> | ... | 0U) == 0);
  }

 public:
  static constexpr bool along = Shape0::along;
  /// The Vars that the value reads, not through a reduction.
  static constexpr std::uint64_t direct = weft::detail::uses_of<decltype(AtZero::program)> & vars;
  /// The more of them there are the more registers a kernel needs: by these guesses x and its gains
  /// have an output each, and two operands side by side too.
  static constexpr int wholes = facts.widest > 1 || __builtin_popcountll(direct) == 2 ? 2 : 1;
  static constexpr int sums = [] {
    const int others = along ? __builtin_popcountll(direct) - 1 : 0;
    return others > 2 ? 2 : others > 0 ? others : 0;
  }();
  static constexpr int outputs = wholes + sums;
  static constexpr int upstream = outputs + leaves;
  static constexpr int before = upstream + 1;  // what is there, of each that may be added to
  static constexpr int first = before + wholes;
  static constexpr bool reads_upstream = true;
  static constexpr int loaded = forward;
  static constexpr int reductions = facts.count;
  static constexpr int value_of(int r) { return first + r; }
  /// A function of one reduction has gradients without any, by element-wise kernels.
  static constexpr bool possible =
      facts.possible && forward <= 8 && (along || __builtin_popcount(facts.active) > 1) &&
      reductions < 24 && first + reductions < 60 && effects_of<decltype(AtZero::program)> == 0 &&
      all_real(static_cast<decltype(AtZero::reductions)*>(nullptr));

  using Part = Lowered<outputs>;
  using Types = typename weft::detail::Join<typename Lower::types, TypeList<typename E::value_type>,
                                            detail::Times<Element, wholes>>::type;

  using Source = Plain;
  static Part lower(const Plain& e, Operand* operands, weft::detail::RowNode* nodes) {
    return Lower::template lower<outputs, 0>(e, operands, nodes);
  }

 private:
  template <int R>
  using Reduction =
      std::remove_cvref_t<decltype(weft::get<R>(std::declval<const Part&>().reductions))>;
  template <class P>
  using Swept = std::remove_cvref_t<decltype(as_operands<first>(std::declval<const P&>()))>;
  /// What the gradient of reduction r, or of the value, goes on to.
  template <int R>
  static constexpr std::uint64_t inner = std::uint64_t{facts.inner[R] & facts.active} << first;
  template <int R>
  static constexpr std::uint64_t own_vars = [] {
    if constexpr (R == forward) {
      return direct << outputs;
    } else {
      return weft::detail::uses_of<decltype(Reduction<R>::program)> & (vars << outputs);
    }
  }();
  template <int R>
  static constexpr std::uint64_t ports = own_vars<R> | inner<R>;
  template <int R>
  static constexpr bool is_active = (facts.active >> R & 1U) != 0;

  static auto sweep_value(const Part& part) {
    using Seed = RowUpstream<along ? upstream : first + loaded>;
    using P = Swept<decltype(Part::program)>;
    return Sweep<ports<forward>, P, Seed>{P(as_operands<first>(part.program)), {}};
  }
  template <int R>
  static auto source(const Part& part) {
    constexpr int parent = facts.parent[R];
    if constexpr (parent < forward || along) {
      return SummedGradient<first, facts.group[parent],
                            detail::port_number<(inner<parent> >> first), R>>{};
    } else {
      const auto sweep = sweep_value(part);
      using S = std::remove_const_t<decltype(sweep)>;
      return SweptGradient<first + R, ports<forward>, decltype(S::program), decltype(S::seed)>{
          sweep};
    }
  }
  template <int R>
  static auto sweep(const Part& part, long long length) {
    if constexpr (R == forward) {
      return sweep_value(part);
    } else {
      const auto& reduction = weft::get<R>(part.reductions);
      const auto of = source<R>(part);
      using Q = Swept<decltype(Reduction<R>::program)>;
      using Seed = ElementGradient < std::remove_cvref_t<decltype(reduction.reducer)>,
            std::remove_const_t<decltype(of)>, Q, first + R,
            facts.extra[R]<0 ? -1 : first + facts.extra[R]>;
      return Sweep<ports<R>, Q, Seed>{Q(as_operands<first>(reduction.program)),
                                      Seed{reduction.reducer, of, length}};
    }
  }

  /// The sweeps that reach a Var, of reductions from R on and of the value.
  template <int R>
  static auto sweeps(const Part& part, long long length) {
    if constexpr (R > forward) {
      return Pack<>{};
    } else if constexpr (own_vars<R> == 0 || (R < forward && !is_active<R>)) {
      return sweeps<R + 1>(part, length);
    } else {
      return weft::detail::joined(make_pack(sweep<R>(part, length)), sweeps<R + 1>(part, length));
    }
  }
  template <int K, class... Sweeps>
  static auto gradient(const Pack<Sweeps...>& all) {
    return RowGradient<C, first, before + K, Sweeps...>{{}, all};
  }

  template <int R>
  static auto ties(const Part& part) {
    if constexpr (R == forward) {
      return Pack<>{};
    } else if constexpr (is_active<R> &&
                         detail::shares_ties<
                             std::remove_cvref_t<decltype(Reduction<R>::reducer)>>) {
      using P = Ties<C, std::remove_cvref_t<decltype(Reduction<R>::program)>, R>;
      return weft::detail::joined(
          make_pack(RowReduction<reducer::sum, P, C>{{}, P{weft::get<R>(part.reductions).program}}),
          ties<R + 1>(part));
    } else {
      return ties<R + 1>(part);
    }
  }
  template <int R>
  static auto groups(const Part& part, long long length) {
    if constexpr (R < 0) {
      return Pack<>{};
    } else if constexpr (facts.group[R] < 0) {
      return groups<R - 1>(part, length);
    } else {
      const auto s = sweep<R>(part, length);
      using S = std::remove_const_t<decltype(s)>;
      constexpr int w = R == forward ? sums : 0;
      using P = RowSums<C, first, inner<R>, w, ports<R>, decltype(S::program), decltype(S::seed)>;
      return weft::detail::joined(
          make_pack(RowReduction<SumTogether, P, typename P::type>{{}, P{{}, s, {}}}),
          groups<R - 1>(part, length));
    }
  }
  using Number = RowNumber<C, forward, (facts.group[forward] < 0 ? 0 : facts.group[forward]),
                           __builtin_popcountll(inner<forward>), sums>;
  template <std::size_t... W>
  static auto numbers(std::index_sequence<W...>) {
    return make_pack((static_cast<void>(W), Number{-1})...);
  }

 public:
  /// The program for rows of some length; `choose` says what its outputs are.
  static auto program(const Part& part, long long length) {
    using None = RowReduction<reducer::sum, Constant<C>, C>;
    using weft::detail::joined;
    auto all = joined(joined(part.reductions, make_pack(None{{}, {C{}}})),
                      joined(ties<0>(part), groups<forward>(part, length)));
    const auto own = sweeps<0>(part, length);
    auto out = [&] {
      if constexpr (wholes == 2) {
        return joined(make_pack(gradient<0>(own), gradient<1>(own)),
                      numbers(std::make_index_sequence<sums>{}));
      } else {
        return joined(make_pack(gradient<0>(own)), numbers(std::make_index_sequence<sums>{}));
      }
    }();
    return RowProgram<decltype(all), decltype(out)>{all, out};
  }
  using Program = decltype(program(std::declval<const Part&>(), 0LL));

  /// Number w of a row is what `choice` says, or one of the sums, then of operands in `chosen`.
  static void choose_number(Program& program, int w, int choice, std::uint64_t chosen) {
    if constexpr (sums > 0) {
      choose_number(program, w, choice, chosen, std::make_index_sequence<sums>{});
    }
  }

  /// Whether the further reductions that derivatives need have the same operands as the reductions
  /// themselves.
  static bool extras_agree(const Part& part, const Operand* operands,
                           const weft::detail::RowNode* nodes) {
    return extras_agree(part, operands, nodes, std::make_index_sequence<forward>{});
  }

  static constexpr std::uint32_t forward_mask = (std::uint32_t{1} << forward) - 1;

 private:
  template <std::size_t... W>
  static void choose_number(Program& program, int w, int choice, std::uint64_t chosen,
                            std::index_sequence<W...>) {
    const auto set = [&]<int I>(std::integral_constant<int, I>) {
      weft::get<wholes + I>(program.outputs).choice = choice;
      weft::get<facts.group[forward]>(program.reductions).program.chosen[I] = chosen;
    };
    ((static_cast<int>(W) == w ? set(std::integral_constant<int, static_cast<int>(W)>{})
                               : static_cast<void>(0)),
     ...);
  }

  template <std::size_t... R>
  static bool extras_agree(const Part& part, const Operand* operands,
                           const weft::detail::RowNode* nodes, std::index_sequence<R...>) {
    const LoweredRow row{operands, nodes};
    const weft::detail::SameValue<LoweredRow> same(row);
    const auto agree = [&]<int I>(std::integral_constant<int, I>) {
      constexpr int extra = facts.extra[I];
      if constexpr (extra >= 0 && extra < forward) {
        return same(weft::get<I>(part.reductions).program,
                    weft::get<extra>(part.reductions).program);
      } else {
        return true;
      }
    };
    return (agree(std::integral_constant<int, static_cast<int>(R)>{}) && ...);
  }

  static constexpr std::uint32_t summed = sums > 0 ? std::uint32_t{1} << facts.group[forward] : 0;
  static constexpr GradientReads reads =
      gradient_reads(static_cast<Program*>(nullptr), forward, summed);

 public:
  static constexpr std::uint32_t needed = reads.needed;
  static constexpr std::uint32_t read_by_gradients = reads.forward;
  static constexpr std::uint32_t needed_by_read = reads.by_forward;
  static constexpr std::uint64_t operands_read = reads.operands;
  static constexpr bool loads_fit =
      read_by_gradients != 0 && __builtin_popcount(read_by_gradients) <= sums;
  /// The values that the gradients read, as outputs of a program of the forward pass.
  template <int R = 0>
  static auto values_read() {
    if constexpr (R == forward) {
      return Pack<>{};
    } else if constexpr ((read_by_gradients >> R & 1U) != 0) {
      return weft::detail::joined(Pack<Reduced<R, C>>{}, values_read<R + 1>());
    } else {
      return values_read<R + 1>();
    }
  }
  using Outs =
      typename weft::detail::Join<detail::Times<Element, wholes>, detail::Times<C, sums>>::type;
};

}  // namespace weft::autograd
