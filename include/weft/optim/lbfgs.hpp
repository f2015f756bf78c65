// LBFGS: a quasi-Newton optimizer for full-batch losses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "weft/autograd/mode.hpp"
#include "weft/autograd/var.hpp"
#include "weft/cpu/elementwise/for_each.hpp"
#include "weft/ops/elementwise/unary.hpp"
#include "weft/ops/join.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/optim/arguments.hpp"
#include "weft/optim/line_search.hpp"
#include "weft/optim/optimizer_like.hpp"
#include "weft/tensor/from_values.hpp"
#include "weft/tensor/state_dict.hpp"

namespace weft::optim {

enum class LineSearch : unsigned char { none, strong_wolfe };

struct LBFGSOptions {
  double lr = 1;
  int max_iter = 20;               ///< directions in a step()
  int max_eval = 0;                ///< calls of the closure in a step(); 0: 5/4 max_iter
  double tolerance_grad = 1e-7;    ///< ends where no element of the gradient is larger
  double tolerance_change = 1e-9;  ///< ends where neither weights nor loss change by more
  int history_size = 100;          ///< pairs of changes that are kept, each as large as the weights
  LineSearch line_search = LineSearch::none;
};

/// The limited-memory method of Broyden, Fletcher, Goldfarb and Shanno (Nocedal and Wright 2006,
/// algorithm 7.5), with PyTorch's choices. step(closure) calls the closure, which computes the loss
/// and its gradients, several times:
///   optim::LBFGS optimizer(nn::parameters(net), {.line_search = optim::LineSearch::strong_wolfe});
///   optimizer.step([&] {
///     optimizer.zero_grad();
///     const Var loss = mse_loss(net(x), y);
///     loss.backward();
///     return loss;
///   });
/// Each decision waits for the device, so that a step cannot be recorded.
template <class T = float, class D = Cpu>
class LBFGS {
  using C = compute_t<T>;
  using Vector = Tensor<C, D>;

 public:
  template <class P = std::vector<Var<T, D>>, class R = LBFGSOptions>
    requires detail::Arguments<LBFGS, P, R>
  explicit LBFGS(P parameters, R given = {})
      : parameters_(detail::parameters_from<T, D>(parameters)),
        groups_{detail::options_from<LBFGSOptions>(given)} {
    const LBFGSOptions& options = groups_[0];
    if (parameters_.empty()) fail<ValueError>("LBFGS", "no parameters, expected at least 1");
    detail::check_learnable("LBFGS", parameters_);
    const bool positive = options.max_iter > 0 && options.history_size > 0 && options.lr > 0;
    if (!positive) {
      fail<ValueError>("LBFGS", "lr ", options.lr, ", max_iter ", options.max_iter,
                       " and history_size ", options.history_size, ", expected more than 0");
    }
  }

  const std::vector<Var<T, D>>& parameters() const { return parameters_; }
  const LBFGSOptions& options() const { return groups_[0]; }
  /// The options of the single group.
  const std::array<LBFGSOptions, 1>& groups() const { return groups_; }
  double lr(std::size_t group = 0) const { return check_group(group), groups_[0].lr; }
  void set_lr(double lr, std::size_t group = 0) {
    check_group(group);
    if (!(lr >= 0)) fail<ValueError>("LBFGS", "lr ", lr, ", expected at least 0");
    groups_[0].lr = lr;
  }
  /// Clears all gradients.
  void zero_grad() const {
    for (const auto& p : parameters_) p.zero_grad();
  }
  /// The number of directions taken, and of calls of the closure.
  int64_t iterations() const { return iterations_; }
  int64_t evaluations() const { return evaluations_; }

