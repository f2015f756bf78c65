// unfold and fold: what a kernel sees at each place as columns, and the sum of columns as images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/columns.hpp"
#include "weft/ops/conv/visit.hpp"
#include "weft/ops/linalg/matmul.hpp"

namespace weft {

/// How unfold's kernel moves over an image.
struct UnfoldOptions {
  PerAxis stride = 1;
  PerAxis padding = 0;
  PerAxis dilation = 1;
};

namespace conv {

/// unfold and fold of Vars, in autograd/conv/fold.hpp.
template <class V>
struct RecordedFold;

struct Unfolding {
  using domain = op::Floating;
  static constexpr const char* text = "unfold";
};

/// The convolution that would read images of a shape by one kernel for each channel.
WEFT_OUTLINED inline Problem plan_unfold(const char* operation, const Shape& images,
                                         const PerAxis& kernel, const UnfoldOptions& o) {
  if (images.rank() != 4) {
    fail<ShapeError>(operation, "images of shape ", images,
                     ", expected (batch, channel, row, column)");
  }
  check_axes(operation, "a kernel", kernel, 2, 1);
  return plan(operation, images, {1, images[1], kernel[0], kernel[1]}, 2,
              {.stride = o.stride, .padding = o.padding, .dilation = o.dilation});
}

/// (batch, channel * taps, place) of images.
template <class T, class D>
Tensor<T, D> columns_of(const Problem& p, const Tensor<T, D>& x) {
  const int64_t rows = p.channels * p.taps();
  const Tensor<T, D> out =
      weft::detail::Access::allocate<T, D>({p.images, rows, p.places()}, x.device());
  const IntoColumns<T> copy{Window(p), Planes<const T>(x), out.data(), p.places(),
                            rows * p.places()};
  visit("unfold", x.device(), copy.volume(p.images, p.channels), copy, {x.storage()},
        {out.storage()});
  return out;
}

/// The images whose places are the sums of their entries in the columns.
template <class T, class D>
Tensor<T, D> images_of(const Problem& p, const Tensor<T, D>& columns) {
  const Tensor<T, D> seen = weft::detail::in_format(columns, false);
  const Tensor<T, D> out = weft::detail::Access::allocate<T, D>(p.image_shape(), seen.device());
  const FromColumns<T> add{Window(p), seen.data(), Planes<T>(out), p.places(),
                           p.channels * p.taps() * p.places()};
  visit("fold", seen.device(), volume_of(out), add, {seen.storage()}, {out.storage()});
  return out;
}

}  // namespace conv

/// The patches of images (batch, channel, row, column) under a kernel at each position, as columns
/// (batch, channel * taps, position): PyTorch's nn.functional.unfold.
template <ExpressionLike X>
auto unfold(const X& e, const PerAxis& kernel, const UnfoldOptions& options = {}) {
  using Check = detail::OperandCheck<conv::Unfolding, X>;
  if constexpr (Check::report()) {
    const auto x = detail::as_tensor(e);
    const conv::Problem p = conv::plan_unfold("unfold", x.shape(), kernel, options);
    using V = std::remove_cvref_t<decltype(x)>;
    if constexpr (detail::is_var<V>) {
      return conv::RecordedFold<V>::unfold(p, x);
    } else {
      return conv::columns_of(p, x);
    }
  } else {
    return typename Check::first{};
  }
}

/// Images (batch, channel, row, column) with `size` rows and columns, each pixel the sum of its
/// entries in columns as made by unfold: PyTorch's nn.functional.fold.
template <ExpressionLike X>
auto fold(const X& e, const PerAxis& size, const PerAxis& kernel,
          const UnfoldOptions& options = {}) {
  using Check = detail::OperandCheck<conv::Unfolding, X>;
  if constexpr (Check::report()) {
    const auto x = detail::as_tensor(e);
    check_axes("fold", "a size", size, 2, 1);
    check_axes("fold", "a kernel", kernel, 2, 1);
    const int64_t taps = kernel[0] * kernel[1];
    const bool fits = x.rank() == 3 && x.shape()[1] % taps == 0;
    const Shape images{fits ? x.shape()[0] : 0, fits ? x.shape()[1] / taps : 1, size[0], size[1]};
    const conv::Problem p = conv::plan_unfold("fold", images, kernel, options);
    if (!fits || x.shape()[2] != p.places()) {
      fail<ShapeError>("fold", "columns of shape ", x.shape(), ", expected (batch, channel * ",
                       taps, ", ", p.places(), ")");
    }
    using V = std::remove_cvref_t<decltype(x)>;
    if constexpr (detail::is_var<V>) {
      return conv::RecordedFold<V>::fold(p, x);
    } else {
      return conv::images_of(p, x);
    }
  } else {
    return typename Check::first{};
  }
}

}  // namespace weft
