// The chain rule of one operation: from the gradient of its value to an argument's gradient.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/unary.hpp"

namespace weft::autograd {

/// The gradient g of a value times its derivative. The parts of a complex gradient are the
/// derivatives with respect to the number's two parts. So the derivative of a complex value by a
/// complex argument enters conjugated; the derivative of a real value by a complex argument is such
/// a pair already; and for a real argument of a complex value only the real part counts.
template <class G, class Derivative>
WEFT_HD WEFT_INLINE constexpr auto chained(G g, Derivative derivative) {
  if constexpr (is_complex<G> && is_complex<Derivative>) {
    return static_cast<Derivative>(g) * math::conj(derivative);
  } else if constexpr (is_complex<G>) {
    return static_cast<Derivative>(g.re) * derivative;
  } else {
    return static_cast<Derivative>(g) * derivative;
  }
}

/// The gradient of an operation's argument I, given the gradient g of its value y: what the
/// operation's `vjp` says, or g times its derivative; op::none if no gradient flows.
template <int I, class Op, class G, class Y, class... Xs>
WEFT_HD WEFT_INLINE constexpr auto pull_back(const Op& op, G g, Y y, Xs... xs) {
  if constexpr (std::is_same_v<Op, op::conj>) {
    return math::conj(g);
  } else if constexpr (requires { op.template vjp<I>(g, xs..., y); }) {
    return op.template vjp<I>(g, xs..., y);
  } else if constexpr (requires { op.template derivative<I>(xs..., y); }) {
    using Derivative = decltype(op.template derivative<I>(xs..., y));
    if constexpr (std::is_same_v<Derivative, op::NotDifferentiable>) {
      return op::none;
    } else {
      return chained(g, op.template derivative<I>(xs..., y));
    }
  } else {
    return op::none;
  }
}

}  // namespace weft::autograd
