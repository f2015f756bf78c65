// Epilogues: what stands around a matrix product and can be part of its call, found by type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/assign.hpp"
#include "weft/eval/product/plan.hpp"
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

/// alpha * product, or that plus or minus beta * addend.
template <class E>
struct TermSum {
  static constexpr bool matches = Term<E>::is_product;
  static constexpr bool has_addend = false;
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
  static constexpr int at = Term<X>::is_product ? 0 : 1;
  using P = std::conditional_t<at == 0, X, Y>;
  using A = std::conditional_t<at == 0, Y, X>;

  static const auto& product(const Node& e) { return Term<P>::node(get<at>(e.args())); }
  static const auto& addend(const Node& e) { return Term<A>::node(get<1 - at>(e.args())); }
  static auto alpha(const Node& e) { return sign<0>() * Term<P>::factor(get<at>(e.args())); }
  static auto beta(const Node& e) { return sign<1>() * Term<A>::factor(get<1 - at>(e.args())); }

 private:
  /// What a subtraction does to the product (0) and to the addend (1).
  template <int Part>
  static constexpr real_t<compute_t<T>> sign() {
    return std::is_same_v<Op, op::sub> && at != Part ? -1 : 1;
  }
};

/// A sum of terms, or a function of one that libraries have: E's parts as an Epilogue.
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

/// Whether an expression is a product and what may go into its call, but not the product alone.
template <class E>
inline constexpr bool is_epilogue = EpilogueParts<E>::matches && !Opaque<E>;

/// E with `value` in the place of its product.
template <class V, class T>
Scalar<T> with_product(const Scalar<T>& e, const V&) {
  return e;
}
template <class V, class T, class D>
Tensor<T, D> with_product(const Tensor<T, D>& e, const V&) {
  return e;
}
template <class V, class K, class A, class B>
V with_product(const Product<K, A, B>&, const V& value) {
  return value;
}
template <class V, class T, class Op, class... Args>
auto with_product(const Map<T, Op, Args...>& e, const V& value);
template <class V, class T, class Op, class... Args, std::size_t... I>
auto with_product(const Map<T, Op, Args...>& e, const V& value, std::index_sequence<I...>) {
  return Map<T, Op, decltype(with_product(get<I>(e.args()), value))...>(
      e.op(), with_product(get<I>(e.args()), value)...);
}
template <class V, class T, class Op, class... Args>
auto with_product(const Map<T, Op, Args...>& e, const V& value) {
  return with_product(e, value, std::index_sequence_for<Args...>{});
}

/// How explain() sees a product and its epilogue; in eval/inspect/dry_run.hpp.
template <class Out, class E, class D>
void explain_epilogue(const E& e, const Operand* operands, const Shape& shape, const D& dry);

/// One call of the device's library where it takes the case; else the product, in the target's own
/// memory where that holds it, and one element-wise pass.
template <class E>
  requires is_epilogue<E>
struct Lowered<E> {
  using Parts = EpilogueParts<E>;
  using T = typename E::value_type;
  static constexpr int n = leaf_count<E> + 1;
  const E& e;
  OperandArray<n> operands;

  explicit Lowered(const E& node) : e(node) {
    int i = 0;
    const auto add = [&](const auto& x) {
      check_current(x);
      operands[++i].set(x.data(), sizeof(*x.data()), x.shape(), x.strides(), x.storage());
    };
    for_each_leaf(product(), add);
    for (int k = 1; k <= i; ++k) operands[k].moved = true;
    if constexpr (Parts::has_addend) add(Parts::addend(Parts::sum(e)));
  }

  template <class Out, class D>
  void run(const Shape& shape, D device) {
    if constexpr (!Device<D>) {
      explain_epilogue<Out>(e, operands, shape, device);
    } else if constexpr (is_included<D>() && can_multiply<loops_of<D>>()) {
      const auto& x = value_on(product().left(), device);
      const auto& y = value_on(product().right(), device);
      using Library = Multiplier<loops_of<D>>;
      const bool whole = shape == product().shape() && is_contiguous();
      if (whole && product().depth() > 0 && Library::fuses(Parts::activation, dtype_of<T>)) {
        if (Library::multiply(product().text, x, y, target<Out, D>(shape), epilogue())) return;
      }
      using V = compute_t<T>;
      Tensor<V, D> value;
      if constexpr (std::is_same_v<Out, V>) {
        if (whole && !(Parts::has_addend && overlap(operands[0], operands[n - 1]))) {
          value = target<Out, D>(shape);
        }
      }
      if (value.storage() == nullptr) value = Access::allocate<V, D>(product().shape(), device);
      Library::multiply(product().text, x, y, value);
      finish<Out>(with_product(e, value), shape, device);
    }
  }

 private:
  const auto& product() const { return Parts::product(Parts::sum(e)); }

  auto epilogue() const {
    const auto& sum = Parts::sum(e);
    if constexpr (Parts::has_addend) {
      using A = std::remove_cvref_t<decltype(Parts::addend(sum))>;
      return Epilogue<T, typename A::device_type>{Parts::activation, Parts::alpha(sum),
                                                  Parts::beta(sum), &Parts::addend(sum)};
    } else {
      return Epilogue<T, typename E::device_type>{Parts::activation, Parts::alpha(sum)};
    }
  }

  bool is_contiguous() const {
    Layout layout;
    for (int i = 0; i < operands[0].rank; ++i) {
      layout.shape.push_back(operands[0].size[i]);
      layout.strides.push_back(operands[0].stride[i]);
    }
    return layout.is_contiguous();
  }

  template <class Out, class D>
  Tensor<Out, D> target(const Shape& shape) const {
    Storage* const storage = operands[0].storage;
    __atomic_fetch_add(&storage->owners, 1L, __ATOMIC_RELAXED);
    return Access::make<Out, D>(StorageHandle(storage), reinterpret_cast<Out*>(operands[0].data),
                                shape, contiguous_strides(shape));
  }

  template <class Out, class D, class Rest>
  void finish(const Rest& rest, const Shape& shape, D device) {
    using Types = typename Lowering<Rest>::types;
    OperandArray<count(Types{}) + 1> elements;
    const auto program = Lowering<Rest>::template lower<1>(rest, elements);
    elements[0] = operands[0];
    broadcast_operands(elements, count(Types{}) + 1, shape);
    Executor<loops_of<D>>::template for_each<Out, Types>(name_of<E>(), device, shape, elements,
                                                         program);
  }
};

}  // namespace weft::detail
