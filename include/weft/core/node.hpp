// Node: the concept of an expression node; OpaqueNode: that of a node that evaluates itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/expression.hpp"
#include "weft/core/shape.hpp"

namespace weft {

/// An inner node of an expression (docs/07_architecture.md, "Nodes"). It names its operation, knows
/// its shape, and gives its operands as `args()`, a Pack, or as `operand()`. Leaves, gradients and
/// names of expressions are found only through these.
template <class E>
concept Node = Expression<E> && requires(const E& e) {
  { E::text } -> std::convertible_to<const char*>;
  { e.shape() } -> std::convertible_to<const Shape&>;
} &&(
    requires(const E& e) { e.args(); } || requires(const E& e) { e.operand(); });

/// A node that no element-wise kernel computes. It says so, and
///   template <class T, class D> void evaluate(const Tensor<T, D>& target) const;
/// writes its value into `target`, which is contiguous, has its shape, and overlaps none of its
/// leaves. T is value_type; inside a larger expression it is opaque_type where the node has one.
template <class E>
concept OpaqueNode = Node<E> && requires {
  requires E::is_opaque;
};

}  // namespace weft
