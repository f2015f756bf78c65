// Sharded: an optimizer whose state is split among the ranks (ZeRO, stage 1).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/dist/start.hpp"
#include "weft/nn/flatten.hpp"
#include "weft/nn/module.hpp"
#include "weft/optim/optimizer.hpp"

namespace weft::dist {

struct ShardedOptions {
  bool gradients_reduced = false;  ///< a DistributedDataParallel has averaged them already
  double max_norm = 0;             ///< gradients of a larger norm, over all, are scaled down to it
};

/// Shards the steps of an optimizer O over parameters in an arena: each of n ranks averages one
/// n-th of the gradients over the ranks (reduce_scatter), updates that part of the parameters, and
/// gets the others' parts (all_gather). The state, for AdamW twice the parameters' size, is divided
/// by n. Results are the same as O's after an all_reduce of the gradients. What does not divide,
/// fewer than 64 n elements, all ranks change alike. After step() other parts of the gradients are
/// unspecified.
///   auto optimizer = dist::sharded<optim::AdamW>(net, world, {.lr = 1e-3});
template <template <class, class> class O, class T, class D>
class Sharded {
 public:
  using Inner = O<T, D>;
  using Options = typename Inner::Options;
  using C = compute_t<T>;

  /// `parameters` must be consecutive in an arena, in this order.
  Sharded(std::vector<Var<T, D>> parameters, Group group, Options options, ShardedOptions more = {})
      : parameters_(std::move(parameters)),
        group_(std::move(group)),
        more_(more),
        inner_(split(), options) {}

  /// Averages the gradients, does this rank's part of the step, and gathers the other parts.
  void step() {
    for (const auto& p : parameters_) {
      if (!p.has_grad()) place(p).gradient.fill(C(0));
    }
    const Tensor<T, D> gradients = whole(place(parameters_[0]).gradient);
    if (!more_.gradients_reduced) {
      if (part_ > 0) {
        group_.reduce_scatter(mine(gradients), even(gradients), Reduce::average);
      }
      if (rest() > 0) group_.all_reduce(tail(gradients), Reduce::average);
    }
    if (more_.max_norm > 0) clip(gradients);
    inner_.step();
    const Tensor<T, D> values = whole(parameters_[0].value());
    if (part_ > 0) group_.all_gather(even(values), mine(values));
  }

  /// Clears all gradients.
  void zero_grad() const {
    for (const auto& p : parameters_) p.zero_grad();
  }
  /// This rank's part, for lr, set_lr, steps and schedules.
  Inner& inner() { return inner_; }
  const Inner& inner() const { return inner_; }
  double lr() const { return inner_.lr(); }
  void set_lr(double lr) { inner_.set_lr(lr); }
  const std::vector<Var<T, D>>& parameters() const { return parameters_; }
  /// The elements of one kind of state that this rank keeps.
  int64_t state_elements() const { return part_ + rest(); }

  /// The state of all ranks, gathered on each; all ranks must call it. Its form does not depend on
  /// their number, so that a run with fewer can resume from it.
  StateDict state_dict() const {
    StateDict out;
    const StateDict dict = inner_.state_dict();
    for (const auto& [name, x] : dict) {
      if (name.starts_with("groups.") && !name.ends_with(".parameters")) out.add(name, x);
      if (!name.starts_with(first_part)) continue;
      const std::string kind = name.substr(std::strlen(first_part));
      const Tensor<C, D> all = zeros<C>({total_}, parameters_[0].device());
      if (part_ > 0) {
        group_.all_gather(even(all), dict.template get<C, device_of>(name));
        if (rest() > 0) tail(all).assign(dict.template get<C, device_of>("state.1." + kind));
      } else {
        all.assign(dict.template get<C, device_of>(name));
      }
      out.add("state." + kind, all);
    }
    return out;
  }
  /// Restores the state from state_dict() on any number of ranks.
  void load_state_dict(const StateDict& dict) {
    const D device = parameters_[0].device();
    StateDict own;
    for (const auto& [name, x] : inner_.state_dict()) {
      if (!name.starts_with("state.")) {
        own.add(name, name.ends_with(".parameters") ? x : dict.at(name));
        continue;
      }
      const std::string kind = name.substr(std::strlen(first_part));
      const Tensor<C, D> all = dict.at("state." + kind).template to<C>(device);
      if (all.size() != total_) {
        fail<ValueError>("load_state_dict", "'state.", kind.c_str(), "' has ", all.size(),
                         " elements, expected ", total_);
      }
      own.add(name, name.starts_with(first_part) && part_ > 0 ? mine(all) : tail(all));
    }
    inner_.load_state_dict(own);
  }

