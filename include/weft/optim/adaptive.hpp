// RMSprop, Adagrad and Adadelta.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/unary.hpp"
#include "weft/optim/optimizer.hpp"

namespace weft::optim {

struct RMSpropOptions {
  double lr = 1e-2;
  double alpha = 0.99;  ///< how much of the average stays
  double eps = 1e-8;
  double weight_decay = 0;
  double momentum = 0;
  bool centered = false;  ///< divides by the deviation, not the root mean square
  bool maximize = false;
};

struct RMSpropRule {
  using Options = RMSpropOptions;
  static constexpr const char* text = "RMSprop";
  static constexpr std::array<const char*, 3> names = {"square_avg", "grad_avg", "momentum_buffer"};
  static constexpr std::size_t ready = 0;

  static void check(const Options& o) {
    detail::check_fraction(text, "alpha", o.alpha);
    detail::check_positive(text, "eps", o.eps);
    detail::check_positive(text, "weight_decay", o.weight_decay);
    detail::check_positive(text, "momentum", o.momentum);
  }

  template <class O, class F>
  static void each(O& o, const F& f) {
    f("lr", o.lr), f("alpha", o.alpha), f("eps", o.eps), f("weight_decay", o.weight_decay);
    f("momentum", o.momentum), f("centered", o.centered), f("maximize", o.maximize);
  }

  template <class B, class T, class D, class S, class P>
  static void update(B& batch, Tensor<T, D>& p, const Tensor<T, D>& gradient, S& state,
                     const P& progress, const Options& o) {
    using C = compute_t<T>;
    const auto g = detail::gradient_of(p, gradient, o);
    const auto a = static_cast<C>(o.alpha);
    const auto rest = static_cast<C>(1 - o.alpha);
    const auto eps = static_cast<C>(o.eps);
    const auto v = a * state[0] + rest * square(g);
    if (!o.centered && o.momentum == 0) {
      batch.tie(p, state[0]) = fuse(cast<T>(cast<C>(p) - progress.rate * (g / (sqrt(v) + eps))), v);
      return;
    }
    const auto m = a * state[1] + rest * g;
    const auto centre = static_cast<C>(o.centered ? 1 : 0);
    const auto b = static_cast<C>(o.momentum) * state[2] + g / (sqrt(v - centre * square(m)) + eps);
    batch.tie(p, state[0], state[1], state[2]) =
        fuse(cast<T>(cast<C>(p) - progress.rate * b), v, m, b);
  }
};

/// Hinton's RMSprop: gradients divided by the root of their mean square.
template <class T = float, class D = Cpu>
class RMSprop : public Optimizer<RMSpropRule, T, D> {
  using Optimizer<RMSpropRule, T, D>::Optimizer;
};
template <class P, class R = RMSpropOptions>
RMSprop(P, R = {}) -> RMSprop<detail::type_of<P>, detail::device_of<P>>;
template <class T, class D, class R = RMSpropOptions>
RMSprop(std::initializer_list<Var<T, D>>, R = {}) -> RMSprop<T, D>;

struct AdagradOptions {
  double lr = 1e-2;
  double lr_decay = 0;
  double weight_decay = 0;
  double initial_accumulator_value = 0;
  double eps = 1e-10;
  bool maximize = false;
};

struct AdagradRule {
  using Options = AdagradOptions;
  static constexpr const char* text = "Adagrad";
  static constexpr std::array<const char*, 1> names = {"sum"};
  static constexpr std::size_t ready = 1;

  static void check(const Options& o) {
    detail::check_positive(text, "lr_decay", o.lr_decay);
    detail::check_positive(text, "weight_decay", o.weight_decay);
    detail::check_positive(text, "initial_accumulator_value", o.initial_accumulator_value);
    detail::check_positive(text, "eps", o.eps);
  }
  static double first(const Options& o) { return o.initial_accumulator_value; }

