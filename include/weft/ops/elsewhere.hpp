// Functions whose headers are not in weft/weft.hpp: without it each says which one to include.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/expression.hpp"

// The functions themselves are better matches: these take any number of operands, or anything.

namespace weft {

namespace detail {
template <class... Xs>
constexpr void needs_header_autograd() {
  static_assert(always_false<Xs...>, "weft: to use gradients include <weft/autograd.hpp>");
}
template <class... Xs>
constexpr void needs_header_explain() {
  static_assert(always_false<Xs...>, "weft: to use explain and profile include <weft/explain.hpp>");
}
template <class... Xs>
constexpr void needs_header_io() {
  static_assert(always_false<Xs...>, "weft: to read and write files include <weft/io.hpp>");
}
}  // namespace detail

/// Says which header has it.
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
auto parameter(const Xs&...) { detail::needs_header_autograd<Xs...>(); }
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
auto explain(const Xs&...) { detail::needs_header_explain<Xs...>(); }
template <class... Xs>
  requires(ExpressionLike<Xs> || ...)
auto profile(const Xs&...) { detail::needs_header_explain<Xs...>(); }
template <class T = void>
auto load_npy(...) {
  detail::needs_header_io<T>();
}
template <class T = void>
auto save_npy(...) {
  detail::needs_header_io<T>();
}
template <class T = void>
auto load_npz(...) {
  detail::needs_header_io<T>();
}
template <class T = void>
auto load_safetensors(...) {
  detail::needs_header_io<T>();
}
template <class T = void>
auto save_safetensors(...) {
  detail::needs_header_io<T>();
}

}  // namespace weft
