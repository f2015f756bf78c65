// What Adam and its variants share: running averages of gradients, options and bias correction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "weft/ops/elementwise/unary.hpp"
#include "weft/optim/optimizer.hpp"

namespace weft::optim::detail {

/// 1 - beta^step, the total weight of the values in an average that began at 0; accurate for beta
/// near 1.
template <class T, class S>
auto left_of(const S& step, double beta) {
  return -expm1(step * static_cast<T>(std::log(beta)));
}

/// The running average after one more value: beta before + (1 - beta) value.
template <class C, class S, class V>
auto average(double beta, const S& before, const V& value, double sign = 1) {
  return static_cast<C>(beta) * before + static_cast<C>(sign * (1 - beta)) * value;
}

/// Throws if beta1 or beta2 is not a fraction, or eps or weight_decay is negative.
template <class O>
void check_moments(const char* name, const O& o) {
  check_fraction(name, "beta1", o.beta1);
  check_fraction(name, "beta2", o.beta2);
  check_positive(name, "eps", o.eps);
  check_positive(name, "weight_decay", o.weight_decay);
}

/// f(name, option) for each of the options that all of them have.
template <class O, class F>
void each_moment_option(O& o, const F& f) {
  f("lr", o.lr), f("beta1", o.beta1), f("beta2", o.beta2), f("eps", o.eps);
  f("weight_decay", o.weight_decay), f("maximize", o.maximize);
}

}  // namespace weft::optim::detail
