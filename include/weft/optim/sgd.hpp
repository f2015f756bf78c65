// SGD: gradient descent with momentum.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/order/select.hpp"
#include "weft/optim/optimizer.hpp"

namespace weft::optim {

struct SGDOptions {
  double lr = 1e-3;
  double momentum = 0;
  double dampening = 0;     ///< of the gradient that goes into the momentum, but for the first
  double weight_decay = 0;  ///< times the weight, is added to the gradient
  bool nesterov = false;
  bool maximize = false;
};

struct SGDRule {
  using Options = SGDOptions;
  static constexpr const char* text = "SGD";
  static constexpr std::array<const char*, 1> names = {"momentum_buffer"};
  static constexpr std::size_t ready = 0;

  static void check(const Options& o) {
    detail::check_positive(text, "momentum", o.momentum);
    detail::check_positive(text, "weight_decay", o.weight_decay);
    if (o.nesterov && (!(o.momentum > 0) || o.dampening != 0)) {
      fail<ValueError>(text, "nesterov with momentum ", o.momentum, " and dampening ", o.dampening,
                       ", expected a momentum and no dampening");
    }
  }

  template <class O, class F>
  static void each(O& o, const F& f) {
    f("lr", o.lr), f("momentum", o.momentum), f("dampening", o.dampening);
    f("weight_decay", o.weight_decay), f("nesterov", o.nesterov), f("maximize", o.maximize);
  }

  template <class B, class T, class D, class S, class P>
  static void update(B& batch, Tensor<T, D>& p, const Tensor<T, D>& gradient, S& state,
                     const P& progress, const Options& o) {
    using C = compute_t<T>;
    const auto g = detail::gradient_of(p, gradient, o);
    if (o.momentum == 0) {
      batch.assign(p, cast<T>(cast<C>(p) - progress.rate * g));
      return;
    }
    const auto mu = static_cast<C>(o.momentum);
    const auto part = where(progress.step == C(1), C(1), static_cast<C>(1 - o.dampening));
    const auto buffer = mu * state[0] + part * g;
    const auto ahead = static_cast<C>(o.nesterov ? 1 : 0);
    const auto behind = static_cast<C>(o.nesterov ? o.momentum : 1);
    batch.tie(p, state[0]) =
        fuse(cast<T>(cast<C>(p) - progress.rate * (ahead * g + behind * buffer)), buffer);
  }
};

/// Stochastic gradient descent, with PyTorch's momentum: v = mu v + (1 - dampening) g, p -= lr v.
template <class T = float, class D = Cpu>
class SGD : public Optimizer<SGDRule, T, D> {
  using Optimizer<SGDRule, T, D>::Optimizer;
};
template <class P, class R = SGDOptions>
SGD(P, R = {}) -> SGD<detail::type_of<P>, detail::device_of<P>>;
template <class T, class D, class R = SGDOptions>
SGD(std::initializer_list<Var<T, D>>, R = {}) -> SGD<T, D>;

WEFT_MODEL(OptimizerLike<SGD<float, Cpu>>);

}  // namespace weft::optim
