// The row program of an expression's gradients: what the forward pass reduces, then what the
// gradients of its reductions sum, then those of its Vars.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/row_sweep.hpp"
#include "weft/eval/rows/reuse.hpp"

namespace weft::autograd {

namespace detail {

/// Reductions whose derivatives row programs compute.
template <class R>
inline constexpr bool is_row_reducer =
    std::is_same_v<R, reducer::sum> || std::is_same_v<R, reducer::mean> ||
    std::is_same_v<R, reducer::var> || std::is_same_v<R, reducer::norm> ||
    std::is_same_v<R, reducer::max> || std::is_same_v<R, reducer::min> ||
    std::is_same_v<R, reducer::logsumexp>;
template <class R>
inline constexpr bool shares_ties =
    std::is_same_v<R, reducer::max> || std::is_same_v<R, reducer::min>;

/// Whether an expression is made of maps and such reductions of Vars of one type T.
template <class T, class E>
inline constexpr bool fits_rows = !has_var<E> && !weft::detail::has_evaluated_before_rows<E>;
template <class T, class D>
inline constexpr bool fits_rows<T, Var<T, D>> = true;
template <class T, class V, class Op, class... Args>
  requires(has_var<Args> || ...)
inline constexpr bool fits_rows<T, Map<V, Op, Args...>> = (fits_rows<T, Args> && ...);
template <class T, class R, class E>
  requires has_var<E>
inline constexpr bool fits_rows<T, Reduce<R, E>> = is_row_reducer<R> && fits_rows<T, E>;

template <class E>
inline constexpr bool reduces_vars = false;
template <class V, class Op, class... Args>
inline constexpr bool reduces_vars<Map<V, Op, Args...>> = (reduces_vars<Args> || ...);
template <class R, class E>
inline constexpr bool reduces_vars<Reduce<R, E>> = has_var<E>;
/// Whether an expression has a reduction of Vars inside.
template <class E>
inline constexpr bool reduces_inside = reduces_vars<E>;
template <class R, class E>
inline constexpr bool reduces_inside<Reduce<R, E>> = reduces_vars<E>;

/// A bit for each operand of a row program that is a Var.
template <class E>
constexpr std::uint64_t var_operands() {
  if constexpr (!has_var<E>) {
    return 0;
  } else if constexpr (is_var<E>) {
    return 1;
  } else if constexpr (is_map<E>) {
    return []<class... Args>(TypeList<Args...>) {
      std::uint64_t bits = 0;
      int at = 0;
      ((bits |= var_operands<Args>() << at,
        at +=
        weft::detail::count(typename weft::detail::RowLowering<without_vars_t<Args>>::types{})),
       ...);
      return bits;
    }(typename ArgsOf<E>::type{});
  } else {
    return var_operands<std::remove_cvref_t<decltype(std::declval<const E&>().operand())>>();
  }
}

template <class E>
struct FirstVar {
  using type = void;
};
template <class T, class D>
struct FirstVar<Var<T, D>> {
  using type = T;
};
template <class V, class Op, class... Args>
struct FirstVar<Map<V, Op, Args...>> {
  template <class... Ts>
  struct First {
    using type = void;
  };
  template <class T, class... Ts>
  struct First<T, Ts...>
      : std::conditional_t<std::is_void_v<T>, First<Ts...>, std::type_identity<T>> {};
  using type = typename First<typename FirstVar<Args>::type...>::type;
};
template <class R, class E>
struct FirstVar<Reduce<R, E>> : FirstVar<E> {};

constexpr int bits_below(std::uint64_t bits, int i) {
  return __builtin_popcountll(bits & ((std::uint64_t{1} << i) - 1));
}

/// What the types of a lowered expression's reductions say of its adjoint.
template <std::uint64_t Vars, class P, class Reductions>
struct RowShape;
template <std::uint64_t Vars, class P, class... Rs>
struct RowShape<Vars, P, Pack<Rs...>> {
  static constexpr int forward = sizeof...(Rs);
  struct Facts {
    std::uint32_t inner[forward + 1] = {};  // reductions that reduction r reads; the last: P
    std::uint32_t active = 0;               // those that depend on a Var
    int parent[forward] = {};               // which reads it
    int extra[forward] = {};                // another one that its derivative needs; -1: none
    int group[forward + 1] = {};            // where the gradients of what it reads are summed
    int ties = 0;
    int count = 0;
    int widest = 1;  // the most Vars that one reduction reads itself
    bool possible = true;
  };
  static constexpr bool along = weft::detail::uses_of<P> != 0;
  static constexpr Facts facts = [] {
    using weft::detail::pattern_number;
    constexpr std::uint64_t uses[] = {weft::detail::uses_of<decltype(Rs::program)>...};
    constexpr std::uint64_t pattern[] = {pattern_number<decltype(Rs::program)>...};
    constexpr bool means[] = {std::is_same_v<decltype(Rs::reducer), reducer::mean>...};
    constexpr bool variances[] = {std::is_same_v<decltype(Rs::reducer), reducer::var>...};
    constexpr bool extremes[] = {shares_ties<decltype(Rs::reducer)>...};
    constexpr std::uint32_t inner[] = {weft::detail::reductions_of<decltype(Rs::program)>...,
                                       weft::detail::reductions_of<P>};
    Facts out;
    for (int r = 0; r <= forward; ++r) out.inner[r] = inner[r];
    for (int r = 0; r < forward; ++r) {
      if ((uses[r] & Vars) != 0 || (inner[r] & out.active) != 0) {
        out.active |= std::uint32_t{1} << r;
      }
      const int own = __builtin_popcountll(uses[r] & Vars);
      if (own > out.widest) out.widest = own;
      out.parent[r] = forward;
      for (int q = 0; q < forward; ++q) {
        if ((inner[q] >> r & 1U) != 0) out.parent[r] = q;
      }
    }
    out.count = forward + 1;  // the value's gradient, where that is one for each row
    for (int r = 0; r < forward; ++r) {
      out.extra[r] = -1;
      if ((out.active >> r & 1U) == 0) continue;
      if (extremes[r]) {
        out.extra[r] = out.count++;
        ++out.ties;
        out.possible = out.possible && inner[r] == 0;
      }
      if (variances[r]) {
        for (int q = 0; q < forward; ++q) {
          if (means[q] && pattern[q] == pattern[r]) out.extra[r] = q;
        }
        out.possible = out.possible && out.extra[r] >= 0;
      }
    }
    for (int r = forward; r >= 0; --r) {
      out.group[r] = -1;
      if ((inner[r] & out.active) == 0 || (r == forward && !along)) continue;
      out.group[r] = out.count++;
    }
    return out;
  }();
};

}  // namespace detail

/// Whether E's gradients may be a row program, by its nodes alone.
template <class E>
struct RowStatement {
  static constexpr bool possible = false;
};
template <class E>
  requires(detail::reduces_inside<E>)
struct RowStatement<E> {
  using Element = typename detail::FirstVar<E>::type;
  using C = compute_t<Element>;
  static constexpr bool possible = std::is_floating_point_v<C> &&
                                   std::is_same_v<C, compute_t<typename E::value_type>> &&
                                   detail::fits_rows<Element, E>;
};

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
  static constexpr int first = upstream + 1;
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
  using Types =
      typename weft::detail::Join<typename Lower::types, TypeList<typename E::value_type>>::type;

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
                            detail::bits_below(inner<parent> >> first, R)>{};
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
  template <class... Sweeps>
  static auto gradient(const Pack<Sweeps...>& all) {
    return RowGradient<C, first, Sweeps...>{{}, all, 0};
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
    const auto g = gradient(sweeps<0>(part, length));
    auto out = [&] {
      if constexpr (wholes == 2) {
        return joined(make_pack(g, g), numbers(std::make_index_sequence<sums>{}));
      } else {
        return joined(make_pack(g), numbers(std::make_index_sequence<sums>{}));
      }
    }();
    return RowProgram<decltype(all), decltype(out)>{all, out};
  }
  using Program = decltype(program(std::declval<const Part&>(), 0LL));

