// The gradients of gathers and scans: additions at the indices, sums from the other end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/backward.hpp"
#include "weft/eval/scatter.hpp"
#include "weft/ops/index/scatter.hpp"

namespace weft::autograd {

namespace detail {
/// Zeros of a shape for additions at indices along `axis`: of whole rows, to rows that begin at
/// multiples of four elements, since a GPU adds so many at a time.
template <Indexing How, class C, class D>
Tensor<C, D> zeros_for_additions(const Shape& shape, int axis, D device) {
  const int last = shape.rank() - 1;
  const bool rows = How == Indexing::instead && last > 0 && axis != last;
  if (!rows || shape[last] < 4) return zeros<C>(shape, device);
  Shape padded = shape;
  padded[last] = (shape[last] + 3) / 4 * 4;
  return zeros<C>(padded, device).narrow(last, 0, shape[last]);
}
}  // namespace detail

/// Each gathered element's gradient is added to the one it was read from; in 16 bits, where many
/// would soon no longer count beside their sum, to a number of 32 bits first.
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
      using C = compute_t<T>;
      const auto add_to = [&](const auto& target) {
        if (gradient.size() == 0) return;
        weft::detail::scatter_into<K::how, weft::detail::Update::add>(K::text, target, e.axis(),
                                                                      e.indices(), gradient);
      };
      const auto store_sum = [&](const auto& sums) {
        if (sink.adds) {
          sink.buffer.assign(cast<T>(cast<C>(sink.buffer) + sums));
        } else {
          sink.buffer.assign(cast<T>(sums));
        }
      };
      // An operand that was broadcast gets the sums of its copies' gradients.
      const auto store_sums = [&](const Tensor<C, D>& copies) {
        const Reduce<reducer::sum, Tensor<C, D>> sums(
            reducer::sum{}, copies, broadcast_axes(sink.buffer.shape(), copies.shape()));
        store_sum(Tensor<C, D>(sums.eval().reshape(sink.buffer.shape())));
      };
      if (sink.buffer.rank() == 0 && K::how != Indexing::whole) {
        return store_sums(Tensor<C, D>(cast<C>(gradient)));  // each element is this one
      }
      Shape stretched = sink.buffer.shape();
      for (int i = 0; K::how == Indexing::along && i < stretched.rank(); ++i) {
        if (i != e.axis() && stretched[i] == 1) stretched[i] = e.shape()[i];
      }
      const bool is_broadcast = !(stretched == sink.buffer.shape());
      if constexpr (std::is_same_v<T, C>) {
        if (!is_broadcast) {
          if (!sink.adds) sink.buffer.fill(C(0));
          return add_to(sink.buffer);
        }
      }
      const auto sums =
          detail::zeros_for_additions<K::how, C>(stretched, e.axis(), sink.buffer.device());
      add_to(sums);
      return is_broadcast ? store_sums(sums) : store_sum(sums);
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
