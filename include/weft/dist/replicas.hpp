// What the modules of all ranks have in common: names, shapes, buffers and results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tuple>
#include <unordered_set>
#include <utility>
#include <vector>

#include "weft/dist/start.hpp"
#include "weft/nn/module.hpp"

namespace weft::dist::detail {

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

/// Whether one of them is a checkpoint's: it will use parameters that it does not name.
inline bool recomputes(const std::unordered_set<const autograd::Variable*>& found) {
  for (const autograd::Variable* x : found) {
    if (x != nullptr && !x->is_leaf() && x->creator->name() == "checkpoint") return true;
  }
  return false;
}

/// A module's result, as a Var or a tuple of Vars.
template <class X>
auto settled(X&& x) {
  using Plain = std::remove_cvref_t<X>;
  if constexpr (requires { std::tuple_size<Plain>::value; } && !ExpressionLike<Plain>) {
    return std::apply([](const auto&... each) { return std::tuple(settled(each)...); }, x);
  } else if constexpr (weft::detail::is_var<Plain>) {
    return Plain(x);
  } else {
    return Var(x);
  }
}
/// Calls f with each Var of it.
template <class Out, class F>
void for_each_output(const Out& out, const F& f) {
  if constexpr (weft::detail::is_var<Out>) {
    f(out);
  } else {
    std::apply([&](const auto&... each) { (for_each_output(each, f), ...); }, out);
  }
}

/// The first of many names.
inline std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t k = 0; k < names.size() && k < 8; ++k) out += (k == 0 ? "" : ", ") + names[k];
  if (names.size() > 8) out += " and " + std::to_string(names.size() - 8) + " more";
  return out;
}

/// Throws DistributedError unless all ranks give the same (name, parameter) pairs; names and shapes
/// are compared by a hash.
template <class Named>
void check_alike(const char* operation, const Group& group, const Named& named) {
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
  const auto all =
      group.circle()->exchange(operation, "ddp" + std::to_string(group.circle()->splits++),
                               mine + " " + std::to_string(hash));
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r] != mine + " " + std::to_string(hash)) {
      fail<DistributedError>(operation, "rank ", r, " has ",
                             all[r].substr(0, all[r].rfind(' ')).c_str(), ", rank ", group.rank(),
                             " ", mine.c_str(), ", expected the same names and shapes on all");
    }
  }
}

/// Rank 0's buffers, on all ranks: in one call, since they are many and small.
template <nn::Module M>
void broadcast_buffers(const Group& group, M& module) {
  if (group.size() == 1) return;
  group.batch([&] {
    nn::visit(module, [&](const std::string&, auto& x) {
      if constexpr (!nn::detail::is_var<std::remove_cvref_t<decltype(x)>>) {
        if (x.storage() != nullptr) group.broadcast(x, 0);
      }
    });
  });
}

/// Whether no part of the module is in eval mode.
template <nn::Module M>
bool is_training(M& module) {
  bool training = true;
  nn::visit_modules(module, [&](auto& m) {
    if constexpr (requires { m.training = true; }) training = training && m.training;
  });
  return training;
}

}  // namespace weft::dist::detail