 private:
  using device_of = std::conditional_t<is_cuda<D>, Cuda, D>;
  static constexpr const char* first_part = "state.0.";

  static const autograd::Place<T, D>& place(const Var<T, D>& p) { return *p.variable()->place; }
  template <class X>
  X whole(const X& first) const {
    return autograd::stretched(first, total_);
  }
  int64_t rest() const { return total_ - part_ * group_.size(); }
  template <class X>
  X even(const X& all) const {
    return all.narrow(0, 0, part_ * group_.size());
  }
  template <class X>
  X mine(const X& all) const {
    return all.narrow(0, part_ * group_.rank(), part_);
  }
  template <class X>
  X tail(const X& all) const {
    return all.narrow(0, part_ * group_.size(), rest());
  }

  /// Makes the parts, as parameters whose elements and gradients are the arena's.
  std::vector<Var<T, D>> split() {
    if (parameters_.empty()) fail<ValueError>("Sharded", "no parameters, expected at least 1");
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      if (!parameters_[i].variable() || !parameters_[i].variable()->place ||
          (i > 0 && !autograd::follows(parameters_[i - 1], parameters_[i]))) {
        fail<ValueError>("Sharded", "parameter ", i, " of shape ", parameters_[i].shape(),
                         " does not follow the one before it in memory, expected ",
                         "nn::flatten_parameters(net) first");
      }
    }
    total_ = place(parameters_.back()).next - place(parameters_[0]).first;
    constexpr auto unit = autograd::arena_alignment / static_cast<int64_t>(sizeof(T));
    part_ = total_ / group_.size() / unit * unit;
    const Tensor<T, D> values = whole(parameters_[0].value());
    const Tensor<T, D> gradients = whole(place(parameters_[0]).gradient);
    std::vector<Var<T, D>> out;
    const auto add = [&](const Tensor<T, D>& value, const Tensor<T, D>& gradient) {
      if (value.size() == 0) return;
      out.emplace_back(value, true);
      out.back().set_grad(gradient);
    };
    add(mine(values), mine(gradients));
    add(tail(values), tail(gradients));
    return out;
  }

  void clip(const Tensor<T, D>& gradients) {
    Tensor<C, D> squares = zeros<C>({}, gradients.device());
    if (part_ > 0) squares = sum(square(cast<C>(mine(gradients))));
    group_.all_reduce(squares);
    if (rest() > 0) squares = squares + sum(square(cast<C>(tail(gradients))));
    const Tensor<C, D> scale =
        minimum(C(1), static_cast<C>(more_.max_norm) / (sqrt(squares) + C(1e-6)));
    for (const auto& part : inner_.parameters()) {
      part.grad().assign(cast<T>(cast<C>(part.grad()) * scale));
    }
  }

  std::vector<Var<T, D>> parameters_;
  Group group_;
  ShardedOptions more_;
  int64_t total_ = 0;
  int64_t part_ = 0;  // the elements of one rank's part
  Inner inner_;
};

/// A Sharded optimizer for a module's parameters, which are moved into an arena unless they are in
/// one.
template <template <class, class> class O, nn::Module M,
          class T = typename nn::parameter_t<M>::value_type,
          class D = typename nn::parameter_t<M>::device_type>
Sharded<O, T, D> sharded(M& module, Group group,
                         std::type_identity_t<typename O<T, D>::Options> options = {},
                         ShardedOptions more = {}) {
  bool flat = true;
  for (const auto& [name, p] : nn::named_parameters(module)) flat = flat && p.variable()->place;
  if (!flat) nn::flatten_parameters(module);
  auto parameters = nn::parameters(module);
  std::stable_sort(parameters.begin(), parameters.end(), [](const auto& a, const auto& b) {
    return a.variable()->place->first < b.variable()->place->first;
  });
  return {std::move(parameters), std::move(group), options, more};
}

}  // namespace weft::dist
