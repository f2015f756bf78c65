// GradScaler: scales losses so that 16-bit gradients do not underflow, decided on the device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/ops/elementwise/compare.hpp"
#include "weft/optim/clip.hpp"
#include "weft/optim/optimizer.hpp"

namespace weft::optim {

struct GradScalerOptions {
  double init_scale = 65536;
  double growth_factor = 2;
  double backoff_factor = 0.5;
  int64_t growth_interval = 2000;  ///< steps without an infinity after which the scale grows
  bool enabled = true;             ///< else losses and steps are as without a scaler
};

/// Multiplies losses with a scale, and divides gradients by it before a step. A step with an
/// infinity or NaN among its gradients changes nothing, and the scale falls:
///   optim::GradScaler scaler(device);
///   scaler.scale(loss).backward();
///   scaler.unscale(optimizer);  // only where gradients are used before the step, to clip them
///   scaler.step(optimizer);
///   scaler.update();
/// Scale, count and the flag that skips a step are on the device and decided there, so that a
/// GraphedStep may hold all of it. With half; bfloat16 has float's range and needs none.
template <Device D = Cpu>
class GradScaler {
 public:
  explicit GradScaler(D device = {}, GradScalerOptions options = {})
      : options_(options),
        scale_(full<float>({}, static_cast<float>(options.init_scale), device)),
        growth_(zeros<float>({}, device)) {
    check(options);
  }

  const GradScalerOptions& options() const { return options_; }
  /// The current scale; waits for the device.
  double get_scale() const { return options_.enabled ? static_cast<double>(scale_.item()) : 1; }

  /// The loss times the scale.
  template <class T, class E>
  Var<T, E> scale(const Var<T, E>& loss) const {
    if (!options_.enabled) return loss;
    return loss * cast<T>(scale_);
  }

  /// Divides the gradients of an optimizer by the scale, which step() otherwise does. Throws if
  /// this was already done since the last update().
  template <class O>
  void unscale(const O& optimizer) {
    if (!options_.enabled) return;
    State& state = state_of(optimizer);
    if (state.unscaled) {
      fail<ValueError>(
          "unscale",
          "the gradients of this optimizer were divided by the scale already, expected "
          "update() in between");
    }
    state.unscaled = true;
    const auto gradients = detail::gradients(optimizer.parameters());
    const Tensor<bool, D> flags =
        zeros<bool>({static_cast<int64_t>(gradients.size()) + 1}, scale_.device());
    Batch<D> batch;
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      const auto& g = gradients[i];
      using T = typename std::remove_cvref_t<decltype(g)>::value_type;
      using C = compute_t<T>;
      flags(static_cast<int64_t>(i)).assign(any(!isfinite(g)));
      // A 0 stays 0: nothing rewrites the gaps between an arena's parameters.
      batch.assign(g, where(g == C(0), g, cast<T>(cast<C>(g) / cast<C>(scale_))));
    }
    batch.run();
    state.found.assign(any(flags));
  }

  /// A step of the optimizer, unless an infinity or NaN was found among its gradients.
  template <class O>
  void step(O& optimizer) {
    constexpr bool skips = requires { optimizer.step(Tensor<bool, D>()); };
    static_assert(skips,
                  "weft: a GradScaler steps optimizers whose step(skip) decides on the "
                  "device, as those of weft::optim but LBFGS");
    if constexpr (skips) {
      if (!options_.enabled) {
        optimizer.step();
        return;
      }
      if (!state_of(optimizer).unscaled) unscale(optimizer);
      optimizer.step(state_of(optimizer).found);
    }
  }

  /// To be called once after the steps of all optimizers: the scale decreases if a step was
  /// skipped, and grows after growth_interval updates without a skipped step.
  void update() {
    if (!options_.enabled) return;
    if (states_.empty()) {
      fail<ValueError>("update", "no optimizer's step has gone before, expected scaler.step(o)");
    }
    Tensor<bool, D> found = states_[0].found;
    for (std::size_t i = 1; i < states_.size(); ++i) found = found || states_[i].found;
    const auto count = growth_ + 1.0F;
    const auto grows = count >= static_cast<float>(options_.growth_interval);
    const auto larger = scale_ * static_cast<float>(options_.growth_factor);
    tie(scale_, growth_) = fuse(where(found, scale_ * static_cast<float>(options_.backoff_factor),
                                      where(grows && isfinite(larger), larger, scale_)),
                                where(found || grows, 0.0F, count));
    for (auto& state : states_) state.unscaled = false;
  }

  /// "scale", "growth_tracker" and the options.
  StateDict state_dict() const {
    return {{"scale", scale_},
            {"growth_tracker", growth_},
            {"growth_factor", full<double>({}, options_.growth_factor, Cpu{})},
            {"backoff_factor", full<double>({}, options_.backoff_factor, Cpu{})},
            {"growth_interval", full<int64_t>({}, options_.growth_interval, Cpu{})}};
  }
  void load_state_dict(const StateDict& dict) {
    GradScalerOptions options = options_;
    options.growth_factor = dict.get<double>("growth_factor").item();
    options.backoff_factor = dict.get<double>("backoff_factor").item();
    options.growth_interval = dict.get<int64_t>("growth_interval").item();
    check(options);
    const auto scale = dict.at("scale").template to<float>(scale_.device());
    const auto growth = dict.at("growth_tracker").template to<float>(scale_.device());
    options_ = options;
    scale_.assign(scale);
    growth_.assign(growth);
  }

 private:
  struct State {
    const void* optimizer;
    Tensor<bool, D> found;  // ()
    bool unscaled = false;
  };

  static void check(const GradScalerOptions& o) {
    if (!(o.init_scale > 0) || !(o.growth_factor > 1) || !(o.growth_interval > 0) ||
        !(o.backoff_factor > 0 && o.backoff_factor < 1)) {
      fail<ValueError>("GradScaler", "scale ", o.init_scale, ", growth_factor ", o.growth_factor,
                       ", growth_interval ", o.growth_interval, " and backoff_factor ",
                       o.backoff_factor, ", expected > 0, > 1, > 0 and between 0 and 1");
    }
  }
  template <class O>
  State& state_of(const O& optimizer) {
    for (auto& state : states_) {
      if (state.optimizer == &optimizer) return state;
    }
    return states_.emplace_back(State{&optimizer, zeros<bool>({}, scale_.device())});
  }

  GradScalerOptions options_;
  Tensor<float, D> scale_;   // ()
  Tensor<float, D> growth_;  // (): updates since the scale has changed
  std::vector<State> states_;
};

}  // namespace weft::optim
