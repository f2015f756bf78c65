// DistributedDataParallel: a module that every rank trains on its own samples, as one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_set>

#include "weft/dist/buckets.hpp"
#include "weft/nn/flatten.hpp"
#include "weft/nn/module.hpp"

namespace weft::dist {

struct DdpOptions {
  int64_t bucket_bytes = 25 << 20;       ///< of gradients that are reduced by one call
  int64_t first_bucket_bytes = 1 << 20;  ///< of the first call, which should begin early
  bool bfloat16_gradients = false;       ///< sends gradients as bfloat16: half the bytes, 8 bits
  bool find_unused = false;  ///< parameters that a forward pass does not use count as 0; else they
                             ///< are an error
  bool broadcast_buffers = true;  ///< rank 0's buffers, as running means, before each training pass
};

namespace detail {
/// All variables that a Var was computed from.
inline void collect(autograd::Variable* root,
                    std::unordered_set<const autograd::Variable*>& found) {
  std::vector<autograd::Variable*> open{root};
  while (!open.empty()) {
    autograd::Variable* const x = open.back();
    open.pop_back();
    if (x == nullptr || !found.insert(x).second || x->is_leaf()) continue;
    for (int i = 0; i < x->creator->input_count(); ++i) open.push_back(x->creator->input(i));
  }
}
}  // namespace detail

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

  /// Called by all ranks; throws DistributedError where their modules differ.
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
    compare(named);
    std::vector<Parameter> parameters;
    for (auto& [name, p] : named) {
      group_.broadcast(p.value(), 0);
      names_.push_back(name);
      parameters.push_back(p);
    }
    broadcast_buffers();
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
    }
  }
  DistributedDataParallel(const DistributedDataParallel&) = delete;
  DistributedDataParallel& operator=(const DistributedDataParallel&) = delete;

  M& module() const { return *module_; }
  const Group& group() const { return group_; }
  /// The number of calls that reduce the gradients.
  std::size_t buckets() const { return state_->buckets.size(); }

  /// The module's value: a Var, or a tuple of them. Throws ValueError with their names where
  /// parameters are not used (see find_unused), or the last backward pass has not reached some.
  template <class... Xs>
  auto operator()(const Xs&... xs) const {
    if (!is_grad_enabled() || !state_->on) return settled((*module_)(xs...));
    check_last_pass();
    if (options_.broadcast_buffers && is_training()) broadcast_buffers();
    auto out = settled((*module_)(xs...));
    prepare(out);
    return out;
  }

  /// Until the end of the scope backward passes add to this rank's gradients alone; the first pass
  /// after it reduces what has come together: `{ auto local = model.no_sync(); ... }`.
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

  /// Names and shapes, as a number that is the same where they are.
  template <class Named>
  void compare(const Named& named) const {
    std::uint64_t hash = 1469598103934665603u;  // FNV-1a
    const auto add = [&](const char* bytes, std::size_t n) {
      for (std::size_t i = 0; i < n; ++i) {
        hash = (hash ^ static_cast<unsigned char>(bytes[i])) * 1099511628211u;
      }
    };
    int64_t elements = 0;
    for (const auto& [name, p] : named) {
      add(name.c_str(), name.size());
      const Text shape = text(p.shape());
      add(shape.c_str(), shape.size());
      elements += p.size();
    }
    const std::string mine =
        std::to_string(named.size()) + " parameters of " + std::to_string(elements) + " elements";
    const auto all = group_.circle()->exchange("DistributedDataParallel",
                                               "ddp" + std::to_string(group_.circle()->splits++),
                                               mine + " " + std::to_string(hash));
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (all[r] != mine + " " + std::to_string(hash)) {
        fail<DistributedError>("DistributedDataParallel", "rank ", r, " has ",
                               all[r].substr(0, all[r].rfind(' ')).c_str(), ", rank ",
                               group_.rank(), " ", mine.c_str(),
                               ", expected the same names and shapes on all");
      }
    }
  }

  void broadcast_buffers() const {
    nn::visit(*module_, [&](const std::string&, auto& x) {
      if constexpr (!nn::detail::is_var<std::remove_cvref_t<decltype(x)>>) {
        if (group_.size() > 1 && x.storage() != nullptr) group_.broadcast(x, 0);
      }
    });
  }
  bool is_training() const {
    bool training = true;
    nn::visit_modules(*module_, [&](auto& m) {
      if constexpr (requires { m.training = true; }) training = training && m.training;
    });
    return training;
  }

  template <class X>
  static auto settled(X&& x) {
    using Plain = std::remove_cvref_t<X>;
    if constexpr (requires { std::tuple_size<Plain>::value; } && !ExpressionLike<Plain>) {
      return std::apply([](const auto&... each) { return std::tuple(settled(each)...); }, x);
    } else if constexpr (weft::detail::is_var<Plain>) {
      return Plain(x);
    } else {
      return Var(x);
    }
  }
  template <class Out, class F>
  static void for_each_value(const Out& out, const F& f) {
    if constexpr (weft::detail::is_var<Out>) {
      f(out);
    } else {
      std::apply([&](const auto&... each) { (for_each_value(each, f), ...); }, out);
    }
  }

  std::string list(const std::vector<std::size_t>& numbers) const {
    std::string out;
    for (std::size_t k = 0; k < numbers.size() && k < 8; ++k) {
      out += (k == 0 ? "" : ", ") + names_[numbers[k]];
    }
    if (numbers.size() > 8) out += " and " + std::to_string(numbers.size() - 8) + " more";
    return out;
  }
  void check_last_pass() const {
    const auto missing = state_->buckets.missing();
    if (missing.empty()) return;
    state_->buckets.reset();
    fail<ValueError>("DistributedDataParallel", "the last backward pass gave no gradient to ",
                     list(missing).c_str(), ", which the forward pass had used, expected a loss ",
                     "of all that the module gives");
  }
  template <class Out>
  void prepare(const Out& out) const {
    std::unordered_set<const autograd::Variable*> found;
    for_each_value(out, [&](const auto& y) { detail::collect(y.variable().get(), found); });
    std::vector<std::size_t> unused;
    const auto& parameters = state_->buckets.parameters();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (!found.contains(parameters[i].variable().get())) unused.push_back(i);
    }
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
