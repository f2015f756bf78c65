// Epilogues by type: what surrounds a matrix product and can be part of its library call.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/elementwise/unary.hpp"
#include "weft/ops/linalg/matmul.hpp"

namespace weft::detail {

/// A product or a tensor, perhaps times a number.
template <class E>
struct Term {
  static constexpr bool is_product = false;
  static constexpr bool is_addend = false;
};
template <class K, class A, class B>
struct Term<Product<K, A, B>> {
  using Node = Product<K, A, B>;
  static constexpr bool is_product =
      (is_floating<typename Node::value_type> && !is_dual<typename Node::value_type>) ||
      is_complex<typename Node::value_type>;
  static constexpr bool is_addend = false;
  static const Node& node(const Node& e) { return e; }
  static auto factor(const Node&) { return compute_t<typename Node::value_type>(1); }
};
template <class T, class D>
struct Term<Tensor<T, D>> {
  using Node = Tensor<T, D>;
  static constexpr bool is_product = false;
  static constexpr bool is_addend = true;
  static const Node& node(const Node& e) { return e; }
  static auto factor(const Node&) { return compute_t<T>(1); }
};
template <class T, class C, class X>
struct Term<Map<T, op::mul, Scalar<C>, X>> {
  static constexpr bool is_product = Term<X>::is_product;
  static constexpr bool is_addend = Term<X>::is_addend;
  static const auto& node(const Map<T, op::mul, Scalar<C>, X>& e) {
    return Term<X>::node(get<1>(e.args()));
  }
  static auto factor(const Map<T, op::mul, Scalar<C>, X>& e) {
    return get<0>(e.args()).value * Term<X>::factor(get<1>(e.args()));
  }
};
template <class T, class C, class X>
struct Term<Map<T, op::mul, X, Scalar<C>>> {
  static constexpr bool is_product = Term<X>::is_product;
  static constexpr bool is_addend = Term<X>::is_addend;
  static const auto& node(const Map<T, op::mul, X, Scalar<C>>& e) {
    return Term<X>::node(get<0>(e.args()));
  }
  static auto factor(const Map<T, op::mul, X, Scalar<C>>& e) {
    return get<1>(e.args()).value * Term<X>::factor(get<0>(e.args()));
  }
};

/// product + tensor, as in linear(x, weight, bias), plus optionally another tensor of the type.
template <class E>
struct BiasedProduct {
  template <class X>
  static constexpr bool takes = false;
};
template <class T, class K, class A, class B, class D>
  requires(Term<Product<K, A, B>>::is_product)
struct BiasedProduct<Map<T, op::add, Product<K, A, B>, Tensor<T, D>>> {
  template <class X>
  static constexpr bool takes = std::is_same_v<X, Tensor<T, D>>;
};

/// alpha * product, that plus or minus beta * addend, or product + bias + addend.
template <class E>
struct TermSum {
  static constexpr bool matches = Term<E>::is_product;
  static constexpr bool has_addend = false;
  static constexpr bool has_bias = false;
  static const auto& product(const E& e) { return Term<E>::node(e); }
  static auto alpha(const E& e) { return Term<E>::factor(e); }
};
template <class T, class Op, class X, class Y>
  requires((std::is_same_v<Op, op::add> ||
            std::is_same_v<Op, op::sub>)&&((Term<X>::is_product && Term<Y>::is_addend) ||
                                           (Term<X>::is_addend && Term<Y>::is_product)))
struct TermSum<Map<T, Op, X, Y>> {
  using Node = Map<T, Op, X, Y>;
  static constexpr bool matches = true;
  static constexpr bool has_addend = true;
  static constexpr bool has_bias = false;
  static constexpr int at = Term<X>::is_product ? 0 : 1;
  using P = std::conditional_t<at == 0, X, Y>;
  using A = std::conditional_t<at == 0, Y, X>;

  static const auto& product(const Node& e) { return Term<P>::node(get<at>(e.args())); }
  static const auto& addend(const Node& e) { return Term<A>::node(get<1 - at>(e.args())); }
  static auto alpha(const Node& e) { return sign<0>() * Term<P>::factor(get<at>(e.args())); }
  static auto beta(const Node& e) { return sign<1>() * Term<A>::factor(get<1 - at>(e.args())); }

 private:
  /// The sign that a subtraction gives the product (0) and the addend (1).
  template <int Part>
  static constexpr real_t<compute_t<T>> sign() {
    return std::is_same_v<Op, op::sub> && at != Part ? -1 : 1;
  }
};

template <class T, class X, class Y>
  requires(BiasedProduct<X>::template takes<Y> || BiasedProduct<Y>::template takes<X>)
struct TermSum<Map<T, op::add, X, Y>> {
  using Node = Map<T, op::add, X, Y>;
  static constexpr bool matches = true;
  static constexpr bool has_addend = true;
  static constexpr bool has_bias = true;
  static constexpr int at = BiasedProduct<X>::template takes<Y> ? 0 : 1;

  static const auto& product(const Node& e) { return get<0>(get<at>(e.args()).args()); }
  static const auto& bias(const Node& e) { return get<1>(get<at>(e.args()).args()); }
  static const auto& addend(const Node& e) { return get<1 - at>(e.args()); }
  static auto alpha(const Node&) { return compute_t<T>(1); }
  static auto beta(const Node&) { return compute_t<T>(1); }
};

/// The parts of E as an Epilogue: a sum of terms, or a library's activation of one.
template <class E>
struct EpilogueParts : TermSum<E> {
  static constexpr Activation activation = Activation::identity;
  static const E& sum(const E& e) { return e; }
};
template <class T, class Op, class E>
  requires(std::is_same_v<Op, op::relu> || std::is_same_v<Op, op::gelu_tanh>)
struct EpilogueParts<Map<T, Op, E>> : TermSum<E> {
  static constexpr Activation activation =
      std::is_same_v<Op, op::relu> ? Activation::relu : Activation::gelu_tanh;
  static const E& sum(const Map<T, Op, E>& e) { return get<0>(e.args()); }
};

}  // namespace weft::detail
