// hvp(f, x, v): the product of a function's Hessian and a vector, by forward-over-reverse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "weft/autograd/linalg/dual.hpp"
#include "weft/autograd/mode.hpp"

namespace weft {

/// The result of hvp: f's value, its gradient, and the product of its Hessian and v. The last two
/// are a tensor of the input's shape, or a tuple with one for each input.
template <class Value, class Vector>
struct HessianProduct {
  Value value;
  Vector gradient;
  Vector product;
};

namespace autograd {

/// Whether f can be called with these Vars and returns Dual elements.
template <class F, class... Leaves>
constexpr bool moves_with() {
  if constexpr (std::is_invocable_v<const F&, const Leaves&...>) {
    return is_dual<typename std::invoke_result_t<const F&, const Leaves&...>::value_type>;
  } else {
    return false;
  }
}

/// Whether hvp takes these types; if not, one compile error that says why.
template <class F, class... Xs, class... Vs>
constexpr bool can_multiply_hessian(const std::tuple<Xs...>*, const std::tuple<Vs...>*) {
  constexpr bool as_many = sizeof...(Xs) == sizeof...(Vs) && sizeof...(Xs) > 0;
  constexpr bool numbers = ((std::is_same_v<typename Xs::value_type, float> ||
                             std::is_same_v<typename Xs::value_type, double>)&&...);
  static_assert(as_many, "weft: hvp takes a vector for each input");
  static_assert(numbers, "weft: hvp takes inputs of float or double: write cast<float>(x)");
  if constexpr (as_many && numbers) {
    constexpr bool alike =
        (std::is_same_v<typename Xs::value_type, typename Vs::value_type> && ...);
    static_assert(alike, "weft: hvp takes vectors of the inputs' element types: write cast<T>(v)");
    if constexpr (alike) {
      constexpr bool moves = moves_with<
          F, Var<Dual<typename Xs::value_type>, typename weft::detail::Evaluated<Xs>::device>...>();
      static_assert(moves,
                    "weft: hvp calls f with Vars of Dual elements, one for each input, and its "
                    "value has to be such: write a generic lambda, [](const auto& x), that names "
                    "no element type");
      return moves;
    }
  }
  return false;
}

/// An argument of f: the elements of x, moving in direction v.
template <class X, class V>
auto dual_leaf(const X& x, const V& v) {
  if (!(x.shape() == v.shape())) {
    fail<ShapeError>("hvp", "a vector of shape ", v.shape(), " for an input of shape ", x.shape(),
                     ", expected the same shape");
  }
  const Tensor point = without_vars(x);
  const Tensor direction = without_vars(v);
  return Var(with_tangents(point, direction), true);
}

/// The gradient of a leaf; 0 if f does not depend on it.
template <class T, class D>
Tensor<Dual<T>, D> gradient_of(const Var<Dual<T>, D>& leaf) {
  return leaf.has_grad() ? leaf.grad() : zeros<Dual<T>>(leaf.shape(), leaf.device());
}

/// The result from y, the value of f at the leaves.
template <class Y, class D, class... Leaves>
auto hessian_product(const Var<Y, D>& y, const Leaves&... leaves) {
  if (y.size() != 1) {
    fail<ShapeError>("hvp", "f gave a Var of shape ", y.shape(), ", expected one element");
  }
  if (y.requires_grad()) {
    Pass pass(y.variable().get(), {leaves.variable().get()...});
    pass.seed(*y.variable(), full<Y>(y.shape(), 1, y.device()));
    pass.run(false);
  }
  const Tensor value = values(y.value()).clone();
  const auto all = [&](const auto& part) {
    return std::tuple(part(gradient_of(leaves)).clone()...);
  };
  const auto gradient = all([](const auto& x) { return values(x); });
  const auto product = all([](const auto& x) { return tangents(x); });
  return HessianProduct<std::remove_const_t<decltype(value)>,
                        std::remove_const_t<decltype(gradient)>>{value, gradient, product};
}

}  // namespace autograd

/// The value and the gradient of f at the inputs xs, and the product of its Hessian there with the
/// vectors vs, which have the inputs' shapes: one forward and one backward pass with twice the
/// numbers. f is a generic function object: it is called with Vars of Dual elements and returns a
/// Var or expression with one element. Tensors and Vars that it captures are constants.
template <class F, class... Xs, class... Vs>
auto hvp(const F& f, const std::tuple<Xs...>& xs, const std::tuple<Vs...>& vs) {
  if constexpr (autograd::can_multiply_hessian<F>(static_cast<const std::tuple<Xs...>*>(nullptr),
                                                  static_cast<const std::tuple<Vs...>*>(nullptr))) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      const std::tuple leaves(autograd::dual_leaf(std::get<I>(xs), std::get<I>(vs))...);
      const EnableGrad guard;
      return autograd::hessian_product(Var(f(std::get<I>(leaves)...)), std::get<I>(leaves)...);
    }
    (std::index_sequence_for<Xs...>{});
  } else {
    return HessianProduct<int, std::tuple<Xs...>>{};
  }
}
/// The same for one input; gradient and product are tensors.
template <class F, ExpressionLike X, ExpressionLike V>
auto hvp(const F& f, const X& x, const V& v) {
  const auto all = hvp(f, std::tuple(x), std::tuple(v));
  using Value = std::remove_cvref_t<decltype(all.value)>;
  using Vector = std::remove_cvref_t<decltype(std::get<0>(all.product))>;
  return HessianProduct<Value, Vector>{all.value, std::get<0>(all.gradient),
                                       std::get<0>(all.product)};
}

}  // namespace weft
