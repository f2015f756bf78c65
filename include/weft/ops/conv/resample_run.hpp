// resampling::plan, resampling::values: interpolation of values and of Vars.
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

namespace resampling {

/// Interpolation of Vars, in autograd/conv/resample.hpp.
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
    fail<ValueError>("interpolate",
                     "align_corners with nearest interpolation, expected linear or cubic");
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

/// Calls f.template operator()<K>() with the number of elements that a result reads along an axis.
template <class F>
void with_taps(Interpolation kind, const F& f) {
  switch (kind) {
    case Interpolation::nearest:
      return f.template operator()<1>();
    case Interpolation::linear:
      return f.template operator()<2>();
    case Interpolation::cubic:
      return f.template operator()<4>();
  }
}

template <class T, class D>
Tensor<T, D> values(const Window<compute_t<T>>& w, const Tensor<T, D>& images) {
  using namespace weft::detail;
  const Tensor<T, D> x = in_any_format(images);
  Shape shape = x.shape();
  for (int i = 2; i < x.rank(); ++i) shape[i] = w.out[5 - x.rank() + i - 2];
  const Tensor<T, D> y = allocate_format<T>(shape, x.device(), is_channels_last(x));
  with_taps(w.kind, [&]<int K>() {
    const Values<T, K> f{w, Planes<const T>(x), Planes<T>(y)};
    conv::visit("interpolate", x.device(), conv::volume_of(y), f, {x.storage()}, {y.storage()});
  });
  return y;
}

}  // namespace resampling

}  // namespace weft
