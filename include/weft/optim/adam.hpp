// Adam and AdamW.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/optim/moments.hpp"

namespace weft::optim {

struct AdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;  ///< times the weight, is added to the gradient
  bool maximize = false;
};

struct AdamWOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 1e-2;  ///< times the rate, is what each weight loses at each step
  bool maximize = false;
};

/// Decoupled: weight decay is applied to the weights directly, not through the gradient. Largest:
/// the step is divided by the largest mean square so far (AMSGrad). Both are in the type so that
/// Adam's step is one kernel.
template <class O, bool Decoupled, bool Largest = false>
struct AdamRule {
  using Options = O;
  static constexpr const char* text = Decoupled ? Largest ? "AMSGradW" : "AdamW"
                                      : Largest ? "AMSGrad"
                                                : "Adam";
  static constexpr auto names = [] {
    if constexpr (Largest) {
      return std::array<const char*, 3>{"exp_avg", "exp_avg_sq", "max_exp_avg_sq"};
    } else {
      return std::array<const char*, 2>{"exp_avg", "exp_avg_sq"};
    }
  }();
  static constexpr std::size_t ready = 3;

  static void check(const Options& o) { detail::check_moments(text, o); }

  template <class Options, class F>
  static void each(Options& o, const F& f) {
    detail::each_moment_option(o, f);
  }

  /// Bias correction, because the averages start at 0: ready[0] = lr / (1 - beta1^step) and
  /// ready[1] = 1 / sqrt(1 - beta2^step). ready[2] is the factor that weight decay applies to a
  /// weight.
  template <class P>
  static void advance(P& progress, const O& o) {
    using T = typename decltype(progress.step)::value_type;
    const auto step = progress.step + T(1);
    tie(progress.step, progress.ready[0], progress.ready[1], progress.ready[2]) =
        fuse(step, progress.rate / detail::left_of<T>(step, o.beta1),
             rsqrt(detail::left_of<T>(step, o.beta2)),
             T(1) - progress.rate * static_cast<T>(Decoupled ? o.weight_decay : 0));
  }

  template <class B, class T, class D, class S, class P>
  static void update(B& batch, Tensor<T, D>& p, const Tensor<T, D>& gradient, S& state,
                     const P& progress, const Options& o) {
    using C = compute_t<T>;
    const auto g = [&] {
      if constexpr (Decoupled) {
        return cast<C>(gradient);
      } else {
        return detail::gradient_of(p, gradient, o);
      }
    }();
    const double sign = Decoupled && o.maximize ? -1 : 1;
    const auto m = detail::average<C>(o.beta1, state[0], g, sign);
    const auto v = detail::average<C>(o.beta2, state[1], square(g));
    const auto moved = [&](const auto& square_mean) {
      const auto change = m / (sqrt(square_mean) * progress.ready[1] + static_cast<C>(o.eps));
      return cast<T>(cast<C>(p) * progress.ready[2] - progress.ready[0] * change);
    };
    if constexpr (Largest) {
      const auto largest = maximum(state[2], v);
      batch.tie(p, state[0], state[1], state[2]) = fuse(moved(largest), m, v, largest);
    } else {
      batch.tie(p, state[0], state[1]) = fuse(moved(v), m, v);
    }
  }
};

/// Kingma and Ba 2015; weight_decay is L2, through the gradient.
template <class T = float, class D = Cpu>
class Adam : public Optimizer<AdamRule<AdamOptions, false>, T, D> {
  using Optimizer<AdamRule<AdamOptions, false>, T, D>::Optimizer;
};
template <class P, class R = AdamOptions>
Adam(P, R = {}) -> Adam<detail::type_of<P>, detail::device_of<P>>;
template <class T, class D, class R = AdamOptions>
Adam(std::initializer_list<Var<T, D>>, R = {}) -> Adam<T, D>;

/// Loshchilov and Hutter 2019; decoupled weight decay.
template <class T = float, class D = Cpu>
class AdamW : public Optimizer<AdamRule<AdamWOptions, true>, T, D> {
  using Optimizer<AdamRule<AdamWOptions, true>, T, D>::Optimizer;
};
template <class P, class R = AdamWOptions>
AdamW(P, R = {}) -> AdamW<detail::type_of<P>, detail::device_of<P>>;
template <class T, class D, class R = AdamWOptions>
AdamW(std::initializer_list<Var<T, D>>, R = {}) -> AdamW<T, D>;

/// Reddi, Kale and Kumar 2018: Adam divided by the root of the largest mean square so far,
/// PyTorch's Adam(amsgrad=True).
template <class T = float, class D = Cpu>
class AMSGrad : public Optimizer<AdamRule<AdamOptions, false, true>, T, D> {
  using Optimizer<AdamRule<AdamOptions, false, true>, T, D>::Optimizer;
};
template <class P, class R = AdamOptions>
AMSGrad(P, R = {}) -> AMSGrad<detail::type_of<P>, detail::device_of<P>>;
template <class T, class D, class R = AdamOptions>
AMSGrad(std::initializer_list<Var<T, D>>, R = {}) -> AMSGrad<T, D>;

/// The same for AdamW.
template <class T = float, class D = Cpu>
class AMSGradW : public Optimizer<AdamRule<AdamWOptions, true, true>, T, D> {
  using Optimizer<AdamRule<AdamWOptions, true, true>, T, D>::Optimizer;
};
template <class P, class R = AdamWOptions>
AMSGradW(P, R = {}) -> AMSGradW<detail::type_of<P>, detail::device_of<P>>;
template <class T, class D, class R = AdamWOptions>
AMSGradW(std::initializer_list<Var<T, D>>, R = {}) -> AMSGradW<T, D>;

WEFT_MODEL(OptimizerLike<Adam<float, Cpu>>&& OptimizerLike<AdamW<float, Cpu>>&&
               OptimizerLike<AMSGrad<float, Cpu>>&& OptimizerLike<AMSGradW<float, Cpu>>);

}  // namespace weft::optim
