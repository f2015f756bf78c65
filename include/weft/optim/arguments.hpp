// The arguments of optimizers: parameters, and options or the learning rate alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/autograd/var.hpp"

namespace weft::optim::detail {

/// The element type and device of what an optimizer is made from: std::vector{w, b},
/// nn::parameters(model).
template <class P>
struct ParametersOf {
  using Type = float;  // of something else, which the constructor refuses
  using Device = Cpu;
};
template <class T, class D>
struct ParametersOf<std::vector<Var<T, D>>> {
  using Type = T;
  using Device = D;
};
template <class P>
using type_of = typename ParametersOf<P>::Type;
template <class P>
using device_of = typename ParametersOf<P>::Device;

/// Whether (P, R) may be an optimizer's arguments. In O({w, b}) and O({w}) the braces are a list of
/// parameters, not what another optimizer is made from.
template <class O, class P, class R>
concept Arguments = !std::derived_from<P, O> && !(autograd::is_var<P> && std::is_class_v<R>);

/// The parameters that an optimizer for T on D was given.
template <class T, class D, class P>
std::vector<Var<T, D>> parameters_from(P& given) {
  constexpr bool right = std::is_convertible_v<P, std::vector<Var<T, D>>>;
  static_assert(right,
                "weft: SGD(parameters), Adam(parameters), ...: parameters are Vars, such as {w, b} "
                "of Var w = parameter(x), or nn::parameters(model)");
  if constexpr (right) {
    return std::move(given);
  } else {
    return {};
  }
}

/// Refuses parameters that no backward pass would give a gradient, now or later; the first of them
/// has the number `first`. A frozen one, p.requires_grad(false), is a leaf like others.
template <class T, class D>
void check_learnable(const char* rule, const std::vector<Var<T, D>>& parameters,
                     std::size_t first = 0) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& p = parameters[i];
    if (!p.variable()) {
      // Its gradient could not be asked for later either: this handle would not know.
      fail<ValueError>(rule, "parameter ", first + i, ", of shape ", p.shape(),
                       ", requires no gradient and would never change, expected one that does: "
                       "write Var w = parameter(x), or w.requires_grad(true) before the optimizer");
    }
    if (!p.is_leaf() && !p.variable()->retains) {
      fail<ValueError>(rule, "parameter ", first + i, ", of shape ", p.shape(),
                       ", was computed by a statement and keeps no gradient, expected a leaf: "
                       "write Var w = parameter(expression)");
    }
  }
}

/// The options that an optimizer was given: its own, or a learning rate.
template <class Options, class R>
Options options_from(const R& given) {
  constexpr bool own = std::is_same_v<R, Options>;
  constexpr bool rate = std::is_convertible_v<R, double>;
  static_assert(own || rate,
                "weft: SGD(parameters, options), Adam(parameters, options), ...: options are {.lr "
                "= 0.1}, or the learning rate alone: 0.1");
  if constexpr (own) {
    return given;
  } else {
    Options options;
    if constexpr (rate) options.lr = static_cast<double>(given);
    return options;
  }
}

}  // namespace weft::optim::detail