  template <class O, class F>
  static void each(O& o, const F& f) {
    f("lr", o.lr), f("lr_decay", o.lr_decay), f("weight_decay", o.weight_decay);
    f("initial_accumulator_value", o.initial_accumulator_value), f("eps", o.eps);
    f("maximize", o.maximize);
  }
  /// ready[0] is the rate after its decay.
  template <class P>
  static void advance(P& progress, const Options& o) {
    using T = typename decltype(progress.step)::value_type;
    tie(progress.step, progress.ready[0]) = fuse(
        progress.step + T(1), progress.rate / (T(1) + progress.step * static_cast<T>(o.lr_decay)));
  }

  template <class B, class T, class D, class S, class P>
  static void update(B& batch, Tensor<T, D>& p, const Tensor<T, D>& gradient, S& state,
                     const P& progress, const Options& o) {
    using C = compute_t<T>;
    const auto g = detail::gradient_of(p, gradient, o);
    const auto total = state[0] + square(g);
    batch.tie(p, state[0]) =
        fuse(cast<T>(cast<C>(p) - progress.ready[0] * (g / (sqrt(total) + static_cast<C>(o.eps)))),
             total);
  }
};

/// Duchi, Hazan and Singer 2011: gradients divided by the root of the sum of all their squares.
template <class T = float, class D = Cpu>
class Adagrad : public Optimizer<AdagradRule, T, D> {
  using Optimizer<AdagradRule, T, D>::Optimizer;
};
template <class P, class R = AdagradOptions>
Adagrad(P, R = {}) -> Adagrad<detail::type_of<P>, detail::device_of<P>>;
template <class T, class D, class R = AdagradOptions>
Adagrad(std::initializer_list<Var<T, D>>, R = {}) -> Adagrad<T, D>;

struct AdadeltaOptions {
  double lr = 1;
  double rho = 0.9;  ///< how much of the averages stays
  double eps = 1e-6;
  double weight_decay = 0;
  bool maximize = false;
};

struct AdadeltaRule {
  using Options = AdadeltaOptions;
  static constexpr const char* text = "Adadelta";
  static constexpr std::array<const char*, 2> names = {"square_avg", "acc_delta"};
  static constexpr std::size_t ready = 0;

  static void check(const Options& o) {
    if (!(o.rho >= 0 && o.rho <= 1)) fail<ValueError>(text, "rho ", o.rho, ", expected 0 to 1");
    detail::check_positive(text, "eps", o.eps);
    detail::check_positive(text, "weight_decay", o.weight_decay);
  }

  template <class O, class F>
  static void each(O& o, const F& f) {
    f("lr", o.lr), f("rho", o.rho), f("eps", o.eps), f("weight_decay", o.weight_decay);
    f("maximize", o.maximize);
  }

  template <class B, class T, class D, class S, class P>
  static void update(B& batch, Tensor<T, D>& p, const Tensor<T, D>& gradient, S& state,
                     const P& progress, const Options& o) {
    using C = compute_t<T>;
    const auto g = detail::gradient_of(p, gradient, o);
    const auto rho = static_cast<C>(o.rho);
    const auto rest = static_cast<C>(1 - o.rho);
    const auto eps = static_cast<C>(o.eps);
    const auto v = rho * state[0] + rest * square(g);
    const auto change = sqrt(state[1] + eps) / sqrt(v + eps) * g;
    batch.tie(p, state[0], state[1]) = fuse(cast<T>(cast<C>(p) - progress.rate * change), v,
                                            rho * state[1] + rest * square(change));
  }
};

/// Zeiler 2012: gradients scaled by the root mean square of previous updates.
template <class T = float, class D = Cpu>
class Adadelta : public Optimizer<AdadeltaRule, T, D> {
  using Optimizer<AdadeltaRule, T, D>::Optimizer;
};
template <class P, class R = AdadeltaOptions>
Adadelta(P, R = {}) -> Adadelta<detail::type_of<P>, detail::device_of<P>>;
template <class T, class D, class R = AdadeltaOptions>
Adadelta(std::initializer_list<Var<T, D>>, R = {}) -> Adadelta<T, D>;

WEFT_MODEL(OptimizerLike<RMSprop<float, Cpu>>&& OptimizerLike<Adagrad<float, Cpu>>&&
               OptimizerLike<Adadelta<float, Cpu>>);

}  // namespace weft::optim
