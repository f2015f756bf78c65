// Which expressions hold differentiable tensors, and what evaluating one gives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/expression.hpp"

namespace weft {

namespace detail {
/// The device of Var<T>. autograd/var.hpp specialises it; without that, it names the header.
template <class T, class = void>
struct DefaultDevice {
  static constexpr bool here = always_false<T>;
  static_assert(here, "weft: to use Var include <weft/autograd.hpp>");
  using type = Cpu;
};
}  // namespace detail

template <class T, Device D = typename detail::DefaultDevice<T>::type>
class Var;  // in autograd/var.hpp

namespace detail {
template <class E>
inline constexpr bool is_var = false;
template <class T, class D>
inline constexpr bool is_var<Var<T, D>> = true;

/// How many tensors and how many Vars an expression holds.
struct LeafCounts {
  int tensors = 0;
  int vars = 0;
};
template <class E>
inline constexpr LeafCounts leaves_of = [] {
  if constexpr (is_var<E>) {
    return LeafCounts{0, 1};
  } else if constexpr (is_tensor<E>) {
    return LeafCounts{1, 0};
  } else if constexpr (requires(const E& e) { e.args(); }) {
    return leaves_of<std::remove_cvref_t<decltype(std::declval<const E&>().args())>>;
  } else if constexpr (requires(const E& e) { e.operand(); }) {
    return leaves_of<std::remove_cvref_t<decltype(std::declval<const E&>().operand())>>;
  } else {
    return LeafCounts{};
  }
}();
template <class... Es>
inline constexpr LeafCounts leaves_of<Pack<Es...>> = {(0 + ... + leaves_of<Es>.tensors),
                                                      (0 + ... + leaves_of<Es>.vars)};

/// The number of tensors in an expression, and that of Vars.
template <class E>
inline constexpr int leaf_count = leaves_of<std::remove_cvref_t<E>>.tensors;
template <class E>
inline constexpr int var_count = leaves_of<std::remove_cvref_t<E>>.vars;
template <class E>
inline constexpr bool has_var = var_count<E> > 0;

/// The result of evaluating E: a Tensor, or a Var if E contains one.
template <class E>
struct Evaluated {
  using device = std::conditional_t<std::is_same_v<typename E::device_type, AnyDevice>, Cpu,
                                    typename E::device_type>;
  using type = std::conditional_t<has_var<E>, Var<typename E::value_type, device>,
                                  Tensor<typename E::value_type, device>>;
};
}  // namespace detail

/// An expression with a differentiable tensor in it, whose value is a Var.
template <class X>
concept Differentiable = ExpressionLike<X> && detail::has_var<X>;

}  // namespace weft
