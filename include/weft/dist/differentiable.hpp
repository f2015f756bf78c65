// Collectives with gradients: the building blocks of modules over several ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/function.hpp"
#include "weft/dist/start.hpp"

namespace weft::dist {

/// The sum of all ranks' x, as a Var on each. The gradient is the sum of all ranks' gradients.
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

/// x itself; its gradient is the sum of all ranks'. For values that are the same on all ranks, of
/// which each uses a part, such as the input of a Linear whose columns are split over the ranks.
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

/// The sum of all ranks' x, if all ranks continue with the same computation: the gradient passes
/// unchanged.
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
