// Group: parameters that share their options, and the optimizer state for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include "weft/autograd/arena.hpp"
#include "weft/eval/batch.hpp"
#include "weft/ops/elementwise/cast.hpp"
#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/fuse.hpp"

namespace weft::optim {

/// What a rule sees of a step: tensors with one element on the parameters' device, so that a
/// captured step goes on counting.
template <class T, class D, std::size_t Ready>
struct Progress {
  Tensor<T, D> step;                      ///< (), counted from 1
  Tensor<T, D> rate;                      ///< ()
  std::array<Tensor<T, D>, Ready> ready;  ///< () each, what the rule prepares once a step
};

namespace detail {
/// The names of the values that a rule keeps between steps for all parameters.
template <class Rule>
constexpr auto kept_names() {
  if constexpr (requires { Rule::kept; }) {
    return Rule::kept;
  } else {
    return std::array<const char*, 0>{};
  }
}

/// The targets of `batch.tie(x, y) = fuse(e1, e2)`, which keep their values where `skip` is true.
template <class D, class... Ts>
class SkippingTied {
 public:
  SkippingTied(Batch<D>& batch, const Tensor<bool, D>& skip, Tensor<Ts, D>&... targets)
      : batch_(batch), skip_(skip), targets_(targets...) {}
  void operator=(const SkippingTied&) = delete;

  template <class X>
  void operator=(const X& x) const {
    write(x.expressions(), std::index_sequence_for<Ts...>{});
  }

 private:
  template <class Es, std::size_t... I>
  void write(const Es& es, std::index_sequence<I...>) const {
    batch_.tie(std::get<I>(targets_)...) =
        fuse(where(skip_, std::get<I>(targets_), weft::get<static_cast<int>(I)>(es))...);
  }

  Batch<D>& batch_;
  const Tensor<bool, D>& skip_;
  std::tuple<Tensor<Ts, D>&...> targets_;
};

/// A Batch whose statements do nothing where `skip` is true.
template <class D>
class SkippingBatch {
 public:
  SkippingBatch(Batch<D>& batch, const Tensor<bool, D>& skip) : batch_(batch), skip_(skip) {}

  template <class... Ts>
  SkippingTied<D, Ts...> tie(Tensor<Ts, D>&... targets) {
    return {batch_, skip_, targets...};
  }
  template <class T, class E>
  void assign(Tensor<T, D> target, const E& e) {
    tie(target) = fuse(e);
  }

 private:
  Batch<D>& batch_;
  const Tensor<bool, D>& skip_;
};
}  // namespace detail

/// Parameters that share their options and their count of steps, by a rule:
///   using Options = ...;                             // with a member lr
///   static constexpr const char* text = "SGD";
///   static constexpr std::array names = {...};       // of the state that each parameter has
///   static constexpr std::size_t ready = 0;          // how many numbers it prepares for a step
///   static double first(const Options&);             // the state's first value, if not 0; or of
///                                                    // state k, first(options, k)
///   static void each(Options&, f);                   // f("lr", o.lr) and so on
///   static void check(const Options&);               // throws
///   static void advance(Progress&, const Options&);  // counts and prepares, if not only counts
///   // batch.tie(p) = ...
///   static void update(B& batch, p, g, state, const Progress&, const Options&);
/// Where the first prepared numbers are computed from the previous step's, they are state too:
///   static constexpr std::array kept = {...};                     // their names
///   static double kept_first(const Options&, std::size_t k);
template <class Rule, class T, class D>
struct Group {
  using C = compute_t<T>;
  using State = std::array<Tensor<C, D>, Rule::names.size()>;

  std::vector<Var<T, D>> parameters;
  typename Rule::Options options;
  Progress<C, D, Rule::ready> progress;
  std::vector<State> state;  ///< of each parameter

  Group(std::vector<Var<T, D>> these, const typename Rule::Options& o);

  /// Changes each parameter that has a gradient: one kernel for hundreds of parameters, and one for
  /// the count.
  void step();

