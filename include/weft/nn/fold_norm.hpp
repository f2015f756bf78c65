// fuse_conv_bn: batch norms folded into the convolutions before them, for evaluation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "weft/autograd/mode.hpp"
#include "weft/nn/layers/batch_norm.hpp"
#include "weft/nn/layers/conv.hpp"
#include "weft/nn/layers/linear.hpp"
#include "weft/nn/module.hpp"

namespace weft::nn {

namespace detail {
/// The number of spatial axes of a convolution or a norm; 0 for a matrix, -1 for other modules.
template <int Axes, class D, class T>
constexpr int axes_of(const Conv<Axes, D, T>*) {
  return Axes;
}
template <class D, class T>
constexpr int axes_of(const Linear<D, T>*) {
  return 0;
}
constexpr int axes_of(const void*) { return -1; }
template <int Axes, class D, class T>
constexpr int norm_axes_of(const BatchNorm<Axes, D, T>*) {
  return Axes;
}
constexpr int norm_axes_of(const void*) { return -1; }

/// Whether a norm of type N can become part of a layer of type L before it.
template <class L, class N>
constexpr bool can_fold() {
  const int layer = axes_of(static_cast<std::remove_const_t<L>*>(nullptr));
  const int norm = norm_axes_of(static_cast<std::remove_const_t<N>*>(nullptr));
  return layer >= 0 && norm > 0 && (layer == norm || (layer == 0 && norm == 1));
}

/// With weight w and bias b of the layer: s = gamma / sqrt(var + epsilon), w s and (b - mean) s +
/// beta. New Vars, since the old ones may be shared.
template <class L, class N>
void fold(L& layer, N& norm) {
  using V = decltype(layer.weight);
  using T = typename V::value_type;
  using D = typename V::device_type;
  using C = compute_t<T>;
  const D device = layer.weight.device();
  const int64_t n = norm.channels;
  const auto or_all = [&](const auto& x, double value) {
    return x ? x->detach() : full<T>({n}, static_cast<C>(value), device);
  };
  const Tensor<T, D> gamma = or_all(norm.weight, 1), beta = or_all(norm.bias, 0);
  const Tensor<T, D> before = or_all(layer.bias, 0);
  const Tensor<C, D> scale =
      cast<C>(gamma) * rsqrt(cast<C>(*norm.running_var) + static_cast<C>(norm.epsilon));
  Shape beside{n};
  for (int i = 1; i < layer.weight.rank(); ++i) beside.push_back(1);
  const Tensor<T, D> weight = cast<T>(cast<C>(layer.weight.detach()) * scale.reshape(beside));
  const Tensor<T, D> bias =
      cast<T>((cast<C>(before) - cast<C>(*norm.running_mean)) * scale + cast<C>(beta));
  const bool learns = layer.weight.requires_grad();
  layer.weight = V(weight, learns);
  layer.bias = V(bias, learns);
  norm.folded = true;
}

/// Folds each norm that follows a layer with as many channels among a module's fields.
inline int64_t fold_neighbours(const Fields<>&) { return 0; }
template <class X>
int64_t fold_neighbours(const Fields<X>&) {
  return 0;
}
template <class L, class N, class... Rest>
int64_t fold_neighbours(const Fields<L, N, Rest...>& fields) {
  int64_t count = 0;
  if constexpr (can_fold<L, N>()) {
    auto& layer = fields.first.value;
    auto& norm = fields.rest.first.value;
    if (norm.running_mean && !norm.folded && layer.weight.rank() > 0 &&
        layer.weight.size(0) == norm.channels) {
      fold(layer, norm);
      count = 1;
    }
  }
  return count + fold_neighbours(fields.rest);
}
}  // namespace detail

/// A layer, Conv1d to 3d or Linear, that computes norm(layer(x)) in eval mode.
template <class L, class N>
  requires(detail::can_fold<L, N>())
L fuse_conv_bn(const L& layer, const N& norm) {
  if (!norm.running_mean || layer.weight.rank() == 0 || layer.weight.size(0) != norm.channels) {
    fail<ValueError>("fuse_conv_bn", "a layer with a weight of shape ", layer.weight.shape(),
                     " and a norm of ", norm.channels,
                     " channels, expected as many, and running statistics");
  }
  L out = layer;
  N copy = norm;
  detail::fold(out, copy);
  return out;
}

/// Puts a network into eval mode and folds each batch norm into the convolution or linear layer
/// before it among the fields of a module, changing that layer's weights: for inference; to
/// continue training, fold a clone. Returns how many were folded. `x` is a sample input to check
/// the result: if the values change, because norms do not run directly after the layers that
/// precede them, the network is restored and a ValueError thrown.
template <Module M, class X>
  requires(!ExpressionLike<M> && ExpressionLike<X>)
int64_t fuse_conv_bn(M& net, const X& x) {
  const NoGrad guard;
  eval(net);
  const Var input = x;
  const Var wanted = net(input);
  const M before = net;
  int64_t count = 0;
  visit_modules(net, [&](auto& m) { count += detail::fold_neighbours(detail::fields_of(m)); });
  const Var found = net(input);
  using T = typename std::remove_cvref_t<decltype(found)>::value_type;
  using C = compute_t<T>;
  const double part = sizeof(T) == 2 ? 5e-2 : 1e-3;
  const auto difference = [&] {
    return static_cast<double>(max(abs(cast<C>(found) - cast<C>(wanted))).eval().item());
  };
  const auto size = [&] { return static_cast<double>(max(abs(cast<C>(wanted))).eval().item()); };
  if (count > 0 && found.size() > 0 && !(difference() <= part * size() + 1e-6)) {
    const double off = difference();
    net = before;
    fail<ValueError>("fuse_conv_bn", "values change by ", off,
                     ", expected norms to follow the layers that they stand behind in fields()");
  }
  return count;
}

}  // namespace weft::nn
