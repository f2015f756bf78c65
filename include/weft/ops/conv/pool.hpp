// max_pool, avg_pool and their adaptive forms over one to three spatial axes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/pool_run.hpp"

namespace weft {

/// The largest element of each window of images (batch, channel, length). NaN counts as the
/// largest. The batch axis may be omitted for a single image. Evaluated at the call, in the memory
/// format of x.
template <ExpressionLike X>
auto max_pool1d(const X& x, const PerAxis& kernel, const MaxPoolOptions& options = {}) {
  return pool::maximum_of<void, 1>("max_pool1d", x,
                                   pool::max_plan<1>("max_pool1d", kernel, options));
}
/// max_pool1d as {values, indices}: the indices are positions in each image.
template <ExpressionLike X>
auto max_pool1d_with_indices(const X& x, const PerAxis& kernel,
                             const MaxPoolOptions& options = {}) {
  return pool::maximum_of<int64_t, 1>("max_pool1d", x,
                                      pool::max_plan<1>("max_pool1d", kernel, options));
}
/// The mean of each window of images (batch, channel, length).
template <ExpressionLike X>
auto avg_pool1d(const X& x, const PerAxis& kernel, const AvgPoolOptions& options = {}) {
  return pool::average_of<1>("avg_pool1d", x, pool::avg_plan<1>("avg_pool1d", kernel, options));
}
/// The mean of each of `size` parts of images (batch, channel, length); a size of 0 keeps the
/// image's.
template <ExpressionLike X>
auto adaptive_avg_pool1d(const X& x, const PerAxis& size) {
  return pool::average_of<1>("adaptive_avg_pool1d", x,
                             pool::parts_plan<1>("adaptive_avg_pool1d", size));
}
/// The largest element of each of `size` parts of images (batch, channel, length).
template <ExpressionLike X>
auto adaptive_max_pool1d(const X& x, const PerAxis& size) {
  return pool::maximum_of<void, 1>("adaptive_max_pool1d", x,
                                   pool::parts_plan<1>("adaptive_max_pool1d", size));
}

/// As max_pool1d, for images (batch, channel, row, column).
template <ExpressionLike X>
auto max_pool2d(const X& x, const PerAxis& kernel, const MaxPoolOptions& options = {}) {
  return pool::maximum_of<void, 2>("max_pool2d", x,
                                   pool::max_plan<2>("max_pool2d", kernel, options));
}
/// max_pool2d as {values, indices}: the indices are row-major positions in each image.
template <ExpressionLike X>
auto max_pool2d_with_indices(const X& x, const PerAxis& kernel,
                             const MaxPoolOptions& options = {}) {
  return pool::maximum_of<int64_t, 2>("max_pool2d", x,
                                      pool::max_plan<2>("max_pool2d", kernel, options));
}
/// The mean of each window of images (batch, channel, row, column).
template <ExpressionLike X>
auto avg_pool2d(const X& x, const PerAxis& kernel, const AvgPoolOptions& options = {}) {
  return pool::average_of<2>("avg_pool2d", x, pool::avg_plan<2>("avg_pool2d", kernel, options));
}
/// The mean of each of `size` parts of images (batch, channel, row, column); a size of 0 keeps the
/// image's.
template <ExpressionLike X>
auto adaptive_avg_pool2d(const X& x, const PerAxis& size) {
  return pool::average_of<2>("adaptive_avg_pool2d", x,
                             pool::parts_plan<2>("adaptive_avg_pool2d", size));
}
/// The largest element of each of `size` parts of images (batch, channel, row, column).
template <ExpressionLike X>
auto adaptive_max_pool2d(const X& x, const PerAxis& size) {
  return pool::maximum_of<void, 2>("adaptive_max_pool2d", x,
                                   pool::parts_plan<2>("adaptive_max_pool2d", size));
}

/// As max_pool1d, for images (batch, channel, z, y, x).
template <ExpressionLike X>
auto max_pool3d(const X& x, const PerAxis& kernel, const MaxPoolOptions& options = {}) {
  return pool::maximum_of<void, 3>("max_pool3d", x,
                                   pool::max_plan<3>("max_pool3d", kernel, options));
}
/// max_pool3d as {values, indices}: the indices are row-major positions in each image.
template <ExpressionLike X>
auto max_pool3d_with_indices(const X& x, const PerAxis& kernel,
                             const MaxPoolOptions& options = {}) {
  return pool::maximum_of<int64_t, 3>("max_pool3d", x,
                                      pool::max_plan<3>("max_pool3d", kernel, options));
}
/// The mean of each window of images (batch, channel, z, y, x).
template <ExpressionLike X>
auto avg_pool3d(const X& x, const PerAxis& kernel, const AvgPoolOptions& options = {}) {
  return pool::average_of<3>("avg_pool3d", x, pool::avg_plan<3>("avg_pool3d", kernel, options));
}
/// The mean of each of `size` parts of images (batch, channel, z, y, x); a size of 0 keeps the
/// image's.
template <ExpressionLike X>
auto adaptive_avg_pool3d(const X& x, const PerAxis& size) {
  return pool::average_of<3>("adaptive_avg_pool3d", x,
                             pool::parts_plan<3>("adaptive_avg_pool3d", size));
}
/// The largest element of each of `size` parts of images (batch, channel, z, y, x).
template <ExpressionLike X>
auto adaptive_max_pool3d(const X& x, const PerAxis& size) {
  return pool::maximum_of<void, 3>("adaptive_max_pool3d", x,
                                   pool::parts_plan<3>("adaptive_max_pool3d", size));
}

}  // namespace weft