  /// Takes up to max_iter directions; returns the first value of the closure.
  template <class F>
    requires(!ExpressionLike<F>)
  auto step(const F& closure) {
    auto first = evaluate(closure);
    double loss = static_cast<double>(first.item());
    Vector gradient = flat_gradient();
    const int most = groups_[0].max_eval > 0 ? groups_[0].max_eval : groups_[0].max_iter * 5 / 4;
    int evaluations = 1;
    if (largest(gradient) <= groups_[0].tolerance_grad) return first;
    for (int i = 1; i <= groups_[0].max_iter; ++i) {
      ++iterations_;
      choose_direction(gradient);
      before_ = gradient.clone();
      const double last_loss = loss;
      const double slope = dot(gradient, direction_);
      const double one = std::min(1.0, 1 / static_cast<double>(sum(abs(gradient)).item()));
      t_ = (iterations_ == 1 ? one : 1) * groups_[0].lr;
      if (slope > -groups_[0].tolerance_change) break;
      if (groups_[0].line_search == LineSearch::strong_wolfe) {
        const std::vector<Tensor<T, D>> start = values();
        int calls = 0;
        const auto at = [&](double t) {
          move(t);
          const double f = static_cast<double>(evaluate(closure).item());
          ++calls;
          SearchPoint<Vector> point{t, f, 0, flat_gradient()};
          point.slope = dot(point.gradient, direction_);
          set_values(start);
          return point;
        };
        const SearchPoint<Vector> from{0, loss, slope, gradient};
        const auto found = strong_wolfe(at, from, t_, largest(direction_),
                                        {.tolerance = groups_[0].tolerance_change});
        t_ = found.t;
        loss = found.value;
        gradient = found.gradient;
        move(t_);
        evaluations += calls;
      } else {
        move(t_);
        if (i == groups_[0].max_iter) break;
        loss = static_cast<double>(evaluate(closure).item());
        gradient = flat_gradient();
        ++evaluations;
      }
      if (evaluations >= most || largest(gradient) <= groups_[0].tolerance_grad) break;
      if (largest(direction_) * std::abs(t_) <= groups_[0].tolerance_change) break;
      if (std::abs(loss - last_loss) < groups_[0].tolerance_change) break;
    }
    return first;
  }

  /// "counts" and, once a step was made, "direction", "t", "diagonal", "before" (the last gradient)
  /// and the history: "changes", "steps", each (pairs, weights).
  StateDict state_dict() const {
    StateDict out;
    const auto pairs = static_cast<int64_t>(changes_.size());
    out.add("counts", tensor(std::vector<int64_t>{iterations_, evaluations_, pairs}, {3}));
    if (iterations_ == 0) return out;
    out.add("numbers", tensor(std::vector<double>{t_, diagonal_}, {2}));
    out.add("direction", direction_);
    out.add("before", before_);
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      out.add("changes." + std::to_string(i), changes_[i]);
      out.add("steps." + std::to_string(i), steps_[i]);
    }
    return out;
  }
  /// Restores the state from state_dict(); throws ValueError, without changing anything, if it
  /// belongs to other parameters.
  void load_state_dict(const StateDict& dict) {
    const auto counts = dict.get<int64_t>("counts").to_vector();
    if (counts.size() != 3) {
      fail<ValueError>("load_state_dict", "LBFGS has ", counts.size(), " counts, expected 3");
    }
    std::vector<double> numbers(2);
    std::vector<Vector> changes, steps;
    Vector direction, before;
    if (counts[0] > 0) {
      numbers = dict.get<double>("numbers").to_vector();
      direction = vector(dict, "direction");
      before = vector(dict, "before");
      for (int64_t i = 0; i < counts[2]; ++i) {
        changes.push_back(vector(dict, "changes." + std::to_string(i)));
        steps.push_back(vector(dict, "steps." + std::to_string(i)));
      }
    }
    iterations_ = counts[0];
    evaluations_ = counts[1];
    t_ = numbers[0];
    diagonal_ = numbers[1];
    direction_ = direction;
    before_ = before;
    changes_ = changes;
    steps_ = steps;
  }

