// Single<N>: an expression that has rank 0 by its type, and so converts to a number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/operand.hpp"

namespace weft {

/// The node N where only reductions over all axes and numbers are in it: `float s = sum(x)`,
/// `if (sum(x) > 3)`. Converting evaluates it, and on Cuda waits for the value.
template <class N>
class Single : public N {
 public:
  using node_type = N;
  using converted = compute_t<typename N::value_type>;

  template <class... Args>
  explicit Single(Args&&... args) : N(static_cast<Args&&>(args)...) {}

  const N& node() const& { return *this; }
  N&& node() && { return static_cast<N&&>(*this); }

  operator converted() const { return static_cast<converted>(N::item()); }
  template <std::same_as<bool> B>
  explicit operator B() const {
    return N::item() != typename N::value_type{};
  }
};

namespace detail {
template <class X>
inline constexpr bool is_single = false;
template <class N>
inline constexpr bool is_single<Single<N>> = true;

/// Whether an operation on Xs has rank 0 by their types.
template <class... Xs>
inline constexpr bool are_single = (is_single<Xs> || ...) && ((is_single<Xs> || Number<Xs>)&&...) &&
                                   !(has_var<Xs> || ...);
}  // namespace detail

}  // namespace weft
