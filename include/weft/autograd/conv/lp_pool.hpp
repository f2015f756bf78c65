// The gradient of lp_pool.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/conv/conv.hpp"
#include "weft/ops/conv/lp_pool.hpp"

namespace weft {

namespace autograd {

/// Each element of a window gets its power's share of the norm.
struct LpPoolRule {
  const char* operation;
  pool::Powers powers;

  template <class G, class X>
  void backward(const G& gradient, const G& y, const Pack<Pull<X>>& d, const G& images) const {
    using T = typename G::value_type;
    const bool last = is_channels_last(y);
    const G g = weft::detail::in_format(gradient, last);
    const G x = weft::detail::in_format(images, last);
    G dx = weft::detail::allocate_format<T>(x.shape(), x.device(), last);
    const pool::NormGradient<T> f{powers.window,
                                  conv::Planes<const T>(x),
                                  conv::Planes<const T>(y),
                                  conv::Planes<const T>(g),
                                  conv::Planes<T>(dx),
                                  static_cast<compute_t<T>>(powers.p)};
    conv::visit(operation, x.device(), conv::volume_of(dx), f,
                {x.storage(), y.storage(), g.storage()}, {dx.storage()});
    give(d.head, static_cast<G&&>(dx));
  }
};

}  // namespace autograd

namespace pool {
template <class T, class D>
struct RecordedPower<Var<T, D>> {
  static Var<T, D> norms(const char* operation, const Powers& n, const Var<T, D>& x) {
    const Tensor<T, D> y = pool::norms(operation, n, x.value());
    return autograd::computed(operation, autograd::LpPoolRule{operation, n}, y, x);
  }
};
}  // namespace pool

}  // namespace weft
