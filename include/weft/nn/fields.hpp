// nn::fields: how a module names its fields, and how all its parameters and buffers are visited.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "weft/autograd/var.hpp"

namespace weft::nn {

/// A field's name: a literal, or the place of one of several modules.
class FieldName {
 public:
  constexpr FieldName(const char* text) : text_(text) {}
  explicit constexpr FieldName(std::size_t place) : place_(place) {}
  WEFT_OUTLINED std::string string() const { return text_ ? text_ : std::to_string(place_); }

 private:
  const char* text_ = nullptr;
  std::size_t place_ = 0;
};

/// A field of a module and its name in a state dict.
template <class X>
struct Field {
  FieldName name;
  X& value;
};

/// The fields of a module, in order. (A std::tuple takes compilers ten times as long.)
template <class... Xs>
struct Fields {};
template <class X, class... Rest>
struct Fields<X, Rest...> {
  Field<X> first;
  Fields<Rest...> rest;
};

namespace detail {
template <class X, class... Rest>
Fields<X, Rest...> before(FieldName name, X& value, const Fields<Rest...>& rest) {
  return {{name, value}, rest};
}
}  // namespace detail

/// What a module's fields() gives: the names and fields in turn, as in
///   auto fields() { return nn::fields("fc1", fc1, "fc2", fc2); }
/// Vars are parameters (or fixed, if they require no gradient) and Tensors are buffers; modules,
/// and any of these in a std::optional, std::vector or Dict, are visited too. Other fields are
/// options, which to() copies.
inline Fields<> fields() { return {}; }
template <class X, class... Rest>
auto fields(FieldName name, X& value, Rest&&... rest) {
  return detail::before(name, value, fields(static_cast<Rest&&>(rest)...));
}

/// Modules, parameters or buffers by names chosen at run time, in the order in which they were
/// added (PyTorch's ModuleDict). In a state dict they are called by the field's name, a dot, and
/// their own name; by their own name alone if the field's is "".
template <class X>
class Dict {
 public:
  X& add(const std::string& name, X value) {
    names_.push_back(name);
    values_.push_back(static_cast<X&&>(value));
    return values_.back();
  }
  std::size_t size() const { return values_.size(); }
  const std::string& name(std::size_t i) const { return names_[i]; }
  X& operator[](std::size_t i) { return values_[i]; }
  const X& operator[](std::size_t i) const { return values_[i]; }
  /// Throws IndexError if there is none of that name.
  const X& at(const std::string& name) const {
    for (std::size_t i = 0; i < size(); ++i) {
      if (names_[i] == name) return values_[i];
    }
    fail<IndexError>("Dict", "no entry ", name.c_str(), " among ", size());
  }
  X& at(const std::string& name) { return const_cast<X&>(std::as_const(*this).at(name)); }

