// pool::plan, pool::largest, pool::average: pooling of values and of Vars, whatever the axes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/pool_average.hpp"
#include "weft/ops/conv/pool_largest.hpp"
#include "weft/ops/conv/visit.hpp"
#include "weft/ops/linalg/matmul.hpp"

namespace weft {

/// How max_pool's kernel moves over an image.
struct MaxPoolOptions {
  PerAxis stride = 0;  ///< 0: the kernel's size
  PerAxis padding = 0;
  PerAxis dilation = 1;
  bool ceil_mode = false;  ///< a last window that is not full has a result too
};
/// The same for avg_pool.
struct AvgPoolOptions {
  PerAxis stride = 0;  ///< 0: the kernel's size
  PerAxis padding = 0;
  bool ceil_mode = false;
  bool count_include_pad = true;  ///< zeros around the image count in the number that divides
  int64_t divisor = 0;            ///< what a sum is divided by, instead of that number
};

/// The largest elements, and the row-major position of each in its image.
template <class V, class I>
struct Pooled {
  V values;
  I indices;
};

/// max_pool by dedicated kernels (cpu/conv/pool.hpp, cuda/conv/pool.hpp), which return false,
/// without side effects, for cases they do not support; without `index` only the values:
///   static bool largest(const char* operation, const pool::Window&, const Tensor<T, D>& x,
///                       const Tensor<T, D>& y, const Tensor<I, D>* index);
///   static bool gradient(operation, window, g, index, dx);
template <class D>
struct MaxPoolKernels;
/// The same for averages (cpu/conv/average_pool.hpp, cuda/conv/average_pool.hpp):
///   static bool average(const pool::Window&, const Tensor<T, D>& x, const Tensor<T, D>& y);
///   static bool gradient(window, g, dx);
template <class D>
struct AvgPoolKernels;

namespace pool {

/// Whether device D has such kernels.
template <class D>
using KernelsOf = MaxPoolKernels<std::conditional_t<is_cuda<D>, Cuda, D>>;
template <class D>
constexpr bool has_kernels() {
  return requires { sizeof(KernelsOf<D>); };
}

template <class D>
using AverageKernelsOf = AvgPoolKernels<std::conditional_t<is_cuda<D>, Cuda, D>>;
template <class D>
constexpr bool has_average_kernels() {
  return requires { sizeof(AverageKernelsOf<D>); };
}

/// Whether there is one window over images that have no gaps, and all their elements count.
template <class P, class T, class D>
bool is_whole(const Window& w, const P& planes, const Tensor<T, D>& images) {
  if (!w.parts || w.out[0] * w.out[1] * w.out[2] != 1 || images.size() == 0) return false;
  return planes.are_channels_adjacent() ? is_channels_last(images) : images.is_contiguous();
}

/// Pooling of Vars, in autograd/conv/pool.hpp.
template <class V>
struct Recorded;

/// Sizes of a pooling's windows, checked.
WEFT_OUTLINED inline Window plan(const char* operation, const Shape& x, int axes,
                                 const PerAxis& kernel, const PerAxis& stride,
                                 const PerAxis& padding, const PerAxis& dilation, bool ceil) {
  if (x.rank() != axes + 2) {
    fail<ShapeError>(operation, "an input of shape ", x, ", expected (batch, channel, ...) with ",
                     axes, axes == 1 ? " spatial axis" : " spatial axes");
  }
  check_axes(operation, "a kernel", kernel, axes, 1);
  check_axes(operation, "stride", stride, axes, 0);
  check_axes(operation, "padding", padding, axes, 0);
  check_axes(operation, "dilation", dilation, axes, 1);
  Window w;
  for (int i = 0; i < axes; ++i) {
    const int at = 3 - axes + i;
    const int64_t step = stride[i] > 0 ? stride[i] : kernel[i];
    if (2 * padding[i] > kernel[i]) {
      fail<ValueError>(operation, "padding ", padding[i], " with a kernel of ", kernel[i],
                       ", expected at most half of it");
    }
    const int64_t room = x[2 + i] + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1;
    if (room < 0) {
      fail<ShapeError>(operation, "a kernel that reaches over ", dilation[i] * (kernel[i] - 1) + 1,
                       " of ", x[2 + i] + 2 * padding[i], " places along spatial axis ", i,
                       " of an input of shape ", x, ", expected one that fits");
    }
    int64_t out = (room + (ceil ? step - 1 : 0)) / step + 1;
    // The last window starts in the image or before it.
    if (ceil && (out - 1) * step >= x[2 + i] + padding[i]) --out;
    w.in[at] = static_cast<int>(x[2 + i]);
    w.out[at] = static_cast<int>(out);
    w.kernel[at] = static_cast<int>(kernel[i]);
    w.stride[at] = static_cast<int>(step);
    w.padding[at] = static_cast<int>(padding[i]);
    w.dilation[at] = static_cast<int>(dilation[i]);
  }
  return w;
}

/// The same for as many parts as there are results; a size of 0 keeps the image's.
WEFT_OUTLINED inline Window plan_parts(const char* operation, const Shape& x, int axes,
                                       const PerAxis& size) {
  if (x.rank() != axes + 2) {
    fail<ShapeError>(operation, "an input of shape ", x, ", expected (batch, channel, ...) with ",
                     axes, axes == 1 ? " spatial axis" : " spatial axes");
  }
  check_axes(operation, "a size", size, axes, 0);
  Window w;
  w.parts = true;
  for (int i = 0; i < axes; ++i) {
    const int at = 3 - axes + i;
    if (x[2 + i] < 1) fail<ShapeError>(operation, "an input of shape ", x, ", expected elements");
    w.in[at] = static_cast<int>(x[2 + i]);
    w.out[at] = size[i] > 0 ? static_cast<int>(size[i]) : w.in[at];
  }
  return w;
}

inline Shape result_shape(const Shape& x, const Window& w) {
  Shape out = x;
  for (int i = 2; i < x.rank(); ++i) out[i] = w.out[5 - x.rank() + i - 2];
  return out;
}

/// The largest elements, and their places as integers of type I unless only the values are wanted.
template <class I, class T, class D>
Pooled<Tensor<T, D>, Tensor<I, D>> largest(const char* operation, const Window& w,
                                           const Tensor<T, D>& images, bool places) {
  using namespace weft::detail;
  if (int64_t{w.in[0]} * w.in[1] * w.in[2] > INT32_MAX) {
    fail<ShapeError>(operation, "images of shape ", images.shape(),
                     ", expected fewer than 2^31 places in each");
  }
  const Tensor<T, D> x = in_any_format(images);
  const Shape shape = result_shape(x.shape(), w);
  const bool last = is_channels_last(x);
  const Tensor<T, D> y = allocate_format<T>(shape, x.device(), last);
  Tensor<I, D> index;
  Largest<T, I> f{w, Planes<const T>(x), Planes<T>(y), {}};
  if (places) {
    index = allocate_format<I>(shape, x.device(), last);
    f.index = Planes<I>(index);
  }
  if constexpr (has_kernels<D>()) {
    if (y.size() > 0 && KernelsOf<D>::largest(operation, w, x, y, places ? &index : nullptr)) {
      return {y, index};
    }
  }
  if (places) {
    conv::visit(operation, x.device(), conv::volume_of(y), f, {x.storage()},
                {y.storage(), index.storage()});
  } else {
    conv::visit(operation, x.device(), conv::volume_of(y), f, {x.storage()}, {y.storage()});
  }
  return {y, index};
}

template <class T, class D>
Tensor<T, D> average(const char* operation, const Window& w, const Tensor<T, D>& images) {
  using namespace weft::detail;
  const Tensor<T, D> x = in_any_format(images);
  const Tensor<T, D> y =
      allocate_format<T>(result_shape(x.shape(), w), x.device(), is_channels_last(x));
  if constexpr (has_average_kernels<D>()) {
    if (AverageKernelsOf<D>::average(w, x, y)) return y;
  }
  const Average<T> f{w, Planes<const T>(x), Planes<T>(y)};
  conv::visit(operation, x.device(), conv::volume_of(y), f, {x.storage()}, {y.storage()});
  return y;
}

/// Stands for the operations where OperandCheck looks at their operand.
template <bool Max>
struct Kind {
  using domain = op::Floating;
  static constexpr const char* text = Max ? "max_pool" : "avg_pool";
};

/// f(images, window) for a value or a Var; an image without a batch axis is given one.
template <class K, int Axes, class X, class Plan, class F>
auto apply(const X& x, const Plan& plan_of, const F& f) {
  using Check = weft::detail::OperandCheck<K, X>;
  if constexpr (Check::report()) {
    const auto images = weft::detail::as_tensor(x);
    if (images.rank() == Axes + 1) {
      const auto batch = images.unsqueeze(0);
      auto out = f(batch, plan_of(batch.shape()));
      if constexpr (requires { out.indices; }) {
        return decltype(out){out.values.squeeze(0), out.indices.squeeze(0)};
      } else {
        return out.squeeze(0);
      }
    } else {
      return f(images, plan_of(images.shape()));
    }
  } else {
    return typename Check::first{};
  }
}

/// I: the type of the places; void for only the values.
template <class I, int Axes, class X, class Plan>
auto maximum_of(const char* operation, const X& x, const Plan& plan_of) {
  return apply<Kind<true>, Axes>(x, plan_of, [&](const auto& images, const Window& w) {
    using V = std::remove_cvref_t<decltype(images)>;
    if constexpr (weft::detail::is_var<V>) {
      if constexpr (std::is_void_v<I>) {
        return Recorded<V>::template largest<std::int32_t>(operation, w, images).values;
      } else {
        return Recorded<V>::template largest<I>(operation, w, images);
      }
    } else if constexpr (std::is_void_v<I>) {
      return largest<std::int32_t>(operation, w, images, false).values;
    } else {
      return largest<I>(operation, w, images, true);
    }
  });
}
template <int Axes, class X, class Plan>
auto average_of(const char* operation, const X& x, const Plan& plan_of) {
  return apply<Kind<false>, Axes>(x, plan_of, [&](const auto& images, const Window& w) {
    using V = std::remove_cvref_t<decltype(images)>;
    if constexpr (weft::detail::is_var<V>) {
      return Recorded<V>::average(operation, w, images);
    } else {
      return average(operation, w, images);
    }
  });
}

template <int Axes>
auto max_plan(const char* operation, const PerAxis& kernel, const MaxPoolOptions& o) {
  return [=](const Shape& x) {
    return plan(operation, x, Axes, kernel, o.stride, o.padding, o.dilation, o.ceil_mode);
  };
}
template <int Axes>
auto avg_plan(const char* operation, const PerAxis& kernel, const AvgPoolOptions& o) {
  return [=](const Shape& x) {
    Window w = plan(operation, x, Axes, kernel, o.stride, o.padding, 1, o.ceil_mode);
    w.counts_padding = o.count_include_pad;
    w.divisor = static_cast<int>(o.divisor);
    return w;
  };
}
template <int Axes>
auto parts_plan(const char* operation, const PerAxis& size) {
  return [=](const Shape& x) { return plan_parts(operation, x, Axes, size); };
}

}  // namespace pool
}  // namespace weft
