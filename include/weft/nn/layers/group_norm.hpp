// GroupNorm, InstanceNorm1d to 3d and LocalResponseNorm: norms of each image by itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/conv/group_norm.hpp"
#include "weft/nn/layers/batch_norm.hpp"
#include "weft/nn/watched.hpp"
#include "weft/ops/conv/pool.hpp"
#include "weft/ops/shape/pad.hpp"

namespace weft::nn {

struct GroupNormOptions {
  double epsilon = 1e-5;
  bool affine = true;
};

namespace detail {
/// group_norm with a layer's weight and bias, if it has them.
template <class T, class D>
Var<T, D> norm_of_groups(const Var<T, D>& x, int64_t groups, double epsilon,
                         const std::optional<Var<T, D>>& weight,
                         const std::optional<Var<T, D>>& bias) {
  if (!weight) return autograd::group_norm(x, groups, epsilon);
  return autograd::group_norm(x, groups, epsilon, *weight, *bias);
}
template <class T, class D>
Var<T, D> scaled(const Var<T, D>& y, const std::optional<Var<T, D>>& weight,
                 const std::optional<Var<T, D>>& bias) {
  if (!weight) return y;
  const Shape beside = autograd::detail::beside_images(y.size(1), y.rank());
  return y * weight->reshape(beside) + bias->reshape(beside);
}
}  // namespace detail

/// The channels of each image in groups, each group with mean 0 and variance 1 (Wu and He 2018).
template <Device D = Cpu, class T = float>
struct GroupNorm {
  std::optional<Var<T, D>> weight;  // (channels,)
  std::optional<Var<T, D>> bias;    // (channels,)
  int64_t groups = 1;
  int64_t channels = 0;
  double epsilon = 1e-5;

  GroupNorm() = default;
  GroupNorm(int64_t parts, int64_t size, GroupNormOptions options = {}, D device = {})
      : groups(parts), channels(size), epsilon(options.epsilon) {
    detail::check_channels("GroupNorm", channels);
    if (groups < 1 || channels % groups != 0) {
      fail<ValueError>("GroupNorm", channels, " channels in ", groups,
                       " groups, expected a number that divides them");
    }
    if (!options.affine) return;
    weight = Var<T, D>(ones<T>({channels}, device), true);
    bias = Var<T, D>(zeros<T>({channels}, device), true);
  }

  auto fields() {
    return nn::fields("weight", weight, "bias", bias, "groups", groups, "channels", channels,
                      "epsilon", epsilon);
  }

  /// x of shape (batch, channels, ...).
  Var<T, D> operator()(const Var<T, D>& x) const {
    if (x.rank() < 2 || x.size(1) != channels) {
      fail<ShapeError>("GroupNorm", "an input of shape ", x.shape(), ", expected (batch, ",
                       channels, ", ...)");
    }
    const detail::Watched watched(*this);
    return watched(detail::norm_of_groups(x, groups, epsilon, weight, bias));
  }
};

struct InstanceNormOptions {
  double epsilon = 1e-5;
  double momentum = 0.1;  ///< of the newest batch
  bool affine = false;
  bool track_running_stats = false;
};

namespace detail {
template <int Axes, class D, class T>
struct InstanceNorm {
  std::optional<Var<T, D>> weight;                        // (channels,)
  std::optional<Var<T, D>> bias;                          // (channels,)
  std::optional<Tensor<T, D>> running_mean;               // (channels,)
  std::optional<Tensor<T, D>> running_var;                // (channels,), unbiased
  std::optional<Tensor<int64_t, D>> num_batches_tracked;  // ()
  int64_t channels = 0;
  double epsilon = 1e-5;
  double momentum = 0.1;
  bool training = true;

  static constexpr const char* text = Axes == 1   ? "InstanceNorm1d"
                                      : Axes == 2 ? "InstanceNorm2d"
                                                  : "InstanceNorm3d";

  InstanceNorm() = default;
  InstanceNorm(int64_t size, InstanceNormOptions options, D device)
      : channels(size), epsilon(options.epsilon), momentum(options.momentum) {
    check_channels(text, size);
    if (options.affine) {
      weight = Var<T, D>(ones<T>({size}, device), true);
      bias = Var<T, D>(zeros<T>({size}, device), true);
    }
    if (!options.track_running_stats) return;
    running_mean = zeros<T>({size}, device);
    running_var = ones<T>({size}, device);
    num_batches_tracked = zeros<int64_t>({}, device);
  }

  auto fields() {
    return nn::fields("weight", weight, "bias", bias, "running_mean", running_mean, "running_var",
                      running_var, "num_batches_tracked", num_batches_tracked, "channels", channels,
                      "epsilon", epsilon, "momentum", momentum);
  }

