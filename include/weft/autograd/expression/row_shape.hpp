// What an expression's type says about the row program of its gradients.
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
inline constexpr bool reduces_vars = (weft::detail::contents_of<E> &
                                      weft::detail::Contents::var_reductions) != 0;
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
template <class V, class Op, class A, class... More>
struct FirstVar<Map<V, Op, A, More...>>
    : std::conditional_t<has_var<A>, FirstVar<A>, FirstVar<Map<V, Op, More...>>> {};
template <class R, class E>
struct FirstVar<Reduce<R, E>> : FirstVar<E> {};

template <class T, int N>
using Times =
    std::conditional_t<N == 0, TypeList<>, std::conditional_t<N == 1, TypeList<T>, TypeList<T, T>>>;

/// What the types of a lowered expression's reductions say about its adjoint.
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

}  // namespace weft::autograd