 private:
  template <class F>
  auto evaluate(const F& closure) {
    const EnableGrad guard;
    ++evaluations_;
    return closure();
  }
  static void check_group(std::size_t group) {
    if (group != 0) fail<IndexError>("LBFGS", "group ", group, " of 1");
  }
  static double dot(const Vector& a, const Vector& b) {
    return static_cast<double>(sum(a * b).item());
  }
  static double largest(const Vector& x) {
    return x.size() == 0 ? 0 : static_cast<double>(max(abs(x)).item());
  }
  int64_t size() const {
    int64_t sum = 0;
    for (const auto& p : parameters_) sum += p.size();
    return sum;
  }
  Vector vector(const StateDict& dict, const std::string& name) const {
    const Vector x = dict.at(name).template to<C>(parameters_[0].device());
    if (!(x.shape() == Shape{size()})) {
      fail<ValueError>("load_state_dict", "'", name, "' is of shape ", x.shape(), ", expected (",
                       size(), ",)");
    }
    return x.clone();
  }

  /// All gradients side by side, 0 if there is none.
  Vector flat_gradient() const {
    const Vector out = zeros<C>({size()}, parameters_[0].device());
    int64_t at = 0;
    for (const auto& p : parameters_) {
      if (p.has_grad()) out.narrow(0, at, p.size()).reshape(p.shape()).assign(cast<C>(p.grad()));
      at += p.size();
    }
    return out;
  }
  /// Weights plus t times the direction.
  void move(double t) const {
    int64_t at = 0;
    for (const auto& p : parameters_) {
      const Vector part = direction_.narrow(0, at, p.size()).reshape(p.shape());
      const auto& x = p.detach();
      x.assign(cast<T>(cast<C>(x) + static_cast<C>(t) * part));
      at += p.size();
    }
  }
  std::vector<Tensor<T, D>> values() const {
    std::vector<Tensor<T, D>> out;
    for (const auto& p : parameters_) out.push_back(p.detach().clone());
    return out;
  }
  void set_values(const std::vector<Tensor<T, D>>& values) const {
    for (std::size_t i = 0; i < values.size(); ++i) parameters_[i].detach().assign(values[i]);
  }

  /// Adds the last step to the history, and multiplies the gradient by minus the inverse Hessian
  /// that the history estimates.
  void choose_direction(const Vector& gradient) {
    if (iterations_ == 1) {
      changes_.clear();
      steps_.clear();
      diagonal_ = 1;
      direction_ = -gradient;
      return;
    }
    const Vector change = gradient - before_;
    const Vector moved = direction_ * static_cast<C>(t_);
    const double curvature = dot(change, moved);
    if (curvature > 1e-10) {
      if (changes_.size() == static_cast<std::size_t>(groups_[0].history_size)) {
        changes_.erase(changes_.begin());
        steps_.erase(steps_.begin());
      }
      changes_.push_back(change);
      steps_.push_back(moved);
      diagonal_ = curvature / dot(change, change);
    }
    const std::size_t n = changes_.size();
    std::vector<double> shares(n), scales(n);
    const Vector q = (-gradient).eval();
    for (std::size_t i = n; i-- > 0;) {
      scales[i] = 1 / dot(changes_[i], steps_[i]);
      shares[i] = dot(steps_[i], q) * scales[i];
      q -= static_cast<C>(shares[i]) * changes_[i];
    }
    q *= static_cast<C>(diagonal_);
    for (std::size_t i = 0; i < n; ++i) {
      q += static_cast<C>(shares[i] - dot(changes_[i], q) * scales[i]) * steps_[i];
    }
    direction_ = q;
  }

  std::vector<Var<T, D>> parameters_;
  std::array<LBFGSOptions, 1> groups_;
  int64_t iterations_ = 0;
  int64_t evaluations_ = 0;
  double t_ = 0;
  double diagonal_ = 1;
  Vector direction_;
  Vector before_;
  std::vector<Vector> changes_;  // of the gradient, oldest first
  std::vector<Vector> steps_;    // of the weights
};
template <class P, class R = LBFGSOptions>
LBFGS(P, R = {}) -> LBFGS<detail::type_of<P>, detail::device_of<P>>;
template <class T, class D, class R = LBFGSOptions>
LBFGS(std::initializer_list<Var<T, D>>, R = {}) -> LBFGS<T, D>;

WEFT_MODEL(OptimizerLike<LBFGS<float, Cpu>>);

}  // namespace weft::optim
