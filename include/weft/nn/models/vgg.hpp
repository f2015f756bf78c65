// models::Vgg11: eight convolutions and three linear layers (Simonyan and Zisserman 2015).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/layers/conv.hpp"
#include "weft/nn/layers/linear.hpp"
#include "weft/nn/layers/pool.hpp"
#include "weft/nn/layers/sequential.hpp"

namespace weft::nn::models {

struct VggOptions {
  int64_t classes = 1000;
  int64_t channels = 3;
  int64_t width = 64;     ///< filters of the first convolution
  int64_t hidden = 4096;  ///< of the linear layers
  double dropout = 0.5;
};

/// The convolutions of VGG-11, named by their places in torchvision's list.
template <Device D = Cpu, class T = float>
struct VggFeatures {
  Conv2d<D, T> conv0, conv3, conv6, conv8, conv11, conv13, conv16, conv18;

  VggFeatures() = default;
  VggFeatures(int64_t in, int64_t w, D device)
      : conv0(filter(in, w, device)),
        conv3(filter(w, 2 * w, device)),
        conv6(filter(2 * w, 4 * w, device)),
        conv8(filter(4 * w, 4 * w, device)),
        conv11(filter(4 * w, 8 * w, device)),
        conv13(filter(8 * w, 8 * w, device)),
        conv16(filter(8 * w, 8 * w, device)),
        conv18(filter(8 * w, 8 * w, device)) {}

  auto fields() {
    return nn::fields("0", conv0, "3", conv3, "6", conv6, "8", conv8, "11", conv11, "13", conv13,
                      "16", conv16, "18", conv18);
  }
  Var<T, D> operator()(const Var<T, D>& x) const {
    Var<T, D> h = max_pool2d(relu(conv0(x)), 2);
    h = max_pool2d(relu(conv3(h)), 2);
    h = max_pool2d(next(conv6, conv8, h), 2);
    h = max_pool2d(next(conv11, conv13, h), 2);
    return max_pool2d(next(conv16, conv18, h), 2);
  }

 private:
  static Conv2d<D, T> filter(int64_t in, int64_t out, D device) {
    Conv2d<D, T> layer(in, out, 3, {.padding = 1}, device);
    init::kaiming_normal(layer.weight, init::relu_gain(), init::Fan::out);
    init::constant(*layer.bias, 0);
    return layer;
  }
  static Var<T, D> next(const Conv2d<D, T>& a, const Conv2d<D, T>& b, const Var<T, D>& x) {
    return relu(b(relu(a(x))));
  }
};

/// VGG-11 with torchvision's names.
template <Device D = Cpu, class T = float>
struct Vgg11 {
  VggFeatures<D, T> features;
  Sequential<Linear<D, T>, ReLU, Dropout, Linear<D, T>, ReLU, Dropout, Linear<D, T>> classifier;

  Vgg11() = default;
  explicit Vgg11(VggOptions o, D device = {})
      : features(o.channels, o.width, device),
        classifier(layer(8 * o.width * 49, o.hidden, device), {}, Dropout{o.dropout},
                   layer(o.hidden, o.hidden, device), {}, Dropout{o.dropout},
                   layer(o.hidden, o.classes, device)) {}

  auto fields() { return nn::fields("features", features, "classifier", classifier); }

  /// x of shape (batch, channel, row, column), at least 32 x 32; the result (batch, class).
  Var<T, D> operator()(const Var<T, D>& x) const {
    return classifier(Flatten{}(adaptive_avg_pool2d(features(x), 7)));
  }

 private:
  static Linear<D, T> layer(int64_t in, int64_t out, D device) {
    Linear<D, T> made(in, out, {}, device);
    init::normal(made.weight, 0, 0.01);
    init::constant(*made.bias, 0);
    return made;
  }
};

WEFT_MODEL(Module<Vgg11<>>);

WEFT_MODEL(Module<VggFeatures<>>);

}  // namespace weft::nn::models
