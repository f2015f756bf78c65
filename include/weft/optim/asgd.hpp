// ASGD: gradient descent with an average of the weights.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/unary.hpp"
#include "weft/optim/optimizer.hpp"

namespace weft::optim {

struct ASGDOptions {
  double lr = 1e-2;
  double lambd = 1e-4;  ///< times the rate, is what each weight loses at each step
  double alpha = 0.75;  ///< the power with which the rate falls
  double t0 = 1e6;      ///< the step after which weights are averaged
  double weight_decay = 0;
  bool maximize = false;
};

struct ASGDRule {
  using Options = ASGDOptions;
  static constexpr const char* text = "ASGD";
  static constexpr std::array<const char*, 1> names = {"ax"};
  static constexpr std::size_t ready = 4;
  static constexpr std::array<const char*, 2> kept = {"eta", "mu"};
  static double kept_first(const Options& o, std::size_t k) { return k == 0 ? o.lr : 1; }

  static void check(const Options& o) {
    detail::check_positive(text, "lambd", o.lambd);
    detail::check_positive(text, "weight_decay", o.weight_decay);
  }

  template <class O, class F>
  static void each(O& o, const F& f) {
    f("lr", o.lr), f("lambd", o.lambd), f("alpha", o.alpha), f("t0", o.t0);
    f("weight_decay", o.weight_decay), f("maximize", o.maximize);
  }
  /// ready[2] and ready[3] are the learning rate and the weight of the newest values in the
  /// average, for this step; ready[0] and ready[1] are those for the next.
  template <class P>
  static void advance(P& progress, const Options& o) {
    using T = typename decltype(progress.step)::value_type;
    const auto step = progress.step + T(1);
    const auto fallen =
        pow(T(1) + static_cast<T>(o.lambd) * progress.rate * step, static_cast<T>(-o.alpha));
    tie(progress.step, progress.ready[0], progress.ready[1], progress.ready[2], progress.ready[3]) =
        fuse(step, progress.rate * fallen, T(1) / maximum(step - static_cast<T>(o.t0), T(1)),
             progress.ready[0], progress.ready[1]);
  }

  template <class B, class T, class D, class S, class P>
  static void update(B& batch, Tensor<T, D>& p, const Tensor<T, D>& gradient, S& state,
                     const P& progress, const Options& o) {
    using C = compute_t<T>;
    const auto g = detail::gradient_of(p, gradient, o);
    const auto eta = progress.ready[2];
    const auto next = cast<C>(p) * (C(1) - static_cast<C>(o.lambd) * eta) - eta * g;
    batch.tie(p, state[0]) = fuse(cast<T>(next), state[0] + (next - state[0]) * progress.ready[3]);
  }
};

/// Polyak and Juditsky 1992. The averages are the state `ax`; the parameters themselves hold the
/// latest weights.
template <class T = float, class D = Cpu>
class ASGD : public Optimizer<ASGDRule, T, D> {
  using Optimizer<ASGDRule, T, D>::Optimizer;
};
template <class P, class R = ASGDOptions>
ASGD(P, R = {}) -> ASGD<detail::type_of<P>, detail::device_of<P>>;
template <class T, class D, class R = ASGDOptions>
ASGD(std::initializer_list<Var<T, D>>, R = {}) -> ASGD<T, D>;

WEFT_MODEL(OptimizerLike<ASGD<float, Cpu>>);

}  // namespace weft::optim