  /// Output `place` is the gradient of the operands in `leaves`.
  static void choose(Program& program, int place, std::uint64_t leaves) {
    if (place == 0) weft::get<0>(program.outputs).chosen = leaves;
    if constexpr (wholes == 2) {
      if (place == 1) weft::get<1>(program.outputs).chosen = leaves;
    }
  }
  /// Number w of a row is what `choice` says, or one of the sums, then of operands in `leaves`.
  static void choose_number(Program& program, int w, int choice, std::uint64_t leaves) {
    if constexpr (sums > 0) {
      choose_number(program, w, choice, leaves, std::make_index_sequence<sums>{});
    }
  }

  /// Whether the operands of other reductions that derivatives need are those of their own.
  static bool extras_agree(const Part& part, const Operand* operands,
                           const weft::detail::RowNode* nodes) {
    return extras_agree(part, operands, nodes, std::make_index_sequence<forward>{});
  }

  /// Bytes of the largest value that a reduction has.
  static constexpr int value_bytes = [] {
    int most = 1;
    for (int r = 0; r <= forward; ++r) {
      const int n = __builtin_popcount(facts.inner[r] & facts.active) + (r == forward ? sums : 0);
      if (facts.group[r] >= 0 && n > most) most = n;
    }
    return most * static_cast<int>(sizeof(C));
  }();
  static constexpr std::uint32_t forward_mask = (std::uint32_t{1} << forward) - 1;

