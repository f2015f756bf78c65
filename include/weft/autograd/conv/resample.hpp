// The gradient of interpolate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/conv/conv.hpp"
#include "weft/ops/conv/resample.hpp"

namespace weft {

namespace autograd {

/// Each place gets the gradients of its reads.
template <class C>
struct InterpolateRule {
  resampling::Window<C> window;

  template <class G, class X>
  void backward(const G& gradient, const G&, const Pack<Pull<X>>& d, const G& x) const {
    using T = typename G::value_type;
    const G g = weft::detail::in_any_format(gradient);
    G dx = weft::detail::allocate_format<T>(x.shape(), x.device(), is_channels_last(g));
    resampling::with_taps(window.kind, [&]<int K>() {
      const resampling::Gradient<T, K> f{window, conv::Planes<const T>(g), conv::Planes<T>(dx)};
      conv::visit("interpolate", x.device(), conv::volume_of(dx), f, {g.storage()}, {dx.storage()});
    });
    give(d.head, static_cast<G&&>(dx));
  }
};

}  // namespace autograd

namespace resampling {
template <class T, class D>
struct Recorded<Var<T, D>> {
  static Var<T, D> run(const Window<compute_t<T>>& w, const Var<T, D>& x) {
    const Tensor<T, D> y = values(w, x.value());
    return autograd::computed("interpolate", autograd::InterpolateRule<compute_t<T>>{w}, y, x);
  }
};
}  // namespace resampling

}  // namespace weft
