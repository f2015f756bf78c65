// FullyShardedDataParallel: weights, gradients and optimizer state in parts (ZeRO, stages 2 and 3).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/dist/sharding/state.hpp"

namespace weft::dist {

struct FullyShardedOptions {
  int stage = 3;  ///< of ZeRO: 3 keeps the parameters of Units in parts, 2 all of them whole
  int64_t bucket_bytes = 25 << 20;  ///< of parameters outside of Units that one call fetches
  bool find_unused = false;  ///< parameters that a forward pass does not use count as 0; else they
                             ///< are an error
  bool broadcast_buffers = true;  ///< rank 0's buffers, as running means, before each training pass
};

/// Makes `module` one model over all ranks of a group; each of n ranks keeps one n-th of its
/// gradients and of the optimizer's state: after a backward pass a rank has its part of the
/// average. With stage 3 the same holds for the weights inside a Unit, which are gathered, two
/// Units at a time, while they are computed with; parameters outside Units stay whole. The
/// optimizer takes parameters(), vectors of this rank's parts, and must change each element
/// independently, as SGD and Adam do:
///   dist::FullyShardedDataParallel model(net, world);
///   optim::AdamW optimizer(model.parameters());
///   cross_entropy(model(x), y).backward();
///   optimizer.step();
/// Results are the same as DistributedDataParallel's. The module, which outlives it, is called
/// through the model, is read by state_dict(), and has no other handles to its parameters. Works
/// inside a GraphedStep too.
template <nn::Module M>
class FullyShardedDataParallel {
 public:
  using Parameter = nn::parameter_t<M>;
  using T = typename Parameter::value_type;
  using D = typename Parameter::device_type;
  using C = compute_t<T>;

  /// Called by all ranks; throws DistributedError if their modules differ.
  FullyShardedDataParallel(M& module, Group group, FullyShardedOptions options = {})
      : module_(&module), options_(options) {
    if (options.stage != 2 && options.stage != 3) {
      fail<ValueError>(name_, "stage ", options.stage, ", expected 2 or 3: dist::sharded is 1");
    }
    D device{};
    {
      const auto named = nn::named_parameters(module);
      if (named.empty()) fail<ValueError>(name_, "no parameters, expected at least 1");
      detail::check_alike(name_, group, named);
      for (const auto& [name, p] : named) group.broadcast(p.value(), 0);
      detail::broadcast_buffers(group, module);
      device = named[0].second.device();
    }
    state_ = std::make_shared<State>(State{std::make_shared<Shards<T, D>>(group, device)});
    state_->shards->build(
        detail::pieces_of<T, D>(name_, module, options.stage == 3, options.bucket_bytes));
    attach();
  }
  FullyShardedDataParallel(const FullyShardedDataParallel&) = delete;
  FullyShardedDataParallel& operator=(const FullyShardedDataParallel&) = delete;

  M& module() const { return *module_; }
  const Group& group() const { return state_->shards->group(); }
  /// This rank's parts, one per Unit or bucket, to be passed to an optimizer.
  std::vector<Var<T, D>> parameters() const {
    std::vector<Var<T, D>> out;
    for (const auto& p : pieces()) out.push_back(p.shard);
    return out;
  }
  /// The elements of all parts: of the gradients and of each kind of state that this rank keeps.
  int64_t shard_elements() const {
    int64_t n = 0;
    for (const auto& p : pieces()) n += p.part;
    return n;
  }

  /// The module's value: a Var, or a tuple of them. Throws ValueError with the names of parameters
  /// that are not used (see find_unused), or that the last backward pass has not reached.
  template <class... Xs>
  auto operator()(const Xs&... xs) const {
    const bool training = is_grad_enabled();
    if (training) check_last_pass();
    if (training && options_.broadcast_buffers && detail::is_training(*module_)) {
      detail::broadcast_buffers(group(), *module_);
    }
    const Call call(*state_);
    for (const std::size_t i : state_->outside) state_->shards->fetch(i);
    for (const std::size_t i : state_->outside) state_->shards->need(i);
    auto out = detail::settled((*module_)(xs...));
    if (training) prepare(out);
    return out;
  }

  /// Scales the gradients if their norm over all ranks exceeds max_norm; returns the norm before.
  Tensor<C, D> clip_grad_norm(double max_norm) const {
    Tensor<C, D> squares = zeros<C>({}, state_->shards->device());
    for (const auto& p : pieces()) {
      if (p.shard.has_grad()) squares = squares + sum(square(cast<C>(p.shard.grad())));
    }
    group().all_reduce(squares);
    const Tensor<C, D> norm = sqrt(squares);
    const Tensor<C, D> scale = minimum(C(1), static_cast<C>(max_norm) / (norm + C(1e-6)));
    for (const auto& p : pieces()) {
      if (p.shard.has_grad()) p.shard.grad().assign(cast<T>(cast<C>(p.shard.grad()) * scale));
    }
    return norm;
  }

  /// All parameters and rank 0's buffers, complete and on the CPU, under the module's names; all
  /// ranks must call it, and all but rank 0 get an empty result unless `on_all`.
  StateDict state_dict(bool on_all = true) const {
    detail::broadcast_buffers(group(), *module_);
    return detail::whole_state(*state_->shards, *module_, on_all || group().rank() == 0);
  }
  /// Loads the result of state_dict(), or of nn::state_dict for the module; throws ValueError,
  /// without changing anything, if a name is missing or a shape differs.
  void load_state_dict(const StateDict& dict) const {
    detail::load_whole_state(*state_->shards, *module_, dict);
  }

