// Conv1d to Conv3d and ConvTranspose1d to ConvTranspose3d.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/conv/conv.hpp"
#include "weft/nn/fields.hpp"
#include "weft/nn/init.hpp"
#include "weft/nn/watched.hpp"
#include "weft/ops/shape/pad.hpp"

namespace weft::nn {

struct ConvLayerOptions {
  PerAxis stride = 1;
  Padding padding = 0;
  PerAxis dilation = 1;
  int64_t groups = 1;
  bool bias = true;
  PadMode padding_mode = PadMode::constant;  ///< what stands in the padding; constant: zeros
};

struct ConvTransposeLayerOptions {
  PerAxis stride = 1;
  PerAxis padding = 0;
  PerAxis output_padding = 0;
  int64_t groups = 1;
  bool bias = true;
  PerAxis dilation = 1;
};

namespace detail {
/// A weight (first, second, kernel...) of a convolution, checked.
[[gnu::noinline]] inline Shape filter_shape(const char* operation, int64_t in, int64_t out,
                                            int64_t first, int64_t other, int64_t groups,
                                            const PerAxis& kernel, int axes) {
  check_axes(operation, "a kernel", kernel, axes, 1);
  if (in < 1 || out < 1 || groups < 1 || in % groups != 0 || out % groups != 0) {
    fail<ValueError>(operation, in, " channels and ", out, " filters in ", groups,
                     " groups, expected at least 1 of each and groups that divide them");
  }
  Shape shape{first, other / groups};
  for (int i = 0; i < axes; ++i) shape.push_back(kernel[i]);
  return shape;
}
/// Uniform within 1 / sqrt(fan-in), as in PyTorch.
template <class T, class D>
void fill_filters(const Var<T, D>& weight, const std::optional<Var<T, D>>& bias) {
  const double bound = 1 / std::sqrt(init::fans(weight.shape()).in);
  init::uniform(weight, -bound, bound);
  if (bias) init::uniform(*bias, -bound, bound);
}

template <int Axes, class D, class T>
struct Conv {
  Var<T, D> weight;               // (out, in / groups, kernel...)
  std::optional<Var<T, D>> bias;  // (out,)
  ConvLayerOptions options;

  Conv() = default;
  Conv(int64_t in, int64_t out, const PerAxis& kernel, const ConvLayerOptions& o, D device)
      : weight(empty<T>(filter_shape(text, in, out, out, in, o.groups, kernel, Axes), device),
               true),
        options(o) {
    if (o.bias) bias = Var<T, D>(empty<T>({out}, device), true);
    fill_filters(weight, bias);
  }

  auto fields() { return nn::fields("weight", weight, "bias", bias, "options", options); }

  /// x of shape (batch, in, ...), or one image without a batch; the result keeps its format, and
  /// relu of it is part of the same call where the device's library can.
  auto operator()(const Var<T, D>& x) const {
    ConvOptions o{options.stride, options.padding, options.dilation, options.groups};
    if (options.padding_mode == PadMode::constant) return run(x, o);
    o.padding = 0;
    return run(padded(x), o);
  }

 private:
  static constexpr const char* text = Axes == 1 ? "Conv1d" : Axes == 2 ? "Conv2d" : "Conv3d";
  /// x with what stands in the padding around it.
  Var<T, D> padded(const Var<T, D>& x) const;
  auto run(const Var<T, D>& x, const ConvOptions& o) const {
    using K = conv::Convolution<Axes>;
    const detail::Watched watched(*this);
    if (bias) return watched(conv::detail::convolve<K>(o, x, weight, *bias));
    return watched(conv::detail::convolve<K>(o, x, weight));
  }
};

// Not inline: weft::lib holds it.
template <int Axes, class D, class T>
Var<T, D> Conv<Axes, D, T>::padded(const Var<T, D>& x) const {
  Shape around;
  for (int i = Axes - 1; i >= 0; --i) {
    const int64_t reach = options.dilation[i] * (weight.size(2 + i) - 1);
    const bool same = options.padding.keeps_size;
    around.push_back(same ? reach / 2 : options.padding.each[i]);
    around.push_back(same ? reach - reach / 2 : options.padding.each[i]);
  }
  return pad(x, around, options.padding_mode);
}

/// Stands where the size of a convolution's kernel is missing.
template <class... N>
void needs_kernel() {
  static_assert(weft::detail::always_false<N...>,
                "weft: a convolution has three sizes: write nn::Conv2d(in, out, kernel)");
}

template <int Axes, class D, class T>
struct ConvTranspose {
  Var<T, D> weight;               // (in, out / groups, kernel...)
  std::optional<Var<T, D>> bias;  // (out,)
  ConvTransposeLayerOptions options;

  ConvTranspose() = default;
  ConvTranspose(int64_t in, int64_t out, const PerAxis& kernel, const ConvTransposeLayerOptions& o,
                D device)
      : weight(empty<T>(filter_shape(text, in, out, in, out, o.groups, kernel, Axes), device),
               true),
        options(o) {
    if (o.bias) bias = Var<T, D>(empty<T>({out}, device), true);
    fill_filters(weight, bias);
  }

  auto fields() { return nn::fields("weight", weight, "bias", bias, "options", options); }

