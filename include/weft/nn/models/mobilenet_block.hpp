// The blocks of MobileNetV3: convolutions with norms, squeeze and excitation, inverted residuals.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/layers/batch_norm.hpp"
#include "weft/nn/layers/conv.hpp"
#include "weft/nn/layers/linear.hpp"
#include "weft/nn/layers/pool.hpp"
#include "weft/nn/layers/sequential.hpp"

namespace weft::nn::models {

/// The activation after a norm.
enum class After { nothing, relu, hardswish };

/// The multiple of 8 nearest to x that is at least 0.9 x.
inline int64_t channels_near(double x) {
  const auto near = static_cast<int64_t>(x + 4) / 8 * 8;
  const int64_t least = near > 8 ? near : 8;
  return static_cast<double>(least) < 0.9 * x ? least + 8 : least;
}

/// A convolution, a norm and a function: "0" and "1".
template <Device D = Cpu, class T = float>
struct ConvNorm {
  Conv2d<D, T> conv;
  BatchNorm2d<D, T> norm;
  After after = After::nothing;

  ConvNorm() = default;
  ConvNorm(int64_t in, int64_t out, int64_t kernel, int64_t stride, int64_t groups, After f,
           D device)
      : conv(in, out, kernel,
             {.stride = stride, .padding = (kernel - 1) / 2, .groups = groups, .bias = false},
             device),
        norm(out, {.epsilon = 0.001, .momentum = 0.01}, device),
        after(f) {
    init::kaiming_normal(conv.weight, init::relu_gain(), init::Fan::out);
  }

  auto fields() { return nn::fields("0", conv, "1", norm, "after", after); }
  Var<T, D> operator()(const Var<T, D>& x) const {
    const Var<T, D> h = conv(x);
    if (after == After::relu) return norm.relu(h);
    if (after == After::hardswish) return hardswish(norm(h));
    return norm(h);
  }
};

/// Each channel times a number between 0 and 1 computed from the means of all (Hu et al. 2018).
template <Device D = Cpu, class T = float>
struct SqueezeExcitation {
  Conv2d<D, T> fc1;
  Conv2d<D, T> fc2;

  SqueezeExcitation() = default;
  SqueezeExcitation(int64_t channels, int64_t squeezed, D device)
      : fc1(channels, squeezed, 1, {}, device), fc2(squeezed, channels, 1, {}, device) {
    for (Conv2d<D, T>* layer : {&fc1, &fc2}) {
      init::kaiming_normal(layer->weight, init::relu_gain(), init::Fan::out);
      init::constant(*layer->bias, 0);
    }
  }

  auto fields() { return nn::fields("fc1", fc1, "fc2", fc2); }
  Var<T, D> operator()(const Var<T, D>& x) const {
    const Var<T, D> means = adaptive_avg_pool2d(x, 1);
    const Var<T, D> scale = fc2(relu(fc1(means)));
    if constexpr (is_cuda<D>) {
      return x * hardsigmoid(scale);
    } else {
      // In the product's own loop hardsigmoid and its derivative are computed for each place.
      const Var<T, D> share = hardsigmoid(scale);
      return x * share;
    }
  }
};

/// A block's sizes: `expanded` channels inside of it.
struct MobileBlockOptions {
  int64_t in;
  int64_t kernel;
  int64_t expanded;
  int64_t out;
  bool squeezes;
  After after;
  int64_t stride;
};

/// Expansion to more channels, a depthwise convolution, and projection to fewer channels; the parts
/// present are numbered.
template <Device D = Cpu, class T = float>
struct MobileLayers {
  std::optional<ConvNorm<D, T>> expand;
  ConvNorm<D, T> depthwise;
  std::optional<SqueezeExcitation<D, T>> squeeze;
  ConvNorm<D, T> project;

  MobileLayers() = default;
  MobileLayers(const MobileBlockOptions& o, D device)
      : depthwise(o.expanded, o.expanded, o.kernel, o.stride, o.expanded, o.after, device),
        project(o.expanded, o.out, 1, 1, 1, After::nothing, device) {
    if (o.expanded != o.in) expand.emplace(o.in, o.expanded, 1, 1, 1, o.after, device);
    if (o.squeezes) {
      squeeze.emplace(o.expanded, channels_near(static_cast<double>(o.expanded / 4)), device);
    }
  }

  auto fields() {
    const std::size_t behind = expand ? 1 : 0;
    const std::size_t last = behind + (squeeze ? 2 : 1);
    return nn::fields(FieldName(std::size_t{0}), expand, FieldName(behind), depthwise,
                      FieldName(behind + 1), squeeze, FieldName(last), project);
  }
  Var<T, D> operator()(const Var<T, D>& x) const {
    Var<T, D> h = depthwise(expand ? (*expand)(x) : x);
    if (squeeze) h = (*squeeze)(h);
    return project(h);
  }
};

/// An entry of the network's list: a convolution with a norm, or a block, to whose result the input
/// is added where it has its size.
template <Device D = Cpu, class T = float>
struct MobileEntry {
  std::optional<Conv2d<D, T>> conv;
  std::optional<BatchNorm2d<D, T>> norm;
  std::optional<MobileLayers<D, T>> block;
  bool adds = false;

  MobileEntry() = default;
  explicit MobileEntry(const ConvNorm<D, T>& layer) : conv(layer.conv), norm(layer.norm) {}
  MobileEntry(const MobileBlockOptions& o, D device)
      : block(std::in_place, o, device), adds(o.stride == 1 && o.in == o.out) {}

  auto fields() { return nn::fields("0", conv, "1", norm, "block", block, "adds", adds); }

  /// How much of each batch enters the running statistics of all its norms.
  void set_momentum(double momentum) {
    if (norm) norm->momentum = momentum;
    if (!block) return;
    if (block->expand) block->expand->norm.momentum = momentum;
    block->depthwise.norm.momentum = momentum;
    block->project.norm.momentum = momentum;
  }

  Var<T, D> operator()(const Var<T, D>& x) const {
    if (conv) return hardswish((*norm)((*conv)(x)));
    const Var<T, D> h = (*block)(x);
    if (adds) return h + x;
    return h;
  }
};

WEFT_MODEL(Module<ConvNorm<>>&& Module<SqueezeExcitation<>>&& Module<MobileLayers<>>&&
               Module<MobileEntry<>>);

}  // namespace weft::nn::models