 private:
  template <std::size_t... W>
  static void choose_number(Program& program, int w, int choice, std::uint64_t leaves,
                            std::index_sequence<W...>) {
    const auto set = [&]<int I>(std::integral_constant<int, I>) {
      weft::get<wholes + I>(program.outputs).choice = choice;
      weft::get<facts.group[forward]>(program.reductions).program.chosen[I] = leaves;
    };
    ((static_cast<int>(W) == w ? set(std::integral_constant<int, static_cast<int>(W)>{})
                               : static_cast<void>(0)),
     ...);
  }

  struct SameOperands {
    const Operand* operands;
    const weft::detail::RowNode* nodes;
    bool same_operand(int i, int j) const {
      const Operand& x = operands[i];
      const Operand& y = operands[j];
      bool same = x.data == y.data && x.itemsize == y.itemsize && x.rank == y.rank;
      for (int d = 0; same && d < x.rank; ++d) {
        same = x.size[d] == y.size[d] && x.stride[d] == y.stride[d];
      }
      return same;
    }
    int number(int r) const { return nodes[r].same; }
  };
  template <std::size_t... R>
  static bool extras_agree(const Part& part, const Operand* operands,
                           const weft::detail::RowNode* nodes, std::index_sequence<R...>) {
    const SameOperands row{operands, nodes};
    const weft::detail::SameValue<SameOperands> same(row);
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

  template <class... Rs, class... Ps>
  static constexpr auto reads(const RowProgram<Pack<Rs...>, Pack<Ps...>>*) {
    struct Reads {
      std::uint32_t needed = 0;
      std::uint32_t direct = 0;
      std::uint32_t by_direct = 0;
    } out;
    constexpr std::uint32_t of[] = {weft::detail::reductions_of<decltype(Rs::program)>...};
    constexpr std::uint32_t outside[] = {
        weft::detail::reductions_of<Ps>...};  // of the gradients first
    out.needed =
        outside[0] | (sums > 0 ? std::uint32_t{1} << (sums > 0 ? facts.group[forward] : 0) : 0U);
    out.direct = outside[0] & forward_mask;
    for (int r = reductions - 1; r >= 0; --r) {
      if ((out.needed >> r & 1U) == 0) continue;
      out.needed |= of[r];
      if (r > forward) out.direct |= of[r] & forward_mask;
    }
    out.by_direct = out.direct;
    for (int r = forward - 1; r >= 0; --r) {
      if ((out.by_direct >> r & 1U) != 0) out.by_direct |= of[r];
    }
    return out;
  }
  static constexpr auto all_reads = reads(static_cast<Program*>(nullptr));

 public:
  /// The reductions that the gradients need; those of the forward pass that they read themselves;
  /// and what these need.
  static constexpr std::uint32_t needed = all_reads.needed;
  static constexpr std::uint32_t read_by_gradients = all_reads.direct;
  static constexpr std::uint32_t needed_by_read = all_reads.by_direct;
  static constexpr bool loads_fit =
      read_by_gradients != 0 && __builtin_popcount(read_by_gradients) <= sums;
  using Outs = typename weft::detail::Join<
      std::conditional_t<wholes == 2, TypeList<Element, Element>, TypeList<Element>>,
      std::conditional_t<sums == 0, TypeList<>,
                         std::conditional_t<sums == 1, TypeList<C>, TypeList<C, C>>>>::type;
};

}  // namespace weft::autograd
