// Rprop: steps by the gradients' signs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/compare.hpp"
#include "weft/ops/elementwise/unary.hpp"
#include "weft/optim/optimizer.hpp"

namespace weft::optim {

struct RpropOptions {
  double lr = 1e-2;        ///< the first size of each weight's steps, which later changes leave
  double eta_minus = 0.5;  ///< times the size, where the gradient has changed its sign
  double eta_plus = 1.2;   ///< times the size, where it has not
  double step_min = 1e-6;
  double step_max = 50;
  bool maximize = false;
};

struct RpropRule {
  using Options = RpropOptions;
  static constexpr const char* text = "Rprop";
  static constexpr std::array<const char*, 2> names = {"prev", "step_size"};
  static constexpr std::size_t ready = 0;

  static void check(const Options& o) {
    if (!(o.eta_minus > 0 && o.eta_minus < 1 && o.eta_plus > 1)) {
      fail<ValueError>(text, "eta_minus ", o.eta_minus, " and eta_plus ", o.eta_plus,
                       ", expected 0 < eta_minus < 1 < eta_plus");
    }
    if (!(o.step_min > 0 && o.step_min <= o.step_max)) {
      fail<ValueError>(text, "steps from ", o.step_min, " to ", o.step_max,
                       ", expected more than 0 and least first");
    }
  }
  static double first(const Options& o, std::size_t k) { return k == 0 ? 0 : o.lr; }

  template <class O, class F>
  static void each(O& o, const F& f) {
    f("lr", o.lr), f("eta_minus", o.eta_minus), f("eta_plus", o.eta_plus);
    f("step_min", o.step_min), f("step_max", o.step_max), f("maximize", o.maximize);
  }

  template <class B, class T, class D, class S, class P>
  static void update(B& batch, Tensor<T, D>& p, const Tensor<T, D>& gradient, S& state, const P&,
                     const Options& o) {
    using C = compute_t<T>;
    const auto g = static_cast<C>(o.maximize ? -1 : 1) * cast<C>(gradient);
    const auto turn = sign(g) * sign(state[0]);
    const auto turned = turn < C(0);
    const auto factor = where(turned, static_cast<C>(o.eta_minus),
                              where(turn > C(0), static_cast<C>(o.eta_plus), C(1) + C(0) * turn));
    const auto size =
        clamp(state[1] * factor, static_cast<C>(o.step_min), static_cast<C>(o.step_max));
    const auto used = where(turned, C(0), g);
    batch.tie(p, state[0], state[1]) = fuse(cast<T>(cast<C>(p) - sign(used) * size), used, size);
  }
};

/// Riedmiller and Braun 1993; for full-batch gradients, not mini-batches.
template <class T = float, class D = Cpu>
class Rprop : public Optimizer<RpropRule, T, D> {
  using Optimizer<RpropRule, T, D>::Optimizer;
};
template <class P, class R = RpropOptions>
Rprop(P, R = {}) -> Rprop<detail::type_of<P>, detail::device_of<P>>;
template <class T, class D, class R = RpropOptions>
Rprop(std::initializer_list<Var<T, D>>, R = {}) -> Rprop<T, D>;

WEFT_MODEL(OptimizerLike<Rprop<float, Cpu>>);

}  // namespace weft::optim
