// rrelu, gumbel_softmax and RReLU: activation functions that draw random numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/rows/compose.hpp"
#include "weft/nn/fields.hpp"
#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/random/random.hpp"

namespace weft {

/// x where it is positive, else x times a slope: in training one drawn for each element, uniform
/// from lower to upper, otherwise their mean (Xu et al. 2015). Backward draws the same numbers
/// again.
template <ExpressionLike X>
auto rrelu(const X& x, double lower = 1.0 / 8, double upper = 1.0 / 3, bool training = false) {
  using Value = decltype(Var(x));
  using T = typename X::value_type;
  using C = compute_t<T>;
  if (!(lower <= upper)) {
    fail<ValueError>("rrelu", "lower ", lower, " and upper ", upper, ", expected lower first");
  }
  if (!training) return Value(leaky_relu(x, (lower + upper) / 2));
  const auto slope = uniform<T>(x.shape()) * static_cast<C>(upper - lower) + static_cast<C>(lower);
  return Value(where(x > C(0), x, x * slope));
}

struct GumbelSoftmaxOptions {
  double tau = 1;     ///< the temperature: near 0 rows come near to a one and zeros
  bool hard = false;  ///< the value is a one and zeros, the gradient that of the soft one
  int along = -1;
};

/// A sample of categories with the given logits that has a gradient: softmax((x + g) / tau) for
/// Gumbel noise g (Jang et al. 2017; Maddison et al. 2017).
template <ExpressionLike X>
auto gumbel_softmax(const X& x, const GumbelSoftmaxOptions& options = {}) {
  using Value = decltype(Var(x));
  using T = typename X::value_type;
  using D = typename Value::device_type;
  using C = compute_t<T>;
  if (!(options.tau > 0)) {
    fail<ValueError>("gumbel_softmax", "tau ", options.tau, ", expected more than 0");
  }
  const Value logits = x;
  // Of 0, which is drawn, there is no logarithm.
  const auto u = maximum(rand<C>(logits.shape(), logits.device()), C(0x1p-25));
  const Tensor<T, D> noise = cast<T>(-log(-log(u)));
  const Value soft = softmax((logits + noise) / static_cast<C>(options.tau), axis(options.along));
  if (!options.hard) return soft;
  const Tensor<T, D> y = soft.detach();
  const auto best = argmax(y, axis(options.along), keepdims);
  const int at = options.along < 0 ? options.along + y.rank() : options.along;
  Shape beside;
  for (int i = 0; i < y.rank(); ++i) beside.push_back(i == at ? y.size(at) : 1);
  const Tensor<int64_t, D> places = arange<int64_t>(y.size(at), y.device()).reshape(beside);
  const Tensor<T, D> rest = cast<T>(places == best) - y;
  return Value(soft + rest);
}

namespace nn {

/// rrelu, drawing in training.
struct RReLU {
  double lower = 1.0 / 8;
  double upper = 1.0 / 3;
  bool training = true;

  auto fields() { return nn::fields("lower", lower, "upper", upper); }
  auto operator()(const ExpressionLike auto& x) const { return rrelu(x, lower, upper, training); }
};

WEFT_MODEL(Module<RReLU>);

}  // namespace nn

}  // namespace weft
