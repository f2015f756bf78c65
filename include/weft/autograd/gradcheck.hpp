// gradcheck: gradients compared with differences of the function itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/var.hpp"
#include "weft/ops/random/random.hpp"

namespace weft {

/// How gradcheck compares, with PyTorch's defaults.
struct GradcheckOptions {
  double epsilon = 1e-6;  ///< half of the distance that differences are taken over
  double relative_tolerance = 1e-3;
  double absolute_tolerance = 1e-5;
};

namespace autograd {

/// sum(weights * f(inputs...)) without recording.
template <class D, class F, class... Ds>
double weighted_sum(const F& f, const Tensor<double, D>& weights,
                    const Var<double, Ds>&... inputs) {
  const NoGrad guard;
  const Var value = f(inputs...);
  const auto values = value.value().to(Cpu{}).to_vector();
  const auto factors = weights.to(Cpu{}).to_vector();
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[i] * factors[i];
  return sum;
}

/// Element i, counted in row-major order, changed by `step` while f runs.
template <class D, class F>
double with_step(const Tensor<double, D>& x, int64_t i, double step, const F& f) {
  Shape at;
  for (int d = x.rank() - 1; d >= 0; --d) {
    at.insert(0, i % x.shape()[d]);
    i /= x.shape()[d];
  }
  Tensor<double, D> element = x;
  for (int d = 0; d < at.rank(); ++d) element = Tensor<double, D>(element(at[d]));
  const double before = element.item();
  element.fill(before + step);
  const double result = f();
  element.fill(before);
  return result;
}

}  // namespace autograd

/// Whether the gradients of f at the inputs, which are double, agree with central differences of f;
/// throws ValueError with the first that does not. f takes the inputs and returns a Var, and must
/// be deterministic. Inputs that require no gradient are skipped.
template <class F, class... Ds>
bool gradcheck(const GradcheckOptions& options, const F& f, const Var<double, Ds>&... inputs) {
  (inputs.zero_grad(), ...);
  const Var value = f(inputs...);
  Generator generator(1234);
  const auto weights = rand<double>(value.shape(), value.device(), generator);
  value.backward(weights);
  int number = 0;
  const auto check = [&](const auto& x) {
    const int index = number++;
    if (!x.requires_grad()) return;
    const auto gradient = x.has_grad() ? x.grad().to(Cpu{}).to_vector()
                                       : std::vector<double>(static_cast<std::size_t>(x.size()));
    for (int64_t i = 0; i < x.size(); ++i) {
      const auto at = [&] { return autograd::weighted_sum(f, weights, inputs...); };
      const double above = autograd::with_step(x.value(), i, options.epsilon, at);
      const double below = autograd::with_step(x.value(), i, -options.epsilon, at);
      const double expected = (above - below) / (2 * options.epsilon);
      const double found = gradient[static_cast<std::size_t>(i)];
      const double size = expected < 0 ? -expected : expected;
      const double error = found < expected ? expected - found : found - expected;
      if (!(error <= options.absolute_tolerance + options.relative_tolerance * size)) {
        fail<ValueError>("gradcheck", "input ", index, ", element ", i, ": gradient ", found,
                         ", expected ", expected, " by differences");
      }
    }
  };
  (check(inputs), ...);
  return true;
}

template <class F, class... Ds>
bool gradcheck(const F& f, const Var<double, Ds>&... inputs) {
  return gradcheck(GradcheckOptions{}, f, inputs...);
}

}  // namespace weft
