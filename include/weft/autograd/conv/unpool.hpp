// The gradient of max_unpool: the elements at the indices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/conv/conv.hpp"
#include "weft/ops/conv/unpool.hpp"
#include "weft/ops/index/gather.hpp"

namespace weft {

namespace autograd {

/// Each element gets the gradient of its place.
template <class I, class D>
struct UnpoolRule {
  Tensor<I, D> indices;

  template <class G, class X>
  void backward(const G& g, const G&, const Pack<Pull<X>>& d, const G& x) const {
    const int64_t planes = x.shape()[0] * x.shape()[1];
    if (planes == 0) return;
    const G rows = g.contiguous().reshape({planes, g.size() / planes});
    const auto at = indices.contiguous().reshape({planes, x.size() / planes});
    give(d.head, G(take_along_axis(rows, at, Axes{1})).reshape(x.shape()));
  }
};

}  // namespace autograd

namespace pool {
template <class T, class D>
struct RecordedUnpool<Var<T, D>> {
  template <class I>
  static Var<T, D> run(const char* operation, const Shape& shape, const Var<T, D>& x,
                       const Tensor<I, D>& indices) {
    const Tensor<T, D> y = unpooled(shape, x.value(), indices);
    return autograd::computed(operation, autograd::UnpoolRule<I, D>{indices}, y, x);
  }
};
}  // namespace pool

}  // namespace weft
