// nn::visit and nn::visit_modules: functions of all parameters and buffers, and of all modules.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "weft/nn/fields.hpp"

namespace weft::nn {

template <class M, class F>
void visit(M& module, const F& f, const std::string& prefix = "");

namespace detail {
using weft::detail::TypeList;

enum class Pass { parameters, buffers, children, none };

/// In which pass visit() comes to a field.
template <class X>
constexpr Pass pass_of() {
  using Plain = std::remove_const_t<X>;
  if constexpr (is_optional<Plain> || is_list<Plain>) {
    return pass_of<typename Plain::value_type>();
  } else if constexpr (is_dict<Plain>) {
    return pass_of<std::remove_cvref_t<decltype(std::declval<Plain&>()[0])>>();
  } else if constexpr (is_var<Plain>) {
    return Pass::parameters;
  } else if constexpr (TensorLike<Plain>) {
    return Pass::buffers;
  } else if constexpr (Module<Plain>) {
    return Pass::children;
  } else {
    static_cast<void>(is_option<Plain>());
    return Pass::none;
  }
}

/// The types of the Vars and Tensors in X, each once, behind those that are known.
template <class X, class... Known>
constexpr auto leaf_types(TypeList<Known...> known);
template <class... Known>
constexpr auto leaf_types_of_fields(TypeList<Known...> known, const Fields<>*) {
  return known;
}
template <class... Known, class X, class... Rest>
constexpr auto leaf_types_of_fields(TypeList<Known...> known, const Fields<X, Rest...>*) {
  return leaf_types_of_fields(leaf_types<X>(known), static_cast<const Fields<Rest...>*>(nullptr));
}
template <class X, class... Known>
constexpr auto leaf_types(TypeList<Known...> known) {
  using Plain = std::remove_const_t<X>;
  if constexpr (is_optional<Plain> || is_list<Plain>) {
    return leaf_types<typename Plain::value_type>(known);
  } else if constexpr (is_dict<Plain>) {
    return leaf_types<std::remove_cvref_t<decltype(std::declval<Plain&>()[0])>>(known);
  } else if constexpr (is_var<Plain> || TensorLike<Plain>) {
    if constexpr ((std::is_same_v<Plain, Known> || ...)) {
      return known;
    } else {
      return TypeList<Known..., Plain>();
    }
  } else if constexpr (Module<Plain>) {
    using Inside = decltype(std::declval<Plain&>().fields());
    return leaf_types_of_fields(known, static_cast<const Inside*>(nullptr));
  } else {
    return known;
  }
}

/// A number for each type, the same in all parts of a program.
template <class X>
constexpr std::uint64_t type_number() {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char* c = __PRETTY_FUNCTION__; *c != 0; ++c) {
    hash = (hash ^ static_cast<unsigned char>(*c)) * 1099511628211U;
  }
  return hash;
}

/// A function of a name and a Var or Tensor of any type: what walks through modules is compiled for
/// them alone, and not again for each function.
struct Visitor {
  const void* function;
  void (*call)(const void* function, const std::string& name, void* x, std::uint64_t type);
};
template <class F, class... Leaves>
void call_for(const void* function, const std::string& name, [[maybe_unused]] void* x,
              [[maybe_unused]] std::uint64_t type) {
  const F& f = *static_cast<const F*>(function);
  const bool known =
      (... || (type == type_number<Leaves>() && (f(name, *static_cast<Leaves*>(x)), true)));
  static_cast<void>(known);
}
template <class F, class... Leaves>
Visitor visitor_of(const F& f, TypeList<Leaves...>) {
  return {&f, call_for<F, Leaves...>};
}

template <class M>
void walk(M& module, const Visitor& visitor, const std::string& prefix);

template <class X>
void walk_field(const std::string& name, X& x, const Visitor& visitor) {
  using Plain = std::remove_const_t<X>;
  if constexpr (is_optional<Plain>) {
    if (x) walk_field(name, *x, visitor);
  } else if constexpr (is_list<Plain>) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      walk_field(name + "." + std::to_string(i), x[i], visitor);
    }
  } else if constexpr (is_dict<Plain>) {
    const bool apart = !name.empty() && name.back() != '.';
    for (std::size_t i = 0; i < x.size(); ++i) {
      walk_field(name + (apart ? "." : "") + x.name(i), x[i], visitor);
    }
  } else if constexpr (Module<Plain>) {
    walk(x, visitor, name + ".");
  } else {
    visitor.call(visitor.function, name, const_cast<Plain*>(&x), type_number<Plain>());
  }
}
template <Pass P, class X>
void walk_first_in_pass(const std::string& prefix, const Field<X>& field, const Visitor& visitor) {
  if constexpr (pass_of<X>() == P) walk_field(prefix + field.name.string(), field.value, visitor);
}
/// Only fields of the pass cost code: an option's name is never put together.
template <Pass P, class... Xs>
void walk_in_pass(const std::string& prefix, const Fields<Xs...>& fields, const Visitor& visitor) {
  if constexpr (((pass_of<Xs>() == P) || ...)) {
    walk_first_in_pass<P>(prefix, fields.first, visitor);
    walk_in_pass<P>(prefix, fields.rest, visitor);
  }
}
template <class M>
void walk(M& module, const Visitor& visitor, const std::string& prefix) {
  const auto fields = fields_of(module);
  walk_in_pass<Pass::parameters>(prefix, fields, visitor);
  walk_in_pass<Pass::buffers>(prefix, fields, visitor);
  walk_in_pass<Pass::children>(prefix, fields, visitor);
}
}  // namespace detail

/// Calls f(name, x) with each Var and each Tensor inside, in PyTorch's order: a module's own
/// parameters, its buffers, then the modules in it.
template <class M, class F>
void visit(M& module, const F& f, const std::string& prefix) {
  using Plain = std::remove_const_t<M>;
  const auto visitor = detail::visitor_of(f, detail::leaf_types<Plain>(detail::TypeList<>()));
  detail::walk(const_cast<Plain&>(module), visitor, prefix);
}

template <class M, class F>
void visit_modules(M& module, const F& f);

namespace detail {
template <class F>
void visit_modules_in(const Fields<>&, const F&) {}
template <class X, class... Rest, class F>
void visit_modules_in(const Fields<X, Rest...>& fields, const F& f) {
  if constexpr (pass_of<X>() == Pass::children) visit_modules(fields.first.value, f);
  visit_modules_in(fields.rest, f);
}
}  // namespace detail

/// Calls f with the module and each module inside it.
template <class M, class F>
void visit_modules(M& module, const F& f) {
  using Plain = std::remove_const_t<M>;
  if constexpr (detail::is_optional<Plain>) {
    if (module) visit_modules(*module, f);
  } else if constexpr (detail::is_list<Plain>) {
    for (auto& x : module) visit_modules(x, f);
  } else if constexpr (detail::is_dict<Plain>) {
    for (std::size_t i = 0; i < module.size(); ++i) visit_modules(module[i], f);
  } else if constexpr (Module<Plain>) {
    f(module);
    detail::visit_modules_in(detail::fields_of(module), f);
  }
}

}  // namespace weft::nn
