// models::resnet18, resnet34, resnet50: residual networks (He et al. 2016).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/layers/batch_norm.hpp"
#include "weft/nn/layers/conv.hpp"
#include "weft/nn/layers/linear.hpp"
#include "weft/nn/layers/pool.hpp"
#include "weft/nn/layers/sequential.hpp"

namespace weft::nn::models {

namespace detail {
/// A convolution without a bias, which a norm follows; initialised as in He et al..
template <class D, class T>
Conv2d<D, T> plain_conv(int64_t in, int64_t out, int64_t kernel, int64_t stride, D device,
                        int64_t groups = 1) {
  Conv2d<D, T> layer(in, out, kernel,
                     {.stride = stride, .padding = kernel / 2, .groups = groups, .bias = false},
                     device);
  init::kaiming_normal(layer.weight, init::relu_gain(), init::Fan::out);
  return layer;
}
}  // namespace detail

/// If the sizes of x and the block's result differ.
template <class D, class T>
using Shortcut = std::optional<Sequential<Conv2d<D, T>, BatchNorm2d<D, T>>>;

/// Two 3 x 3 convolutions, with the input added to the result.
template <Device D = Cpu, class T = float>
struct BasicBlock {
  using device_type = D;
  using value_type = T;
  static constexpr int64_t expansion = 1;
  Conv2d<D, T> conv1;
  BatchNorm2d<D, T> bn1;
  Conv2d<D, T> conv2;
  BatchNorm2d<D, T> bn2;
  Shortcut<D, T> downsample;

  BasicBlock() = default;
  BasicBlock(int64_t in, int64_t width, int64_t stride, Shortcut<D, T> shortcut, D device)
      : conv1(detail::plain_conv<D, T>(in, width, 3, stride, device)),
        bn1(width, {}, device),
        conv2(detail::plain_conv<D, T>(width, width, 3, 1, device)),
        bn2(width, {}, device),
        downsample(shortcut) {}

  auto fields() {
    return nn::fields("conv1", conv1, "bn1", bn1, "conv2", conv2, "bn2", bn2, "downsample",
                      downsample);
  }
  Var<T, D> operator()(const Var<T, D>& x) const {
    return bn2.relu(conv2(bn1.relu(conv1(x))), downsample ? (*downsample)(x) : x);
  }
};

/// 1 x 1, 3 x 3 and 1 x 1 convolutions, with the stride in the second one.
template <Device D = Cpu, class T = float>
struct Bottleneck {
  using device_type = D;
  using value_type = T;
  static constexpr int64_t expansion = 4;
  Conv2d<D, T> conv1;
  BatchNorm2d<D, T> bn1;
  Conv2d<D, T> conv2;
  BatchNorm2d<D, T> bn2;
  Conv2d<D, T> conv3;
  BatchNorm2d<D, T> bn3;
  Shortcut<D, T> downsample;

  Bottleneck() = default;
  Bottleneck(int64_t in, int64_t width, int64_t stride, Shortcut<D, T> shortcut, D device)
      : conv1(detail::plain_conv<D, T>(in, width, 1, 1, device)),
        bn1(width, {}, device),
        conv2(detail::plain_conv<D, T>(width, width, 3, stride, device)),
        bn2(width, {}, device),
        conv3(detail::plain_conv<D, T>(width, width * expansion, 1, 1, device)),
        bn3(width * expansion, {}, device),
        downsample(shortcut) {}

  auto fields() {
    return nn::fields("conv1", conv1, "bn1", bn1, "conv2", conv2, "bn2", bn2, "conv3", conv3, "bn3",
                      bn3, "downsample", downsample);
  }
  Var<T, D> operator()(const Var<T, D>& x) const {
    const Var<T, D> h = conv3(bn2.relu(conv2(bn1.relu(conv1(x)))));
    return bn3.relu(h, downsample ? (*downsample)(x) : x);
  }
};

struct ResNetOptions {
  int64_t classes = 1000;
  int64_t channels = 3;
  int64_t width = 64;  ///< channels of the first blocks
  bool small_images =
      false;  ///< of 32 x 32: the first convolution has 3 x 3, and nothing is pooled
};

/// A residual network with torchvision's names; created by resnet18, resnet34 and resnet50.
template <class Block>
struct ResNet {
  using D = typename Block::device_type;
  using T = typename Block::value_type;
  Conv2d<D, T> conv1;
  BatchNorm2d<D, T> bn1;
  std::vector<Block> layer1;
  std::vector<Block> layer2;
  std::vector<Block> layer3;
  std::vector<Block> layer4;
  Linear<D, T> fc;
  bool pools = true;

  ResNet() = default;
  /// With as many blocks in each layer as `counts` has.
  ResNet(std::initializer_list<int64_t> counts, ResNetOptions o, D device)
      : conv1(detail::plain_conv<D, T>(o.channels, o.width, o.small_images ? 3 : 7,
                                       o.small_images ? 1 : 2, device)),
        bn1(o.width, {}, device),
        fc(8 * o.width * Block::expansion, o.classes, {}, device),
        pools(!o.small_images) {
    std::vector<Block>* const layers[] = {&layer1, &layer2, &layer3, &layer4};
    int64_t in = o.width;
    int64_t width = o.width;
    int which = 0;
    for (const int64_t count : counts) {
      for (int64_t i = 0; i < count; ++i) {
        const int64_t stride = which > 0 && i == 0 ? 2 : 1;
        Shortcut<D, T> shortcut;
        if (stride != 1 || in != width * Block::expansion) {
          shortcut.emplace(
              detail::plain_conv<D, T>(in, width * Block::expansion, 1, stride, device),
              BatchNorm2d<D, T>(width * Block::expansion, {}, device));
        }
        layers[which]->emplace_back(in, width, stride, shortcut, device);
        in = width * Block::expansion;
      }
      width *= 2;
      if (++which == 4) break;
    }
  }

  auto fields() {
    return nn::fields("conv1", conv1, "bn1", bn1, "layer1", layer1, "layer2", layer2, "layer3",
                      layer3, "layer4", layer4, "fc", fc, "pools", pools);
  }

  /// x of shape (batch, channel, row, column), the result (batch, class).
  Var<T, D> operator()(const Var<T, D>& x) const {
    Var<T, D> h = bn1.relu(conv1(x));
    if (pools) h = max_pool2d(h, 3, {.stride = 2, .padding = 1});
    for (const auto* layer : {&layer1, &layer2, &layer3, &layer4}) {
      for (const Block& block : *layer) h = block(h);
    }
    return fc(Flatten{}(adaptive_avg_pool2d(h, 1)));
  }
};

/// ResNet-18, as torchvision's resnet18.
template <Device D = Cpu, class T = float>
ResNet<BasicBlock<D, T>> resnet18(ResNetOptions options = {}, D device = {}) {
  return {{2, 2, 2, 2}, options, device};
}
/// ResNet-34.
template <Device D = Cpu, class T = float>
ResNet<BasicBlock<D, T>> resnet34(ResNetOptions options = {}, D device = {}) {
  return {{3, 4, 6, 3}, options, device};
}
/// ResNet-50.
template <Device D = Cpu, class T = float>
ResNet<Bottleneck<D, T>> resnet50(ResNetOptions options = {}, D device = {}) {
  return {{3, 4, 6, 3}, options, device};
}

WEFT_MODEL(Module<ResNet<BasicBlock<>>>&& Module<ResNet<Bottleneck<>>>);

WEFT_MODEL(Module<BasicBlock<>>&& Module<Bottleneck<>>);

}  // namespace weft::nn::models
