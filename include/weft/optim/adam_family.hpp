// Adamax, NAdam and RAdam: variants of Adam.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/elementwise/compare.hpp"
#include "weft/optim/moments.hpp"

namespace weft::optim {

struct AdamaxOptions {
  double lr = 2e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  bool maximize = false;
};

struct AdamaxRule {
  using Options = AdamaxOptions;
  static constexpr const char* text = "Adamax";
  static constexpr std::array<const char*, 2> names = {"exp_avg", "exp_inf"};
  static constexpr std::size_t ready = 1;

  static void check(const Options& o) { detail::check_moments(text, o); }

  template <class O, class F>
  static void each(O& o, const F& f) {
    detail::each_moment_option(o, f);
  }

  /// ready[0] = lr / (1 - beta1^step).
  template <class P>
  static void advance(P& progress, const Options& o) {
    using T = typename decltype(progress.step)::value_type;
    const auto step = progress.step + T(1);
    tie(progress.step, progress.ready[0]) =
        fuse(step, progress.rate / detail::left_of<T>(step, o.beta1));
  }

  template <class B, class T, class D, class S, class P>
  static void update(B& batch, Tensor<T, D>& p, const Tensor<T, D>& gradient, S& state,
                     const P& progress, const Options& o) {
    using C = compute_t<T>;
    const auto g = detail::gradient_of(p, gradient, o);
    const auto m = detail::average<C>(o.beta1, state[0], g);
    const auto u = maximum(static_cast<C>(o.beta2) * state[1], abs(g) + static_cast<C>(o.eps));
    batch.tie(p, state[0], state[1]) =
        fuse(cast<T>(cast<C>(p) - progress.ready[0] * (m / u)), m, u);
  }
};

/// Kingma and Ba 2015, section 7: Adam with the largest gradient instead of the mean square.
template <class T = float, class D = Cpu>
class Adamax : public Optimizer<AdamaxRule, T, D> {
  using Optimizer<AdamaxRule, T, D>::Optimizer;
};
template <class P, class R = AdamaxOptions>
Adamax(P, R = {}) -> Adamax<detail::type_of<P>, detail::device_of<P>>;
template <class T, class D, class R = AdamaxOptions>
Adamax(std::initializer_list<Var<T, D>>, R = {}) -> Adamax<T, D>;

struct NAdamOptions {
  double lr = 2e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  double momentum_decay = 4e-3;
  bool maximize = false;
};

struct NAdamRule {
  using Options = NAdamOptions;
  static constexpr const char* text = "NAdam";
  static constexpr std::array<const char*, 2> names = {"exp_avg", "exp_avg_sq"};
  static constexpr std::size_t ready = 4;
  static constexpr std::array<const char*, 1> kept = {"mu_product"};
  static double kept_first(const Options&, std::size_t) { return 1; }

  static void check(const Options& o) {
    detail::check_moments(text, o);
    detail::check_positive(text, "momentum_decay", o.momentum_decay);
  }

  template <class O, class F>
  static void each(O& o, const F& f) {
    detail::each_moment_option(o, f);
    f("momentum_decay", o.momentum_decay);
  }

  /// ready[0] is the product of the momenta of all steps, mu = beta1 (1 - 0.96^(step decay) / 2);
  /// ready[1] and ready[2] are the gradient's and the average's parts of the change, and ready[3]
  /// = 1 / sqrt(1 - beta2^step).
  template <class P>
  static void advance(P& progress, const Options& o) {
    using T = typename decltype(progress.step)::value_type;
    const auto step = progress.step + T(1);
    const auto b = static_cast<T>(o.beta1);
    const auto decay = static_cast<T>(o.momentum_decay * std::log(0.96));
    const auto mu = b * (T(1) - T(0.5) * exp(step * decay));
    const auto next = b * (T(1) - T(0.5) * exp((step + T(1)) * decay));
    const auto product = progress.ready[0] * mu;
    tie(progress.step, progress.ready[0], progress.ready[1], progress.ready[2], progress.ready[3]) =
        fuse(step, product, progress.rate * (T(1) - mu) / (T(1) - product),
             progress.rate * next / (T(1) - product * next),
             rsqrt(detail::left_of<T>(step, o.beta2)));
  }

