// DistributedDataParallel: one model that all ranks train, each on its own samples.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/dist/buckets.hpp"
#include "weft/dist/replicas.hpp"
#include "weft/nn/flatten.hpp"

namespace weft::dist {

struct DdpOptions {
  int64_t bucket_bytes = 25 << 20;       ///< of gradients that are reduced by one call
  int64_t first_bucket_bytes = 1 << 20;  ///< of the first call, which should begin early
  bool bfloat16_gradients = false;       ///< sends gradients as bfloat16: half the bytes, 8 bits
  bool find_unused = false;  ///< parameters that a forward pass does not use count as 0; else they
                             ///< are an error
  bool broadcast_buffers = true;  ///< rank 0's buffers, as running means, before each training pass
};

/// Makes `module` one model over all ranks of a group: parameters and buffers become rank 0's, and
/// after each backward pass every gradient is the average of all ranks', so that equal optimizers
/// keep the parameters equal. Gradients are reduced in buckets, in place in the arena that the
/// parameters are moved to (nn::flatten_parameters: make the optimizer afterwards), while the
/// backward pass goes on. Call it in the module's place:
///   dist::DistributedDataParallel model(net, world);
///   optim::AdamW optimizer(nn::parameters(net));
///   cross_entropy(model(x), y).backward();
/// It refers to the module, which outlives it. Works inside a GraphedStep too.
template <nn::Module M>
class DistributedDataParallel {
 public:
  using Parameter = nn::parameter_t<M>;
  using T = typename Parameter::value_type;
  using D = typename Parameter::device_type;

  /// Called by all ranks; throws DistributedError if their modules differ.
  DistributedDataParallel(M& module, Group group, DdpOptions options = {})
      : module_(&module), group_(std::move(group)), options_(options) {
    auto named = nn::named_parameters(module);
    const bool flat = is_flat(named);
    named.clear();  // handles, which flatten_parameters refuses
    if (!flat) nn::flatten_parameters(module);
    named = nn::named_parameters(module);
    std::stable_sort(named.begin(), named.end(), [](const auto& a, const auto& b) {
      return a.second.variable()->place->first < b.second.variable()->place->first;
    });
    detail::check_alike("DistributedDataParallel", group_, named);
    std::vector<Parameter> parameters;
    for (auto& [name, p] : named) {
      group_.broadcast(p.value(), 0);
      names_.push_back(name);
      parameters.push_back(p);
    }
    detail::broadcast_buffers(group_, module);
    state_ = std::make_shared<State>(
        State{Buckets<T, D>(
                  group_, parameters,
                  {options.bucket_bytes, options.first_bucket_bytes, options.bfloat16_gradients}),
              true});
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const std::weak_ptr<State> weak = state_;  // the parameters do not keep what keeps them
      parameters[i].register_post_accumulate_grad_hook([weak, i](const Tensor<T, D>&) {
        const auto state = weak.lock();
        if (state && state->on) state->buckets.set_ready(i);
      });
      parameters[i].variable()->accumulated_hooks.back()->reads_gradient_only = true;
    }
  }
  DistributedDataParallel(const DistributedDataParallel&) = delete;
  DistributedDataParallel& operator=(const DistributedDataParallel&) = delete;

  M& module() const { return *module_; }
  const Group& group() const { return group_; }
  /// The number of calls that reduce the gradients.
  std::size_t buckets() const { return state_->buckets.size(); }

  /// The module's value: a Var, or a tuple of them. Throws ValueError with the names of parameters
  /// that are not used (see find_unused), or that the last backward pass has not reached.
  template <class... Xs>
  auto operator()(const Xs&... xs) const {
    if (!is_grad_enabled() || !state_->on) return detail::settled((*module_)(xs...));
    check_last_pass();
    if (options_.broadcast_buffers && detail::is_training(*module_)) {
      detail::broadcast_buffers(group_, *module_);
    }
    auto out = detail::settled((*module_)(xs...));
    prepare(out);
    return out;
  }

  /// Until the end of the scope, backward passes add only to this rank's gradients; the first pass
  /// after it reduces the accumulated ones: `{ auto local = model.no_sync(); ... }`.
  [[nodiscard]] auto no_sync() const {
    struct Scope {
      std::shared_ptr<State> state;
      bool before;
      explicit Scope(std::shared_ptr<State> s) : state(std::move(s)), before(state->on) {
        state->on = false;
      }
      Scope(const Scope&) = delete;
      Scope& operator=(const Scope&) = delete;
      ~Scope() { state->on = before; }
    };
    return Scope(state_);
  }

 private:
  struct State {
    Buckets<T, D> buckets;
    bool on;
  };

  template <class Named>
  static bool is_flat(const Named& named) {
    for (std::size_t i = 0; i < named.size(); ++i) {
      const auto& p = named[i].second;
      if (!p.variable()->place) return false;
      if (p.variable()->place->gradient.storage() !=
          named[0].second.variable()->place->gradient.storage()) {
        return false;
      }
    }
    return true;
  }

  std::string list(const std::vector<std::size_t>& numbers) const {
    std::vector<std::string> names;
    for (const std::size_t i : numbers) names.push_back(names_[i]);
    return detail::listed(names);
  }
  void check_last_pass() const {
    const auto missing = state_->buckets.missing();
    if (missing.empty()) return;
    state_->buckets.reset();
    fail<ValueError>("DistributedDataParallel", "the last backward pass gave no gradient to ",
                     list(missing).c_str(), ", which the forward pass had used, expected a loss ",
                     "that depends on all outputs of the module");
  }
  template <class Out>
  void prepare(const Out& out) const {
    std::unordered_set<const autograd::Variable*> found;
    detail::for_each_output(out,
                            [&](const auto& y) { detail::collect(y.variable().get(), found); });
    std::vector<std::size_t> unused;
    const auto& parameters = state_->buckets.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!found.contains(parameters[i].variable().get())) unused.push_back(i);
    }
    if (!unused.empty() && detail::recomputes(found)) unused.clear();
    if (!unused.empty() && !options_.find_unused) {
      fail<ValueError>(
          "DistributedDataParallel", "the forward pass did not use ", list(unused).c_str(),
          ", so that other ranks would wait for its gradient: ", "remove it, or set find_unused");
    }
    state_->buckets.reset();
    for (const std::size_t i : unused) state_->buckets.set_unused(i);
  }

  M* module_;
  Group group_;
  DdpOptions options_;
  std::vector<std::string> names_;
  std::shared_ptr<State> state_;
};

}  // namespace weft::dist
