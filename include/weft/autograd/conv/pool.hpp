// The gradients of pooling.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/conv/conv.hpp"
#include "weft/ops/conv/pool.hpp"

namespace weft {

namespace autograd {

/// The place of each largest element gets the gradient.
template <class I, class D>
struct MaxPoolRule {
  const char* operation;
  pool::Window window;
  Tensor<I, D> indices;

  template <class G>
  G take_result(const G& gradient, const G&) const {
    return gradient;
  }
  template <class G, class X>
  void backward(const G& gradient, const Pack<Pull<X>>& d, const G& x) const {
    using T = typename G::value_type;
    const bool last = is_channels_last(indices);
    const G g = weft::detail::in_format(gradient, last);
    G dx = weft::detail::allocate_format<T>(x.shape(), x.device(), last);
    if constexpr (pool::has_kernels<D>()) {
      if (dx.size() > 0 && pool::KernelsOf<D>::gradient(operation, window, g, indices, dx)) {
        return give(d.head, static_cast<G&&>(dx));
      }
    }
    const pool::LargestGradient<T, I> f{window, conv::Planes<const T>(g),
                                        conv::Planes<const I>(indices), conv::Planes<T>(dx)};
    conv::visit(operation, x.device(), conv::volume_of(dx), f, {g.storage(), indices.storage()},
                {dx.storage()});
    give(d.head, static_cast<G&&>(dx));
  }
};

/// All places of a window get their share of the gradient.
struct AvgPoolRule {
  const char* operation;
  pool::Window window;

  template <class G>
  G take_result(const G& gradient, const G&) const {
    return gradient;
  }
  template <class G, class X>
  void backward(const G& gradient, const Pack<Pull<X>>& d, const G& x) const {
    using T = typename G::value_type;
    const G g = weft::detail::in_any_format(gradient);
    G dx = weft::detail::allocate_format<T>(x.shape(), x.device(), is_channels_last(g));
    using D = typename G::device_type;
    if constexpr (pool::has_average_kernels<D>()) {
      if (pool::AverageKernelsOf<D>::gradient(window, g, dx)) {
        return give(d.head, static_cast<G&&>(dx));
      }
    }
    const pool::AverageGradient<T> f{window, conv::Planes<const T>(g), conv::Planes<T>(dx)};
    conv::visit(operation, x.device(), conv::volume_of(dx), f, {g.storage()}, {dx.storage()});
    give(d.head, static_cast<G&&>(dx));
  }
};

}  // namespace autograd

namespace pool {
template <class T, class D>
struct Recorded<Var<T, D>> {
  template <class I>
  static Pooled<Var<T, D>, Tensor<I, D>> largest(const char* operation, const Window& w,
                                                 const Var<T, D>& x) {
    const bool places = std::is_same_v<I, int64_t> || (x.requires_grad() && is_grad_enabled());
    const auto found = pool::largest<I>(operation, w, x.value(), places);
    if (!places) return {Var<T, D>(found.values), found.indices};
    const autograd::MaxPoolRule<I, D> rule{operation, w, found.indices};
    return {autograd::computed(operation, rule, found.values, x), found.indices};
  }
  static Var<T, D> average(const char* operation, const Window& w, const Var<T, D>& x) {
    const Tensor<T, D> y = pool::average(operation, w, x.value());
    return autograd::computed(operation, autograd::AvgPoolRule{operation, w}, y, x);
  }
};
}  // namespace pool

}  // namespace weft
