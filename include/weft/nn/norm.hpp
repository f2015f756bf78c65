// LayerNorm, RMSNorm and BatchNorm1d.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "weft/autograd/compose.hpp"
#include "weft/autograd/movement.hpp"
#include "weft/nn/fields.hpp"

namespace weft::nn {

namespace detail {
/// x with the axes of `normalized`, its last ones, as one.
template <class V>
V joined(const char* operation, const V& x, const Shape& normalized) {
  const int first = x.rank() - normalized.rank();
  bool fits = first >= 0 && normalized.rank() > 0;
  for (int i = 0; fits && i < normalized.rank(); ++i) {
    fits = x.shape()[first + i] == normalized[i];
  }
  if (!fits) {
    fail<ShapeError>(operation, "an input of shape ", x.shape(), ", expected last axes of ",
                     normalized);
  }
  if (normalized.rank() == 1) return x;
  Shape shape;
  for (int i = 0; i < first; ++i) shape.push_back(x.shape()[i]);
  shape.push_back(normalized.size());
  return x.reshape(shape);
}
template <class T, class D>
Var<T, D> flat_or(const std::optional<Var<T, D>>& x, const Shape& shape, double otherwise,
                  D device) {
  if (x) return x->rank() == 1 ? *x : x->flatten();
  return Var<T, D>(full<T>({shape.size()}, static_cast<compute_t<T>>(otherwise), device));
}
}  // namespace detail

struct LayerNormOptions {
  double epsilon = 1e-5;  ///< added to the variance
  bool affine = true;     ///< with weight and bias
  bool bias = true;
};

/// The last axes with mean 0 and (biased) variance 1, times weight, plus bias.
template <class D = Cpu, class T = float>
struct LayerNorm {
  Shape normalized;
  std::optional<Var<T, D>> weight;  // normalized
  std::optional<Var<T, D>> bias;    // normalized
  double epsilon = 1e-5;

  LayerNorm() = default;
  explicit LayerNorm(int64_t size, LayerNormOptions options = {}, D device = {})
      : LayerNorm(Shape{size}, options, device) {}
  explicit LayerNorm(const Shape& shape, LayerNormOptions options = {}, D device = {})
      : normalized(shape), epsilon(options.epsilon) {
    if (options.affine) weight = Var<T, D>(ones<T>(shape, device), true);
    if (options.affine && options.bias) bias = Var<T, D>(zeros<T>(shape, device), true);
  }

  auto fields() {
    return nn::fields("weight", weight, "bias", bias, "normalized", normalized, "epsilon", epsilon);
  }

  Var<T, D> operator()(const Var<T, D>& x) const {
    const Var<T, D> y = layer_norm(detail::joined("LayerNorm", x, normalized),
                                   detail::flat_or<T, D>(weight, normalized, 1, x.device()),
                                   detail::flat_or<T, D>(bias, normalized, 0, x.device()), epsilon);
    return normalized.rank() == 1 ? y : y.reshape(x.shape());
  }
};

struct RMSNormOptions {
  std::optional<double> epsilon;  ///< the machine's, where none is given
  bool affine = true;
};

/// The last axes divided by their root mean square, times weight.
template <class D = Cpu, class T = float>
struct RMSNorm {
  Shape normalized;
  std::optional<Var<T, D>> weight;  // normalized
  double epsilon = 0;

  RMSNorm() = default;
  explicit RMSNorm(int64_t size, RMSNormOptions options = {}, D device = {})
      : RMSNorm(Shape{size}, options, device) {}
  explicit RMSNorm(const Shape& shape, RMSNormOptions options = {}, D device = {})
      : normalized(shape), epsilon(options.epsilon.value_or(machine_epsilon())) {
    if (options.affine) weight = Var<T, D>(ones<T>(shape, device), true);
  }

  auto fields() {
    return nn::fields("weight", weight, "normalized", normalized, "epsilon", epsilon);
  }

  Var<T, D> operator()(const Var<T, D>& x) const {
    const Var<T, D> y = rms_norm(detail::joined("RMSNorm", x, normalized),
                                 detail::flat_or<T, D>(weight, normalized, 1, x.device()), epsilon);
    return normalized.rank() == 1 ? y : y.reshape(x.shape());
  }

