// interpolate, pixel_shuffle, pixel_unshuffle: images of another size.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/resample_window.hpp"
#include "weft/ops/conv/visit.hpp"
#include "weft/ops/linalg/matmul.hpp"

namespace weft {

/// The size that interpolate gives an image, and how.
struct InterpolateOptions {
  PerAxis size = 0;  ///< of the result; or
  double scale = 0;  ///< how many times as large it is along each spatial axis
  Interpolation mode = Interpolation::nearest;
  bool align_corners = false;  ///< the outermost elements stay the outermost
};

namespace resample {

/// Interpolation of Vars, in autograd/resample.hpp.
template <class V>
struct Recorded;

struct Kind {
  using domain = op::Floating;
  static constexpr const char* text = "interpolate";
};

template <class C>
Window<C> plan(const Shape& x, const InterpolateOptions& o) {
  const int axes = x.rank() - 2;
  if (axes < 1 || axes > 3) {
    fail<ShapeError>("interpolate", "an input of shape ", x,
                     ", expected (batch, channel, ...) with 1 to 3 spatial axes");
  }
  if ((o.scale > 0) == (o.size[0] > 0)) {
    fail<ValueError>("interpolate", "size ", o.size[0], " and scale ", o.scale,
                     ", expected one of them above 0");
  }
  if (o.scale == 0) check_axes("interpolate", "a size", o.size, axes, 1);
  if (o.mode == Interpolation::nearest && o.align_corners) {
    fail<ValueError>("interpolate", "align_corners with the nearest element, expected it with ",
                     "linear or cubic interpolation");
  }
  Window<C> w;
  w.kind = o.mode;
  w.align_corners = o.align_corners;
  for (int i = 0; i < axes; ++i) {
    const int at = 3 - axes + i;
    const auto in = static_cast<double>(x[2 + i]);
    w.in[at] = static_cast<int>(x[2 + i]);
    w.out[at] = static_cast<int>(o.scale > 0 ? in * o.scale : static_cast<double>(o.size[i]));
    if (w.in[at] < 1 || w.out[at] < 1) {
      fail<ShapeError>("interpolate", "an input of shape ", x, " to size ", w.out[at],
                       " along spatial axis ", i, ", expected at least 1");
    }
    const auto out = static_cast<double>(w.out[at]);
    const double step = o.align_corners ? (out > 1 ? (in - 1) / (out - 1) : 0)
                        : o.scale > 0   ? 1 / o.scale
                                        : in / out;
    // PyTorch finds the nearest element in float, whatever the type.
    w.scale[at] = o.mode == Interpolation::nearest ? static_cast<C>(static_cast<float>(step))
                                                   : static_cast<C>(step);
  }
  return w;
}

template <class T, class D>
Tensor<T, D> values(const Window<compute_t<T>>& w, const Tensor<T, D>& images) {
  using namespace weft::detail;
  const Tensor<T, D> x = in_any_format(images);
  Shape shape = x.shape();
  for (int i = 2; i < x.rank(); ++i) shape[i] = w.out[5 - x.rank() + i - 2];
  const Tensor<T, D> y = allocate_format<T>(shape, x.device(), is_channels_last(x));
  const Values<T> f{w, Planes<const T>(x), Planes<T>(y)};
  conv::visit("interpolate", x.device(), conv::volume_of(y), f, {x.storage()}, {y.storage()});
  return y;
}

}  // namespace resample

/// Images (batch, channel, ...) of another size: PyTorch's interpolate, without antialiasing.
/// Evaluated at the call, in the memory format of x.
template <ExpressionLike X>
auto interpolate(const X& e, const InterpolateOptions& options) {
  using Check = detail::OperandCheck<resample::Kind, X>;
  if constexpr (Check::report()) {
    const auto x = detail::as_tensor(e);
    const auto window = resample::plan<compute_t<typename Check::element>>(x.shape(), options);
    using V = std::remove_cvref_t<decltype(x)>;
    if constexpr (detail::is_var<V>) {
      return resample::Recorded<V>::run(window, x);
    } else {
      return resample::values(window, x);
    }
  } else {
    return typename Check::first{};
  }
}

/// Images (batch, channel r r, row, column) as ones of r times the rows and columns: (batch,
/// channel, row r, column r). Shi and others 2016.
template <ExpressionLike X>
auto pixel_shuffle(const X& e, int64_t r) {
  const auto x = detail::as_tensor(e);
  const Shape& s = x.shape();
  if (s.rank() != 4 || r < 1 || s[1] % (r * r) != 0) {
    fail<ShapeError>("pixel_shuffle", "an input of shape ", s, " by ", r,
                     ", expected (batch, channel, row, column) with channels that ", r * r,
                     " divides");
  }
  return x.reshape({s[0], s[1] / (r * r), r, r, s[2], s[3]})
      .permute({0, 1, 4, 2, 5, 3})
      .reshape({s[0], s[1] / (r * r), s[2] * r, s[3] * r});
}

/// The reverse of pixel_shuffle.
template <ExpressionLike X>
auto pixel_unshuffle(const X& e, int64_t r) {
  const auto x = detail::as_tensor(e);
  const Shape& s = x.shape();
  if (s.rank() != 4 || r < 1 || s[2] % r != 0 || s[3] % r != 0) {
    fail<ShapeError>("pixel_unshuffle", "an input of shape ", s, " by ", r,
                     ", expected (batch, channel, row, column) with rows and columns that ", r,
                     " divides");
  }
  return x.reshape({s[0], s[1], s[2] / r, r, s[3] / r, r})
      .permute({0, 1, 3, 5, 2, 4})
      .reshape({s[0], s[1] * r * r, s[2] / r, s[3] / r});
}

}  // namespace weft
