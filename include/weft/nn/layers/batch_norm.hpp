// BatchNorm1d, BatchNorm2d and BatchNorm3d.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/conv/batch_norm.hpp"
#include "weft/nn/layers/norm.hpp"
#include "weft/nn/watched.hpp"

namespace weft::nn {

struct BatchNormOptions {
  double epsilon = 1e-5;
  std::optional<double> momentum =
      0.1;  ///< weight of the newest batch; without a value all batches count equally
  bool affine = true;
  bool track_running_stats = true;
};

namespace detail {
inline void check_channels(const char* operation, int64_t channels) {
  if (channels >= 0) return;
  fail<ValueError>(operation, channels, " channels, expected at least 0");
}
[[gnu::cold, gnu::noinline]] inline void refuse_images(const char* operation, const Shape& x,
                                                       int64_t channels, int axes) {
  if (axes == 1) {
    fail<ShapeError>(operation, "an input of shape ", x, ", expected (batch, ", channels,
                     ") or (batch, ", channels, ", length)");
  }
  fail<ShapeError>(operation, "an input of shape ", x, ", expected (batch, ", channels,
                   ", ...) of ", axes + 2, " axes");
}

/// Batch norm of images with a number of spatial axes, which messages name it by.
template <int Axes, class D, class T>
struct BatchNorm {
  std::optional<Var<T, D>> weight;                        // (channels,)
  std::optional<Var<T, D>> bias;                          // (channels,)
  std::optional<Tensor<T, D>> running_mean;               // (channels,)
  std::optional<Tensor<T, D>> running_var;                // (channels,), unbiased
  std::optional<Tensor<int64_t, D>> num_batches_tracked;  // ()
  int64_t channels = 0;
  double epsilon = 1e-5;
  std::optional<double> momentum = 0.1;
  bool training = true;
  bool folded = false;  ///< into the previous layer, by fuse_conv_bn: returns its input

  BatchNorm() = default;
  BatchNorm(int64_t size, BatchNormOptions options, D device)
      : channels(size), epsilon(options.epsilon), momentum(options.momentum) {
    check_channels(text, size);
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
                      "epsilon", epsilon, "momentum", momentum, "folded", folded);
  }

  /// x of shape (batch, channels, ...). Training on a single value per channel throws: the output
  /// would be all zeros.
  Var<T, D> operator()(const Var<T, D>& x) const {
    const detail::Watched watched(*this);
    return watched(run(x, false));
  }
  /// relu of the same, fused into the same pass, forward and backward.
  Var<T, D> relu(const Var<T, D>& x) const {
    const detail::Watched watched(*this);
    return watched(run(x, true));
  }
  /// relu of the same plus `added`, of the shape of x: the end of a residual block in one pass.
  Var<T, D> relu(const Var<T, D>& x, const Var<T, D>& added) const {
    if (!(x.shape() == added.shape())) {
      fail<ShapeError>(text, "an input of shape ", x.shape(), " and what is added of shape ",
                       added.shape(), ", expected equal ones");
    }
    const detail::Watched watched(*this);
    return watched(run(x, true, &added));
  }

 private:
  static constexpr const char* text = Axes == 1   ? "BatchNorm1d"
                                      : Axes == 2 ? "BatchNorm2d"
                                                  : "BatchNorm3d";

  Var<T, D> run(const Var<T, D>& x, bool cut, const Var<T, D>* added = nullptr) const;