  /// x of shape (batch, in, ...), or one image without a batch; the result keeps its format.
  auto operator()(const Var<T, D>& x) const {
    using K = conv::Transposed<Axes>;
    const ConvTransposeOptions o{options.stride, options.padding, options.output_padding,
                                 options.dilation, options.groups};
    const detail::Watched watched(*this);
    if (bias) return watched(conv::detail::convolve<K>(o, x, weight, *bias));
    return watched(conv::detail::convolve<K>(o, x, weight));
  }

 private:
  static constexpr const char* text = Axes == 1   ? "ConvTranspose1d"
                                      : Axes == 2 ? "ConvTranspose2d"
                                                  : "ConvTranspose3d";
};
}  // namespace detail

/// A convolution of signals (batch, in, length) with filters of the given kernel: conv1d, with
/// padding of any mode; first values uniform within 1 / sqrt(in / groups * kernel).
template <Device D = Cpu, class T = float>
struct Conv1d : detail::Conv<1, D, T> {
  Conv1d() = default;
  template <NumberLike... N>
    requires(sizeof...(N) == 1 || sizeof...(N) == 2)
  explicit Conv1d(N...) { detail::needs_kernel<N...>(); }
  Conv1d(int64_t in, int64_t out, const PerAxis& kernel, const ConvLayerOptions& o = {},
         D device = {})
      : detail::Conv<1, D, T>(in, out, kernel, o, device) {}
};
/// A convolution of images (batch, in, row, column) with filters of the given kernel: conv2d, with
/// padding of any mode; first values uniform within 1 / sqrt(in / groups * kernel).
template <Device D = Cpu, class T = float>
struct Conv2d : detail::Conv<2, D, T> {
  Conv2d() = default;
  template <NumberLike... N>
    requires(sizeof...(N) == 1 || sizeof...(N) == 2)
  explicit Conv2d(N...) { detail::needs_kernel<N...>(); }
  Conv2d(int64_t in, int64_t out, const PerAxis& kernel, const ConvLayerOptions& o = {},
         D device = {})
      : detail::Conv<2, D, T>(in, out, kernel, o, device) {}
};
/// A convolution of volumes (batch, in, z, y, x) with filters of the given kernel: conv3d, with
/// padding of any mode; first values uniform within 1 / sqrt(in / groups * kernel).
template <Device D = Cpu, class T = float>
struct Conv3d : detail::Conv<3, D, T> {
  Conv3d() = default;
  template <NumberLike... N>
    requires(sizeof...(N) == 1 || sizeof...(N) == 2)
  explicit Conv3d(N...) { detail::needs_kernel<N...>(); }
  Conv3d(int64_t in, int64_t out, const PerAxis& kernel, const ConvLayerOptions& o = {},
         D device = {})
      : detail::Conv<3, D, T>(in, out, kernel, o, device) {}
};
/// The transposed convolution of signals (batch, in, length): conv_transpose1d.
template <Device D = Cpu, class T = float>
struct ConvTranspose1d : detail::ConvTranspose<1, D, T> {
  ConvTranspose1d() = default;
  template <NumberLike... N>
    requires(sizeof...(N) == 1 || sizeof...(N) == 2)
  explicit ConvTranspose1d(N...) { detail::needs_kernel<N...>(); }
  ConvTranspose1d(int64_t in, int64_t out, const PerAxis& kernel,
                  const ConvTransposeLayerOptions& o = {}, D device = {})
      : detail::ConvTranspose<1, D, T>(in, out, kernel, o, device) {}
};
/// The transposed convolution of images (batch, in, row, column): conv_transpose2d.
template <Device D = Cpu, class T = float>
struct ConvTranspose2d : detail::ConvTranspose<2, D, T> {
  ConvTranspose2d() = default;
  template <NumberLike... N>
    requires(sizeof...(N) == 1 || sizeof...(N) == 2)
  explicit ConvTranspose2d(N...) { detail::needs_kernel<N...>(); }
  ConvTranspose2d(int64_t in, int64_t out, const PerAxis& kernel,
                  const ConvTransposeLayerOptions& o = {}, D device = {})
      : detail::ConvTranspose<2, D, T>(in, out, kernel, o, device) {}
};
/// The transposed convolution of volumes (batch, in, z, y, x): conv_transpose3d.
template <Device D = Cpu, class T = float>
struct ConvTranspose3d : detail::ConvTranspose<3, D, T> {
  ConvTranspose3d() = default;
  template <NumberLike... N>
    requires(sizeof...(N) == 1 || sizeof...(N) == 2)
  explicit ConvTranspose3d(N...) { detail::needs_kernel<N...>(); }
  ConvTranspose3d(int64_t in, int64_t out, const PerAxis& kernel,
                  const ConvTransposeLayerOptions& o = {}, D device = {})
      : detail::ConvTranspose<3, D, T>(in, out, kernel, o, device) {}
};

WEFT_MODEL(Module<Conv1d<>>&& Module<Conv2d<>>&& Module<Conv3d<>>&& Module<ConvTranspose1d<>>&&
               Module<ConvTranspose2d<>>&& Module<ConvTranspose3d<>>);

}  // namespace weft::nn
