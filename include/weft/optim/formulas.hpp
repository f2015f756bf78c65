// Learning-rate schedules: MultiStepLR, ExponentialLR, CyclicLR, SequentialLR and others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

#include "weft/core/error.hpp"

namespace weft::optim {

// As in schedule.hpp: each computes the rate of a step, counted from 0, from the optimizer's own
// rate.

/// Multiplied by gamma at each of the steps `milestones`.
struct MultiStepLR {
  std::vector<int64_t> milestones;
  double gamma = 0.1;
  double operator()(int64_t step, double lr) const {
    const auto passed = [&](int64_t at) { return step >= at; };
    return lr * std::pow(gamma, std::count_if(milestones.begin(), milestones.end(), passed));
  }
};

/// Multiplied by gamma at each step.
struct ExponentialLR {
  double gamma = 0.9;
  double operator()(int64_t step, double lr) const {
    return lr * std::pow(gamma, static_cast<double>(step));
  }
};

/// Multiplied by f(step).
template <class F>
struct LambdaLR {
  F f;
  double operator()(int64_t step, double lr) const { return lr * static_cast<double>(f(step)); }
};
template <class F>
LambdaLR(F) -> LambdaLR<F>;

/// Linear from start_factor lr to end_factor lr in total_iters steps, and constant from there on.
struct LinearLR {
  double start_factor = 1.0 / 3;
  double end_factor = 1;
  int64_t total_iters = 5;
  double operator()(int64_t step, double lr) const {
    const double part = total_iters > 0 ? static_cast<double>(std::min(step, total_iters)) /
                                              static_cast<double>(total_iters)
                                        : 1;
    return lr * (start_factor + (end_factor - start_factor) * part);
  }
};

/// lr (1 - step / total_iters)^power, and 0 from there on.
struct PolynomialLR {
  int64_t total_iters = 5;
  double power = 1;
  double operator()(int64_t step, double lr) const {
    const double left = 1 - static_cast<double>(std::min(step, total_iters)) /
                                static_cast<double>(std::max<int64_t>(total_iters, 1));
    return lr * std::pow(left, power);
  }
};

/// How the amplitude of a cycle changes.
enum class Cycle : unsigned char {
  triangular,   ///< not
  triangular2,  ///< half of it is left after each cycle
  exp_range     ///< times gamma at each step
};

/// Rises from base_lr to max_lr in step_size_up steps and falls again in step_size_down, repeatedly
/// (Smith 2017). The optimizer's own rate is not used, and momentum is not changed.
struct CyclicLR {
  double base_lr;
  double max_lr;
  int64_t step_size_up = 2000;
  int64_t step_size_down = 0;  ///< 0: as step_size_up
  Cycle mode = Cycle::triangular;
  double gamma = 1;
  double operator()(int64_t step, double) const {
    const int64_t up = std::max<int64_t>(step_size_up, 1);
    const int64_t down = step_size_down > 0 ? step_size_down : up;
    const int64_t cycle = step / (up + down);
    const int64_t at = step % (up + down);
    const double part = at <= up ? static_cast<double>(at) / static_cast<double>(up)
                                 : static_cast<double>(up + down - at) / static_cast<double>(down);
    double height = (max_lr - base_lr) * part;
    if (mode == Cycle::triangular2) height *= std::pow(0.5, static_cast<double>(cycle));
    if (mode == Cycle::exp_range) height *= std::pow(gamma, static_cast<double>(step));
    return base_lr + height;
  }
};

/// Half a cosine from lr down to eta_min in t_0 steps, then restarted from lr, each time with
/// t_mult times as many steps (Loshchilov and Hutter 2017).
struct CosineAnnealingWarmRestarts {
  int64_t t_0 = 10;
  int64_t t_mult = 1;
  double eta_min = 0;
  double operator()(int64_t step, double lr) const {
    int64_t length = std::max<int64_t>(t_0, 1);
    if (t_mult <= 1) step %= length;
    while (step >= length) {
      step -= length;
      length *= t_mult;
    }
    const double angle = std::numbers::pi * static_cast<double>(step) / static_cast<double>(length);
    return eta_min + (lr - eta_min) * (1 + std::cos(angle)) / 2;
  }
};

/// The product of the factors of several schedules: ChainedScheduler(ExponentialLR{0.9},
/// ConstantLR{0.5, 4}).
template <class... Fs>
class ChainedScheduler {
 public:
  explicit ChainedScheduler(Fs... formulas) : formulas_(std::move(formulas)...) {}
  double operator()(int64_t step, double lr) const {
    std::apply([&](const auto&... f) { ((lr = f(step, lr)), ...); }, formulas_);
    return lr;
  }

 private:
  std::tuple<Fs...> formulas_;
};

/// One schedule up to the first milestone, the next from there, starting at its step 0, and so on:
/// SequentialLR({100, 1000}, LinearLR{}, ConstantLR{}, ExponentialLR{}).
template <class... Fs>
class SequentialLR {
 public:
  SequentialLR(std::vector<int64_t> milestones, Fs... formulas)
      : milestones_(std::move(milestones)), formulas_(std::move(formulas)...) {
    if (milestones_.size() + 1 != sizeof...(Fs) ||
        !std::is_sorted(milestones_.begin(), milestones_.end())) {
      fail<ValueError>("SequentialLR", milestones_.size(), " milestones for ", sizeof...(Fs),
                       " formulas, expected one less, in order");
    }
  }
  double operator()(int64_t step, double lr) const {
    const auto next = std::upper_bound(milestones_.begin(), milestones_.end(), step);
    const auto index = static_cast<std::size_t>(next - milestones_.begin());
    const int64_t start = index == 0 ? 0 : milestones_[index - 1];
    std::size_t i = 0;
    double out = lr;
    const auto each = [&](const auto& f) {
      if (i++ == index) out = f(step - start, lr);
    };
    std::apply([&](const auto&... f) { (each(f), ...); }, formulas_);
    return out;
  }

 private:
  std::vector<int64_t> milestones_;
  std::tuple<Fs...> formulas_;
};

}  // namespace weft::optim