  template <class C>
  void track(const Tensor<C, D>& m, const Tensor<C, D>& v, int64_t n) const {
    *num_batches_tracked += int64_t{1};
    const double share =
        momentum ? *momentum : 1 / static_cast<double>(num_batches_tracked->item());
    const auto unbiased = static_cast<C>(static_cast<double>(n) / static_cast<double>(n - 1));
    const auto a = static_cast<C>(1 - share);
    const auto c = static_cast<C>(share);
    tie(*running_mean, *running_var) =
        fuse(cast<T>(a * cast<C>(*running_mean) + c * m.reshape({channels})),
             cast<T>(a * cast<C>(*running_var) + c * unbiased * v.reshape({channels})));
  }
};

// Not inline: weft::lib holds it.
template <int Axes, class D, class T>
Var<T, D> BatchNorm<Axes, D, T>::run(const Var<T, D>& x, bool cut, const Var<T, D>* added) const {
  const bool fits = x.rank() == Axes + 2 || (Axes == 1 && x.rank() == 2);
  if (!fits || x.size(1) != channels) refuse_images(text, x.shape(), channels, Axes);
  if (folded) {
    if (training) {
      fail<ValueError>(text,
                       "folded into the layer before it, expected eval mode: train a clone "
                       "from before fuse_conv_bn");
    }
    if (added != nullptr) return weft::relu(x + *added);
    return cut ? Var<T, D>(weft::relu(x)) : x;
  }
  const Var<T, D> w = flat_or<T, D>(weight, {channels}, 1, x.device());
  const Var<T, D> b = flat_or<T, D>(bias, {channels}, 0, x.device());
  if (!training && running_mean) {
    const Shape row = autograd::detail::beside_images(channels, x.rank());
    const auto small = static_cast<compute_t<T>>(epsilon);
    const Tensor<T, D> scale = rsqrt(*running_var + small);
    const auto y =
        (x - running_mean->reshape(row)) * (scale.reshape(row) * w.reshape(row)) + b.reshape(row);
    if (added != nullptr) return weft::relu(y + *added);
    if (cut) return weft::relu(y);
    return y;
  }
  const int64_t n = channels > 0 ? x.size() / channels : 0;
  if (training && n <= 1) {
    fail<ValueError>(text, "an input of shape ", x.shape(),
                     " in training, expected more than one value a channel");
  }
  autograd::BatchStatistics<compute_t<T>, D> found;
  const bool tracks = training && running_mean;
  std::optional<BatchRunning<T, D>> running;
  if (tracks && momentum && running_mean->is_contiguous() && running_var->is_contiguous()) {
    running = {*running_mean, *running_var, *num_batches_tracked, *momentum};
  }
  const Var<T, D> y =
      autograd::batch_norm(x, w, b, epsilon, cut, found, added, running ? &*running : nullptr);
  if (tracks && !found.tracked) track(found.mean, found.variance, n);
  return y;
}
}  // namespace detail

/// Normalizes each channel of x, (batch, channels) or (batch, channels, length), to mean 0 and
/// variance 1 over the batch; in eval mode by the running statistics of training (Ioffe and Szegedy
/// 2015).
template <Device D = Cpu, class T = float>
struct BatchNorm1d : detail::BatchNorm<1, D, T> {
  BatchNorm1d() = default;
  explicit BatchNorm1d(int64_t size, BatchNormOptions options = {}, D device = {})
      : detail::BatchNorm<1, D, T>(size, options, device) {}
};
/// The same for images (batch, channels, row, column).
template <Device D = Cpu, class T = float>
struct BatchNorm2d : detail::BatchNorm<2, D, T> {
  BatchNorm2d() = default;
  explicit BatchNorm2d(int64_t size, BatchNormOptions options = {}, D device = {})
      : detail::BatchNorm<2, D, T>(size, options, device) {}
};
/// The same for three spatial axes.
template <Device D = Cpu, class T = float>
struct BatchNorm3d : detail::BatchNorm<3, D, T> {
  BatchNorm3d() = default;
  explicit BatchNorm3d(int64_t size, BatchNormOptions options = {}, D device = {})
      : detail::BatchNorm<3, D, T>(size, options, device) {}
};

WEFT_MODEL(Module<BatchNorm1d<>>&& Module<BatchNorm2d<>>&& Module<BatchNorm3d<>>);

}  // namespace weft::nn
