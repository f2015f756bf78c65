// parameters, train, eval, zero_grad, clone, to: what every module can do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "weft/core/random/generator.hpp"
#include "weft/nn/visit.hpp"

namespace weft::nn {

namespace detail {
/// Lets compilation go on if a module has no parameters, so that there is only one error.
template <class V>
using parameter_or_float_t = std::conditional_t<std::is_void_v<V>, Var<float, Cpu>, V>;

/// What may be a function that chooses parameters; tensors are called with indices.
template <class F>
inline constexpr bool may_choose = !Module<F> && !is_var<F> && !TensorLike<F>;
}  // namespace detail

/// The module's Vars that require a gradient, by their names in a state dict. One that appears
/// twice is listed once, as in PyTorch.
template <Module M>
auto named_parameters(const M& module) {
  using Found = parameter_t<M>;
  static_assert(!std::is_void_v<Found>,
                "weft: this module has no parameters: its fields() name none");
  using V = detail::parameter_or_float_t<Found>;
  std::vector<std::pair<std::string, V>> out;
  visit(module, [&](const std::string& name, const auto& x) {
    if constexpr (detail::is_var<std::remove_cvref_t<decltype(x)>>) {
      if (!x.requires_grad()) return;
      for (const auto& [other, y] : out) {
        if (y.variable().get() == x.variable().get()) return;
      }
      out.emplace_back(name, x);
    }
  });
  return out;
}

/// The same without names, as optimizers take them. These are handles.
template <Module M>
auto parameters(const M& module) {
  std::vector<detail::parameter_or_float_t<parameter_t<M>>> out;
  for (auto& [name, x] : named_parameters(module)) out.push_back(x);
  return out;
}

/// The parameters for which wanted(name, parameter) is true: a group for an optimizer.
template <Module M, class F>
  requires(detail::may_choose<F>)
auto parameters(const M& module, const F& wanted) {
  using V = detail::parameter_or_float_t<parameter_t<M>>;
  static_assert(
      std::is_invocable_v<const F&, const std::string&, const V&>,
      "weft: parameters takes modules, or one module and a function of a name and a parameter");
  std::vector<V> out;
  if constexpr (std::is_invocable_v<const F&, const std::string&, const V&>) {
    for (auto& [name, x] : named_parameters(module)) {
      if (wanted(name, x)) out.push_back(x);
    }
  }
  return out;
}

/// The parameters of several modules, one module after the other: nn::parameters(encoder, decoder).
/// One that modules share is listed once.
template <class A, class B, class... More>
  requires(sizeof...(More) > 0 || !Module<A> || !detail::may_choose<B>)
auto parameters(const A& a, const B& b, const More&... more) {
  constexpr bool are_modules = Module<A> && Module<B> && (Module<More> && ...);
  static_assert(
      are_modules,
      "weft: parameters takes modules, or one module and a function of a name and a parameter");
  if constexpr (are_modules) {
    std::vector<
        detail::parameter_or_float_t<typename detail::ParameterAmong<Fields<A, B, More...>>::type>>
        out;
    const auto append = [&](const auto& module) {
      if constexpr (!std::is_void_v<parameter_t<decltype(module)>>) {
        for (auto& x : parameters(module)) {
          bool known = false;
          for (const auto& y : out) known |= x.variable().get() == y.variable().get();
          if (!known) out.push_back(std::move(x));
        }
      }
    };
    append(a);
    append(b);
    (append(more), ...);
    return out;
  } else {
    return std::vector<Var<float, Cpu>>();
  }
}

/// Freezes all parameters of a module, or unfreezes them, which `parameters` then lists again:
/// requires_grad(net.body, false).
template <Module M>
void requires_grad(const M& module, bool wanted) {
  visit(module, [&](const std::string&, auto x) {
    if constexpr (detail::is_var<decltype(x)>) x.requires_grad(wanted);
  });
}

/// Not a module; this says what is missing.
template <class M>
  requires(!Module<M>)
std::vector<Var<float, Cpu>> parameters(const M&) {
  detail::is_module<M>();
  return {};
}
template <class M>
  requires(!Module<M>)
void train(M&, bool = true) { detail::is_module<M>(); }
template <class M>
  requires(!Module<M>)
void eval(M&) { detail::is_module<M>(); }

/// The number of elements of all parameters.
template <Module M>
int64_t count(const M& module) {
  int64_t sum = 0;
  for (const auto& x : parameters(module)) sum += x.size();
  return sum;
}

/// Sets training mode, which matters for Dropout and BatchNorm.
template <Module M>
void train(M& module, bool training = true) {
  visit_modules(module, [&](auto& m) {
    if constexpr (requires { m.training = training; }) m.training = training;
  });
}
template <Module M>
void eval(M& module) {
  train(module, false);
}

/// Clears all gradients, so that the next backward pass writes new ones.
template <Module M>
void zero_grad(const M& module) {
  visit(module, [](const std::string&, const auto& x) {
    if constexpr (detail::is_var<std::remove_cvref_t<decltype(x)>>) x.zero_grad();
  });
}

namespace detail {
/// Which Vars were replaced by which, so that shared ones are shared again.
template <class V, class W>
class Replaced {
 public:
  template <class F>
  W operator()(const V& x, const F& make) {
    const void* const key = x.variable().get();
    for (const auto& [other, y] : done_) {
      if (key != nullptr && other == key) return y;
    }
    done_.emplace_back(key, W(make(x.detach()), x.requires_grad()));
    return done_.back().second;
  }

