// Gradients that are row programs, of operands that are expressions: passed on to the Var inside.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/row_backward.hpp"

namespace weft::autograd {

/// The gradient that a program gives.
template <class P>
struct ProgramSeed {
  static constexpr std::uint64_t reads = weft::detail::uses_of<P>;
  P program;
  template <class Inputs, class Y>
  WEFT_HD WEFT_INLINE Y operator()(const Inputs& inputs, Y) const {
    return static_cast<Y>(program(inputs));
  }
};

/// The row program of the gradient of the one Var in X, whose own gradient is the expression G; for
/// RowRun, as RowAdjoint.
template <class X, class G>
struct RowPullAdjoint {
  using Plain = without_vars_t<X>;
  using Above = weft::detail::RowLowering<G>;
  using Below = weft::detail::Lowering<Plain>;
  using Element = typename detail::FirstVar<X>::type;
  using C = compute_t<Element>;
  static constexpr int above = weft::detail::count(typename Above::types{});
  static constexpr int leaves = above + weft::detail::count(typename Below::types{});
  static constexpr int forward = Above::reductions;
  static constexpr std::uint64_t vars = detail::var_operands<X>() << above;
  static constexpr std::uint64_t direct = vars;
  static constexpr bool along = true;
  static constexpr bool reads_upstream = false;
  static constexpr bool loads_fit = false;
  static constexpr int loaded = 0;
  static constexpr int upstream = 0;
  static constexpr int wholes = 1;
  static constexpr int sums = 0;
  static constexpr int outputs = wholes;
  static constexpr int before = outputs + leaves;
  static constexpr int first = before + wholes;
  static constexpr int reductions = forward;
  static constexpr int value_of(int r) { return first + r; }
  static constexpr std::uint32_t forward_mask = (std::uint32_t{1} << forward) - 1;
  static constexpr std::uint32_t needed = (std::uint32_t{1} << reductions) - 1;
  static constexpr std::uint32_t read_by_gradients = forward_mask;
  static constexpr std::uint32_t needed_by_read = forward_mask;
  using Types = typename weft::detail::Join<typename Above::types, typename Below::types,
                                            TypeList<Element>>::type;
  using Outs = TypeList<Element>;

  /// The gradient and the operand, lowered.
  struct Lowered {
    const G& gradient;
    const Plain& x;
  };
  using Source = Lowered;
  static auto lower(const Lowered& from, Operand* operands, weft::detail::RowNode* nodes) {
    auto gradient = Above::template lower<outputs, 0>(from.gradient, operands, nodes);
    auto x = Below::template lower<outputs + above>(from.x, operands);
    return make_pack(gradient, x);
  }
  using Part = decltype(lower(std::declval<const Lowered&>(), nullptr, nullptr));

 private:
  static auto sweep(const Part& part) {
    const auto& gradient = part.head;
    using P = std::remove_cvref_t<decltype(as_operands<first>(gradient.program))>;
    using Q = std::remove_cvref_t<decltype(part.tail.head)>;
    using Seed = ProgramSeed<P>;
    return Sweep<(vars << outputs), Q, Seed>{part.tail.head,
                                             Seed{P(as_operands<first>(gradient.program))}};
  }
  using S = decltype(sweep(std::declval<const Part&>()));

 public:
  static auto program(const Part& part, long long) {
    const S s = sweep(part);
    auto all = part.head.reductions;
    auto out = make_pack(RowGradient<C, first, before, S>{{}, make_pack(s)});
    return RowProgram<decltype(all), decltype(out)>{all, out};
  }
  using Program = decltype(program(std::declval<const Part&>(), 0LL));

  static void choose_number(Program&, int, int, std::uint64_t) {}  // there is none
  static bool extras_agree(const Part&, const Operand*, const weft::detail::RowNode*) {
    return true;
  }

 private:
  template <class Head, class... Tail>
  static constexpr bool is_plain(const Pack<Head, Tail...>*) {
    return effects_of<decltype(Head::program)> == 0 &&
           is_plain(static_cast<Pack<Tail...>*>(nullptr));
  }
  static constexpr bool is_plain(const Pack<>*) { return true; }

 public:
  static constexpr bool possible =
      forward <= 8 && first + reductions < 60 && effects_of<decltype(S::program)> == 0 &&
      effects_of<decltype(S::seed.program)> == 0 &&
      is_plain(static_cast<decltype(std::declval<Part>().head.reductions)*>(nullptr));
};

/// Whether a gradient G goes on through X in a row program. X has one Var: with several, a short
/// row's operands cost more than writing the values in between.
template <class X, class G>
constexpr bool can_pull_rows() {
  if constexpr (!detail::is_map<X> || var_count<X> != 1 || !weft::detail::has_reduction<G>) {
    return false;
  } else if constexpr (detail::reduces_vars<X>) {
    return false;
  } else {
    using T = typename detail::FirstVar<X>::type;
    if constexpr (!detail::fits_rows<T, X> || !std::is_floating_point_v<compute_t<T>> ||
                  weft::detail::has_evaluated_before_rows<G>) {
      return false;
    } else {
      return std::is_same_v<compute_t<typename X::value_type>, compute_t<T>> &&
             RowPullAdjoint<X, G>::possible;
    }
  }
}

/// Passes the gradient, an expression with reductions inside, to the Var in X; returns false,
/// having done nothing, if that is not a row program.
template <class X, class G>
bool pull_rows(const without_vars_t<X>& x, Variable* const* edges, const G& gradient) {
  using D = typename X::device_type;
  using Loops = weft::detail::loops_of<D>;
  if constexpr (can_pull_rows<X, G>() && weft::detail::is_included<D>() &&
                weft::detail::can_run_rows<Loops>()) {
    using A = RowPullAdjoint<X, G>;
    D device{};
    weft::detail::for_each_leaf(x, [&](const auto& leaf) {
      if constexpr (std::is_same_v<decltype(leaf.device()), D>) device = leaf.device();
    });
    const weft::detail::Name name{"backward", weft::detail::name_of<without_vars_t<X>>().type};
    const typename A::Lowered from{gradient, x};
    return RowRun<A, D, G>(name, from, x.shape(), device, gradient).run(edges);
  } else {
    return false;
  }
}

}  // namespace weft::autograd
