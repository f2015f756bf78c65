// The members of a Var about its gradient: who wants one, the backward pass, hooks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/mode.hpp"
#include "weft/autograd/tape/engine.hpp"
#include "weft/tensor/factory.hpp"

namespace weft::autograd {

/// What copies of a Var<T, D> share, and its members for gradients.
template <class T, class D>
class GradientMembers {
 public:
  /// Whether backward() computes its gradient: true of leaves that ask for one, and of everything
  /// that depends on such a leaf.
  bool requires_grad() const { return variable_ && variable_->requires_grad; }
  /// Whether it is a leaf, that is, no recorded statement computed it.
  bool is_leaf() const { return !variable_ || variable_->is_leaf(); }
  /// Keeps the gradient after a backward pass even if a statement computed this Var, so that grad()
  /// gives it.
  void retain_grad() const { variable("retain_grad")->retains = true; }

  bool has_grad() const { return variable_ && variable_->has_gradient; }
  /// The gradient; each backward pass adds to it. Throws if there is none yet.
  const Tensor<T, D>& grad() const {
    if (!has_grad()) {
      fail<ValueError>("grad", "a Var of shape ", value_.shape(), " has no gradient: ",
                       !requires_grad() ? "it does not require one, see parameter(x)"
                       : is_leaf()      ? "no backward pass has reached it"
                                        : "it was computed by a statement: write retain_grad() "
                                          "before the backward pass");
    }
    return variable_->gradient;
  }
  /// Makes this tensor the gradient; for a Var in an arena its elements are copied instead.
  void set_grad(const Tensor<T, D>& gradient) const {
    if (!(gradient.shape() == value_.shape())) {
      fail<ShapeError>("set_grad", "a gradient of shape ", gradient.shape(), " for ",
                       value_.shape());
    }
    variable("set_grad")->set_gradient(gradient);
  }
  /// Drops the gradient, so that the next pass writes a new one.
  void zero_grad() const {
    if (!variable_) return;
    variable_->gradient = {};
    variable_->has_gradient = false;
  }

  /// Adds the gradients of this value, which has one element, to the leaves it was computed from.
  template <class... Options>
  void backward(Options... options) const {
    static_assert(!is_complex<T> || sizeof...(Options) > max_rank,
                  "weft: backward() starts from a real number: write real(z) or abs(z) first, or "
                  "give the gradient, z.backward(g)");
    if (value_.size() != 1) {
      fail<ShapeError>("backward", "a Var of shape ", value_.shape(),
                       ", expected one element: give the gradient, y.backward(g)");
    }
    backward(full<T>(value_.shape(), compute_t<T>(1), value_.device()), options...);
  }
  /// The same for a value of any shape, given its gradient.
  template <class... Options>
  void backward(const Tensor<T, D>& gradient, Options...) const {
    static_assert((std::is_same_v<Options, Retain> && ...),
                  "weft: backward takes a gradient and retain");
    if (!(gradient.shape() == value_.shape())) {
      fail<ShapeError>("backward", "a gradient of shape ", gradient.shape(), " for ",
                       value_.shape());
    }
    if (!requires_grad()) {
      fail<ValueError>("backward", "a Var of shape ", value_.shape(),
                       " depends on nothing that requires a gradient: see parameter(x)");
    }
    Pass pass(variable_.get());
    pass.seed(*variable_, gradient);
    pass.run(sizeof...(Options) > 0);
  }

  /// Calls f with the gradient once it is complete, in each backward pass; if f returns a tensor,
  /// that replaces the gradient.
  template <class F>
  void register_hook(F f) const {
    using Hook = HookOf<F, T, D>;
    variable("register_hook")->hooks.emplace_back(new Hook(static_cast<F&&>(f)));
  }
  /// Calls f with a leaf's gradient whenever a pass has added to it.
  template <class F>
  void register_post_accumulate_grad_hook(F f) const {
    using Hook = HookOf<F, T, D>;
    if (!is_leaf()) {
      fail<ValueError>("register_post_accumulate_grad_hook", "a Var of shape ", value_.shape(),
                       " was computed by a statement, expected a leaf");
    }
    variable("register_post_accumulate_grad_hook")
        ->accumulated_hooks.emplace_back(new Hook(static_cast<F&&>(f)));
  }

  /// What the copies share; null if no gradient was ever asked for.
  const Ref<VariableOf<T, D>>& variable() const { return variable_; }

 protected:
  GradientMembers() = default;
  explicit GradientMembers(const Tensor<T, D>& value) : value_(value) {}
  GradientMembers(const Tensor<T, D>& value, Ref<VariableOf<T, D>> variable)
      : value_(value), variable_(static_cast<decltype(variable)&&>(variable)) {
    if (variable_) variable_->note_format(value_);
  }

  Tensor<T, D> value_;
  Ref<VariableOf<T, D>> variable_;

 private:
  VariableOf<T, D>* variable(const char* operation) const {
    if (!requires_grad()) {
      fail<ValueError>(operation, "a Var of shape ", value_.shape(),
                       " does not require a gradient: see parameter(x)");
    }
    return variable_.get();
  }
};

}  // namespace weft::autograd
