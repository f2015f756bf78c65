// Statements with a matrix product, and what is recorded with it: a bias, another tensor, relu.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/var.hpp"
#include "weft/eval/product/epilogue.hpp"
#include "weft/ops/linalg/matmul.hpp"

namespace weft::autograd {

template <class K, class A, class B>
  requires(has_var<A> || has_var<B>)
struct WithoutVars<Product<K, A, B>> {
  using type = Product<K, without_vars_t<A>, without_vars_t<B>>;
  static type of(const Product<K, A, B>& e) {
    return type(without_vars_t<A>(without_vars(e.left())),
                without_vars_t<B>(without_vars(e.right())));
  }
};

/// Both passes read the factors: an expression becomes a Var or a Tensor.
template <class X>
using factor_t = typename weft::detail::Evaluated<X>::type;

template <class K, class A, class B>
  requires(has_var<A> || has_var<B>)
struct HoistInside<Product<K, A, B>> {
  using type = Product<K, factor_t<A>, factor_t<B>>;
  static constexpr bool changes = !std::is_same_v<type, Product<K, A, B>>;
  static type of(const Product<K, A, B>& e) {
    return type(factor_t<A>(e.left()), factor_t<B>(e.right()));
  }
};

/// product + bias is recorded as one statement, since it is computed in one call.
template <class T, class K, class A, class B, class X>
  requires((has_var<A> || has_var<B>)&&(is_var<X> || TensorLike<X>))
struct HoistInside<Map<T, op::add, Product<K, A, B>, X>> {
  using Factors = HoistInside<Product<K, A, B>>;
  static constexpr bool changes = Factors::changes;
  using type = Map<T, op::add, typename Factors::type, X>;
  static type of(const Map<T, op::add, Product<K, A, B>, X>& e) {
    return type(e.op(), Factors::of(get<0>(e.args())), get<1>(e.args()));
  }
};

/// So is product + bias + another tensor, in either order of the outer sum.
template <class E>
inline constexpr bool is_biased_product = false;
template <class T, class K, class A, class B, class X>
inline constexpr bool is_biased_product<Map<T, op::add, Product<K, A, B>, X>> =
    (has_var<A> || has_var<B>)&&(is_var<X> || TensorLike<X>);

template <class T, class P, class Y>
  requires(is_biased_product<P> && (is_var<Y> || TensorLike<Y>))
struct HoistInside<Map<T, op::add, P, Y>> {
  static constexpr bool changes = HoistInside<P>::changes;
  using type = Map<T, op::add, typename HoistInside<P>::type, Y>;
  static type of(const Map<T, op::add, P, Y>& e) {
    return type(e.op(), HoistInside<P>::of(get<0>(e.args())), get<1>(e.args()));
  }
};
template <class T, class P, class Y>
  requires(is_biased_product<P> && (is_var<Y> || TensorLike<Y>))
struct HoistInside<Map<T, op::add, Y, P>> {
  static constexpr bool changes = true;
  using type = Map<T, op::add, typename HoistInside<P>::type, Y>;
  static type of(const Map<T, op::add, Y, P>& e) {
    return type(e.op(), HoistInside<P>::of(get<1>(e.args())), get<0>(e.args()));
  }
};

/// relu of a product, perhaps with a bias and another tensor, is recorded as one statement too, and
/// so is dropout of that: its gradient follows from its value.
template <class K, class A, class B>
  requires(has_var<A> || has_var<B>)
inline constexpr bool takes_relu<Product<K, A, B>> = true;
template <class T, class X, class Y>
inline constexpr bool takes_relu<Map<T, op::add, X, Y>> =
    is_biased_product<Map<T, op::add, X, Y>> ||
    (is_biased_product<X> && (is_var<Y> || TensorLike<Y>)) ||
    (is_biased_product<Y> && (is_var<X> || TensorLike<X>));

template <class T, class X>
  requires is_cut<Map<T, op::relu, X>>
struct HoistInside<Map<T, op::relu, X>> {
  static constexpr bool changes = HoistInside<X>::changes;
  using type = Map<T, op::relu, typename HoistInside<X>::type>;
  static type of(const Map<T, op::relu, X>& e) {
    return type(e.op(), HoistInside<X>::of(get<0>(e.args())));
  }
};
template <class T, class Trials, class X, class C>
  requires takes_relu<X>
struct HoistInside<
    Map<T, op::where, Trials, Map<T, op::mul, Map<T, op::relu, X>, Scalar<C>>, Scalar<C>>> {
  using Cut = Map<T, op::relu, X>;
  template <class Y>
  using Scaled = Map<T, op::mul, Y, Scalar<C>>;
  template <class Y>
  using Dropout = Map<T, op::where, Trials, Scaled<Y>, Scalar<C>>;
  /// Other statements of this form record the product as a part.
  static constexpr bool is_one = is_cut<Dropout<Cut>>;
  using Inside = std::conditional_t<is_one, HoistInside<Cut>, HoistOpaque<Cut>>;
  static constexpr bool changes = Inside::changes;
  using type = Dropout<typename Inside::type>;
  static type of(const Dropout<Cut>& e) {
    const auto& scaled = get<1>(e.args());
    return type(e.op(), Trials(get<0>(e.args())),
                Scaled<typename Inside::type>(scaled.op(), Inside::of(get<0>(scaled.args())),
                                              Scalar<C>(get<1>(scaled.args()))),
                Scalar<C>(get<2>(e.args())));
  }
};

}  // namespace weft::autograd
