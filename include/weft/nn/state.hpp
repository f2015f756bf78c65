// state_dict and load_state_dict: a module's tensors by PyTorch's names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/fields.hpp"
#include "weft/tensor/state_dict.hpp"

namespace weft::nn {

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
  bool strict = true;  ///< missing and unexpected names are errors
};

/// The names that were not found and those that were not asked for.
struct LoadResult {
  std::vector<std::string> missing;
  std::vector<std::string> unexpected;
};

namespace detail {
inline void list_names(std::string& out, const char* what, const std::vector<std::string>& names) {
  if (names.empty()) return;
  if (!out.empty()) out += "; ";
  out += what;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += i == 0 ? " " : ", ";
    out += names[i];
  }
}

template <class X>
std::string written(const X& x) {
  const Text out = text(x);
  return out.c_str();
}
}  // namespace detail

/// Writes the tensors of `dict`, from any device, into the module's. All or nothing: where names
/// are missing or unexpected, shapes or element types differ, one ValueError lists all of them.
/// Without `strict` names may differ, the others not. A part of a dict: load_state_dict(m,
/// d.under("net.")).
template <Module M>
LoadResult load_state_dict(M& module, const StateDict& dict, LoadOptions options = {}) {
  LoadResult result;
  std::vector<std::string> unlike;
  std::map<std::string, bool> known;
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
    known[name] = true;
    const AnyTensor* const found = dict.find(name);
    if (found == nullptr) {
      result.missing.push_back(name);
    } else if (!(found->shape() == x.shape())) {
      unlike.push_back(name + " of shape " + detail::written(found->shape()) + " for " +
                       detail::written(x.shape()));
    } else if (found->dtype() != dtype_of<T>) {
      unlike.push_back(name + " of type " + detail::written(found->dtype()) + " for " +
                       detail::written(dtype_of<T>));
    }
  });
  for (const auto& [name, tensor] : dict) {
    if (!known.contains(name)) result.unexpected.push_back(name);
  }
  std::string problems;
  if (options.strict) {
    detail::list_names(problems, "missing", result.missing);
    detail::list_names(problems, "unexpected", result.unexpected);
  }
  detail::list_names(problems, "mismatched", unlike);
  if (!problems.empty()) fail<ValueError>("load_state_dict", problems.c_str());
  each([&](const std::string& name, const auto& x) {
    using T = typename std::remove_cvref_t<decltype(x)>::value_type;
    if (const AnyTensor* const found = dict.find(name)) {
      x.assign(found->to<T>(x.device()));
    }
  });
  return result;
}

}  // namespace weft::nn