 private:
  std::vector<std::string> names_;
  std::vector<X> values_;
};
/// Not a list of fields; this says that the names are missing.
template <class X, class... Rest>
  requires(!std::is_convertible_v<X, FieldName>)
auto fields(X&&, Rest&&...) {
  static_assert(weft::detail::always_false<X>,
                "weft: nn::fields takes each field behind its name: write nn::fields(\"a\", a, "
                "\"b\", b)");
  return Fields<>();
}

/// A plain struct with a member fields().
template <class M>
concept Module = requires(std::remove_const_t<M>& m) {
  m.fields();
};

namespace detail {
/// Called where a module was expected.
template <class M>
constexpr void is_module() {
  static_assert(weft::detail::always_false<M>,
                "weft: a module names its fields in a public member: write auto fields() { return "
                "nn::fields(\"a\", a, \"b\", b); }");
}

template <class X>
inline constexpr bool is_var = weft::detail::is_var<X>;
template <class X>
inline constexpr bool is_optional = false;
template <class X>
inline constexpr bool is_optional<std::optional<X>> = true;
template <class X>
inline constexpr bool is_list = false;
template <class X>
inline constexpr bool is_list<std::vector<X>> = true;
template <class X>
inline constexpr bool is_dict = false;
template <class X>
inline constexpr bool is_dict<Dict<X>> = true;

/// Naming fields changes nothing, so this casts const away instead of asking for a second fields().
template <class M>
auto fields_of(M& module) {
  return const_cast<std::remove_const_t<M>&>(module).fields();
}

template <class A, class B>
struct Agree {
  static_assert(std::is_void_v<A> || std::is_void_v<B> || std::is_same_v<A, B>,
                "weft: the parameters of a module have one element type and are on one device");
  using type = std::conditional_t<std::is_void_v<A>, B, A>;
};
template <class X>
struct ParameterOf {
  using type = void;
};
template <class T, class D>
struct ParameterOf<Var<T, D>> {
  using type = Var<T, D>;
};
template <class X>
struct ParameterOf<std::optional<X>> : ParameterOf<X> {};
template <class X>
struct ParameterOf<std::vector<X>> : ParameterOf<X> {};
template <class X>
struct ParameterOf<Dict<X>> : ParameterOf<X> {};
template <class F>
struct ParameterAmong;
template <>
struct ParameterAmong<Fields<>> {
  using type = void;
};
template <class X, class... Rest>
struct ParameterAmong<Fields<X, Rest...>>
    : Agree<typename ParameterOf<std::remove_const_t<X>>::type,
            typename ParameterAmong<Fields<Rest...>>::type> {};
template <Module M>
struct ParameterOf<M> : ParameterAmong<decltype(std::declval<M&>().fields())> {};
}  // namespace detail

/// Var<T, D>, the type of all parameters of the module; void if it has none.
template <class M>
using parameter_t = typename detail::ParameterOf<std::remove_cvref_t<M>>::type;

template <class M, class F>
void visit(M& module, const F& f, const std::string& prefix = "");

namespace detail {
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
  } else {
    return Module<Plain> ? Pass::children : Pass::none;
  }
}

template <class X, class F>
void visit_field(const std::string& name, X& x, const F& f) {
  using Plain = std::remove_const_t<X>;
  if constexpr (is_optional<Plain>) {
    if (x) visit_field(name, *x, f);
  } else if constexpr (is_list<Plain>) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      visit_field(name + "." + std::to_string(i), x[i], f);
    }
  } else if constexpr (is_dict<Plain>) {
    const bool apart = !name.empty() && name.back() != '.';
    for (std::size_t i = 0; i < x.size(); ++i) {
      visit_field(name + (apart ? "." : "") + x.name(i), x[i], f);
    }
  } else if constexpr (Module<Plain>) {
    nn::visit(x, f, name + ".");
  } else {
    f(name, x);
  }
}
template <Pass P, class X, class F>
void visit_first_in_pass(const std::string& prefix, const Field<X>& field, const F& f) {
  if constexpr (pass_of<X>() == P) visit_field(prefix + field.name.string(), field.value, f);
}
/// Only fields of the pass cost code: an option's name is never put together.
template <Pass P, class F, class... Xs>
void visit_in_pass(const std::string& prefix, const Fields<Xs...>& fields, const F& f) {
  if constexpr (((pass_of<Xs>() == P) || ...)) {
    visit_first_in_pass<P>(prefix, fields.first, f);
    visit_in_pass<P>(prefix, fields.rest, f);
  }
}
}  // namespace detail

/// Calls f(name, x) with each Var and each Tensor inside, in PyTorch's order: a module's own
/// parameters, its buffers, then the modules in it.
template <class M, class F>
void visit(M& module, const F& f, const std::string& prefix) {
  const auto fields = detail::fields_of(module);
  detail::visit_in_pass<detail::Pass::parameters>(prefix, fields, f);
  detail::visit_in_pass<detail::Pass::buffers>(prefix, fields, f);
  detail::visit_in_pass<detail::Pass::children>(prefix, fields, f);
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
