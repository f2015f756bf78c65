// nn::fields: how a module names its fields; visit.hpp visits what is in them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
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
template <class... Ys>
Fields<Ys...> joined(const Fields<>&, const Fields<Ys...>& behind) {
  return behind;
}
template <class X, class... Xs, class... Ys>
Fields<X, Xs..., Ys...> joined(const Fields<X, Xs...>& fields, const Fields<Ys...>& behind) {
  return {fields.first, joined(fields.rest, behind)};
}

template <class X>
inline constexpr bool is_fields = false;
template <class... Xs>
inline constexpr bool is_fields<Fields<Xs...>> = true;
}  // namespace detail

/// What a module's fields() gives: the names and fields in turn, as in
///   auto fields() { return nn::fields("fc1", fc1, "fc2", fc2); }
/// Vars are parameters (or fixed, if they require no gradient) and Tensors are buffers; modules,
/// and any of these in a std::optional, std::vector, std::array or Dict, are visited too. Other
/// fields are options, which to() copies.
inline Fields<> fields() { return {}; }
template <class X, class... Rest>
auto fields(FieldName name, X& value, Rest&&... rest) {
  return detail::before(name, value, fields(static_cast<Rest&&>(rest)...));
}
/// Those of a base class, then more: `return nn::fields(Base::fields(), "scale", scale);`
template <class... Xs, class... Rest>
auto fields(const Fields<Xs...>& base, Rest&&... rest) {
  return detail::joined(base, fields(static_cast<Rest&&>(rest)...));
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
  X& operator[](std::string_view name) { return at(std::string(name)); }
  const X& operator[](std::string_view name) const { return at(std::string(name)); }

 private:
  std::vector<std::string> names_;
  std::vector<X> values_;
};
/// Not a list of fields; this says that the names are missing.
template <class X, class... Rest>
  requires(!std::is_convertible_v<X, FieldName> && !detail::is_fields<std::remove_cvref_t<X>>)
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
template <class X, std::size_t N>
inline constexpr bool is_list<std::array<X, N>> = true;
template <class X>
inline constexpr bool is_dict = false;
template <class X>
inline constexpr bool is_dict<Dict<X>> = true;

/// Naming fields changes nothing, so this casts const away instead of asking for a second fields().
template <class M>
auto fields_of(M& module) {
  return const_cast<std::remove_const_t<M>&>(module).fields();
}

template <class X>
inline constexpr bool is_tuple_with_weights = false;
/// Whether there are weights in X, also where visit() does not find them.
template <class X>
constexpr bool has_weights() {
  using Plain = std::remove_cv_t<std::remove_pointer_t<X>>;
  if constexpr (is_var<Plain> || TensorLike<Plain> || Module<Plain>) {
    return true;
  } else if constexpr (requires { typename Plain::element_type; }) {  // a smart pointer
    return has_weights<typename Plain::element_type>();
  } else if constexpr (requires { typename Plain::first_type; }) {
    return has_weights<typename Plain::first_type>() || has_weights<typename Plain::second_type>();
  } else if constexpr (requires { typename Plain::value_type; }) {
    using Value = typename Plain::value_type;
    if constexpr (std::is_same_v<Value, Plain>) {
      return false;  // a tree, such as JSON
    } else {
      return has_weights<Value>();
    }
  } else {
    return is_tuple_with_weights<Plain>;
  }
}
template <class... Xs>
inline constexpr bool is_tuple_with_weights<std::tuple<Xs...>> = (has_weights<Xs>() || ...);

/// Called for the type of a field that is not visited.
template <class X>
constexpr bool is_option() {
  static_assert(!has_weights<X>(),
                "weft: weights in this field would not be found: fields() names Vars, Tensors and "
                "modules, alone or in a std::optional, std::vector, std::array or nn::Dict");
  return true;
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
template <class X, std::size_t N>
struct ParameterOf<std::array<X, N>> : ParameterOf<X> {};
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

}  // namespace weft::nn
