// hvp(f, x, v): the product of a function's Hessian and a vector, by forward-over-reverse.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

#include "weft/autograd/dual.hpp"
#include "weft/autograd/mode.hpp"

namespace weft {

/// What hvp gives: f's value, its gradient, and the product of its Hessian and v. The last two are
/// tensors shaped as the input, or tuples of them as the inputs.
template <class Value, class Vector>
struct HessianProduct {
  Value value;
  Vector gradient;
  Vector product;
};

namespace autograd {

/// A leaf of f's: the elements of x, moving along v.
template <class X, class V>
auto dual_leaf(const X& x, const V& v) {
  using T = typename X::value_type;
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>,
                "weft: hvp takes inputs of float or double: write cast<float>(x)");
  static_assert(std::is_same_v<typename V::value_type, T>,
                "weft: hvp takes vectors of the inputs' element types: write cast<T>(v)");
  if (!(x.shape() == v.shape())) {
    fail<ShapeError>("hvp", "a vector of shape ", v.shape(), " for an input of shape ", x.shape(),
                     ", expected the same shape");
  }
  const Tensor point = plain(x);
  const Tensor direction = plain(v);
  return Var(with_tangents(point, direction), true);
}

/// The gradient of a leaf; 0 where f does not depend on it.
template <class T, class D>
Tensor<Dual<T>, D> gradient_of(const Var<Dual<T>, D>& leaf) {
  return leaf.has_grad() ? leaf.grad() : zeros<Dual<T>>(leaf.shape(), leaf.device());
}

template <class F, class... Leaves>
auto hessian_product(const F& f, const Leaves&... leaves) {
  const EnableGrad guard;
  const Var y = f(leaves...);
  using Y = typename std::remove_cvref_t<decltype(y)>::value_type;
  static_assert(is_dual<Y>,
                "weft: hvp calls f with Vars of Dual elements, and this f gives a Var of plain "
                "ones, which does not depend on them: write a generic lambda, [](const auto& x)");
  if (y.size() != 1) {
    fail<ShapeError>("hvp", "f gave a Var of shape ", y.shape(), ", expected one element");
  }
  if (y.requires_grad()) {
    Pass pass(y.variable().get(), {leaves.variable().get()...});
    pass.seed(*y.variable(), full<Y>(y.shape(), 1, y.device()));
    pass.run(false);
  }
  const Tensor value = values(y.value()).clone();
  const auto all = [&](const auto& part) { return std::tuple(part(gradient_of(leaves)).clone()...); };
  return HessianProduct{value, all([](const auto& x) { return values(x); }),
                        all([](const auto& x) { return tangents(x); })};
}

}  // namespace autograd

/// The value and the gradient of f at the inputs xs, and the product of its Hessian there with the
/// vectors vs, which have the inputs' shapes: one forward and one backward pass with twice the
/// numbers. f is a generic function object: it is called with Vars of Dual elements, and gives a Var
/// with one element or an expression of it. Tensors and Vars that it holds itself are constants.
template <class F, class... Xs, class... Vs>
auto hvp(const F& f, const std::tuple<Xs...>& xs, const std::tuple<Vs...>& vs) {
  static_assert(sizeof...(Xs) == sizeof...(Vs) && sizeof...(Xs) > 0,
                "weft: hvp takes a vector for each input");
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return autograd::hessian_product(f,
                                     autograd::dual_leaf(std::get<I>(xs), std::get<I>(vs))...);
  }(std::index_sequence_for<Xs...>{});
}
/// The same for one input; gradient and product are tensors.
template <class F, ExpressionLike X, ExpressionLike V>
auto hvp(const F& f, const X& x, const V& v) {
  auto [value, gradient, product] = hvp(f, std::tuple(x), std::tuple(v));
  return HessianProduct{value, std::get<0>(gradient), std::get<0>(product)};
}

}  // namespace weft
