// Rename: from the names of tensors in a file to those in a module.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace weft::nn {

/// A function from a name in a file to one in a module, "" for what is to be left out:
///   {.rename = [](std::string name) { return ...; }}
/// or pairs: {"fc", "head"} makes head of fc, and head.weight of fc.weight. If several pairs match,
/// the first is used.
class Rename {
 public:
  using Pair = std::pair<std::string, std::string>;

  Rename() = default;
  Rename(std::initializer_list<Pair> pairs) : pairs_(pairs) {}
  Rename(std::vector<Pair> pairs) : pairs_(std::move(pairs)) {}
  template <class F>
    requires(std::is_invocable_r_v<std::string, const F&, const std::string&>)
  Rename(F function) : function_(std::move(function)) {}

  std::string operator()(const std::string& name) const {
    if (function_) return function_(name);
    for (const auto& [from, to] : pairs_) {
      if (fits(from, name)) return to.empty() ? to : to + name.substr(from.size());
    }
    return name;
  }

  /// The pairs' names, in their order, that match none of `names`.
  std::vector<std::string> unused(const std::vector<std::string>& names) const {
    std::vector<std::string> out;
    for (const auto& pair : pairs_) {
      bool used = false;
      for (const auto& name : names) used = used || fits(pair.first, name);
      if (!used) out.push_back(pair.first);
    }
    return out;
  }

 private:
  static bool fits(const std::string& from, const std::string& name) {
    return name.starts_with(from) && (name.size() == from.size() || name[from.size()] == '.');
  }

  std::vector<Pair> pairs_;
  std::function<std::string(const std::string&)> function_;
};

}  // namespace weft::nn
