// Optimizer: parameters, the state that goes with them, and steps of one kernel a parameter.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

#include "weft/autograd/var.hpp"
#include "weft/ops/fuse.hpp"
#include "weft/tensor/state_dict.hpp"

namespace weft::optim {

/// What a rule sees of a step. Both are tensors with one element on the parameters' device, so that
/// a captured step goes on counting.
template <class T, class D>
struct Progress {
  Tensor<T, D> step;  ///< (), counted from 1
  Tensor<T, D> rate;  ///< ()
};

/// Steps by a rule:
///   using Options = ...;                       // with a member lr
///   static constexpr std::array names = {...}; // of the state that each parameter has, may be
///   empty static void check(const Options&); static constexpr double first = 0;         // the
///   state's first value static auto prepare(const Progress&, const Options&); static void
///   update(p, g, states, prepared, const Options&);
template <class Rule, class T, class D>
class Optimizer {
 public:
  using Options = typename Rule::Options;
  using C = compute_t<T>;
  static constexpr std::size_t states = Rule::names.size();

  /// Of parameters(module), in its order, which numbers the state. The copies are handles.
  explicit Optimizer(std::vector<Var<T, D>> parameters, Options options = {})
      : parameters_(std::move(parameters)), options_(options) {
    if (parameters_.empty()) fail<ValueError>(Rule::text, "no parameters, expected at least 1");
    check_rate(options.lr);
    Rule::check(options);
    const D device = parameters_[0].device();
    progress_ = {zeros<C>({}, device), full<C>({}, static_cast<C>(options.lr), device)};
    for (const auto& p : parameters_) {
      std::array<Tensor<C, D>, states> each;
      for (auto& state : each) {
        state = full<C>(p.shape(), static_cast<C>(Rule::first(options)), device);
      }
      states_.push_back(each);
    }
  }

  /// Changes each parameter that has a gradient. The count of steps is one for all of them.
  void step() {
    tie(progress_.step) = fuse(progress_.step + C(1));
    const auto prepared = Rule::prepare(progress_, options_);
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (!parameters_[i].has_grad()) continue;
      // A handle of its own: tie() writes into handles, not into Vars.
      Tensor<T, D> p = parameters_[i].detach();
      Rule::update(p, parameters_[i].grad(), states_[i], prepared, options_);
    }
  }

  /// Forgets all gradients.
  void zero_grad() const {
    for (const auto& p : parameters_) p.zero_grad();
  }

  const std::vector<Var<T, D>>& parameters() const { return parameters_; }
  const Options& options() const { return options_; }
  double lr() const { return options_.lr; }
  /// The rate of the following steps, those of a captured one as well.
  void set_lr(double lr) {
    check_rate(lr);
    options_.lr = lr;
    progress_.rate.fill(static_cast<C>(lr));
  }
  /// How many steps were made; waits for the device.
  int64_t steps() const { return static_cast<int64_t>(progress_.step.item()); }

  /// "step", "lr" and, for parameter i, PyTorch's names behind "state.i.". They share the elements.
  StateDict state_dict() const {
    StateDict out;
    out.add("step", progress_.step);
    out.add("lr", full<double>({}, options_.lr, Cpu{}));
    for (std::size_t i = 0; i < states_.size(); ++i) {
      for (std::size_t k = 0; k < states; ++k) out.add(name(i, k), states_[i][k]);
    }
    return out;
  }

  /// Goes on from what state_dict() gave; throws ValueError, having changed nothing, where it is of
  /// other parameters or another rule.
  void load_state_dict(const StateDict& dict) {
    const auto check = [&](const std::string& key, const Shape& shape, Dtype type) {
      const AnyTensor* const found = dict.find(key);
      if (found == nullptr) {
        fail<ValueError>("load_state_dict", Rule::text, " finds no '", key, "'");
      }
      if (!(found->shape() == shape) || found->dtype() != type) {
        fail<ValueError>("load_state_dict", "'", key, "' is ", found->dtype(), " of shape ",
                         found->shape(), ", expected ", type, " of shape ", shape);
      }
    };
    check("step", {}, dtype_of<C>);
    check("lr", {}, Dtype::float64);
    for (std::size_t i = 0; i < states_.size(); ++i) {
      for (std::size_t k = 0; k < states; ++k) {
        check(name(i, k), parameters_[i].shape(), dtype_of<C>);
      }
    }
    if (dict.size() != 2 + states_.size() * states) {
      fail<ValueError>("load_state_dict", dict.size(), " tensors, expected ",
                       2 + states_.size() * states, " for ", parameters_.size(), " parameters");
    }
    const D device = parameters_[0].device();
    set_lr(dict.at("lr").template to<double>(Cpu{}).item());
    progress_.step.assign(dict.at("step").template to<C>(device));
    for (std::size_t i = 0; i < states_.size(); ++i) {
      for (std::size_t k = 0; k < states; ++k) {
        states_[i][k].assign(dict.at(name(i, k)).template to<C>(device));
      }
    }
  }

 private:
  static void check_rate(double lr) {
    if (!(lr >= 0)) fail<ValueError>(Rule::text, "lr ", lr, ", expected at least 0");
  }
  static std::string name(std::size_t parameter, std::size_t state) {
    std::string out = "state.";
    out += std::to_string(parameter);
    out += '.';
    return out += Rule::names[state];
  }

  std::vector<Var<T, D>> parameters_;
  Options options_;
  Progress<C, D> progress_;
  std::vector<std::array<Tensor<C, D>, states>> states_;
};

namespace detail {
/// A weight's gradient with what the options add to it.
template <class P, class G, class O>
auto gradient_of(const P& p, const G& g, const O& options) {
  using C = compute_t<typename P::value_type>;
  const auto sign = static_cast<C>(options.maximize ? -1 : 1);
  return sign * cast<C>(g) + static_cast<C>(options.weight_decay) * cast<C>(p);
}

inline void check_fraction(const char* rule, const char* name, double value) {
  if (!(value >= 0 && value < 1)) {
    fail<ValueError>(rule, name, " ", value, ", expected at least 0 and less than 1");
  }
}
inline void check_positive(const char* rule, const char* name, double value) {
  if (!(value >= 0)) fail<ValueError>(rule, name, " ", value, ", expected at least 0");
}
}  // namespace detail

}  // namespace weft::optim
