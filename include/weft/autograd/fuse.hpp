// fuse of Vars: several statements whose values one pass computes, each with its own gradient.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "weft/autograd/var.hpp"
#include "weft/eval/fuse.hpp"

namespace weft {

namespace detail {

/// Whether a statement's value may be computed in one pass with others. What a product computes
/// with its own call may not.
template <class E>
inline constexpr bool is_fusable = !autograd::HoistInside<E>::changes && !is_var<E> &&
                                   !(autograd::is_cut<E> && autograd::HoistOpaque<E>::changes);

/// The values of expressions, at least one with a Var, as a tuple: Vars, or tensors for expressions
/// without one.
template <class... Es>
auto fused_vars(const Es&... es) {
  using Values = std::tuple<typename Evaluated<Es>::type...>;
  if constexpr (!(is_fusable<Es> && ...)) {
    return Values(typename Evaluated<Es>::type(es)...);
  } else {
    using D = common_device_of<Es...>;
    if (autograd::caster<float, D>() != nullptr) return Values(typename Evaluated<Es>::type(es)...);
    const auto plain = make_pack(autograd::without_vars(es)...);
    const auto values = materialize_fused<D>(plain);
    const auto made = [&]<class E, int I>(const E& e, std::integral_constant<int, I>) {
      using Y = typename Evaluated<E>::type;
      Y y(get<I>(values));
      if constexpr (is_var<Y>) {
        if constexpr (autograd::can_differentiate<E>()) {
          using T = typename Y::value_type;
          auto variable = autograd::record_statement<T, D>(
              e, autograd::without_vars_t<E>(get<I>(plain)), "", 0);
          if (variable) y = Y(y.value(), static_cast<decltype(variable)&&>(variable));
        }
      }
      return y;
    };
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return Values(made(es, std::integral_constant<int, static_cast<int>(I)>{})...);
    }
    (std::index_sequence_for<Es...>{});
  }
}

}  // namespace detail
}  // namespace weft
