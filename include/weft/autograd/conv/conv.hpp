// The gradients of convolutions: of their images, weights and biases.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/function.hpp"
#include "weft/autograd/shape/movement.hpp"
#include "weft/ops/conv/conv.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft {

namespace autograd {

/// Passes a gradient on that nobody else has: it becomes the argument's where that has none yet.
template <class E, class T, class D>
void give(const Pull<E>& pull, Tensor<T, D>&& gradient) {
  if (!pull.wanted()) return;
  if constexpr (is_var<E>) {
    static_cast<VariableOf<T, D>*>(pull.edges()[0])->give(static_cast<Tensor<T, D>&&>(gradient));
  } else {
    pull(gradient);
  }
}

/// y = convolution of x with w, plus a bias; or the transposed one.
struct ConvRule {
  const char* operation;
  bool transposed;
  conv::Problem problem;

  template <class G, class X, class W, class... B, class Xs, class Ws, class... Bs>
  void backward(const G& g, const G&, const Pack<Pull<X>, Pull<W>, Pull<B>...>& d, const Xs& x,
                const Ws& w, const Bs&...) const {
    if (d.head.wanted()) {
      give(d.head, transposed ? conv::results<typename G::value_type, typename G::device_type>(
                                    operation, problem, g, w, nullptr)
                              : conv::images(operation, problem, g, w));
    }
    const auto& to_weight = d.tail.head;
    if (to_weight.wanted()) {
      give(to_weight, transposed ? conv::weights(operation, problem, g, x)
                                 : conv::weights(operation, problem, x, g));
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

}  // namespace autograd

namespace conv {
template <class T, class D>
struct Recorded<Var<T, D>> {
  template <class K, class X, class W, class... B>
  static Var<T, D> run(const Problem& p, const X& x, const W& w, const B&... bias) {
    if (const auto* caster = autograd::caster<T, D>()) {
      if constexpr (std::is_same_v<T, float>) {
        const Var<T, D> added[] = {Var<T, D>(bias)..., Var<T, D>()};
        const auto convolve = autograd::needed(caster->convolve, K::text, "weft/cuda/conv.hpp");
        return convolve(K::text, K::transposed, p, x, w, sizeof...(B) > 0 ? added : nullptr);
      }
    }
    const Tensor<T, D> shift[] = {autograd::without_vars(bias)..., Tensor<T, D>()};
    const Tensor<T, D> y =
        detail::compute<T, D>(K::text, K::transposed, p, autograd::without_vars(x),
                              autograd::without_vars(w), sizeof...(B) > 0 ? shift : nullptr);
    return autograd::computed(K::text, autograd::ConvRule{K::text, K::transposed, p}, y, x, w,
                              bias...);
  }
};
}  // namespace conv

}  // namespace weft
