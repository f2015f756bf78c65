// Which expressions hold differentiable tensors, and what evaluating one gives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/expression.hpp"

namespace weft {

template <class T, Device D>
class Var;  // in autograd/var.hpp

namespace detail {
template <class E>
inline constexpr bool is_var = false;
template <class T, class D>
inline constexpr bool is_var<Var<T, D>> = true;

template <class E>
struct VarCount;
template <class... Es>
struct VarCount<Pack<Es...>> {
  static constexpr int value = (0 + ... + VarCount<Es>::value);
};
template <class E>
struct VarCount {
  static constexpr int value = [] {
    if constexpr (is_var<E>) {
      return 1;
    } else if constexpr (is_tensor<E>) {
      return 0;
    } else if constexpr (requires(const E& e) { e.args(); }) {
      return VarCount<std::remove_cvref_t<decltype(std::declval<const E&>().args())>>::value;
    } else if constexpr (requires(const E& e) { e.operand(); }) {
      return VarCount<std::remove_cvref_t<decltype(std::declval<const E&>().operand())>>::value;
    } else {
      return 0;
    }
  }();
};
/// The number of differentiable tensors in an expression.
template <class E>
inline constexpr int var_count = VarCount<std::remove_cvref_t<E>>::value;
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