 private:
  static double machine_epsilon() {
    if constexpr (std::is_same_v<T, half>) return 0x1p-10;
    if constexpr (std::is_same_v<T, bfloat16>) return 0x1p-7;
    return static_cast<double>(std::numeric_limits<compute_t<T>>::epsilon());
  }
};

struct BatchNormOptions {
  double epsilon = 1e-5;
  std::optional<double> momentum =
      0.1;  ///< of the newest batch; with none, all batches count alike
  bool affine = true;
  bool track_running_stats = true;
};

/// Each channel with mean 0 and variance 1 over the batch, or in eval mode over what was seen in
/// training (Ioffe and Szegedy 2015).
template <class D = Cpu, class T = float>
struct BatchNorm1d {
  std::optional<Var<T, D>> weight;                        // (channels,)
  std::optional<Var<T, D>> bias;                          // (channels,)
  std::optional<Tensor<T, D>> running_mean;               // (channels,)
  std::optional<Tensor<T, D>> running_var;                // (channels,), unbiased
  std::optional<Tensor<int64_t, D>> num_batches_tracked;  // ()
  int64_t channels = 0;
  double epsilon = 1e-5;
  std::optional<double> momentum = 0.1;
  bool training = true;

  BatchNorm1d() = default;
  explicit BatchNorm1d(int64_t size, BatchNormOptions options = {}, D device = {})
      : channels(size), epsilon(options.epsilon), momentum(options.momentum) {
    if (options.affine) {
      weight = Var<T, D>(ones<T>({size}, device), true);
      bias = Var<T, D>(zeros<T>({size}, device), true);
    }
    if (options.track_running_stats) {
      running_mean = zeros<T>({size}, device);
      running_var = ones<T>({size}, device);
      num_batches_tracked = zeros<int64_t>({}, device);
    }
  }

  auto fields() {
    return nn::fields("weight", weight, "bias", bias, "running_mean", running_mean, "running_var",
                      running_var, "num_batches_tracked", num_batches_tracked, "channels", channels,
                      "epsilon", epsilon, "momentum", momentum);
  }

  /// x of shape (batch, channels) or (batch, channels, length). Training with one value a channel
  /// throws, as it would only learn zeros.
  Var<T, D> operator()(const Var<T, D>& x) const {
    if ((x.rank() != 2 && x.rank() != 3) || x.size(1) != channels) {
      fail<ShapeError>("BatchNorm1d", "an input of shape ", x.shape(), ", expected (batch, ",
                       channels, ") or (batch, ", channels, ", length)");
    }
    const bool long_rows = x.rank() == 3;
    const Shape row = long_rows ? Shape{channels, 1} : Shape{channels};
    const Axes axes = long_rows ? axis(0, 2) : axis(0);
    const Var<T, D> w = detail::flat_or<T, D>(weight, {channels}, 1, x.device()).reshape(row);
    const Var<T, D> b = detail::flat_or<T, D>(bias, {channels}, 0, x.device()).reshape(row);
    const auto small = static_cast<compute_t<T>>(epsilon);
    if (!training && running_mean) {
      const auto m = running_mean->reshape(row);
      const auto v = running_var->reshape(row);
      return (x - m) * rsqrt(v + small) * w + b;
    }
    const int64_t n = channels > 0 ? x.size() / channels : 0;
    if (training && n <= 1) {
      fail<ValueError>("BatchNorm1d", "an input of shape ", x.shape(),
                       " in training, expected more than one value a channel");
    }
    const Var<T, D> m = mean(x, axes, keepdims);
    const Var<T, D> v = var(x, axes, keepdims, correction(0));
    if (training && running_mean) track(m.detach(), v.detach(), n);
    return (x - m) * rsqrt(v + small) * w + b;
  }

 private:
  void track(const Tensor<T, D>& m, const Tensor<T, D>& v, int64_t n) const {
    using C = compute_t<T>;
    *num_batches_tracked += int64_t{1};
    const double share =
        momentum ? *momentum : 1 / static_cast<double>(num_batches_tracked->item());
    const auto unbiased = static_cast<C>(static_cast<double>(n) / static_cast<double>(n - 1));
    const auto a = static_cast<C>(1 - share);
    const auto c = static_cast<C>(share);
    tie(*running_mean, *running_var) =
        fuse(a * *running_mean + c * m.reshape({channels}),
             a * *running_var + c * unbiased * v.reshape({channels}));
  }
};

}  // namespace weft::nn
