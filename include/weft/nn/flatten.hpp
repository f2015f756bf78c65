// flatten_parameters: all parameters of a module in one block of memory, and all gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "weft/autograd/arena.hpp"
#include "weft/nn/visit.hpp"

namespace weft::nn {

namespace detail {
/// A parameter, its name and its handles in a module.
template <class V>
struct FoundParameter {
  std::string name;
  std::vector<V*> handles;
};

/// The parameters of a module that want gradients and for which wanted(x), each once; throws if one
/// has handles elsewhere, which would keep the old memory.
template <class V, class M, class F>
std::vector<FoundParameter<V>> parameters_to_move(const char* operation, M& module,
                                                  const F& wanted) {
  std::vector<FoundParameter<V>> all;
  visit(module, [&](const std::string& name, auto& x) {
    if constexpr (detail::is_var<std::remove_cvref_t<decltype(x)>>) {
      if (!x.requires_grad() || !wanted(x)) return;
      for (auto& found : all) {
        if (found.handles[0]->variable().get() == x.variable().get()) {
          return found.handles.push_back(&x);
        }
      }
      all.push_back({name, {&x}});
    }
  });
  for (const auto& found : all) {
    const auto& x = *found.handles[0];
    if (x.variable()->owners != static_cast<long>(found.handles.size())) {
      fail<ValueError>(operation, found.name.c_str(), " has ", x.variable()->owners,
                       " handles, expected ", found.handles.size(),
                       " in the module alone: call this before an optimizer is made or a loss "
                       "kept");
    }
  }
  return all;
}

/// Moves parameters into one arena, in their order. F: a FoundParameter or more.
template <class V, class F>
void move_together(const std::vector<F>& all) {
  std::vector<V*> leaves;
  for (const auto& found : all) {
    leaves.push_back(found.handles[0]);
    if (!(leaves.back()->device() == leaves[0]->device())) {
      fail<DeviceError>("flatten_parameters", found.name.c_str(), " is on ",
                        leaves.back()->device(), ", expected ", leaves[0]->device(),
                        " as for the others");
    }
  }
  autograd::move_into_arena(leaves);
  for (const auto& found : all) {
    for (V* x : found.handles) *x = V(*found.handles[0]);
  }
}
}  // namespace detail

/// Moves all parameters of a module into one block of memory and their gradients into another. A
/// step of an optimizer is then one kernel, plus one for the step count, and clip_grad_norm and the
/// like are a few, however many parameters there are. Values, names, sharing and gradients do not
/// change. Call it before creating the optimizer: if a parameter has handles outside of the module,
/// which would keep its old memory, it throws ValueError and changes nothing. Two things differ
/// from then on: writing one parameter between the forward and the backward pass counts as writing
/// all of them; and grad() refers to the same memory in each pass.
///
/// If groups of parameters have different options, `key(name, parameter)` keeps each group
/// together: parameters are sorted by key, and each group is then stepped by one kernel.
template <Module M, class F>
void flatten_parameters(M& module, const F& key) {
  using V = parameter_t<M>;
  static_assert(!std::is_void_v<V>, "weft: this module has no parameters: its fields() name none");
  using Key = std::decay_t<std::invoke_result_t<const F&, const std::string&, const V&>>;
  struct Found : detail::FoundParameter<V> {
    Key key;
  };
  std::vector<Found> all;
  for (auto& found :
       detail::parameters_to_move<V>("flatten_parameters", module, [](const V&) { return true; })) {
    const V& x = *found.handles[0];
    Key group = key(found.name, x);
    all.push_back({std::move(found), std::move(group)});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Found& a, const Found& b) { return a.key < b.key; });
  detail::move_together<V>(all);
}
/// The same in the order of parameters(module).
template <Module M>
void flatten_parameters(M& module) {
  using V = parameter_t<M>;
  static_assert(!std::is_void_v<V>, "weft: this module has no parameters: its fields() name none");
  detail::move_together<V>(
      detail::parameters_to_move<V>("flatten_parameters", module, [](const V&) { return true; }));
}

}  // namespace weft::nn
