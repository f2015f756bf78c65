// The gradients of unfold and fold: each is the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/conv/conv.hpp"
#include "weft/ops/conv/fold.hpp"

namespace weft {

namespace autograd {
/// Of unfold, or of fold.
struct FoldRule {
  conv::Problem problem;
  bool unfolds;

  template <class G, class X>
  void backward(const G& g, const G&, const Pack<Pull<X>>& d, const G&) const {
    give(d.head, unfolds ? conv::images_of(problem, g) : conv::columns_of(problem, g));
  }
};
}  // namespace autograd

namespace conv {
template <class T, class D>
struct RecordedFold<Var<T, D>> {
  static Var<T, D> unfold(const Problem& p, const Var<T, D>& x) {
    return autograd::computed("unfold", autograd::FoldRule{p, true}, columns_of(p, x.value()), x);
  }
  static Var<T, D> fold(const Problem& p, const Var<T, D>& x) {
    return autograd::computed("fold", autograd::FoldRule{p, false}, images_of(p, x.value()), x);
  }
};
}  // namespace conv

}  // namespace weft
