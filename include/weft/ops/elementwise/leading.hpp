// The element type that an operation computes in: that of the operand which decides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/dtype.hpp"
#include "weft/core/expression.hpp"
#include "weft/ops/elementwise/domain.hpp"

namespace weft::detail {

template <class X>
struct ElementOf {
  using type = typename Canonical<X>::type;
};
template <Expression X>
struct ElementOf<X> {
  using type = typename X::value_type;
};
template <class X>
using element_of_t = typename ElementOf<std::remove_cvref_t<X>>::type;

/// An arange without an explicit element type; specialised where it is made.
template <class X>
inline constexpr bool is_counting = false;

/// Whether an expression takes the element type of the operands beside it, as numbers do: bool,
/// which every type of number holds, and arange without a type.
template <class X>
inline constexpr bool adapts = false;
template <Expression X>
inline constexpr bool adapts<X> = is_bool<typename X::value_type> || is_counting<X>;
template <class X>
inline constexpr bool decides = false;
template <Expression X>
inline constexpr bool decides<X> = !adapts<X>;

/// The element type where no operand decides: beside bool and arange the numbers' type, with float
/// for every floating one, as in zeros({3}); for numbers alone the type that all convert to.
template <class... Xs>
struct UndecidedElement {
  using type = std::common_type_t<element_of_t<Xs>...>;
};
template <class... Xs>
  requires(Expression<Xs> || ...)
struct UndecidedElement<Xs...> {
  template <class X>
  static constexpr bool floating = is_floating<element_of_t<X>> || is_complex<element_of_t<X>>;
  using type =
      std::conditional_t<(floating<Xs> || ...), float,
                         std::conditional_t<(is_integer<element_of_t<Xs>> || ...), int64_t, bool>>;
};

/// The element type of the first operand that decides.
template <class... Xs>
struct Leading : UndecidedElement<Xs...> {};
template <class X, class... Xs>
struct Leading<X, Xs...>
    : std::conditional_t<
          decides<X>, ElementOf<X>,
          std::conditional_t<(decides<Xs> || ...), Leading<Xs...>, UndecidedElement<X, Xs...>>> {};

/// The element type of the operand of a sum, product or scan that has widened it (int32 to int64),
/// else void; specialised where such nodes are made. Beside an operand of the narrower type the
/// result takes that type: `k - sum(k)` is of k's type, and so is `k += cumsum(k, axis(0))`. It is
/// bool for a count, which beside floats is a float: `sum(x * m) / sum(m)`.
template <class X>
struct WidenedFrom {
  using type = void;
};
template <class X>
using widened_from = typename WidenedFrom<std::remove_cvref_t<X>>::type;

template <class T, class... Xs>
inline constexpr bool has_element = ((decides<Xs> && std::is_same_v<element_of_t<Xs>, T>) || ...);

/// Whether an operation narrows its operands like that: arithmetic wraps in either type, but
/// comparisons and selections would change their result.
template <class Op>
inline constexpr bool narrows = false;
template <class Op>
  requires requires { typename Op::domain; }
inline constexpr bool narrows<Op> = !std::is_same_v<typename Op::domain, op::Any> &&
                                    !std::is_same_v<typename Op::domain, op::Ordered>;

/// The types that counts take; half would round those above 2048.
template <class T>
inline constexpr bool holds_counts = std::is_floating_point_v<T> || is_complex<T>;

/// Whether X becomes a T for that, or because it is real and T complex of the same precision.
template <class Op, class T, class X>
inline constexpr bool converts_to = narrows<Op>&& decides<X> &&
                                    (std::is_same_v<widened_from<X>, T> ||
                                     (is_bool<widened_from<X>> && holds_counts<T>) ||
                                     (is_complex<T> && std::is_same_v<element_of_t<X>, real_t<T>>));

/// What Y, one of Xs, makes of the element type of the leading operand, or void.
template <class Y, class... Xs>
using narrowed_by =
    std::conditional_t<has_element<widened_from<Y>, Xs...>, widened_from<Y>,
                       std::conditional_t<decides<Y> && holds_counts<element_of_t<Y>> &&
                                              (is_bool<widened_from<Xs>> || ...),
                                          element_of_t<Y>, void>>;

/// T, the element type of the leading operand, or what that one was widened from if another has it,
/// or complex<T> beside complex numbers.
template <class Op, class T, class... Xs>
struct Common {
  using type = T;
};
template <class Op, class T, class... Xs>
  requires(narrows<Op>&& std::is_floating_point_v<T> &&
           ((is_complex<element_of_t<Xs>> &&
             (!decides<Xs> || std::is_same_v<element_of_t<Xs>, complex<T>>)) ||
            ...))
struct Common<Op, T, Xs...> {
  using type = complex<T>;
};
template <class Op, class T, class... Xs>
  requires(narrows<Op> && (sizeof(T) == 8) && is_integer<T> &&
           (!std::is_void_v<narrowed_by<Xs, Xs...>> || ...))
struct Common<Op, T, Xs...> {
  template <class U>
  struct Is {
    using type = U;
  };
  template <class Y, class... Ys>
  static constexpr auto first() {
    if constexpr (std::is_void_v<narrowed_by<Y, Xs...>>) {
      return first<Ys...>();
    } else {
      return Is<narrowed_by<Y, Xs...>>{};
    }
  }
  using type = typename decltype(first<Xs...>())::type;
};

}  // namespace weft::detail
