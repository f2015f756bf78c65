// models::Cnn: two convolutions and two linear layers, the network of many tutorials.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/layers/conv.hpp"
#include "weft/nn/layers/linear.hpp"
#include "weft/nn/layers/pool.hpp"
#include "weft/nn/layers/sequential.hpp"

namespace weft::nn::models {

struct CnnOptions {
  int64_t channels = 1;
  int64_t size = 28;  ///< rows and columns of an image, which 4 divides
  int64_t classes = 10;
  int64_t hidden = 128;
  double dropout = 0;
};

/// Two 3 x 3 convolutions, each followed by relu and 2 x 2 max pooling; then two linear layers.
template <Device D = Cpu, class T = float>
struct Cnn {
  Conv2d<D, T> conv1;
  Conv2d<D, T> conv2;
  Linear<D, T> fc1;
  Linear<D, T> fc2;
  Dropout dropout;

  Cnn() = default;
  explicit Cnn(CnnOptions o, D device = {})
      : conv1(o.channels, 16, 3, {.padding = 1}, device),
        conv2(16, 32, 3, {.padding = 1}, device),
        fc1(32 * (o.size / 4) * (o.size / 4), o.hidden, {}, device),
        fc2(o.hidden, o.classes, {}, device),
        dropout{o.dropout} {}

  auto fields() {
    return nn::fields("conv1", conv1, "conv2", conv2, "fc1", fc1, "fc2", fc2, "dropout", dropout);
  }

  /// x of shape (batch, channel, row, column), the result (batch, class).
  Var<T, D> operator()(const Var<T, D>& x) const {
    const Var<T, D> a = max_pool2d(relu(conv1(x)), 2);
    const Var<T, D> b = max_pool2d(relu(conv2(a)), 2);
    const Var<T, D> c = relu(fc1(Flatten{}(b)));
    return fc2(dropout(c));
  }
};

WEFT_MODEL(Module<Cnn<>>);

}  // namespace weft::nn::models
