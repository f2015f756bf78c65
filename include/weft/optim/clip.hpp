// clip_grad_norm and clip_grad_value: gradients kept within bounds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/autograd/var.hpp"
#include "weft/ops/reduce.hpp"
#include "weft/ops/unary.hpp"

namespace weft::optim {

/// Scales all gradients by min(1, max_norm / (norm + 1e-6)), where norm is that of all their
/// elements together: Euclidean, or the p-norm, for p = infinity the largest. Gives the norm from
/// before, on the device, without waiting for it.
template <class T, class D>
auto clip_grad_norm(const std::vector<Var<T, D>>& parameters, double max_norm, double p = 2) {
  using C = compute_t<T>;
  constexpr double infinity = math::infinity<double>;
  if (!(max_norm >= 0)) {
    fail<ValueError>("clip_grad_norm", "max_norm ", max_norm, ", expected at least 0");
  }
  if (!(p > 0)) fail<ValueError>("clip_grad_norm", "p ", p, ", expected more than 0");
  const D device = parameters.empty() ? D{} : parameters[0].device();
  Tensor<C, D> total = zeros<C>({}, device);
  for (const auto& x : parameters) {
    if (!x.has_grad()) continue;
    const auto g = cast<C>(x.grad());
    if (x.size() == 0) continue;
    // By themselves, since a reduction inside a formula is one row, for one block of a GPU.
    if (p == 2) {
      total += Tensor<C, D>(sum(square(g)));
    } else if (p == infinity) {
      total.assign(maximum(total, Tensor<C, D>(max(abs(g)))));
    } else {
      total += Tensor<C, D>(sum(pow(abs(g), static_cast<C>(p))));
    }
  }
  if (p == 2) {
    total.assign(sqrt(total));
  } else if (p != infinity) {
    total.assign(pow(total, static_cast<C>(1 / p)));
  }
  const Tensor<C, D> scale =
      minimum(static_cast<C>(max_norm) / (total + static_cast<C>(1e-6)), C(1));
  for (const auto& x : parameters) {
    if (x.has_grad()) x.grad().assign(cast<T>(cast<C>(x.grad()) * scale));
  }
  return total;
}

/// Each element of each gradient kept between -limit and limit.
template <class T, class D>
void clip_grad_value(const std::vector<Var<T, D>>& parameters, double limit) {
  using C = compute_t<T>;
  if (!(limit >= 0)) fail<ValueError>("clip_grad_value", "limit ", limit, ", expected at least 0");
  for (const auto& x : parameters) {
    if (!x.has_grad()) continue;
    x.grad().assign(clamp(x.grad(), static_cast<C>(-limit), static_cast<C>(limit)));
  }
}

}  // namespace weft::optim
