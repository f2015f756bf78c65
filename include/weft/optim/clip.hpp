// clip_grad_norm and clip_grad_value: gradients kept within bounds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/autograd/arena.hpp"
#include "weft/eval/batch.hpp"
#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/elementwise/unary.hpp"
#include "weft/ops/fuse.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft::optim {

namespace detail {
/// The gradients that exist; a run of parameters in an arena gives one tensor.
template <class T, class D>
std::vector<Tensor<T, D>> gradients(const std::vector<Var<T, D>>& parameters) {
  std::vector<Tensor<T, D>> out;
  const auto wanted = [](const auto& x) { return x.has_grad() && x.size() > 0; };
  autograd::for_each_run(parameters, wanted, [&](std::size_t i, std::size_t n) {
    const auto of = [&](std::size_t j) -> const auto& { return parameters[j].grad(); };
    out.push_back(autograd::joined(parameters, i, n, of));
  });
  return out;
}
}  // namespace detail

/// Scales all gradients by min(1, max_norm / (norm + 1e-6)), where norm is the Euclidean norm of
/// all their elements together, or the p-norm (the maximum for p = infinity). Returns the norm
/// before scaling, on the device, without waiting for it.
template <class T, class D>
Tensor<compute_t<T>, D> clip_grad_norm(const std::vector<Var<T, D>>& parameters, double max_norm,
                                       double p = 2) {
  using C = compute_t<T>;
  constexpr double infinity = math::infinity<double>;
  if (!(max_norm >= 0)) {
    fail<ValueError>("clip_grad_norm", "max_norm ", max_norm, ", expected at least 0");
  }
  if (!(p > 0)) fail<ValueError>("clip_grad_norm", "p ", p, ", expected more than 0");
  const auto gradients = detail::gradients(parameters);
  if (gradients.empty()) return zeros<C>({}, parameters.empty() ? D{} : parameters[0].device());
  // Separate reductions, since one inside a formula is a single row, for one block of a GPU.
  const auto part = [&](const auto& gradient) {
    const auto g = cast<C>(gradient);
    if (p == 2) return Tensor<C, D>(sum(square(g)));
    if (p == infinity) return Tensor<C, D>(max(abs(g)));
    return Tensor<C, D>(sum(pow(abs(g), static_cast<C>(p))));
  };
  Tensor<C, D> total = part(gradients[0]);
  for (std::size_t i = 1; i < gradients.size(); ++i) {
    const auto more = part(gradients[i]);
    total = p == infinity ? Tensor<C, D>(maximum(total, more)) : Tensor<C, D>(total + more);
  }
  const auto finish = [&](const auto& norm) {
    return fuse(norm, minimum(static_cast<C>(max_norm) / (norm + static_cast<C>(1e-6)), C(1)));
  };
  Tensor<C, D> norm = empty<C>({}, total.device());
  Tensor<C, D> scale = empty<C>({}, total.device());
  if (p == 2) {
    tie(norm, scale) = finish(sqrt(total));
  } else if (p == infinity) {
    tie(norm, scale) = finish(total);
  } else {
    tie(norm, scale) = finish(pow(total, static_cast<C>(1 / p)));
  }
  Batch<D> batch;
  for (const auto& g : gradients) {
    // A 0 stays 0 even if the norm is NaN: nothing rewrites the gaps between an arena's parameters.
    batch.assign(g, where(g == C(0), g, cast<T>(cast<C>(g) * scale)));
  }
  batch.run();
  return norm;
}

/// Clamps each element of each gradient to -limit to limit.
template <class T, class D>
void clip_grad_value(const std::vector<Var<T, D>>& parameters, double limit) {
  using C = compute_t<T>;
  if (!(limit >= 0)) fail<ValueError>("clip_grad_value", "limit ", limit, ", expected at least 0");
  Batch<D> batch;
  for (const auto& g : detail::gradients(parameters)) {
    batch.assign(g, clamp(g, static_cast<C>(-limit), static_cast<C>(limit)));
  }
  batch.run();
}

}  // namespace weft::optim