  /// x of shape (batch, channels, ...), or (channels, ...), with more than one place in an image.
  Var<T, D> operator()(const Var<T, D>& x) const {
    if (x.rank() == Axes + 1 && x.size(0) == channels) return (*this)(x.unsqueeze(0)).squeeze(0);
    if (x.rank() != Axes + 2 || x.size(1) != channels) {
      fail<ShapeError>(text, "an input of shape ", x.shape(), ", expected (batch, ", channels,
                       ", ...) of ", Axes + 2, " axes");
    }
    const detail::Watched watched(*this);
    if (!training && running_mean) {
      const Shape row = autograd::detail::beside_images(channels, x.rank());
      const Tensor<T, D> scale = rsqrt(*running_var + static_cast<compute_t<T>>(epsilon));
      const Var<T, D> y = (x - running_mean->reshape(row)) * scale.reshape(row);
      return watched(Var<T, D>(scaled(y, weight, bias)));
    }
    if (autograd::places_of(x.shape()) <= 1) {
      fail<ValueError>(text, "an input of shape ", x.shape(),
                       ", expected more than one place in an image");
    }
    if (training && running_mean && x.size(0) > 0) {
      track(x.value().reshape({x.size(0), channels, -1}));
    }
    return watched(norm_of_groups(x, channels, epsilon, weight, bias));
  }

 private:
  void track(const Tensor<T, D>& rows) const {
    using C = compute_t<T>;
    const auto a = static_cast<C>(1 - momentum);
    const auto c = static_cast<C>(momentum);
    *num_batches_tracked += int64_t{1};
    const Tensor<T, D> m = mean(rows, axis(-1));
    const Tensor<T, D> v = var(rows, axis(-1));
    running_mean->assign(a * *running_mean + c * mean(m, axis(0)));
    running_var->assign(a * *running_var + c * mean(v, axis(0)));
  }
};
}  // namespace detail

/// Each channel of each image with mean 0 and variance 1 (Ulyanov et al. 2016).
template <Device D = Cpu, class T = float>
struct InstanceNorm1d : detail::InstanceNorm<1, D, T> {
  InstanceNorm1d() = default;
  explicit InstanceNorm1d(int64_t size, InstanceNormOptions options = {}, D device = {})
      : detail::InstanceNorm<1, D, T>(size, options, device) {}
};
/// The same of images (batch, channels, row, column).
template <Device D = Cpu, class T = float>
struct InstanceNorm2d : detail::InstanceNorm<2, D, T> {
  InstanceNorm2d() = default;
  explicit InstanceNorm2d(int64_t size, InstanceNormOptions options = {}, D device = {})
      : detail::InstanceNorm<2, D, T>(size, options, device) {}
};
/// The same with three spatial axes.
template <Device D = Cpu, class T = float>
struct InstanceNorm3d : detail::InstanceNorm<3, D, T> {
  InstanceNorm3d() = default;
  explicit InstanceNorm3d(int64_t size, InstanceNormOptions options = {}, D device = {})
      : detail::InstanceNorm<3, D, T>(size, options, device) {}
};

/// Each element divided by (k + alpha / size * the sum of squares of `size` neighbouring channels)
/// ^ beta (Krizhevsky et al. 2012).
struct LocalResponseNorm {
  int64_t size = 5;
  double alpha = 1e-4;
  double beta = 0.75;
  double k = 1;

  auto fields() { return nn::fields("size", size, "alpha", alpha, "beta", beta, "k", k); }

  template <ExpressionLike X>
  auto operator()(const X& e) const {
    using C = compute_t<typename X::value_type>;
    const Var x = e;
    if (x.rank() < 3) {
      fail<ShapeError>("LocalResponseNorm", "an input of shape ", x.shape(),
                       ", expected (batch, channel, ...)");
    }
    const Var squares = square(x);
    const auto rows = squares.reshape({x.size(0), 1, x.size(1), autograd::places_of(x.shape())});
    const auto around = pad(rows, {0, 0, size / 2, (size - 1) / 2});
    const auto means = avg_pool2d(around, {size, 1}, {.stride = 1}).reshape(x.shape());
    const Var y = x / pow(means * static_cast<C>(alpha) + static_cast<C>(k), static_cast<C>(beta));
    return y;
  }
};

WEFT_MODEL(Module<GroupNorm<>>&& Module<InstanceNorm1d<>>&& Module<InstanceNorm2d<>>&&
               Module<InstanceNorm3d<>>&& Module<LocalResponseNorm>);

}  // namespace weft::nn
