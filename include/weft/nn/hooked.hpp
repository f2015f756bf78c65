// Hooked: a module with functions that run before it, after it and in the backward pass.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "weft/autograd/var.hpp"
#include "weft/nn/fields.hpp"

namespace weft::nn {

namespace detail {
/// The type of a module's inputs: its parameters' type, or float on the CPU if it has none.
template <class M>
using value_of_module_t =
    std::conditional_t<std::is_void_v<parameter_t<M>>, Var<float, Cpu>, parameter_t<M>>;
}  // namespace detail

/// A module that calls hooks before and after it runs. It has all members of the wrapped module,
/// and the same names in a state dict:
///   nn::Hooked layer{nn::Linear(4, 8)};
///   layer.on_forward([](const Var<float>& x, const Var<float>& y) { print(y.detach()); });
/// X and Y are the Vars that it takes and returns; X must be given for a module without parameters.
/// Copies share the hooks. A hook returns nothing, or a Var that replaces the input, the output or
/// the gradient.
template <class M, class X = detail::value_of_module_t<M>, class Y = X>
struct Hooked : M {
  explicit Hooked(M module = M()) : M(static_cast<M&&>(module)) {}

  /// Calls f(input) before the module.
  template <class F>
  void before_forward(F f) {
    hooks_->before.push_back([f](X& x) {
      if constexpr (std::is_void_v<std::invoke_result_t<const F&, const X&>>) {
        f(x);
      } else {
        x = f(x);
      }
    });
  }
  /// Calls f(input, output) after it.
  template <class F>
  void on_forward(F f) {
    hooks_->after.push_back([f](const X& x, Y& y) {
      if constexpr (std::is_void_v<std::invoke_result_t<const F&, const X&, const Y&>>) {
        f(x, y);
      } else {
        y = f(x, y);
      }
    });
  }
  /// Calls f(gradient) with the gradient of the output, a tensor, in each backward pass; if f
  /// returns a tensor, that replaces it.
  template <class F>
  void on_gradient(F f) {
    hooks_->back.push_back([f](const Y& y) { y.register_hook(f); });
  }
  /// The same with the gradient of the input.
  template <class F>
  void on_input_gradient(F f) {
    hooks_->input_back.push_back([f](const X& x) { x.register_hook(f); });
  }
  /// Removes all hooks.
  void remove_hooks() { *hooks_ = {}; }

  Y operator()(X x) const {
    for (const auto& f : hooks_->before) f(x);
    if (!hooks_->input_back.empty() && x.requires_grad()) {
      x = x.reshape(x.shape());  // a new Var, whose gradient belongs to this call alone
      for (const auto& f : hooks_->input_back) f(x);
    }
    Y y = static_cast<const M&>(*this)(x);
    for (const auto& f : hooks_->after) f(x, y);
    if (y.requires_grad()) {
      for (const auto& f : hooks_->back) f(y);
    }
    return y;
  }

 private:
  struct Hooks {
    std::vector<std::function<void(X&)>> before;
    std::vector<std::function<void(const X&, Y&)>> after;
    std::vector<std::function<void(const X&)>> input_back;
    std::vector<std::function<void(const Y&)>> back;
  };

  std::shared_ptr<Hooks> hooks_ = std::make_shared<Hooks>();
};

}  // namespace weft::nn
