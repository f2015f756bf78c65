// The activation functions as modules: ReLU, GELU, SELU, Softplus, Hardtanh, LogSoftmax and others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/rows/compose.hpp"
#include "weft/nn/fields.hpp"
#include "weft/ops/elementwise/activation.hpp"
#include "weft/ops/gates.hpp"

namespace weft::nn {

// Activation functions return expressions: what follows is computed in the same kernel.

namespace detail {
/// A layer without options. Constructing it from a tensor is a mistake that gets a sentence.
struct WithoutOptions {
  WithoutOptions() = default;
  template <ExpressionLike X>
  explicit WithoutOptions(const X&) {
    static_assert(weft::detail::always_false<X>,
                  "weft: a layer is made first and then called: write nn::ReLU{}(x), or relu(x)");
  }
};
}  // namespace detail

struct ReLU : detail::WithoutOptions {
  using WithoutOptions::WithoutOptions;
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return relu(x); }
};
/// relu capped at 6; at 0 and 6 without a gradient.
struct ReLU6 : detail::WithoutOptions {
  using WithoutOptions::WithoutOptions;
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return relu6(x); }
};
struct Hardswish : detail::WithoutOptions {
  using WithoutOptions::WithoutOptions;
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return hardswish(x); }
};
struct Hardsigmoid : detail::WithoutOptions {
  using WithoutOptions::WithoutOptions;
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return hardsigmoid(x); }
};
/// Its argument.
struct Identity : detail::WithoutOptions {
  using WithoutOptions::WithoutOptions;
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return x; }
};
struct GELU : detail::WithoutOptions {
  using WithoutOptions::WithoutOptions;
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return gelu(x); }
};
struct SiLU : detail::WithoutOptions {
  using WithoutOptions::WithoutOptions;
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return silu(x); }
};
struct Tanh : detail::WithoutOptions {
  using WithoutOptions::WithoutOptions;
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return tanh(x); }
};
struct Sigmoid : detail::WithoutOptions {
  using WithoutOptions::WithoutOptions;
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return sigmoid(x); }
};
/// Along one axis, the last by default.
struct Softmax {
  int along = -1;
  auto fields() { return nn::fields("along", along); }
  auto operator()(const ExpressionLike auto& x) const { return softmax(x, axis(along)); }
};
/// x where it is positive, else slope * x.
struct LeakyReLU {
  double slope = 0.01;
  auto fields() { return nn::fields("slope", slope); }
  auto operator()(const ExpressionLike auto& x) const { return leaky_relu(x, slope); }
};
/// x where it is positive, else alpha * (exp(x) - 1) (Clevert et al. 2015).
struct ELU {
  double alpha = 1;
  auto fields() { return nn::fields("alpha", alpha); }
  auto operator()(const ExpressionLike auto& x) const { return elu(x, alpha); }
};
/// elu with the constants that keep mean 0 and variance 1 (Klambauer et al. 2017).
struct SELU : detail::WithoutOptions {
  using WithoutOptions::WithoutOptions;
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return selu(x); }
};
/// x where it is positive, else alpha * (exp(x / alpha) - 1) (Barron 2017).
struct CELU {
  double alpha = 1;
  auto fields() { return nn::fields("alpha", alpha); }
  auto operator()(const ExpressionLike auto& x) const { return celu(x, alpha); }
};
/// log(1 + exp(beta x)) / beta; x itself where beta x exceeds the threshold.
struct Softplus {
  double beta = 1;
  double threshold = 20;
  auto fields() { return nn::fields("beta", beta, "threshold", threshold); }
  auto operator()(const ExpressionLike auto& x) const { return softplus(x, beta, threshold); }
};
/// x / (1 + |x|).
struct Softsign : detail::WithoutOptions {
  using WithoutOptions::WithoutOptions;
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return softsign(x); }
};
/// x tanh(softplus(x)) (Misra 2019).
struct Mish : detail::WithoutOptions {
  using WithoutOptions::WithoutOptions;
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return mish(x); }
};
/// log(sigmoid(x)).
struct LogSigmoid : detail::WithoutOptions {
  using WithoutOptions::WithoutOptions;
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return logsigmoid(x); }
};
/// x kept between low and high; at these without a gradient.
struct Hardtanh {
  double low = -1;
  double high = 1;
  auto fields() { return nn::fields("low", low, "high", high); }
  auto operator()(const ExpressionLike auto& x) const { return hardtanh(x, low, high); }
};
/// x above the limit, else `otherwise`.
struct Threshold {
  double limit = 0;
  double otherwise = 0;
  auto fields() { return nn::fields("limit", limit, "otherwise", otherwise); }
  auto operator()(const ExpressionLike auto& x) const {
    return weft::threshold(x, limit, otherwise);
  }
};
/// x moved towards 0 by lambda, 0 within it.
struct Softshrink {
  double lambda = 0.5;
  auto fields() { return nn::fields("lambda", lambda); }
  auto operator()(const ExpressionLike auto& x) const { return softshrink(x, lambda); }
};
/// x farther than lambda from 0, else 0.
struct Hardshrink {
  double lambda = 0.5;
  auto fields() { return nn::fields("lambda", lambda); }
  auto operator()(const ExpressionLike auto& x) const { return hardshrink(x, lambda); }
};
/// x - tanh(x).
struct Tanhshrink : detail::WithoutOptions {
  using WithoutOptions::WithoutOptions;
  auto fields() { return nn::fields(); }
  auto operator()(const ExpressionLike auto& x) const { return tanhshrink(x); }
};
/// log(softmax(x)) along one axis, the last by default.
struct LogSoftmax {
  int along = -1;
  auto fields() { return nn::fields("along", along); }
  auto operator()(const ExpressionLike auto& x) const { return log_softmax(x, axis(along)); }
};
/// softmax(-x) along one axis, the last by default.
struct Softmin {
  int along = -1;
  auto fields() { return nn::fields("along", along); }
  auto operator()(const ExpressionLike auto& x) const { return softmin(x, axis(along)); }
};

WEFT_MODEL(
    Module<ReLU>&& Module<ReLU6>&& Module<Hardswish>&& Module<Hardsigmoid>&& Module<Identity>&&
        Module<GELU>&& Module<SiLU>&& Module<Tanh>&& Module<Sigmoid>&& Module<Softmax>&&
            Module<LeakyReLU>&& Module<ELU>&& Module<SELU>&& Module<CELU>&& Module<Softplus>&&
                Module<Softsign>&& Module<Mish>&& Module<LogSigmoid>&& Module<Hardtanh>&&
                    Module<Threshold>&& Module<Softshrink>&& Module<Hardshrink>&&
                        Module<Tanhshrink>&& Module<LogSoftmax>&& Module<Softmin>);

}  // namespace weft::nn
