// Products with an epilogue: one call of the library, or the product and one element-wise pass.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/assign.hpp"
#include "weft/eval/product/plan.hpp"
#include "weft/eval/program/overlap.hpp"

namespace weft::detail {

/// The expression with its product replaced by `value`.
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
auto with_product(const Map<T, Op, Args...>& e, const V& value) {
  const auto replace = [&](const auto& x) { return with_product(x, value); };
  return with_operands<Map<T, Op, decltype(replace(std::declval<const Args&>()))...>>(e, replace);
}

/// How explain() sees a product and its epilogue; in eval/inspect/dry_run.hpp.
template <class Out, class E, class D>
void explain_epilogue(const E& e, const Operand* operands, const Shape& shape, const D& dry);

/// What all products share: the operands of the product and its epilogue, the target's memory, and
/// the pass that applies the epilogue to a product computed before.
template <class E>
class ProductStatement {
 public:
  using Parts = EpilogueParts<E>;
  using T = typename E::value_type;
  static constexpr int n = leaf_count<E> + 1;
  const E& e;
  OperandArray<n> operands;

  explicit ProductStatement(const E& node) : e(node) {
    int i = 0;
    const auto add = [&](const auto& x) {
      check_current(x);
      operands[++i].set(x.data(), sizeof(*x.data()), x.shape(), x.strides(), x.storage());
    };
    for_each_leaf(product(), add);
    for (int k = 1; k <= i; ++k) operands[k].moved = true;
    if constexpr (Parts::has_bias) add(Parts::bias(Parts::sum(e)));
    if constexpr (Parts::has_addend) add(Parts::addend(Parts::sum(e)));
  }

 protected:
  const auto& product() const { return Parts::product(Parts::sum(e)); }

  auto epilogue() const {
    const auto& sum = Parts::sum(e);
    if constexpr (Parts::has_addend) {
      using A = std::remove_cvref_t<decltype(Parts::addend(sum))>;
      const A* bias = nullptr;
      if constexpr (Parts::has_bias) bias = &Parts::bias(sum);
      return Epilogue<T, typename A::device_type>{Parts::activation, Parts::alpha(sum),
                                                  Parts::beta(sum), &Parts::addend(sum), bias};
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

/// One call of the device's library if it supports the case. Otherwise the product, in the target's
/// own memory if it fits there, and one element-wise pass.
template <class E>
struct Lowered<E, Route::product> : ProductStatement<E> {
  using typename ProductStatement<E>::Parts;
  using typename ProductStatement<E>::T;
  using ProductStatement<E>::ProductStatement;
  using ProductStatement<E>::e;
  using ProductStatement<E>::n;
  using ProductStatement<E>::operands;
  using ProductStatement<E>::epilogue;
  using ProductStatement<E>::product;

  template <class Out, class D>
  void run(const Shape& shape, D device) {
    if constexpr (!Device<D>) {
      explain_epilogue<Out>(e, operands, shape, device);
    } else if constexpr (is_included<D>() && can_multiply<loops_of<D>>()) {
      const auto& x = value_on(product().left(), device);
      const auto& y = value_on(product().right(), device);
      using Library = Multiplier<loops_of<D>>;
      const bool whole = shape == product().shape() && this->is_contiguous();
      if (whole && product().depth() > 0 && Library::fuses(Parts::activation, dtype_of<T>)) {
        if (Library::multiply(product().text, x, y, this->template target<Out, D>(shape),
                              epilogue()))
          return;
      }
      using V = compute_t<T>;
      Tensor<V, D> value;
      if constexpr (std::is_same_v<Out, V>) {
        const bool read = (Parts::has_addend && overlap(operands[0], operands[n - 1])) ||
                          (Parts::has_bias && overlap(operands[0], operands[n - 2]));
        if (whole && !read) {
          value = this->template target<Out, D>(shape);
        }
      }
      if (value.storage() == nullptr) value = Access::allocate<V, D>(product().shape(), device);
      Library::multiply(product().text, x, y, value);
      this->template finish<Out>(with_product(e, value), shape, device);
    }
  }
};

}  // namespace weft::detail
