// LayerNorm and RMSNorm, which normalize each row separately.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "weft/autograd/rows/compose.hpp"
#include "weft/autograd/shape/movement.hpp"
#include "weft/nn/fields.hpp"
#include "weft/nn/watched.hpp"

namespace weft::nn {

namespace detail {
/// x with its last axes, as many as `normalized` has, merged into one.
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
  bool affine = true;     ///< has weight and bias
  bool bias = true;
};

/// Normalizes the last axes to mean 0 and (biased) variance 1, then multiplies by weight and adds
/// bias.
template <Device D = Cpu, class T = float>
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
    const detail::Watched watched(*this);
    const Var<T, D> y = layer_norm(detail::joined("LayerNorm", x, normalized),
                                   detail::flat_or<T, D>(weight, normalized, 1, x.device()),
                                   detail::flat_or<T, D>(bias, normalized, 0, x.device()), epsilon);
    return watched(normalized.rank() == 1 ? y : y.reshape(x.shape()));
  }
};

struct RMSNormOptions {
  std::optional<double> epsilon;  ///< the type's machine epsilon unless given
  bool affine = true;
};

/// Divides the last axes by their root mean square, then multiplies by weight.
template <Device D = Cpu, class T = float>
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
    const detail::Watched watched(*this);
    const Var<T, D> y = rms_norm(detail::joined("RMSNorm", x, normalized),
                                 detail::flat_or<T, D>(weight, normalized, 1, x.device()), epsilon);
    return watched(normalized.rank() == 1 ? y : y.reshape(x.shape()));
  }

 private:
  static double machine_epsilon() {
    if constexpr (std::is_same_v<T, half>) return 0x1p-10;
    if constexpr (std::is_same_v<T, bfloat16>) return 0x1p-7;
    return static_cast<double>(std::numeric_limits<compute_t<T>>::epsilon());
  }
};

WEFT_MODEL(Module<LayerNorm<>>&& Module<RMSNorm<>>);

}  // namespace weft::nn
