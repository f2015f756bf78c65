// Optimizer: groups of parameters, their state, and steps by an update rule.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "weft/core/random/generator.hpp"
#include "weft/cpu/elementwise/for_each.hpp"
#include "weft/optim/arguments.hpp"
#include "weft/optim/group.hpp"
#include "weft/optim/optimizer_like.hpp"
#include "weft/tensor/from_values.hpp"
#include "weft/tensor/state_dict.hpp"

namespace weft::optim {

namespace detail {
/// "groups.2.step": a name in a state dict.
WEFT_OUTLINED inline std::string numbered(const char* kind, std::size_t number, const char* name) {
  return kind + std::to_string(number) + "." + name;
}
}  // namespace detail

/// Steps by a rule, see Group.
template <class Rule, class T, class D>
class Optimizer {
 public:
  using Options = typename Rule::Options;
  using C = compute_t<T>;

  /// Takes parameters(module), whose order numbers the state, or {w, b}; and options or the
  /// learning rate alone. The copies are handles.
  template <class P = std::vector<Var<T, D>>, class R = typename Rule::Options>
    requires detail::Arguments<Optimizer, P, R>
  explicit Optimizer(P parameters, R options = {}) {
    add_group(detail::parameters_from<T, D>(parameters), detail::options_from<Options>(options));
  }

  /// Adds a group of parameters with its own options; its steps count from now.
  void add_group(std::vector<Var<T, D>> parameters, Options options);
  /// The same with the options of the first group.
  void add_group(std::vector<Var<T, D>> parameters) { add_group(std::move(parameters), options()); }

  /// Changes each parameter that has a gradient: on CUDA one kernel for hundreds of parameters, and
  /// one for the count.
  void step();
  /// The same, or nothing at all if `skip`, with one element, is true; the host does not wait.
  void step(const Tensor<bool, D>& skip);

  /// Clears all gradients.
  void zero_grad() const;

  /// The parameters of all groups.
  const std::vector<Var<T, D>>& parameters() const { return parameters_; }
  const std::vector<Group<Rule, T, D>>& groups() const { return groups_; }
  const Options& options(std::size_t group = 0) const { return at(group).options; }
  double lr(std::size_t group = 0) const { return at(group).options.lr; }

  /// Sets the learning rate of all later steps in every group, including a captured step.
  void set_lr(double lr) {
    for (std::size_t i = 0; i < groups_.size(); ++i) set_lr(lr, i);
  }
  /// Sets the rate of one group.
  void set_lr(double lr, std::size_t group) {
    Options options = at(group).options;
    options.lr = lr;
    set_options(options, group);
  }
  /// The options for a group's following steps. A captured step keeps all of them but the rate.
  void set_options(const Options& options, std::size_t group = 0);
  /// The number of steps taken; waits for the device.
  int64_t steps(std::size_t group = 0) const {
    return static_cast<int64_t>(at(group).progress.step.item());
  }

  /// "groups.g." and the options' names, "step" and "parameters" (their numbers), and for parameter
  /// i PyTorch's names behind "state.i.". They share the elements.
  StateDict state_dict() const;

  /// Restores the state from state_dict(), including options; throws ValueError, without changing
  /// anything, if it belongs to other parameters, other groups or another rule.
  void load_state_dict(const StateDict& dict);

 private:
  const Group<Rule, T, D>& at(std::size_t group) const {
    if (group >= groups_.size()) {
      fail<IndexError>(Rule::text, "group ", group, " of ", groups_.size());
    }
    return groups_[group];
  }
  static void check(const Options& options) {
    if (!(options.lr >= 0)) {
      fail<ValueError>(Rule::text, "lr ", options.lr, ", expected at least 0");
    }
    Rule::check(options);
  }
  void check_new(const std::vector<Var<T, D>>& parameters) const {
    std::vector<const void*> known;
    for (const auto& p : parameters_) known.push_back(p.variable().get());
    for (const auto& p : parameters) {
      const void* const key = p.variable().get();
      for (const void* other : known) {
        if (key != nullptr && key == other) {
          fail<ValueError>(Rule::text, "a parameter of shape ", p.shape(),
                           " is there twice, expected each once and in one group");
        }
      }
      known.push_back(key);
    }
  }

  /// Calls f(name, tensor) with what the rule keeps for all parameters of a group.
  template <class F>
  void each_kept(std::size_t g, const F& f) const {
    std::size_t k = 0;
    for (const char* name : detail::kept_names<Rule>()) {
      f(detail::numbered("groups.", g, name), groups_[g].progress.ready[k++]);
    }
  }
  /// Calls f(name, tensor) with all state of parameters.
  template <class F>
  void each_state(const F& f) const {
    std::size_t number = 0;
    for (const auto& group : groups_) {
      for (std::size_t i = 0; i < group.state.size(); ++i, ++number) {
        for (std::size_t k = 0; k < Rule::names.size(); ++k) {
          f(detail::numbered("state.", number, Rule::names[k]), group.state[i][k]);
        }
      }
    }
  }