  /// The state of an optimizer of parameters(), put together on all ranks and on the CPU: "groups."
  /// as the optimizer has it, and "state.", a parameter's name and the state's. Does not depend on
  /// the number of ranks, the stage or the Units, so a run with different ones can resume from it.
  template <class O>
  StateDict optimizer_state(const O& optimizer) const {
    return detail::optimizer_state(*state_->shards, optimizer);
  }
  /// Restores the optimizer from the result of optimizer_state() on any number of ranks.
  template <class O>
  void load_optimizer_state(O& optimizer, const StateDict& dict) const {
    detail::load_optimizer_state(*state_->shards, optimizer, dict);
  }

 private:
  static constexpr const char* name_ = "FullyShardedDataParallel";

  /// What the Units share.
  struct State {
    std::shared_ptr<Shards<T, D>> shards;
    std::vector<std::size_t> outside = {};  // pieces of no Unit
    std::vector<std::size_t> order = {};    // of the Units in the last call
    std::vector<std::size_t> current = {};
    bool in_call = false;
  };
  /// While the module runs.
  struct Call {
    State& state;
    explicit Call(State& s) : state(s) {
      state.shards->forget();
      state.current.clear();
      state.in_call = true;
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() {
      state.in_call = false;
      state.order = state.current;
      try {
        state.shards->arrive();
      } catch (...) {  // it is thrown by the next call of the group
      }
    }
  };

  struct Hooks final : detail::UnitHooks {
    std::weak_ptr<State> weak;
    std::size_t piece = 0;

    bool owns(const autograd::Variable* parameter) const override {
      const auto state = weak.lock();
      if (!state) return false;
      for (const auto& leaf : state->shards->pieces()[piece].leaves) {
        if (leaf.variable().get() == parameter) return true;
      }
      return false;
    }
    void before_forward() override {
      const auto state = locked();
      if (!state->in_call) {  // recomputed by a checkpoint, or called by itself
        state->shards->forget();
        return state->shards->need(piece);
      }
      state->shards->need(piece);
      auto& now = state->current;
      if (std::find(now.begin(), now.end(), piece) == now.end()) now.push_back(piece);
      if (const auto next = beside(*state, 1)) state->shards->prefetch(*next, piece, false);
    }
    void before_backward() override {
      const auto state = locked();
      state->shards->need(piece);
      if (const auto next = beside(*state, -1)) state->shards->prefetch(*next, piece, true);
    }

   private:
    std::shared_ptr<State> locked() const {
      auto state = weak.lock();
      if (!state) {
        fail<ValueError>("Unit", "its FullyShardedDataParallel is gone, expected that it lives as ",
                         "long as its module is used");
      }
      return state;
    }
    std::optional<std::size_t> beside(const State& state, int by) const {
      const auto at = std::find(state.order.begin(), state.order.end(), piece);
      const auto i = at - state.order.begin() + by;
      if (at == state.order.end() || i < 0 || i >= std::ssize(state.order)) return {};
      return state.order[static_cast<std::size_t>(i)];
    }
  };

  const std::vector<Piece<T, D>>& pieces() const { return state_->shards->pieces(); }

  void attach() {
    std::size_t unit = 0;
    nn::visit_modules(*module_, [&](auto& m) {
      if constexpr (is_unit<std::remove_cvref_t<decltype(m)>>) {
        if (!detail::has_parameters(m)) return;
        auto hooks = std::make_shared<Hooks>();
        hooks->weak = state_;
        hooks->piece = unit++;
        m.attach(std::move(hooks));
      }
    });
    for (std::size_t i = unit; i < pieces().size(); ++i) state_->outside.push_back(i);
  }

  void check_last_pass() const {
    const auto missing = state_->shards->missing();
    if (missing.empty()) return;
    state_->shards->reset();
    fail<ValueError>(name_, "the last backward pass gave no gradient to ",
                     detail::listed(missing).c_str(), ", which the forward pass had used, ",
                     "expected a loss that depends on all outputs of the module");
  }
  template <class Out>
  void prepare(const Out& out) const {
    std::unordered_set<const autograd::Variable*> found;
    detail::for_each_output(out,
                            [&](const auto& y) { detail::collect(y.variable().get(), found); });
    std::vector<std::pair<std::size_t, std::size_t>> unused;
    std::vector<std::string> names;
    for (std::size_t i = 0; i < pieces().size(); ++i) {
      for (std::size_t k = 0; k < pieces()[i].leaves.size(); ++k) {
        if (found.contains(pieces()[i].leaves[k].variable().get())) continue;
        unused.emplace_back(i, k);
        names.push_back(pieces()[i].names[k]);
      }
    }
    if (!unused.empty() && detail::recomputes(found)) unused.clear();
    if (!unused.empty() && !options_.find_unused) {
      fail<ValueError>(
          name_, "the forward pass did not use ", detail::listed(names).c_str(),
          ", so that other ranks would wait for its gradient: ", "remove it, or set find_unused");
    }
    state_->shards->reset();
    for (const auto& [i, k] : unused) state_->shards->set_unused(i, k);
  }

  M* module_;
  FullyShardedOptions options_;
  std::shared_ptr<State> state_;
};

}  // namespace weft::dist
