// softmin, glu and prelu: formulas over rows, halves and channels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/compose.hpp"
#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/linalg/matmul.hpp"

namespace weft {

/// softmax(-x).
template <ExpressionLike X>
auto softmin(const X& x, const Axes& axes = axis(-1)) {
  return softmax(-x, axes);
}

/// The first half of an axis times the sigmoid of the other (Dauphin et al. 2017). Throws
/// ShapeError unless its size is even.
template <ExpressionLike X>
auto glu(const X& e, int64_t along = -1) {
  const auto x = detail::as_tensor(e);
  const int at = static_cast<int>(along < 0 ? along + x.rank() : along);
  if (at < 0 || at >= x.rank() || x.size(at) % 2 != 0) {
    fail<ShapeError>("glu", "an input of shape ", x.shape(), ", expected an even size of axis ",
                     along);
  }
  const int64_t half = x.size(at) / 2;
  return x.narrow(at, 0, half) * sigmoid(x.narrow(at, half, half));
}

/// x where it is positive, otherwise x times the weight, which has one element, or one per channel
/// (axis 1; axis 0 for a vector) (He et al. 2015).
template <ExpressionLike X, ExpressionLike W>
auto prelu(const X& x, const W& weight) {
  const auto w = detail::as_tensor(weight);
  const int channels = x.rank() > 1 ? 1 : 0;
  if (w.rank() > 1 || (w.size() != 1 && (x.rank() == 0 || x.shape()[channels] != w.size()))) {
    fail<ShapeError>("prelu", "an input of shape ", x.shape(), " for ", w.size(),
                     " channels in a weight of shape ", w.shape());
  }
  Shape shape{w.size()};
  for (int i = channels + 1; w.size() != 1 && i < x.rank(); ++i) shape.push_back(1);
  if (x.rank() == 0) shape = {};
  return where(x > compute_t<typename X::value_type>(0), x, x * w.reshape(shape));
}

}  // namespace weft
