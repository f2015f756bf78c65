// flatten_parameters: all parameters of a module in one block of memory, and all gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "weft/autograd/arena.hpp"
#include "weft/nn/fields.hpp"

namespace weft::nn {

/// Moves all parameters of a module into one block of memory, and their gradients into another, so
/// that an optimizer's step is one kernel and one that counts, and clip_grad_norm and the like a
/// few, whatever the number of parameters. Values, names, sharing and gradients stay. Call it
/// before the optimizer is made: throws ValueError, having changed nothing, where a parameter has
/// handles outside of the module, which would keep its old memory. What differs from then on:
/// memory that is shared is written as a whole, so that a write to one parameter between the
/// passes is one to all of them for a statement that read one; and grad() names the same memory in
/// each pass.
///
/// Where groups of parameters have options of their own, `key(name, parameter)` says which come
/// next to each other: those with the smallest key first. One kernel then steps each group.
template <Module M, class F>
void flatten_parameters(M& module, const F& key) {
  using V = parameter_t<M>;
  static_assert(!std::is_void_v<V>, "weft: this module has no parameters: its fields() name none");
  using Key = std::decay_t<std::invoke_result_t<const F&, const std::string&, const V&>>;
  struct Found {
    std::string name;
    Key key;
    std::vector<V*> handles;
  };
  std::vector<Found> all;
  visit(module, [&](const std::string& name, auto& x) {
    if constexpr (detail::is_var<std::remove_cvref_t<decltype(x)>>) {
      if (!x.requires_grad()) return;
      for (auto& found : all) {
        if (found.handles[0]->variable().get() == x.variable().get()) {
          return found.handles.push_back(&x);
        }
      }
      all.push_back({name, key(name, x), {&x}});
    }
  });
  for (const auto& found : all) {
    const auto& x = *found.handles[0];
    if (x.variable()->owners != static_cast<long>(found.handles.size())) {
      fail<ValueError>("flatten_parameters", found.name.c_str(), " has ", x.variable()->owners,
                       " handles, expected ", found.handles.size(),
                       " in the module alone: flatten before an optimizer is made or a loss kept");
    }
    if (!(x.device() == all[0].handles[0]->device())) {
      fail<DeviceError>("flatten_parameters", found.name.c_str(), " is on ", x.device(),
                        ", expected ", all[0].handles[0]->device(), " as for the others");
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Found& a, const Found& b) { return a.key < b.key; });
  std::vector<V*> leaves;
  for (const auto& found : all) leaves.push_back(found.handles[0]);
  autograd::move_into_arena(leaves);
  for (const auto& found : all) {
    for (V* x : found.handles) *x = V(*found.handles[0]);
  }
}
/// The same, in the order of parameters(module).
template <Module M>
void flatten_parameters(M& module) {
  flatten_parameters(module, [](const std::string&, const auto&) { return 0; });
}

}  // namespace weft::nn
