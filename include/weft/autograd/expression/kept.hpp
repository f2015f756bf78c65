// Values that a statement keeps, so that the backward pass does not compute them again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/cut.hpp"
#include "weft/autograd/expression/reduction.hpp"

namespace weft::autograd {

/// A function of one reduction and of numbers: `reduction(e)` finds its node E, and `of(e, y)`, a
/// with<Y>, is the function of y in its place. E is plain.
template <class E>
struct OfOneReduction {
  static constexpr bool matches = false;
  template <class>
  using with = E;
  template <class Y>
  static const E& of(const E& e, const Y&) {
    return e;
  }
};
template <class R, class E>
  requires(!is_small<typename Reduce<R, E>::value_type>)
struct OfOneReduction<Reduce<R, E>> {
  static constexpr bool matches = true;
  using C = compute_t<typename Reduce<R, E>::value_type>;
  static const Reduce<R, E>& reduction(const Reduce<R, E>& e) { return e; }
  template <class Y>
  using with = Y;
  template <class Y>
  static const Y& of(const Reduce<R, E>&, const Y& y) {
    return y;
  }
};
template <class T, class Op, class... Args>
  requires(sizeof...(Args) <= 2 && (0 + ... + OfOneReduction<Args>::matches) == 1 &&
           ((OfOneReduction<Args>::matches || weft::detail::is_scalar<Args>)&&...))
struct OfOneReduction<Map<T, Op, Args...>> {
  static constexpr bool matches = true;
  using E = Map<T, Op, Args...>;
  static constexpr int at = [](bool first, auto...) {
    return first ? 0 : 1;
  }(OfOneReduction<Args>::matches...);
  using Inner =
      OfOneReduction<std::remove_cvref_t<decltype(get<at>(std::declval<const Pack<Args...>&>()))>>;
  using C = typename Inner::C;
  static const auto& reduction(const E& e) { return Inner::reduction(get<at>(e.args())); }
  template <class Y>
  using with = Map<T, Op, typename OfOneReduction<Args>::template with<Y>...>;
  template <class Y>
  static with<Y> of(const E& e, const Y& y) {
    return weft::detail::with_operands<with<Y>>(
        e, [&]<class X>(const X& x) -> decltype(auto) { return OfOneReduction<X>::of(x, y); });
  }
};

namespace detail {
/// Whether the gradient of E's operand needs E's value.
template <class E>
inline constexpr bool derives_by_value = false;
template <class R, class E>
inline constexpr bool derives_by_value<Reduce<R, E>> = Derivative<R>::reads_value;
/// Whether it needs only E's value and the element.
template <class E>
inline constexpr bool derives_simply = false;
template <class R, class E>
inline constexpr bool derives_simply<Reduce<R, E>> =
    std::is_base_of_v<NoExtras, Derivative<R>> && !weft::detail::has_reduction<without_vars_t<E>>;
template <class E>
struct PortOf;
template <class Port>
struct PortOf<TypeList<Port>> {
  using type = Port;
};

template <class E>
constexpr bool keeps_value() {
  if constexpr (is_cut<E>) {
    return true;
  } else if constexpr (!has_var<E> || !OfOneReduction<without_vars_t<E>>::matches) {
    return false;
  } else if constexpr (!is_map<E>) {
    return derives_by_value<E>;
  } else if constexpr (!derives_simply<typename PortOf<typename Segment<E>::ports>::type>) {
    return false;
  } else {
    using Parts = Segment<E>;
    using Program = decltype(Parts::template lower<1>(std::declval<const without_vars_t<E>&>(),
                                                      static_cast<Operand*>(nullptr), 0));
    return derives_by_value<typename PortOf<typename Parts::ports>::type> ||
           reverse_reads<Parts::template mask<1>, Program> != 0;
  }
}
}  // namespace detail

template <class E>
  requires(has_var<E>&& detail::is_map<E>&& OfOneReduction<without_vars_t<E>>::matches)
inline constexpr bool is_of_simple_reduction<E> =
    detail::derives_simply<typename detail::PortOf<typename Segment<E>::ports>::type>;

/// Whether a statement of type E keeps the value of its reduction: the gradient needs it, and only
/// a function of one number surrounds it. Or its own value: see is_cut.
template <class E>
inline constexpr bool keeps_value = detail::keeps_value<E>();

namespace detail {
template <class E>
struct KeptElement {
  using type = typename OfOneReduction<without_vars_t<E>>::C;
};
template <class E>
  requires is_cut<E>
struct KeptElement<E> {
  using type = typename E::value_type;
};
}  // namespace detail

/// The value that a statement keeps; empty for most.
template <class E, class D>
struct KeptValue {
  explicit operator bool() const { return false; }
};
template <class E, class D>
  requires keeps_value<E>
struct KeptValue<E, D> {
  Tensor<typename detail::KeptElement<E>::type, D> value;
  /// Not if it was written since: the statement's value may share its elements.
  explicit operator bool() const {
    return value.storage() != nullptr && weft::detail::Access::is_current(value);
  }
};

/// The value of a statement as elements of T, in two steps: its reduction, which is kept, and the
/// rest.
template <class T, class D, class E>
Tensor<T, D> evaluate_reduction(const without_vars_t<E>& e, KeptValue<E, D>& kept) {
  using Of = OfOneReduction<without_vars_t<E>>;
  using C = typename Of::C;
  const Tensor<C, D> reduced = weft::detail::materialize_on<C, D>(Of::reduction(e), D{});
  kept.value = weft::detail::Access::operand(reduced);
  if constexpr (detail::is_map<E>) {
    return weft::detail::materialize_on<T, D>(Of::of(e, reduced), D{});
  } else if constexpr (std::is_same_v<C, T>) {
    return reduced;
  } else {
    return weft::detail::materialize_on<T, D>(cast<T>(reduced), D{});
  }
}

/// The value of a statement as elements of T, and what it keeps.
template <class T, class D, class E>
Tensor<T, D> evaluate_and_keep(const without_vars_t<E>& e, KeptValue<E, D>& kept) {
  if constexpr (is_cut<E>) {
    const Tensor<T, D> y = CutStatement<E>::template evaluate<D>(e);
    if (CutStatement<E>::fits(e)) kept.value = weft::detail::Access::operand(y);
    return y;
  } else {
    return evaluate_reduction<T, D, E>(e, kept);
  }
}

}  // namespace weft::autograd