  /// The same, or nothing where `skip`, of one element, is true: decided on the device.
  void step(const Tensor<bool, D>& skip);

 private:
  template <class B>
  void update(B& batch) {
    const auto wanted = [](const auto& x) { return x.has_grad(); };
    autograd::for_each_run(parameters, wanted, [&](std::size_t i, std::size_t n) {
      const auto join = [&](const auto& of) { return autograd::joined(parameters, i, n, of); };
      // Handles of their own: tie() writes into handles, not into Vars.
      auto p = join([&](std::size_t j) -> const auto& { return parameters[j].detach(); });
      const auto g = join([&](std::size_t j) -> const auto& { return parameters[j].grad(); });
      State s;
      for (std::size_t k = 0; k < s.size(); ++k) {
        s[k] = join([&](std::size_t j) -> const auto& { return state[j][k]; });
      }
      Rule::update(batch, p, g, s, progress, options);
    });
  }

  double first(std::size_t k) const {
    if constexpr (requires { Rule::first(options, k); }) {
      return Rule::first(options, k);
    } else if constexpr (requires { Rule::first(options); }) {
      return Rule::first(options);
    } else {
      return 0;
    }
  }
  void advance() {
    if constexpr (requires { Rule::advance(progress, options); }) {
      Rule::advance(progress, options);
    } else {
      tie(progress.step) = fuse(progress.step + 1);
    }
  }

  /// The states of a run are laid out like its parameters, so that one kernel can change them too.
  void make_state(std::size_t i, std::size_t n, D device) {
    const auto offset = [&](std::size_t j) {
      return n == 1 ? 0 : parameters[j].variable()->place->first;
    };
    const int64_t size = offset(i + n - 1) + parameters[i + n - 1].size() - offset(i);
    for (std::size_t k = 0; k < Rule::names.size(); ++k) {
      const Tensor<C, D> all = full<C>({size}, static_cast<C>(first(k)), device);
      for (std::size_t j = i; j < i + n; ++j) {
        state[j][k] = autograd::arena_part(all, offset(j) - offset(i), parameters[j]);
      }
    }
  }
};

// Not inline: weft::lib holds them for the common rules.
template <class Rule, class T, class D>
Group<Rule, T, D>::Group(std::vector<Var<T, D>> these, const typename Rule::Options& o)
    : parameters(std::move(these)), options(o), state(parameters.size()) {
  const D device = parameters[0].device();
  progress.step = zeros<C>({}, device);
  progress.rate = full<C>({}, static_cast<C>(options.lr), device);
  for (auto& number : progress.ready) number = zeros<C>({}, device);
  if constexpr (requires { Rule::kept; }) {
    for (std::size_t k = 0; k < Rule::kept.size(); ++k) {
      progress.ready[k].fill(static_cast<C>(Rule::kept_first(options, k)));
    }
  }
  const auto any = [](const auto&) { return true; };
  autograd::for_each_run(parameters, any,
                         [&](std::size_t i, std::size_t n) { make_state(i, n, device); });
}
template <class Rule, class T, class D>
void Group<Rule, T, D>::step() {
  advance();
  Batch<D> batch;
  update(batch);
  batch.run();
}
template <class Rule, class T, class D>
void Group<Rule, T, D>::step(const Tensor<bool, D>& skip) {
  std::vector<Tensor<C, D>> numbers{progress.step};
  const auto kept = detail::kept_names<Rule>().size();
  for (const auto& number : progress.ready) {
    if (numbers.size() <= kept) numbers.push_back(number);
  }
  std::vector<Tensor<C, D>> before;
  for (const auto& x : numbers) before.push_back(x.clone());
  advance();
  Batch<D> batch;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    batch.assign(numbers[k], where(skip, before[k], numbers[k]));
  }
  detail::SkippingBatch<D> skipping(batch, skip);
  update(skipping);
  batch.run();
}

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
