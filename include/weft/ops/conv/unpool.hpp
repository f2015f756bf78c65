// max_unpool1d max_unpool2d max_unpool3d: the maxima put back at their positions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/pool_run.hpp"
#include "weft/ops/index/scatter.hpp"

namespace weft {

/// The pooling that max_unpool inverts.
struct MaxUnpoolOptions {
  PerAxis stride = 0;  ///< 0: the kernel's size
  PerAxis padding = 0;
  PerAxis size = 0;  ///< of the result, where strides leave it open; 0: the smallest
};

namespace pool {

/// max_unpool of Vars, in autograd/conv/unpool.hpp.
template <class V>
struct RecordedUnpool;

struct UnpoolKind {
  using domain = op::Floating;
  static constexpr const char* text = "max_unpool";
};

/// The shape of max_unpool's result.
WEFT_OUTLINED inline Shape unpooled_shape(const char* operation, const Shape& x,
                                          const Shape& indices, int axes, const PerAxis& kernel,
                                          const MaxUnpoolOptions& o) {
  if (x.rank() != axes + 2 || !(indices == x)) {
    fail<ShapeError>(operation, "an input of shape ", x, " and indices of shape ", indices,
                     ", expected (batch, channel, ...) for both with ", axes,
                     axes == 1 ? " spatial axis" : " spatial axes");
  }
  check_axes(operation, "a kernel", kernel, axes, 1);
  check_axes(operation, "stride", o.stride, axes, 0);
  check_axes(operation, "padding", o.padding, axes, 0);
  check_axes(operation, "a size", o.size, axes, 0);
  Shape out = x;
  for (int i = 0; i < axes; ++i) {
    const int64_t step = o.stride[i] > 0 ? o.stride[i] : kernel[i];
    const int64_t least = (x[2 + i] - 1) * step - 2 * o.padding[i] + kernel[i];
    out[2 + i] = o.size[i] > 0 ? o.size[i] : least;
    if (out[2 + i] < 1 || out[2 + i] <= least - step || out[2 + i] >= least + step) {
      fail<ShapeError>(operation, "an input of shape ", x, " to size ", out[2 + i],
                       " along spatial axis ", i, ", expected one above ", least - step,
                       " and below ", least + step);
    }
  }
  return out;
}

/// x at the indices of its images, counted along the rows; zeros elsewhere.
template <class T, class D, class I>
Tensor<T, D> unpooled(const Shape& shape, const Tensor<T, D>& x, const Tensor<I, D>& indices) {
  const Tensor<T, D> y = weft::detail::Access::allocate<T>(shape, x.device());
  y.fill(compute_t<T>(0));
  if (x.size() == 0) return y;
  const Shape rows{x.shape()[0], x.shape()[1], x.size() / (x.shape()[0] * x.shape()[1])};
  scatter(y.reshape({rows[0], rows[1], y.size() / (rows[0] * rows[1])}), Axes{2},
          indices.contiguous().reshape(rows), x.contiguous().reshape(rows));
  return y;
}

template <int Axes, class X, class I>
auto unpool_of(const char* operation, const X& e, const I& indices, const PerAxis& kernel,
               const MaxUnpoolOptions& o) {
  using Check = weft::detail::OperandCheck<UnpoolKind, X>;
  if constexpr (Check::report()) {
    const auto x = weft::detail::as_tensor(e);
    const auto at = weft::detail::as_tensor(indices);
    const Shape shape = unpooled_shape(operation, x.shape(), at.shape(), Axes, kernel, o);
    using V = std::remove_cvref_t<decltype(x)>;
    if constexpr (weft::detail::is_var<V>) {
      return RecordedUnpool<V>::run(operation, shape, x, at);
    } else {
      return unpooled(shape, x, at);
    }
  } else {
    return typename Check::first{};
  }
}

}  // namespace pool

/// The elements of x (batch, channel, length) at the indices from max_pool1d_with_indices, with
/// zeros in between: PyTorch's max_unpool1d. An index outside of the result is an IndexError.
template <ExpressionLike X, ExpressionLike I>
auto max_unpool1d(const X& x, const I& indices, const PerAxis& kernel,
                  const MaxUnpoolOptions& options = {}) {
  return pool::unpool_of<1>("max_unpool1d", x, indices, kernel, options);
}
/// As max_unpool1d, for images (batch, channel, row, column).
template <ExpressionLike X, ExpressionLike I>
auto max_unpool2d(const X& x, const I& indices, const PerAxis& kernel,
                  const MaxUnpoolOptions& options = {}) {
  return pool::unpool_of<2>("max_unpool2d", x, indices, kernel, options);
}
/// As max_unpool1d, for images (batch, channel, z, y, x).
template <ExpressionLike X, ExpressionLike I>
auto max_unpool3d(const X& x, const I& indices, const PerAxis& kernel,
                  const MaxUnpoolOptions& options = {}) {
  return pool::unpool_of<3>("max_unpool3d", x, indices, kernel, options);
}

}  // namespace weft
