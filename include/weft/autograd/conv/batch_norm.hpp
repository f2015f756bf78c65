// batch_norm: channels with mean 0 and variance 1 over a batch, and the gradient in closed form.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/conv/conv.hpp"
#include "weft/eval/fuse.hpp"
#include "weft/ops/elementwise/ternary.hpp"

namespace weft {

namespace autograd {

/// What batch_norm has found of a batch, one number a channel as (1, channel, 1, ...).
template <class C, class D>
struct BatchStatistics {
  Tensor<C, D> mean;
  Tensor<C, D> variance;  // biased
};

namespace detail {
/// All axes but the channels'.
inline Axes around_channels(int rank) {
  Axes axes = axis(0);
  for (int i = 2; i < rank; ++i) axes.push_back(i);
  return axes;
}
/// A shape that puts one number a channel beside images of some rank.
inline Shape beside_images(int64_t channels, int rank) {
  Shape out{channels};
  for (int i = 2; i < rank; ++i) out.push_back(1);
  return out;
}
/// Whether two reductions over one batch run in one pass: on a GPU what they read twice costs more
/// than a loop that is made for one of them saves; on a CPU it is the other way round.
template <class D>
inline constexpr bool reduces_together = is_cuda<D>;

template <class T, class D>
struct TwoTensors {
  Tensor<T, D> first;
  Tensor<T, D> second;
};
/// The values of two expressions of one shape.
template <class T, class D, class A, class B>
TwoTensors<T, D> values_of(const A& a, const B& b) {
  if constexpr (reduces_together<D>) {
    const auto [first, second] = fuse(a, b);
    return {first, second};
  } else {
    return {Tensor<T, D>(a), Tensor<T, D>(b)};
  }
}
}  // namespace detail

/// With h = (x - mean) * scale and u the gradient of h's multiple, it is
/// weight * scale * (u - mean(u) - h * mean(u h)) (Ioffe and Szegedy 2015).
template <class C, class D>
struct BatchNormRule {
  Tensor<C, D> centre;  // (1, channel, 1, ...), as the next
  Tensor<C, D> scale;
  Tensor<C, D> factor;  // scale times weight
  bool relu;

  template <class G, class X, class W, class B>
  void backward(const G& g, const G&, const Pack<Pull<X>, Pull<W>, Pull<B>>& d, const G& x,
                const G&, const G& b) const {
    const Shape beside = detail::beside_images(x.shape()[1], x.rank());
    const auto centred = cast<C>(x) - centre;
    if (relu) {
      const auto shown = centred * factor + cast<C>(b.reshape(beside));
      pass(where(shown > C(0), cast<C>(g), C(0)), centred, d, x);
    } else {
      pass(cast<C>(g), centred, d, x);
    }
  }

 private:
  template <class U, class H, class X, class W, class B, class G>
  void pass(const U& u, const H& centred, const Pack<Pull<X>, Pull<W>, Pull<B>>& d,
            const G& x) const {
    using T = typename G::value_type;
    const int64_t channels = x.shape()[1];
    const Axes axes = detail::around_channels(x.rank());
    const auto [total, along] =
        detail::values_of<C, D>(sum(u, axes, keepdims), sum(u * centred, axes, keepdims));
    if (d.head.wanted()) {
      const C share = C(1) / static_cast<C>(x.size() / channels);
      const auto [slope, shift] =
          detail::values_of<C, D>(square(scale) * along * share, total * share);
      give(d.head, Tensor<T, D>(cast<T>(factor * (u - shift - centred * slope))));
    }
    const auto& to_weight = d.tail.head;
    const auto& to_bias = d.tail.tail.head;
    if (to_weight.wanted()) to_weight(cast<T>((along * scale).eval().reshape({channels})));
    if (to_bias.wanted()) to_bias(cast<T>(total.reshape({channels})));
  }
};

/// x (batch, channel, ...) with each channel's mean and variance over the batch taken out, times
/// weight (channel,), plus bias (channel,); with `relu` no less than 0, in the same pass.
/// `statistics` gets what was taken out. The format of x is kept.
template <class T, class D>
Var<T, D> batch_norm(const Var<T, D>& x, const Var<T, D>& weight, const Var<T, D>& bias,
                     double epsilon, bool relu, BatchStatistics<compute_t<T>, D>& statistics) {
  using C = compute_t<T>;
  const Tensor<T, D>& value = x.value();
  const Axes axes = detail::around_channels(x.rank());
  const Shape beside = detail::beside_images(x.shape()[1], x.rank());
  const auto [centre, variance] = detail::values_of<C, D>(
      mean(cast<C>(value), axes, keepdims), var(cast<C>(value), axes, keepdims, correction(0)));
  statistics = {centre, variance};
  const auto root = rsqrt(variance + static_cast<C>(epsilon));
  const auto [scale, factor] =
      detail::values_of<C, D>(root, root * cast<C>(weight.value().reshape(beside)));
  const auto shown = (cast<C>(value) - centre) * factor + cast<C>(bias.value().reshape(beside));
  Tensor<T, D> y;
  if (relu) {
    y = cast<T>(weft::relu(shown));
  } else {
    y = cast<T>(shown);
  }
  const BatchNormRule<C, D> rule{centre, scale, factor, relu};
  return computed("batch_norm", rule, y, x, weight, bias);
}

}  // namespace autograd
}  // namespace weft
