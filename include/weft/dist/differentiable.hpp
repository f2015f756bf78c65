// Collectives with gradients: what modules over several ranks are made of.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/function.hpp"
#include "weft/dist/start.hpp"

namespace weft::dist {

/// The sum of all ranks' x, as a Var on each. What all ranks make of the sum counts: the gradient
/// is the sum of theirs.
template <class T, class D>
Var<T, D> sum_over_ranks(const Group& group, const Var<T, D>& x) {
  const auto reduced = [group](const auto& v) {
    const Tensor<T, D> out = v.clone();
    group.all_reduce(out);
    return out;
  };
  return custom(
      reduced, [reduced](const auto& g, const auto&, const auto&) { return reduced(g); }, x);
}

/// x itself; its gradient is the sum of all ranks'. For what all ranks have alike and each uses a
/// part of, as the input of a Linear whose columns are split over the ranks.
template <class T, class D>
Var<T, D> copy_to_ranks(const Group& group, const Var<T, D>& x) {
  return custom([](const auto& v) { return v.clone(); },
                [group](const auto& g, const auto&, const auto&) {
                  const Tensor<T, D> out = g.clone();
                  group.all_reduce(out);
                  return out;
                },
                x);
}

/// The sum of all ranks' x, of which each rank goes on with the same: the gradient passes as it is.
template <class T, class D>
Var<T, D> reduce_from_ranks(const Group& group, const Var<T, D>& x) {
  return custom(
      [group](const auto& v) {
        const Tensor<T, D> out = v.clone();
        group.all_reduce(out);
        return out;
      },
      [](const auto& g, const auto&, const auto&) { return g; }, x);
}

}  // namespace weft::dist