 private:
  std::vector<std::pair<const void*, W>> done_;
};

/// X with the device replaced in each template argument.
template <class X, class To>
struct Moved {
  using type = X;
};
template <class D, class To>
  requires Device<D>
struct Moved<D, To> {
  using type = To;
};
template <template <class...> class X, class... As, class To>
struct Moved<X<As...>, To> {
  using type = X<typename Moved<As, To>::type...>;
};
template <class A, class To>
struct Moved<std::vector<A>, To> {
  using type = std::vector<typename Moved<A, To>::type>;
};

template <class A, std::size_t N, class To>
struct Moved<std::array<A, N>, To> {
  using type = std::array<typename Moved<A, To>::type, N>;
};

template <class From, class Into, class Shared, class To>
void move_fields(const From& from, Into& into, Shared& shared, To device);

template <class Y>
constexpr bool can_be_made() {
  static_assert(std::is_default_constructible_v<Y>,
                "weft: nn::to makes modules anew, on another device: give each a constructor "
                "without arguments, those in a std::vector or std::optional too");
  return std::is_default_constructible_v<Y>;
}

template <class X, class Y, class Shared, class To>
void move_field(const X& x, Y& y, Shared& shared, To device) {
  if constexpr (is_var<X>) {
    y = shared(x, [&](const auto& value) { return value.to(device); });
  } else if constexpr (TensorLike<X>) {
    y = x.to(device);
  } else if constexpr (is_optional<X>) {
    if constexpr (can_be_made<typename Y::value_type>()) {
      y.reset();
      if (x) move_field(*x, y.emplace(), shared, device);
    }
  } else if constexpr (is_list<X>) {
    if constexpr (can_be_made<typename Y::value_type>()) {
      if constexpr (requires { y.resize(0); }) y.resize(x.size());  // not of a std::array
      for (std::size_t i = 0; i < x.size(); ++i) move_field(x[i], y[i], shared, device);
    }
  } else if constexpr (is_dict<X>) {
    y = {};
    for (std::size_t i = 0; i < x.size(); ++i)
      move_field(x[i], y.add(x.name(i), {}), shared, device);
  } else if constexpr (Module<X>) {
    move_fields(x, y, shared, device);
  } else {
    y = x;
  }
}

template <class Shared, class To>
void move_each(const Fields<>&, const Fields<>&, Shared&, To) {}
template <class X, class... Xs, class Y, class... Ys, class Shared, class To>
void move_each(const Fields<X, Xs...>& from, const Fields<Y, Ys...>& into, Shared& shared,
               To device) {
  move_field(from.first.value, into.first.value, shared, device);
  move_each(from.rest, into.rest, shared, device);
}

template <class From, class Into, class Shared, class To>
void move_fields(const From& from, Into& into, Shared& shared, To device) {
  move_each(fields_of(from), fields_of(into), shared, device);
  if constexpr (requires { into.training = from.training; }) into.training = from.training;
}
}  // namespace detail

/// The type of a module on another device: Net<Cuda> of Net<Cpu>.
template <class M, class To>
using moved_t = typename detail::Moved<std::remove_cvref_t<M>, To>::type;

/// A deep copy.
template <Module M>
M clone(const M& module) {
  M out = module;
  using V = std::conditional_t<std::is_void_v<parameter_t<M>>, Var<float>, parameter_t<M>>;
  detail::Replaced<V, V> shared;
  visit(out, [&](const std::string&, auto& x) {
    if constexpr (detail::is_var<std::remove_cvref_t<decltype(x)>>) {
      x = shared(x, [](const auto& value) { return value.clone(); });
    } else {
      x = x.clone();
    }
  });
  return out;
}

/// The module on another device: its type with that device in place of its own, which must be
/// default-constructible; fields() must name its options as well. The parameters are new leaves, so
/// create optimizers after the move.
template <Module M, Device To>
auto to(const M& module, To device) {
  using Out = moved_t<M, To>;
  using V = std::conditional_t<std::is_void_v<parameter_t<M>>, Var<float>, parameter_t<M>>;
  const Generator before = default_generator();  // initial values are overwritten anyway
  Out out{};
  default_generator() = before;
  detail::Replaced<V, typename detail::Moved<V, To>::type> shared;
  detail::move_fields(module, out, shared, device);
  return out;
}

}  // namespace weft::nn