  Options loaded(const StateDict& dict, std::size_t g) const {
    Options options = groups_[g].options;
    Rule::each(options, [&](const char* name, auto& value) {
      value = static_cast<std::remove_reference_t<decltype(value)>>(
          dict.at(detail::numbered("groups.", g, name)).template to<double>(Cpu{}).item());
    });
    check(options);
    return options;
  }
  static void assign(const Tensor<C, D>& x, const StateDict& dict, const std::string& name) {
    x.assign(dict.at(name).template to<C>(x.device()));
  }

  std::vector<Group<Rule, T, D>> groups_;
  std::vector<Var<T, D>> parameters_;
};

// Not inline: weft::lib holds them for the common rules.
template <class Rule, class T, class D>
void Optimizer<Rule, T, D>::add_group(std::vector<Var<T, D>> parameters, Options options) {
  if (parameters.empty()) fail<ValueError>(Rule::text, "no parameters, expected at least 1");
  check(options);
  detail::check_learnable(Rule::text, parameters, parameters_.size());
  check_new(parameters);
  parameters_.insert(parameters_.end(), parameters.begin(), parameters.end());
  groups_.emplace_back(std::move(parameters), options);
}
template <class Rule, class T, class D>
void Optimizer<Rule, T, D>::step() {
  for (auto& group : groups_) group.step();
}
template <class Rule, class T, class D>
void Optimizer<Rule, T, D>::step(const Tensor<bool, D>& skip) {
  for (auto& group : groups_) group.step(skip);
}
template <class Rule, class T, class D>
void Optimizer<Rule, T, D>::zero_grad() const {
  for (const auto& p : parameters_) p.zero_grad();
}
template <class Rule, class T, class D>
void Optimizer<Rule, T, D>::set_options(const Options& options, std::size_t group) {
  if (weft::detail::draw_recorder != nullptr) {
    fail<ValueError>("set_lr", "the rate is set while statements are captured, which a replay ",
                     "would not repeat, expected that between the replays");
  }
  at(group);
  check(options);
  auto& mine = groups_[group];
  if (mine.options.lr != options.lr) mine.progress.rate.fill(static_cast<C>(options.lr));
  mine.options = options;
}
template <class Rule, class T, class D>
StateDict Optimizer<Rule, T, D>::state_dict() const {
  StateDict out;
  std::size_t first = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const auto& group = groups_[g];
    const auto named = [&](const char* name) { return detail::numbered("groups.", g, name); };
    std::vector<int64_t> numbers;
    for (std::size_t i = 0; i < group.parameters.size(); ++i) {
      numbers.push_back(static_cast<int64_t>(first++));
    }
    out.add(named("parameters"), tensor(numbers));
    out.add(named("step"), group.progress.step);
    each_kept(g, [&](const std::string& name, const auto& x) { out.add(name, x); });
    Options options = group.options;
    Rule::each(options, [&](const char* name, auto& value) {
      out.add(named(name), tensor(std::vector{static_cast<double>(value)}, {}));
    });
  }
  each_state([&](const std::string& name, const auto& x) { out.add(name, x); });
  return out;
}
template <class Rule, class T, class D>
void Optimizer<Rule, T, D>::load_state_dict(const StateDict& dict) {
  const StateDict mine = state_dict();
  for (const auto& [name, x] : mine) {
    const AnyTensor* const found = dict.find(name);
    if (found == nullptr) {
      fail<ValueError>("load_state_dict", Rule::text, " finds no '", name, "'");
    }
    if (!(found->shape() == x.shape()) || found->dtype() != x.dtype()) {
      fail<ValueError>("load_state_dict", "'", name, "' is ", found->dtype(), " of shape ",
                       found->shape(), ", expected ", x.dtype(), " of shape ", x.shape());
    }
  }
  if (dict.size() != mine.size()) {
    fail<ValueError>("load_state_dict", dict.size(), " tensors, expected ", mine.size(), " for ",
                     parameters_.size(), " parameters in ", groups_.size(), " groups");
  }
  std::vector<Options> options;
  for (std::size_t g = 0; g < groups_.size(); ++g) options.push_back(loaded(dict, g));
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    set_options(options[g], g);
    assign(groups_[g].progress.step, dict, detail::numbered("groups.", g, "step"));
    each_kept(g, [&](const std::string& name, const auto& x) { assign(x, dict, name); });
  }
  each_state([&](const std::string& name, const auto& x) { assign(x, dict, name); });
}

}  // namespace weft::optim
