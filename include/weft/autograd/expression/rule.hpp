// Rule<E>: how gradients pass through an expression, and where rules write them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/without_vars.hpp"
#include "weft/eval/assign.hpp"
#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/elementwise/cast.hpp"

namespace weft::autograd {

/// How gradients flow through an expression of type E that contains a Var; specialised for each
/// kind of node that is not element-wise:
///   static void backward(const plain_t<E>& e, Variable* const* edges,
///                        const Tensor<G, D>& gradient);
/// edges are the variables of its Vars, in order; `gradient` has e's shape.
template <class E>
struct Rule;

/// The gradients of an expression with reductions inside in one row program; in row_backward.hpp.
template <class E>
struct RowBackward;

/// Passes on the gradients of E in one row program; returns false, having done nothing, if there is
/// none. On the CPU element-wise loops are faster.
template <class E, class G, class D>
bool run_rows_backward([[maybe_unused]] const without_vars_t<E>& e,
                       [[maybe_unused]] Variable* const* edges,
                       [[maybe_unused]] const Tensor<G, D>& gradient) {
  if constexpr (is_cuda<weft::detail::loops_of<D>>) {
    if constexpr (RowBackward<E>::possible()) return RowBackward<E>::run(e, edges, gradient);
  }
  return false;
}

/// Whether one of the first n variables wants a gradient in this pass.
inline bool any_active(Variable* const* edges, int n) {
  for (int i = 0; i < n; ++i) {
    if (edges[i] != nullptr && edges[i]->active) return true;
  }
  return false;
}

/// Passes a gradient to an expression that was evaluated apart from what reads it: fill(Sink)
/// writes or adds it.
template <class E, class F>
void pass_to(const without_vars_t<E>& e, Variable* const* edges, const F& fill) {
  using D = typename E::device_type;
  if (!any_active(edges, var_count<E>)) return;
  if constexpr (is_var<E>) {
    fill(
        static_cast<VariableOf<typename E::value_type, D>*>(edges[0])->open(e.shape(), e.device()));
  } else {
    using C = compute_t<typename E::value_type>;
    D device{};
    weft::detail::for_each_leaf(e, [&](const auto& x) {
      if constexpr (std::is_same_v<decltype(x.device()), D>) device = x.device();
    });
    const Sink<C, D> sink{weft::detail::Access::allocate<C, D>(e.shape(), device)};
    fill(sink);
    Rule<E>::backward(e, edges, sink.buffer);
  }
}

/// Writes a gradient, a tensor or an expression, to its destination, or adds it there.
template <class T, class D, class E>
void store(const Sink<T, D>& sink, const E& gradient) {
  if (!sink.adds) {
    sink.buffer.assign(cast<T>(gradient));
  } else if constexpr (TensorLike<E> && std::is_same_v<typename E::value_type, T>) {
    sink.buffer.assign(sink.buffer + gradient);
  } else {  // evaluated first, by the kernel that the branch above needs anyway
    const Tensor<T, D> value = cast<T>(gradient);
    sink.buffer.assign(sink.buffer + value);
  }
}

}  // namespace weft::autograd
