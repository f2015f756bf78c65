// models::mobilenet_v3_small, mobilenet_v3_large (Howard et al. 2019).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/models/mobilenet_block.hpp"

namespace weft::nn::models {

struct MobileNetOptions {
  int64_t classes = 1000;
  int64_t channels = 3;
  double width = 1;  ///< factor of all numbers of channels
  double dropout = 0.2;
  int64_t first_stride = 2;  ///< 1 for small images
  /// The momentum of the norms' running statistics, which take hundreds of steps to adapt; larger
  /// for short training.
  double momentum = 0.01;
};

/// A MobileNetV3 with torchvision's names; created by mobilenet_v3_small and mobilenet_v3_large.
template <Device D = Cpu, class T = float>
struct MobileNetV3 {
  std::vector<MobileEntry<D, T>> features;
  Sequential<Linear<D, T>, Hardswish, Dropout, Linear<D, T>> classifier;

  MobileNetV3() = default;
  MobileNetV3(const std::vector<MobileBlockOptions>& blocks, int64_t hidden, MobileNetOptions o,
              D device) {
    const auto wide = [&](int64_t channels) {
      return channels_near(static_cast<double>(channels) * o.width);
    };
    const int64_t first = wide(blocks.front().in);
    const int64_t last = wide(blocks.back().out);
    features.emplace_back(
        ConvNorm<D, T>(o.channels, first, 3, o.first_stride, 1, After::hardswish, device));
    for (MobileBlockOptions block : blocks) {
      block.in = wide(block.in);
      block.expanded = wide(block.expanded);
      block.out = wide(block.out);
      features.emplace_back(block, device);
    }
    features.emplace_back(ConvNorm<D, T>(last, 6 * last, 1, 1, 1, After::hardswish, device));
    for (auto& entry : features) entry.set_momentum(o.momentum);
    classifier = decltype(classifier)(layer(6 * last, hidden, device), {}, Dropout{o.dropout},
                                      layer(hidden, o.classes, device));
  }

  auto fields() { return nn::fields("features", features, "classifier", classifier); }

  /// x of shape (batch, channel, row, column), the result (batch, class).
  Var<T, D> operator()(const Var<T, D>& x) const {
    Var<T, D> h = x;
    for (const auto& entry : features) h = entry(h);
    return classifier(Flatten{}(adaptive_avg_pool2d(h, 1)));
  }

 private:
  static Linear<D, T> layer(int64_t in, int64_t out, D device) {
    Linear<D, T> made(in, out, {}, device);
    init::normal(made.weight, 0, 0.01);
    init::constant(*made.bias, 0);
    return made;
  }
};

/// MobileNetV3-small, as torchvision's mobilenet_v3_small.
template <Device D = Cpu, class T = float>
MobileNetV3<D, T> mobilenet_v3_small(MobileNetOptions options = {}, D device = {}) {
  constexpr auto re = After::relu;
  constexpr auto hs = After::hardswish;
  return {{{16, 3, 16, 16, true, re, 2},
           {16, 3, 72, 24, false, re, 2},
           {24, 3, 88, 24, false, re, 1},
           {24, 5, 96, 40, true, hs, 2},
           {40, 5, 240, 40, true, hs, 1},
           {40, 5, 240, 40, true, hs, 1},
           {40, 5, 120, 48, true, hs, 1},
           {48, 5, 144, 48, true, hs, 1},
           {48, 5, 288, 96, true, hs, 2},
           {96, 5, 576, 96, true, hs, 1},
           {96, 5, 576, 96, true, hs, 1}},
          channels_near(1024 * options.width),
          options,
          device};
}
/// MobileNetV3-large.
template <Device D = Cpu, class T = float>
MobileNetV3<D, T> mobilenet_v3_large(MobileNetOptions options = {}, D device = {}) {
  constexpr auto re = After::relu;
  constexpr auto hs = After::hardswish;
  return {{{16, 3, 16, 16, false, re, 1},
           {16, 3, 64, 24, false, re, 2},
           {24, 3, 72, 24, false, re, 1},
           {24, 5, 72, 40, true, re, 2},
           {40, 5, 120, 40, true, re, 1},
           {40, 5, 120, 40, true, re, 1},
           {40, 3, 240, 80, false, hs, 2},
           {80, 3, 200, 80, false, hs, 1},
           {80, 3, 184, 80, false, hs, 1},
           {80, 3, 184, 80, false, hs, 1},
           {80, 3, 480, 112, true, hs, 1},
           {112, 3, 672, 112, true, hs, 1},
           {112, 5, 672, 160, true, hs, 2},
           {160, 5, 960, 160, true, hs, 1},
           {160, 5, 960, 160, true, hs, 1}},
          channels_near(1280 * options.width),
          options,
          device};
}

WEFT_MODEL(Module<MobileNetV3<>>);

}  // namespace weft::nn::models
