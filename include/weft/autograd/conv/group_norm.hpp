// group_norm: groups of an image's channels with mean 0 and variance 1, and its gradient.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/rows/compose.hpp"
#include "weft/autograd/shape/movement.hpp"

namespace weft {

namespace autograd {

/// The elements of one image's channel.
inline int64_t places_of(const Shape& images) {
  int64_t n = 1;
  for (int i = 2; i < images.rank(); ++i) n *= images[i];
  return n;
}

/// With h = (x - mean) * scale and u the gradient of h, that of x is
/// scale * (u - mean(u) - h * mean(u h)), with means over the group (Wu and He 2018). One pass
/// gives the sums of each channel, of which all other sums are made, another one the gradient.
template <class C, class D>
struct GroupNormRule {
  Tensor<C, D> centre;  // (batch, group, 1, 1)
  Tensor<C, D> scale;   // (batch, group, 1, 1)
  Tensor<C, D> factor;  // scale times weight, (batch, group, channel, 1)

  template <class G, class X, class... Ws, class... Ts>
  void backward(const G& g, const G&, const Pack<Pull<X>, Pull<Ws>...>& d, const G& x,
                const Ts&...) const {
    using T = typename G::value_type;
    const auto centred = cast<C>(x) - centre;
    const auto sums =
        rows_of(sum(cast<C>(g), axis(-1), keepdims), sum(cast<C>(g) * centred, axis(-1), keepdims));
    const Tensor<C, D> total = sums.head;
    const Tensor<C, D> along = sums.tail.head;
    if (d.head.wanted()) {
      const C share = C(1) / static_cast<C>(x.shape()[2] * x.shape()[3]);
      const Tensor<C, D> slope = sum(along * factor, axis(2), keepdims) * square(scale) * share;
      const Tensor<C, D> shift = sum(total * factor, axis(2), keepdims) * share;
      d.head(cast<T>(cast<C>(g) * factor - centred * slope - shift));
    }
    if constexpr (sizeof...(Ws) > 0) {
      const Shape channels{x.shape()[1] * x.shape()[2]};
      const auto& to_weight = d.tail.head;
      const auto& to_bias = d.tail.tail.head;
      if (to_weight.wanted()) {
        to_weight(cast<T>(sum(along * scale, axis(0)).eval().reshape(channels)));
      }
      if (to_bias.wanted()) to_bias(cast<T>(sum(total, axis(0)).eval().reshape(channels)));
    }
  }
};

/// x of shape (batch, channels, ...), whose channels are in `groups` parts, each part of each image
/// with mean 0 and variance 1; then times the weight and plus the bias, of shape (channels,), if
/// there are any.
template <class T, class D, class... Ws>
Var<T, D> group_norm(const Var<T, D>& images, int64_t groups, double epsilon,
                     const Ws&... parameters) {
  using C = compute_t<T>;
  const int64_t channels = images.size(1) / groups;
  const Var<T, D> x = images.reshape({images.size(0), groups, channels, places_of(images.shape())});
  const Tensor<T, D> plain = without_vars(x);
  const auto mean_of_group = mean(cast<C>(plain), axis(2, 3), keepdims);
  const auto statistics = rows_of(
      mean_of_group, rsqrt(mean(square(cast<C>(plain) - mean_of_group), axis(2, 3), keepdims) +
                           static_cast<C>(epsilon)));
  const Tensor<C, D> centre = statistics.head;
  const Tensor<C, D> scale = statistics.tail.head;
  const auto centred = cast<C>(plain) - centre;
  if constexpr (sizeof...(Ws) == 0) {
    const Tensor<T, D> y = cast<T>(centred * scale);
    const Var<T, D> out = computed("group_norm", GroupNormRule<C, D>{centre, scale, scale}, y, x);
    return out.reshape(images.shape());
  } else {
    const auto beside = [&](const auto& parameter) {
      return cast<C>(without_vars(parameter).reshape({groups, channels, 1}));
    };
    const auto both = make_pack(parameters...);
    const Tensor<C, D> factor = scale * beside(both.head);
    const Tensor<T, D> y = cast<T>(centred * factor + beside(both.tail.head));
    const Var<T, D> out = computed("group_norm", GroupNormRule<C, D>{centre, scale, factor}, y, x,
                                   both.head, both.tail.head);
    return out.reshape(images.shape());
  }
}

}  // namespace autograd
}  // namespace weft
