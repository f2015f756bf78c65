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

  // Members of N would lose the fact that this is one number: x.mean().sqrt().
  auto abs() const { return weft::detail::member::free_abs(*this); }
  auto exp() const { return weft::detail::member::free_exp(*this); }
  auto log() const { return weft::detail::member::free_log(*this); }
  auto sqrt() const { return weft::detail::member::free_sqrt(*this); }
  auto square() const { return weft::detail::member::free_square(*this); }
  auto sigmoid() const { return weft::detail::member::free_sigmoid(*this); }
  auto tanh() const { return weft::detail::member::free_tanh(*this); }
  auto relu() const { return weft::detail::member::free_relu(*this); }
  template <class Y>
  auto pow(const Y& y) const {
    return weft::detail::member::free_pow(*this, y);
  }
  template <class... Bounds>
  auto clamp(const Bounds&... b) const {
    return weft::detail::member::free_clamp(*this, b...);
  }

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
