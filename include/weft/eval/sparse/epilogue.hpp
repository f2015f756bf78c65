// Sparse products with an epilogue: relu(alpha * product + beta * addend) and the like in one loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/product/epilogue.hpp"
#include "weft/ops/sparse/product.hpp"

namespace weft::detail {

template <class V, class X>
struct Term<SparseProduct<V, X>> {
  using Node = SparseProduct<V, X>;
  using T = typename Node::value_type;
  static constexpr bool is_product = (is_floating<T> || is_complex<T>)&&!has_var<Node>;
  static constexpr bool is_addend = false;
  static const Node& node(const Node& e) { return e; }
  static auto factor(const Node&) { return compute_t<T>(1); }
};

template <class E>
inline constexpr bool is_sparse_product = false;
template <class V, class X>
inline constexpr bool is_sparse_product<SparseProduct<V, X>> = true;

/// Whether the product in E is a sparse one.
template <class E>
constexpr bool has_sparse_product() {
  if constexpr (EpilogueParts<E>::matches) {
    using Parts = EpilogueParts<E>;
    return is_sparse_product<
        std::remove_cvref_t<decltype(Parts::product(Parts::sum(std::declval<const E&>())))>>;
  } else {
    return false;
  }
}

/// In one loop where the target has the product's shape and no gaps, else the product and a pass.
template <class E>
  requires(has_sparse_product<E>())
struct Lowered<E, Route::product> {
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
    } else {
      Layout layout;
      for (int i = 0; i < operands[0].rank; ++i) {
        layout.shape.push_back(operands[0].size[i]);
        layout.strides.push_back(operands[0].stride[i]);
      }
      if (shape == product().shape() && layout.is_contiguous()) {
        operands[0].storage->share();
        const auto target = Access::make<Out, D>(StorageHandle(operands[0].storage),
                                                 reinterpret_cast<Out*>(operands[0].data), shape,
                                                 contiguous_strides(shape));
        return product().evaluate(target, epilogue());
      }
      using V = compute_t<T>;
      const auto value = Access::allocate<V, D>(product().shape(), device);
      product().evaluate(value);
      const auto rest = with_product(e, value);
      using Rest = std::remove_cvref_t<decltype(rest)>;
      using Types = typename Lowering<Rest>::types;
      OperandArray<count(Types{}) + 1> elements;
      const auto program = Lowering<Rest>::template lower<1>(rest, elements);
      elements[0] = operands[0];
      broadcast_operands(elements, count(Types{}) + 1, shape);
      Executor<loops_of<D>>::template for_each<Out, Types>(name_of<E>(), device, shape, elements,
                                                           program);
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
};

}  // namespace weft::detail
