// Learning-rate schedules: Schedule and its formulas, ReduceLROnPlateau.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/cpu/memory.hpp"
#include "weft/optim/optimizer_like.hpp"
#include "weft/tensor/from_values.hpp"
#include "weft/tensor/state_dict.hpp"

namespace weft::optim {

// A formula computes the rate of step `step`, counted from 0, from the optimizer's own rate: any
// function double(int64_t step, double lr) will do.

/// Multiplied by gamma after every `step_size` steps.
struct StepLR {
  int64_t step_size = 1;
  double gamma = 0.1;
  double operator()(int64_t step, double lr) const {
    return lr * std::pow(gamma, static_cast<double>(step / std::max<int64_t>(step_size, 1)));
  }
};

/// Half a cosine from lr down to eta_min in t_max steps (Loshchilov and Hutter 2017).
struct CosineAnnealingLR {
  int64_t t_max = 1;
  double eta_min = 0;
  double operator()(int64_t step, double lr) const {
    const double angle = std::numbers::pi * static_cast<double>(step) / static_cast<double>(t_max);
    return eta_min + (lr - eta_min) * (1 + std::cos(angle)) / 2;
  }
};

/// Rises from start_factor lr to lr in `steps` steps, then follows another formula from its step 0.
template <class Then>
struct WarmUp {
  int64_t steps;
  Then then;
  double start_factor = 0;
  double operator()(int64_t step, double lr) const {
    if (step >= steps) return then(step - steps, lr);
    const double part = static_cast<double>(step) / static_cast<double>(steps);
    return lr * (start_factor + (1 - start_factor) * part);
  }
};
template <class Then>
WarmUp(int64_t, Then) -> WarmUp<Then>;
template <class Then>
WarmUp(int64_t, Then, double) -> WarmUp<Then>;

/// The optimizer's own rate, multiplied by a factor in the first total_iters steps.
struct ConstantLR {
  double factor = 1.0 / 3;
  int64_t total_iters = 5;
  double operator()(int64_t step, double lr) const { return step < total_iters ? lr * factor : lr; }
};

/// Rises to max_lr in the first part of total_steps and falls to nearly 0 in the rest, following
/// cosines (Smith and Topin 2018). Momentum is not changed.
struct OneCycleLR {
  double max_lr;
  int64_t total_steps;
  double pct_start = 0.3;
  double div_factor = 25;         ///< max_lr over the first rate
  double final_div_factor = 1e4;  ///< the first rate over the last
  double operator()(int64_t step, double) const {
    if (total_steps < 1) {
      fail<ValueError>("OneCycleLR", "total_steps ", total_steps, ", expected at least 1");
    }
    const double first = max_lr / div_factor;
    const double top = pct_start * static_cast<double>(total_steps) - 1;
    const auto at = static_cast<double>(step);
    if (at <= top) return between(first, max_lr, top > 0 ? at / top : 1);
    const double rest = static_cast<double>(total_steps) - 1 - top;
    return between(max_lr, first / final_div_factor, std::min(1.0, (at - top) / rest));
  }

 private:
  static double between(double from, double to, double part) {
    return to + (from - to) / 2 * (1 + std::cos(std::numbers::pi * part));
  }
};

/// Sets an optimizer's rates by a formula, each group's from its initial rate: immediately for step
/// 0, and at each step() for the next. A group added later keeps its rate.
template <OptimizerLike O, class F>
class Schedule {
  static_assert(std::is_invocable_r_v<double, F&, int64_t, double>,
                "weft: a Schedule takes a function of the step and of the optimizer's rate: "
                "[](int64_t step, double lr) { return ...; }, or LambdaLR{f} for a factor f(step)");

 public:
  Schedule(O& optimizer, F formula) : optimizer_(&optimizer), formula_(std::move(formula)) {
    for (std::size_t i = 0; i < optimizer.groups().size(); ++i) lr_.push_back(optimizer.lr(i));
    set();
  }

