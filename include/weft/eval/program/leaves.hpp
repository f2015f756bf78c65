// Leaves: the tensors in an expression, visited one by one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "weft/core/expression.hpp"
#include "weft/core/pack.hpp"
#include "weft/tensor/storage.hpp"

namespace weft::detail {

template <class F>
void for_each_leaf(const Pack<>&, const F&) {}
template <class Head, class... Tail, class F>
void for_each_leaf(const Pack<Head, Tail...>& args, const F& f);

/// f(tensor) for each tensor in the expression, from left to right. A node gives its operands as
/// args() or as operand(); one that has neither holds no tensors.
template <Expression E, class F>
void for_each_leaf(const E& e, const F& f) {
  if constexpr (is_tensor<E>) {
    f(e);
  } else if constexpr (requires { e.args(); }) {
    for_each_leaf(e.args(), f);
  } else if constexpr (requires { e.operand(); }) {
    for_each_leaf(e.operand(), f);
  }
}
template <class Head, class... Tail, class F>
void for_each_leaf(const Pack<Head, Tail...>& args, const F& f) {
  for_each_leaf(args.head, f);
  for_each_leaf(args.tail, f);
}

/// How many handles to a storage an expression holds.
template <Expression E>
long count_handles(const E& e, const Storage* storage) {
  long count = 0;
  for_each_leaf(e, [&](const auto& x) { count += x.storage() == storage ? 1 : 0; });
  return count;
}

}  // namespace weft::detail
