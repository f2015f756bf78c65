// The gradients of grid_sample: of its images and of its grid.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/conv/conv.hpp"
#include "weft/ops/conv/grid_sample.hpp"
#include "weft/ops/elementwise/cast.hpp"

namespace weft {

namespace autograd {

/// Each element gets the gradients of its reads; the coordinates get the slope between elements.
struct GridSampleRule {
  GridSampleOptions options;

  template <class G, class X, class S, class Xs, class Ss>
  void backward(const G& gradient, const G&, const Pack<Pull<X>, Pull<S>>& d, const Xs& images,
                const Ss& coordinates) const {
    using T = typename G::value_type;
    using C = compute_t<T>;
    namespace all = weft::detail;
    const auto w = sampling::plan<C>(images.shape(), coordinates.shape(), options);
    const G g = all::in_any_format(gradient);
    const bool last = is_channels_last(g);
    const G grid = coordinates.contiguous();
    if (d.head.wanted()) {
      const auto sums = all::allocate_format<C>(images.shape(), images.device(), last);
      sums.fill(C(0));
      constexpr bool on_gpu = is_cuda<typename G::device_type>;
      const bool by_planes = !on_gpu || options.deterministic;
      const sampling::ImageGradient<T> f{w, conv::Planes<const T>(g), grid.data(),
                                         conv::Planes<C>(sums), by_planes};
      conv::Volume v = on_gpu && !by_planes ? conv::volume_of(g) : conv::volume_of(sums);
      if (on_gpu && by_planes) v.size[0] = v.size[1] = v.size[2] = 1;
      if (g.size() > 0) {
        conv::visit("grid_sample", g.device(), v, f, {g.storage(), grid.storage()},
                    {sums.storage()});
      }
      if constexpr (std::is_same_v<C, T>) {
        give(d.head, G(sums));
      } else {
        give(d.head, G(cast<T>(sums)));
      }
    }
    const auto& to_grid = d.tail.head;
    if (!to_grid.wanted()) return;
    const G x = all::in_format(images, last);
    G out = all::Access::allocate<T>(grid.shape(), g.device());
    conv::Volume places = conv::volume_of(g);
    const auto channels = static_cast<int>(places.channels);
    places.channels = 1;
    const sampling::GridGradient<T> f{
        w, conv::Planes<const T>(x), conv::Planes<const T>(g), grid.data(), out.data(), channels};
    conv::visit("grid_sample", g.device(), places, f, {x.storage(), g.storage(), grid.storage()},
                {out.storage()});
    give(to_grid, static_cast<G&&>(out));
  }
};

}  // namespace autograd

namespace sampling {
template <class T, class D>
struct Recorded<Var<T, D>> {
  template <class X, class G>
  static Var<T, D> run(const GridSampleOptions& o, const X& x, const G& grid) {
    const Tensor<T, D> y = values<T, D>(o, autograd::without_vars(x), autograd::without_vars(grid));
    return autograd::computed("grid_sample", autograd::GridSampleRule{o}, y, x, grid);
  }
};
}  // namespace sampling

}  // namespace weft
