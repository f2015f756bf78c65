// The gradients of convolutions: of their images, weights and biases.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/function.hpp"
#include "weft/autograd/shape/movement.hpp"
#include "weft/ops/conv/conv.hpp"
#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft {

namespace autograd {

/// Passes on a gradient that has no other owner: it becomes the argument's if that has none yet.
template <class E, class T, class D>
void give(const Pull<E>& pull, Tensor<T, D>&& gradient) {
  if (!pull.wanted()) return;
  if constexpr (is_var<E>) {
    static_cast<VariableOf<T, D>*>(pull.edges()[0])->give(static_cast<Tensor<T, D>&&>(gradient));
  } else {
    pull(gradient);
  }
}

/// Where a gradient can be computed directly: the arena memory of a leaf's gradient, if this is the
/// first contribution of the pass; it then counts as written.
template <class E, class T, class D>
std::optional<Tensor<T, D>> own_place(const Pull<E>& pull, const Tensor<T, D>& leaf) {
  if constexpr (is_var<E>) {
    if (pull.wanted()) {
      auto& variable = *static_cast<VariableOf<T, D>*>(pull.edges()[0]);
      if (variable.is_direct() && variable.place && !variable.has_gradient) {
        return variable.open(leaf.shape(), leaf.device()).buffer;
      }
    }
  }
  return {};
}

/// The gradient of relu's argument, given the gradient of y = relu(...): in the gradient's own
/// memory if only the running pass holds it, for its variable and for the node.
template <class G>
G shown_gradient(const G& gradient, const G& y) {
  using C = compute_t<typename G::value_type>;
  const bool dense = gradient.is_contiguous() || is_channels_last(gradient);
  const bool alone = dense && weft::detail::Access::storage(gradient).owners() == 2;
  const G out = alone ? gradient
                      : weft::detail::allocate_format<typename G::value_type>(
                            gradient.shape(), gradient.device(), is_channels_last(gradient));
  out.assign(where(y > C(0), gradient, C(0)));
  return out;
}

/// y = convolution of x with w, plus a bias; or the transposed one. With `cut`, relu of that.
struct ConvRule {
  const char* operation;
  bool transposed;
  bool cut;
  conv::Problem problem;

  template <class G>
  G take_result(const G& gradient, const G& y) const {
    return cut ? shown_gradient(gradient, y) : gradient;
  }

  template <class G, class X, class W, class... B, class Xs, class Ws, class... Bs>
  void backward(const G& g, const Pack<Pull<X>, Pull<W>, Pull<B>...>& d, const Xs& x, const Ws& w,
                const Bs&...) const {
    using T = typename G::value_type;
    if (d.head.wanted()) {
      give(d.head,
           transposed ? conv::results<T, typename G::device_type>(operation, problem, g, w, nullptr)
                      : conv::images(operation, problem, g, w));
    }
    const auto& to_weight = d.tail.head;
    if (to_weight.wanted()) {
      const auto place = own_place(to_weight, w);
      const auto* const into = place ? &*place : nullptr;
      auto dw = transposed ? conv::weights(operation, problem, g, x, into)
                           : conv::weights(operation, problem, x, g, into);
      if (!place) {
        give(to_weight, std::move(dw));
      } else if (dw.data() != place->data()) {
        place->assign(dw);
      }
    }
    if constexpr (sizeof...(Bs) > 0) {
      const auto& to_bias = d.tail.tail.head;
      if (!to_bias.wanted()) return;
      Axes axes = axis(0, 2);
      if (g.rank() == 4) axes = axis(0, 2, 3);
      if (g.rank() == 5) axes = axis(0, 2, 3, 4);
      to_bias(sum(g, axes));
    }
  }
};

/// A gradient in another memory format is the same gradient.
struct FormatRule {
  template <class G, class X>
  void backward(const G& g, const G&, const Pack<Pull<X>>& d, const G&) const {
    d.head(g);
  }
};

}  // namespace autograd

/// As channels_last of a tensor; x itself if its channels are adjacent already.
template <class T, class D>
Var<T, D> channels_last(const Var<T, D>& x) {
  const Tensor<T, D> y = channels_last(x.value());
  if (y.data() == x.value().data()) return x;
  return autograd::computed("channels_last", autograd::FormatRule{}, y, x);
}

namespace conv {
template <class T, class D>
struct Recorded<Var<T, D>> {
  using V = Var<T, D>;

  template <class K>
  static V run(const Problem& p, bool cut, const V& x, const V& w, const V* bias) {
    if (const auto* caster = autograd::caster<T, D>()) {
      if constexpr (std::is_same_v<T, float>) {
        const auto convolve = autograd::needed(caster->convolve, K::text, "weft/cuda/conv.hpp");
        return convolve(K::text, K::transposed, p, x, w, bias, cut);
      }
    }
    const Tensor<T, D> y = detail::compute(K::text, K::transposed, p, x.value(), w.value(),
                                           bias != nullptr ? &bias->value() : nullptr, cut);
    const autograd::ConvRule rule{K::text, K::transposed, cut, p};
    if (bias != nullptr) return autograd::computed(K::text, rule, y, x, w, *bias);
    return autograd::computed(K::text, rule, y, x, w);
  }
};
}  // namespace conv

}  // namespace weft
