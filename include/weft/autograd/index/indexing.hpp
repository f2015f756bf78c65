// The gradients of gathers and scans: additions at the indices, sums from the other end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/backward.hpp"
#include "weft/eval/scatter.hpp"
#include "weft/ops/index/scatter.hpp"

namespace weft::autograd {

/// Each gathered element's gradient is added to the one it was read from.
template <class K, class E, class I>
  requires has_var<E>
struct Rule<Gather<K, E, I>> {
  using D = typename E::device_type;
  /// `gradient` is a tensor, or an expression that is fused into the kernel that adds it.
  template <class G>
  static void backward(const Gather<K, without_vars_t<E>, I>& e, Variable* const* edges,
                       const G& gradient) {
    pass_to<E>(e.operand(), edges, [&](const auto& sink) {
      using T = typename std::remove_cvref_t<decltype(sink.buffer)>::value_type;
      if (!sink.adds) sink.buffer.fill(compute_t<T>(0));
      if (gradient.size() == 0) return;
      const auto add_sums = [&](const Tensor<T, D>& copies) {
        const Reduce<reducer::sum, Tensor<T, D>> sums(
            reducer::sum{}, copies, broadcast_axes(sink.buffer.shape(), copies.shape()));
        const Tensor<T, D> summed = sums.eval().reshape(sink.buffer.shape());
        sink.buffer.assign(sink.buffer + summed);
      };
      if (sink.buffer.rank() == 0 && K::how != Indexing::whole) {
        return add_sums(Tensor<T, D>(cast<T>(gradient)));  // each element is this one
      }
      const auto add_to = [&](const Tensor<T, D>& target) {
        weft::detail::scatter_into<K::how, weft::detail::Update::add>(K::text, target, e.axis(),
                                                                      e.indices(), gradient);
      };
      Shape stretched = sink.buffer.shape();
      for (int i = 0; K::how == Indexing::along && i < stretched.rank(); ++i) {
        if (i != e.axis() && stretched[i] == 1) stretched[i] = e.shape()[i];
      }
      if (stretched == sink.buffer.shape()) return add_to(sink.buffer);
      // The operand was broadcast: its elements get the sums of their copies' gradients.
      const auto copies = zeros<T>(stretched, sink.buffer.device());
      add_to(copies);
      add_sums(copies);
    });
  }
};

/// Each element takes part in all later sums.
template <class E>
  requires has_var<E>
struct Rule<Scan<scanner::cumsum, E>> {
  using D = typename E::device_type;
  template <class G>
  static void backward(const Scan<scanner::cumsum, without_vars_t<E>>& e, Variable* const* edges,
                       const Tensor<G, D>& gradient) {
    pass_to<E>(e.args().head, edges, [&](const auto& sink) {
      using T = typename std::remove_cvref_t<decltype(sink.buffer)>::value_type;
      const Tensor<T, D> from_the_end =
          cumsum(cast<T>(Tensor<G, D>(gradient.flip(e.axis()))), axis(e.axis()));
      store(sink, from_the_end.flip(e.axis()));
    });
  }
};

}  // namespace weft::autograd
