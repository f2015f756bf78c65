// grad(y, x...) and checkpoint(f, x...): gradients as values, and less memory for recomputation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "weft/autograd/var.hpp"
#include "weft/core/random/generator.hpp"

namespace weft {

namespace autograd {

/// Takes the gradient of one Var out of a pass and restores the one that the Var had.
template <class T, class D>
class Captured {
 public:
  explicit Captured(const Var<T, D>& x) : variable_(x.variable()) {
    if (!x.requires_grad()) {
      fail<ValueError>("grad", "a Var of shape ", x.shape(),
                       " does not require a gradient: see parameter(x)");
    }
    swap();
    retained_ = variable_->retains;
    variable_->retains = true;
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  ~Captured() {
    swap();
    variable_->retains = retained_;
  }

  Variable* variable() const { return variable_.get(); }
  Tensor<T, D> take() const {
    if (!variable_->has_gradient) {
      fail<ValueError>("grad", "the value does not depend on one of the Vars given");
    }
    return variable_->gradient;
  }

 private:
  void swap() {
    std::swap(variable_->gradient, gradient_);
    std::swap(variable_->has_gradient, has_gradient_);
    std::swap(variable_->place, place_);
  }

  Ref<VariableOf<T, D>> variable_;
  Tensor<T, D> gradient_;
  bool has_gradient_ = false;
  Ref<Place<T, D>> place_;
  bool retained_ = false;
};

template <class T, class D, class... Ts, class... Ds>
auto gradients(bool retained, const Var<T, D>& y, const Var<Ts, Ds>&... xs) {
  if (!y.requires_grad() || y.size() != 1) {
    fail<ValueError>("grad", "a Var of shape ", y.shape(),
                     ", expected one element that depends on what requires a gradient");
  }
  const std::tuple<Captured<Ts, Ds>...> captured(xs...);
  return std::apply(
      [&](const auto&... c) {
        Pass pass(y.variable().get(), {c.variable()...});
        pass.seed(*y.variable(), full<T>(y.shape(), compute_t<T>(1), y.device()));
        pass.run(retained);
        if constexpr (sizeof...(Ts) == 1) {
          return (c.take(), ...);
        } else {
          return std::tuple(c.take()...);
        }
      },
      captured);
}

/// The node of checkpoint(f, x...).
template <class F, class T, class D, class... Xs>
class Checkpoint final : public NodeOf<sizeof...(Xs)> {
 public:
  Checkpoint(const F& f, const Generator& generator, const Xs&... xs)
      : kept_(Kept{f, std::tuple<Xs...>(xs...), generator, state::caster<D>}) {
    int i = 0;
    ((this->edges[i++] = x_variable(xs)), ...);
  }

  Text name() const override { return "checkpoint"; }
  void check() const override {
    std::apply([&](const auto&... x) { (check_unwritten(x.value(), *this), ...); }, kept_->inputs);
  }
  void backward() override { run(std::index_sequence_for<Xs...>{}); }
  void release() override {
    kept_.reset();
    this->drop_edges();
  }

 private:
  struct Kept {
    F f;
    std::tuple<Xs...> inputs;
    Generator generator;
    const Caster<D>* caster;  // of an Autocast around the call
  };
  template <class X>
  static Ref<Variable> x_variable(const X& x) {
    return x.requires_grad() ? Ref<Variable>(x.variable().get()) : Ref<Variable>();
  }
  template <std::size_t... I>
  void run(std::index_sequence<I...>) {
    const Tensor<T, D> gradient = static_cast<VariableOf<T, D>*>(this->output)->pending;
    const std::tuple<Xs...> leaves(leaf_of(std::get<I>(kept_->inputs))...);
    const EnableGrad guard;
    const WithCaster<D> cast(kept_->caster);
    Generator& generator = default_generator();
    const Generator now = generator;
    generator = kept_->generator;
    const Var y = kept_->f(std::get<I>(leaves)...);
    generator = now;
    if (y.requires_grad()) y.backward(gradient);
    (give(std::get<I>(leaves), this->edges[I].get()), ...);
  }
  template <class X>
  static X leaf_of(const X& x) {
    return X(x.value(), x.requires_grad());
  }
  template <class X>
  static void give(const X& leaf, Variable* to) {
    using V = VariableOf<typename X::value_type, typename X::device_type>;
    if (to != nullptr && to->active && leaf.has_grad()) {
      auto gradient = leaf.grad();
      leaf.zero_grad();
      static_cast<V*>(to)->give(static_cast<decltype(gradient)&&>(gradient));
    }
  }

  std::optional<Kept> kept_;
};

}  // namespace autograd

/// The gradients of y, which has one element, with respect to the Vars: a tensor for one, a tuple
/// for several. The gradients stored in Vars do not change.
template <class T, class D, class... Ts, class... Ds>
  requires(sizeof...(Ts) > 0)
auto grad(const Var<T, D>& y, const Var<Ts, Ds>&... xs) {
  return autograd::gradients(false, y, xs...);
}
/// The same, keeping the graph for another pass.
template <class T, class D, class... Ts, class... Ds>
  requires(sizeof...(Ts) > 0)
auto grad(Retain, const Var<T, D>& y, const Var<Ts, Ds>&... xs) {
  return autograd::gradients(true, y, xs...);
}
/// The same for a y that is not evaluated yet.
template <Differentiable E, class... Ts, class... Ds>
  requires(sizeof...(Ts) > 0 && !autograd::is_var<E>)
auto grad(const E& y, const Var<Ts, Ds>&... xs) { return grad(Var(y), xs...); }
/// No gradient; this says why.
template <ExpressionLike E, class... Xs>
  requires(!Differentiable<E>)
Tensor<float, Cpu> grad(const E&, const Xs&...) {
  static_assert(detail::always_false<E>,
                "weft: grad(y, x) is of a y computed from Vars; gradients are plain tensors, and "
                "hvp(f, x, v) gives products with second derivatives");
  return {};
}

/// f(x...) without keeping its intermediate values: the backward pass runs f again, with the same
/// random numbers. f takes Vars and returns one. Values that gradients flow through must be passed
/// to f as arguments; parameters may also be held by f itself.
template <class F, class... Ts, class... Ds>
auto checkpoint(const F& f, const Var<Ts, Ds>&... xs) {
  const Generator before = default_generator();
  const auto y = [&] {
    const NoGrad guard;
    return Var(f(xs...));
  }();
  using Y = std::remove_cvref_t<decltype(y)>;
  using T = typename Y::value_type;
  using D = typename Y::device_type;
  if (!is_grad_enabled()) return y;
  using Recorded = autograd::Checkpoint<F, T, D, Var<Ts, Ds>...>;
  autograd::Ref<autograd::Node> node(new Recorded(f, before, xs...));
  return Y(y.value(), autograd::computed_by<T, D>(static_cast<decltype(node)&&>(node)));
}

}  // namespace weft