  /// To be called after each step of the optimizer, or each epoch, whichever the formula counts;
  /// not inside a capture.
  void step() {
    ++step_;
    set();
  }
  double lr(std::size_t group = 0) const { return optimizer_->lr(group); }

  StateDict state_dict() const {
    return {{"step", full<int64_t>({}, step_, Cpu{})}, {"base_lr", tensor(lr_)}};
  }
  void load_state_dict(const StateDict& dict) {
    const int64_t step = dict.get<int64_t>("step").item();
    const auto lr = dict.get<double>("base_lr").to_vector();
    if (lr.size() != lr_.size()) {
      fail<ValueError>("load_state_dict", "rates of ", lr.size(), " groups, expected ", lr_.size());
    }
    lr_ = lr;
    step_ = step;
    set();
  }

 private:
  void set() {
    if constexpr (std::is_invocable_v<F&, int64_t, double>) {  // else the class has said why
      for (std::size_t i = 0; i < lr_.size(); ++i) optimizer_->set_lr(formula_(step_, lr_[i]), i);
    }
  }

  O* optimizer_;
  F formula_;
  std::vector<double> lr_;  // of each group before the schedule
  int64_t step_ = 0;
};

struct PlateauOptions {
  bool maximize = false;  ///< better is more
  double factor = 0.1;
  int64_t patience = 10;    ///< this many steps without progress are borne
  double threshold = 1e-4;  ///< progress is a change by more than this part of the best
  int64_t cooldown = 0;     ///< steps after a reduction that do not count
  double min_lr = 0;
};

/// Reduces the rates of all groups when a metric has stopped improving.
template <OptimizerLike O>
class ReduceLROnPlateau {
 public:
  explicit ReduceLROnPlateau(O& optimizer, PlateauOptions options = {})
      : optimizer_(&optimizer), options_(options) {
    if (!(options.factor >= 0 && options.factor < 1)) {
      fail<ValueError>("ReduceLROnPlateau", "factor ", options.factor,
                       ", expected at least 0 and less than 1");
    }
  }

  /// Takes the metric of an epoch, for instance the validation loss.
  void step(double measure) {
    if (is_better(measure)) {
      best_ = measure;
      started_ = true;
      bad_ = 0;
    } else {
      ++bad_;
    }
    if (cooling_ > 0) {
      --cooling_;
      bad_ = 0;
    }
    if (bad_ <= options_.patience) return;
    for (std::size_t i = 0; i < optimizer_->groups().size(); ++i) {
      const double lr = std::max(optimizer_->lr(i) * options_.factor, options_.min_lr);
      if (optimizer_->lr(i) - lr > 1e-8) optimizer_->set_lr(lr, i);
    }
    cooling_ = options_.cooldown;
    bad_ = 0;
  }
  double lr(std::size_t group = 0) const { return optimizer_->lr(group); }

  /// The rates are the optimizer's, and in its state.
  StateDict state_dict() const {
    return {{"best", full<double>({}, best_, Cpu{})},
            {"counts", tensor(std::vector<int64_t>{started_ ? 1 : 0, bad_, cooling_}, {3})}};
  }
  void load_state_dict(const StateDict& dict) {
    const auto counts = dict.get<int64_t>("counts").to_vector();
    if (counts.size() != 3) {
      fail<ValueError>("load_state_dict", "ReduceLROnPlateau has ", counts.size(),
                       " counts, expected 3");
    }
    best_ = dict.get<double>("best").item();
    started_ = counts[0] != 0;
    bad_ = counts[1];
    cooling_ = counts[2];
  }

 private:
  bool is_better(double measure) const {
    if (!started_) return measure == measure;
    return options_.maximize ? measure > best_ * (1 + options_.threshold)
                             : measure < best_ * (1 - options_.threshold);
  }

  O* optimizer_;
  PlateauOptions options_;
  double best_ = 0;
  bool started_ = false;
  int64_t bad_ = 0;
  int64_t cooling_ = 0;
};

}  // namespace weft::optim
