// batch_norm: channels with mean 0 and variance 1 over a batch, and the gradient in closed form.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/conv/conv.hpp"
#include "weft/eval/fuse.hpp"
#include "weft/ops/conv/batch_norm_kernels.hpp"
#include "weft/ops/elementwise/ternary.hpp"

namespace weft {

namespace autograd {

/// The statistics of a batch, one number per channel as (1, channel, 1, ...).
template <class C, class D>
struct BatchStatistics {
  Tensor<C, D> mean;
  Tensor<C, D> variance;  // biased
  bool tracked = false;   // whether `running` has been updated
};

namespace detail {
/// All axes but the channels'.
inline Axes around_channels(int rank) {
  Axes axes = axis(0);
  for (int i = 2; i < rank; ++i) axes.push_back(i);
  return axes;
}
/// A shape that broadcasts one number per channel with images of some rank.
inline Shape beside_images(int64_t channels, int rank) {
  Shape out{channels};
  for (int i = 2; i < rank; ++i) out.push_back(1);
  return out;
}
template <class D>
using BatchKernels = BatchNormKernels<std::conditional_t<is_cuda<D>, Cuda, D>>;
/// Whether the device has kernels for elements of type T: on a CPU those of floats and doubles.
template <class T, class D>
constexpr bool has_batch_kernels() {
  if constexpr (requires { sizeof(BatchKernels<D>); }) {
    if constexpr (requires { BatchKernels<D>::template takes<T>; }) {
      return BatchKernels<D>::template takes<T>;
    } else {
      return true;
    }
  } else {
    return false;
  }
}
template <class T, class D>
struct TwoTensors {
  Tensor<T, D> first;
  Tensor<T, D> second;
};
/// The values of two expressions with one number per channel, on a GPU by one kernel, since
/// launches dominate. Not for reductions over the batch: a pass over two of them takes as long as
/// two passes.
template <class T, class D, class A, class B>
TwoTensors<T, D> values_of(const A& a, const B& b) {
  if constexpr (is_cuda<D>) {
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
  bool adds;

  template <class G>
  G take_result(const G& gradient, const G& y) const {
    return adds ? shown_gradient(gradient, y) : gradient;  // else x says what is shown
  }

  template <class G, class X, class W, class B, class... Rs, class... Ts>
  void backward(const G& g, const Pack<Pull<X>, Pull<W>, Pull<B>, Pull<Rs>...>& d, const G& x,
                const G&, const G& b, const Ts&...) const {
    const Shape beside = detail::beside_images(x.shape()[1], x.rank());
    const auto centred = cast<C>(x) - centre;
    if constexpr (sizeof...(Rs) > 0) {
      pass(cast<C>(g), centred, d, x);
      give(d.tail.tail.tail.head, G(g));
      return;
    }
    if (relu) {
      const auto shown = centred * factor + cast<C>(b.reshape(beside));
      pass(where(shown > C(0), cast<C>(g), C(0)), centred, d, x);
    } else {
      pass(cast<C>(g), centred, d, x);
    }
  }

 private:
  template <class U, class H, class Pulls, class G>
  void pass(const U& u, const H& centred, const Pulls& d, const G& x) const {
    using T = typename G::value_type;
    const int64_t channels = x.shape()[1];
    const Axes axes = detail::around_channels(x.rank());
    const Tensor<C, D> total = sum(u, axes, keepdims);
    const Tensor<C, D> along = sum(u * centred, axes, keepdims);
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

/// The same with a device's own kernels for the sums.
template <class C, class D>
struct BatchNormKernelRule {
  BatchNumbers<C, D> numbers;
  bool relu;
  bool adds;

  template <class G>
  G take_result(const G& gradient, const G& y) const {
    return adds ? shown_gradient(gradient, y) : gradient;  // else x says what is shown
  }

  template <class G, class X, class W, class B, class... Rs, class... Ts>
  void backward(const G& g, const Pack<Pull<X>, Pull<W>, Pull<B>, Pull<Rs>...>& d, const G& x,
                const G& w, const G& b, const Ts&...) const {
    using T = typename G::value_type;
    const bool hides = relu && !adds;
    const G images = weft::detail::in_any_format(x);
    G upstream = weft::detail::in_format(g, is_channels_last(images));
    const G bias = weft::detail::in_format(b, false);
    const auto weight_place = own_place(d.tail.head, w);
    const auto bias_place = own_place(d.tail.tail.head, b);
    auto sums = detail::BatchKernels<D>::template gradients<T>(
        images, upstream, numbers, bias, hides, weight_place ? &*weight_place : nullptr,
        bias_place ? &*bias_place : nullptr);
    if (d.head.wanted()) {
      give(d.head, detail::BatchKernels<D>::template images<T>(images, upstream, numbers, sums,
                                                               bias, hides));
    }
    if (!weight_place) give(d.tail.head, static_cast<G&&>(sums.weight));
    if (!bias_place) give(d.tail.tail.head, static_cast<G&&>(sums.bias));
    if constexpr (sizeof...(Rs) > 0) {
      give(d.tail.tail.tail.head, static_cast<G&&>(upstream));
    }
  }
};

/// x (batch, channel, ...) with each channel's mean and variance over the batch taken out, times
/// weight (channel,), plus bias (channel,); with `relu` no less than 0, also plus `added` of the
/// shape of x if there is one, all in the same pass. `statistics` gets what was taken out; where a
/// device has kernels for it, they update `running` too. The format of x is kept.
template <class T, class D>
Var<T, D> batch_norm(const Var<T, D>& x, const Var<T, D>& weight, const Var<T, D>& bias,
                     double epsilon, bool relu, BatchStatistics<compute_t<T>, D>& statistics,
                     const Var<T, D>* added = nullptr,
                     [[maybe_unused]] const BatchRunning<T, D>* running = nullptr) {
  using C = compute_t<T>;
  const Tensor<T, D>& value = x.value();
  const Shape beside = detail::beside_images(x.shape()[1], x.rank());
  const auto computed_by = [&](const Tensor<T, D>& images, const auto& centre, const auto& factor,
                               const auto& rule) {
    const auto shown = (cast<C>(images) - centre) * factor + cast<C>(bias.value().reshape(beside));
    if (added != nullptr) {
      const Tensor<T, D> y = cast<T>(weft::relu(shown + cast<C>(added->value())));
      return computed("batch_norm", rule, y, x, weight, bias, *added);
    }
    const Tensor<T, D> y =
        relu ? Tensor<T, D>(cast<T>(weft::relu(shown))) : Tensor<T, D>(cast<T>(shown));
    return computed("batch_norm", rule, y, x, weight, bias);
  };
  if constexpr (detail::has_batch_kernels<T, D>()) {
    const Tensor<T, D> images = weft::detail::in_any_format(value);
    const auto numbers = detail::BatchKernels<D>::template statistics<T>(
        images, weft::detail::in_format(weight.value(), false), epsilon, running);
    Shape kept = beside;
    kept.insert(0, 1);
    statistics = {numbers.mean.reshape(kept), numbers.variance.reshape(kept), running != nullptr};
    const BatchNormKernelRule<C, D> rule{numbers, relu, added != nullptr};
    if constexpr (is_cuda<D>) {
      return computed_by(images, numbers.mean.reshape(beside), numbers.factor.reshape(beside),
                         rule);
    } else {
      using Kernels = detail::BatchKernels<D>;
      const Tensor<T, D> shift = weft::detail::in_format(bias.value(), false);
      if (added == nullptr) {
        const auto y = Kernels::template results<T, D>(images, numbers, shift, relu, nullptr);
        return computed("batch_norm", rule, y, x, weight, bias);
      }
      const Tensor<T, D> more = weft::detail::in_format(added->value(), is_channels_last(images));
      const auto y = Kernels::template results<T, D>(images, numbers, shift, true, &more);
      return computed("batch_norm", rule, y, x, weight, bias, *added);
    }
  } else {
    const Axes axes = detail::around_channels(x.rank());
    const Tensor<C, D> centre = mean(cast<C>(value), axes, keepdims);
    const Tensor<C, D> variance = var(cast<C>(value), axes, keepdims, correction(0));
    statistics = {centre, variance};
    const auto root = rsqrt(variance + static_cast<C>(epsilon));
    const auto [scale, factor] =
        detail::values_of<C, D>(root, root * cast<C>(weight.value().reshape(beside)));
    const BatchNormRule<C, D> rule{centre, scale, factor, relu, added != nullptr};
    return computed_by(value, centre, factor, rule);
  }
}

}  // namespace autograd
}  // namespace weft
