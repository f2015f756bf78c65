// state_dict and load_state_dict: a module's tensors, under PyTorch's names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/rename.hpp"
#include "weft/nn/visit.hpp"
#include "weft/tensor/state_dict.hpp"

namespace weft::nn {

/// No module: says what it lacks.
template <class M>
  requires(!Module<M>)
StateDict state_dict(const M&, const std::string& = "") {
  detail::is_module<M>();
  return {};
}

/// All parameters and buffers inside, which share the module's elements.
template <Module M>
StateDict state_dict(const M& module, const std::string& prefix = "") {
  StateDict out;
  const auto add = [&](const std::string& name, const auto& x) {
    if constexpr (detail::is_var<std::remove_cvref_t<decltype(x)>>) {
      out.add(name, x.detach());
    } else {
      out.add(name, x);
    }
  };
  visit(module, add, prefix);
  return out;
}

struct LoadOptions {
  bool strict = true;       ///< missing and unexpected names are errors
  std::string prefix = {};  ///< only names that begin with it are read, without it
  Rename rename = {};       ///< from names in the file, behind the prefix, to those in the module
};

/// The module's names that were not found, and the file's names that were not needed.
struct LoadResult {
  std::vector<std::string> missing;
  std::vector<std::string> unexpected;
};

namespace detail {
/// "what a, b, c", only the first of many names.
inline void list_names(std::string& out, const char* what, const std::vector<std::string>& names) {
  constexpr std::size_t shown = 8;
  if (names.empty()) return;
  if (!out.empty()) out += "; ";
  out += what;
  for (std::size_t i = 0; i < names.size() && i < shown; ++i) {
    out += i == 0 ? " " : ", ";
    out += names[i];
  }
  if (names.size() > shown) out += " and " + std::to_string(names.size() - shown) + " more";
}

template <class X>
std::string written(const X& x) {
  const Text out = text(x);
  return out.c_str();
}

/// A state dict's tensors by the names that they have in a module.
class Incoming {
 public:
  struct Entry {
    std::string name;  // in the file
    const AnyTensor* tensor;
    bool used = false;
  };

  Incoming(const StateDict& dict, const LoadOptions& options) { fill(dict, options); }

  const Entry* take(const std::string& name) {
    const auto found = entries_.find(name);
    if (found == entries_.end()) return nullptr;
    found->second.used = true;
    return &found->second;
  }
  std::vector<std::string> unused() const {
    std::vector<std::string> out;
    for (const Entry* entry : order_) {
      if (!entry->used) out.push_back(entry->name);
    }
    return out;
  }

  std::string problems;

 private:
  template <class = void>  // weft::lib holds it
  void fill(const StateDict& dict, const LoadOptions& options);

  std::map<std::string, Entry> entries_;
  std::vector<const Entry*> order_;  // as in the file
};

template <class>
void Incoming::fill(const StateDict& dict, const LoadOptions& options) {
  std::vector<std::string> names;
  std::vector<std::string> alike;
  for (const auto& [name, tensor] : dict) {
    if (!name.starts_with(options.prefix)) continue;
    names.push_back(name.substr(options.prefix.size()));
    const std::string to = options.rename(names.back());
    if (to.empty()) continue;
    const auto [place, added] = entries_.try_emplace(to, Entry{name, &tensor});
    if (added) {
      order_.push_back(&place->second);
    } else {
      alike.push_back(place->second.name + " and " + name + " are " + to);
    }
  }
  list_names(problems, "renamed alike", alike);
  if (options.strict) list_names(problems, "not there to rename", options.rename.unused(names));
  if (names.empty() && !options.prefix.empty()) {
    const std::string first = dict.empty() ? "" : ", the first is " + dict.begin()->first;
    list_names(problems, "no name begins with", {options.prefix + first});
  }
}
}  // namespace detail

/// Writes the tensors of `dict`, from any device, into the module's. All or nothing: if names are
/// missing or unexpected, or shapes or element types differ, one ValueError lists them. Without
/// `strict`, names may differ, but not shapes or element types.
template <Module M>
LoadResult load_state_dict(M& module, const StateDict& dict, const LoadOptions& options = {}) {
  detail::Incoming incoming(dict, options);
  LoadResult result;
  std::vector<std::string> unlike;
  const auto each = [&](const auto& f) {
    visit(module, [&](const std::string& name, auto& x) {
      if constexpr (detail::is_var<std::remove_cvref_t<decltype(x)>>) {
        f(name, x.detach());
      } else {
        f(name, x);
      }
    });
  };
  each([&](const std::string& name, const auto& x) {
    using T = typename std::remove_cvref_t<decltype(x)>::value_type;
    const auto* const found = incoming.take(name);
    if (found == nullptr) return result.missing.push_back(name);
    const AnyTensor& there = *found->tensor;
    const std::string what = name == found->name ? name : name + " (there " + found->name + ")";
    if (!(there.shape() == x.shape())) {
      unlike.push_back(what + " of shape " + detail::written(there.shape()) + " for " +
                       detail::written(x.shape()));
    } else if (there.dtype() != dtype_of<T>) {
      unlike.push_back(what + " of type " + detail::written(there.dtype()) + " for " +
                       detail::written(dtype_of<T>));
    }
  });
  result.unexpected = incoming.unused();
  std::string problems = incoming.problems;
  if (options.strict) {
    detail::list_names(problems, "missing", result.missing);
    detail::list_names(problems, "unexpected", result.unexpected);
  }
  detail::list_names(problems, "mismatched", unlike);
  if (!problems.empty()) fail<ValueError>("load_state_dict", problems.c_str());
  each([&](const std::string& name, const auto& x) {
    using T = typename std::remove_cvref_t<decltype(x)>::value_type;
    if (const auto* const found = incoming.take(name)) {
      x.assign(found->tensor->to<T>(x.device()));
    }
  });
  return result;
}

}  // namespace weft::nn