  template <class B, class T, class D, class S, class P>
  static void update(B& batch, Tensor<T, D>& p, const Tensor<T, D>& gradient, S& state,
                     const P& progress, const Options& o) {
    using C = compute_t<T>;
    const auto g = detail::gradient_of(p, gradient, o);
    const auto m = detail::average<C>(o.beta1, state[0], g);
    const auto v = detail::average<C>(o.beta2, state[1], square(g));
    const auto change = (progress.ready[1] * g + progress.ready[2] * m) /
                        (sqrt(v) * progress.ready[3] + static_cast<C>(o.eps));
    batch.tie(p, state[0], state[1]) = fuse(cast<T>(cast<C>(p) - change), m, v);
  }
};

/// Dozat 2016: Adam with Nesterov's momentum.
template <class T = float, class D = Cpu>
class NAdam : public Optimizer<NAdamRule, T, D> {
  using Optimizer<NAdamRule, T, D>::Optimizer;
};
template <class P, class R = NAdamOptions>
NAdam(P, R = {}) -> NAdam<detail::type_of<P>, detail::device_of<P>>;
template <class T, class D, class R = NAdamOptions>
NAdam(std::initializer_list<Var<T, D>>, R = {}) -> NAdam<T, D>;

struct RAdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  bool maximize = false;
};

struct RAdamRule {
  using Options = RAdamOptions;
  static constexpr const char* text = "RAdam";
  static constexpr std::array<const char*, 2> names = {"exp_avg", "exp_avg_sq"};
  static constexpr std::size_t ready = 3;

  static void check(const Options& o) { detail::check_moments(text, o); }

  template <class O, class F>
  static void each(O& o, const F& f) {
    detail::each_moment_option(o, f);
  }

  /// ready[0] = lr / (1 - beta1^step). The mean square is used once it is of more than five values,
  /// as rho counts them: ready[1] is what multiplies 1 / its root then, and 0 before; ready[2] is 1
  /// before, and 0 then.
  template <class P>
  static void advance(P& progress, const Options& o) {
    using T = typename decltype(progress.step)::value_type;
    const double limit = 2 / (1 - o.beta2) - 1;
    const auto step = progress.step + T(1);
    const auto left = detail::left_of<T>(step, o.beta2);
    const auto rho = static_cast<T>(limit) - T(2) * step * (T(1) - left) / left;
    const auto enough = rho > T(5);
    const auto least = where(enough, rho, T(5));
    const auto part = (least - T(4)) * (least - T(2)) / least *
                      static_cast<T>(limit / ((limit - 4) * (limit - 2)));
    tie(progress.step, progress.ready[0], progress.ready[1], progress.ready[2]) =
        fuse(step, progress.rate / detail::left_of<T>(step, o.beta1),
             where(enough, sqrt(part * left), T(0)), where(enough, T(0), T(1) + T(0) * step));
  }

  template <class B, class T, class D, class S, class P>
  static void update(B& batch, Tensor<T, D>& p, const Tensor<T, D>& gradient, S& state,
                     const P& progress, const Options& o) {
    using C = compute_t<T>;
    const auto g = detail::gradient_of(p, gradient, o);
    const auto m = detail::average<C>(o.beta1, state[0], g);
    const auto v = detail::average<C>(o.beta2, state[1], square(g));
    const auto share = progress.ready[1] / (sqrt(v) + static_cast<C>(o.eps)) + progress.ready[2];
    batch.tie(p, state[0], state[1]) =
        fuse(cast<T>(cast<C>(p) - progress.ready[0] * (m * share)), m, v);
  }
};

/// Liu et al. 2020: Adam that uses the mean square only once it averages enough steps.
template <class T = float, class D = Cpu>
class RAdam : public Optimizer<RAdamRule, T, D> {
  using Optimizer<RAdamRule, T, D>::Optimizer;
};
template <class P, class R = RAdamOptions>
RAdam(P, R = {}) -> RAdam<detail::type_of<P>, detail::device_of<P>>;
template <class T, class D, class R = RAdamOptions>
RAdam(std::initializer_list<Var<T, D>>, R = {}) -> RAdam<T, D>;

WEFT_MODEL(OptimizerLike<Adamax<float, Cpu>>&& OptimizerLike<NAdam<float, Cpu>>&&
               OptimizerLike<RAdam<float, Cpu>>);

}  // namespace weft::optim
