// gaussian_nll_loss, poisson_nll_loss: negative log-likelihoods under a predicted distribution.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numbers>

#include "weft/nn/losses/loss.hpp"

namespace weft::nn {

struct GaussianNLLOptions {
  bool full = false;      ///< with the constant log(2 pi) / 2
  double epsilon = 1e-6;  ///< smaller variances count as this, their gradients as if they were not
};

/// (log v + (x - y)^2 / v) / 2 for targets y of a normal distribution of mean x and variance v,
/// which is of the shape of x, or without its last axis or with size 1 there.
template <ExpressionLike X, ExpressionLike Y, ExpressionLike V, class R = reduce::Mean>
auto gaussian_nll_loss(const X& x, const Y& y, const V& variance,
                       const GaussianNLLOptions& options = {}, R reduction = {}) {
  detail::check_shapes("gaussian_nll_loss", x, y);
  if (!(options.epsilon > 0)) {
    fail<ValueError>("gaussian_nll_loss", "epsilon ", options.epsilon, ", expected more than 0");
  }
  using Variance = decltype(Var(variance));
  using D = typename Variance::device_type;
  Variance v = variance;
  if (v.rank() + 1 == x.rank()) v = v.unsqueeze(-1);
  Shape one = x.shape();
  if (one.rank() > 0) one[one.rank() - 1] = 1;
  if (!(v.shape() == x.shape()) && !(v.shape() == one)) {
    fail<ShapeError>("gaussian_nll_loss", "a variance of shape ", variance.shape(),
                     " for an input of shape ", x.shape(),
                     ", expected the same, or 1 or nothing for the last axis");
  }
  const auto least = detail::number<X>(options.epsilon);
  const Tensor<typename X::value_type, D> missing = maximum(v.detach(), least) - v.detach();
  const Variance at_least = v + missing;
  const auto constant = detail::number<X>(options.full ? std::log(2 * std::numbers::pi) / 2 : 0);
  return detail::reduced(
      (log(at_least) + square(x - y) / at_least) * detail::number<X>(0.5) + constant, reduction);
}

struct PoissonNLLOptions {
  bool log_input = true;  ///< x is the logarithm of the mean; else the mean
  bool full = false;      ///< with Stirling's formula for log(y!), 0 for y up to 1
  double epsilon = 1e-8;  ///< is added to a mean before its logarithm
};

/// exp(x) - y x for counts y of a Poisson distribution whose mean has the logarithm x; x - y log(x)
/// for the mean x itself.
template <ExpressionLike X, ExpressionLike Y, class R = reduce::Mean>
auto poisson_nll_loss(const X& x, const Y& y, const PoissonNLLOptions& options = {},
                      R reduction = {}) {
  detail::check_shapes("poisson_nll_loss", x, y);
  using V = decltype(Var(x));
  const V loss = options.log_input ? V(exp(x) - y * x)
                                   : V(x - y * log(x + detail::number<X>(options.epsilon)));
  if (!options.full) return detail::reduced(loss, reduction);
  const auto one = detail::number<X>(1);
  const auto positive = maximum(y, one);
  const V stirling(
      where(y > one,
            positive * log(positive) - positive +
                detail::number<X>(0.5) * log(detail::number<X>(2 * std::numbers::pi) * positive),
            detail::number<X>(0)));
  return detail::reduced(loss + stirling, reduction);
}

}  // namespace weft::nn
