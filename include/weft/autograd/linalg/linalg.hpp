// Linear algebra of Vars: each function is recorded with the gradient defined next to its value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/function.hpp"
#include "weft/autograd/shape/movement.hpp"

namespace weft::linalg {

/// The Var of K's value for tensors and Vars; ops/linalg/solver.hpp says what K has.
template <class K, class... Xs>
auto recorded(const K& k, const Xs&... xs) {
  static_assert(!(is_dual<typename Xs::value_type> || ...),
                "weft: linear algebra has first derivatives only: hvp does not take it");
  return autograd::computed(K::text, k, k.value(autograd::without_vars(xs)...), xs...);
}

}  // namespace weft::linalg
