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
struct Lowered<E, Route::product> : ProductStatement<E> {
  using typename ProductStatement<E>::T;
  using ProductStatement<E>::ProductStatement;
  using ProductStatement<E>::e;
  using ProductStatement<E>::operands;
  using ProductStatement<E>::epilogue;
  using ProductStatement<E>::product;

  template <class Out, class D>
  void run(const Shape& shape, D device) {
    if constexpr (!Device<D>) {
      explain_epilogue<Out>(e, operands, shape, device);
    } else if (shape == product().shape() && this->is_contiguous()) {
      product().evaluate(this->template target<Out, D>(shape), epilogue());
    } else {
      const auto value = Access::allocate<compute_t<T>, D>(product().shape(), device);
      product().evaluate(value);
      this->template finish<Out>(with_product(e, value), shape, device);
    }
  }
};

}  // namespace weft::detail
