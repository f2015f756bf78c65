// scaled_dot_product_attention of Vars: the backward pass recomputes the weights.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/function.hpp"
#include "weft/ops/linalg/attention.hpp"

namespace weft {

namespace autograd {

using weft::detail::BegunAttention;

/// Passes on a gradient that was made for it alone.
template <class E, class T, class D>
void give(const Pull<E>& pull, Tensor<T, D>& gradient) {
  if (!pull.wanted()) return;
  if constexpr (is_var<E>) {
    static_cast<VariableOf<T, D>*>(pull.edges()[0])->give(static_cast<Tensor<T, D>&&>(gradient));
  } else {
    pull(gradient);
  }
}

/// Keeps the operands, the value and one logarithm per query.
template <class T, class D>
struct AttentionRule {
  BegunAttention<T, D> begun;

  template <class Q, class K, class V>
  void backward(const Tensor<T, D>& g, const Tensor<T, D>& y,
                const Pack<Pull<Q>, Pull<K>, Pull<V>>& pulls, const without_vars_t<Q>& q,
                const without_vars_t<K>& k, const without_vars_t<V>& v) const {
    using weft::detail::attention_memory;
    Tensor<T, D> dq = attention_memory(begun.q, q.shape());
    Tensor<T, D> dk = attention_memory(begun.k, k.shape());
    Tensor<T, D> dv = attention_memory(begun.v, v.shape());
    if (y.size() == 0) {
      for (const Tensor<T, D>* x : {&dq, &dk, &dv}) x->fill(compute_t<T>(0));
    } else {
      using Loops = weft::detail::loops_of<D>;
      if constexpr (weft::detail::can_attend<Loops>()) {
        AttentionPlan plan = begun.plan;
        plan.draw = plan.draw.settled();
        AttentionKernels<Loops>::backward(plan, begun.q, begun.k, begun.v, y, begun.logs,
                                          weft::detail::with_dense_rows(g), dq, dk, dv);
      }
    }
    give(pulls.head, dq);
    give(pulls.tail.head, dk);
    give(pulls.tail.tail.head, dv);
  }
};

}  // namespace autograd

/// As scaled_dot_product_attention of tensors.
template <ExpressionLike Q, ExpressionLike K, ExpressionLike V>
  requires(Differentiable<Q> || Differentiable<K> || Differentiable<V>)
auto scaled_dot_product_attention(
    const Q& q, const K& k, const V& v,
    const AttentionOptions<typename Q::value_type, typename Q::device_type>& options = {}) {
  using T = typename Q::value_type;
  using D = typename Q::device_type;
  static_assert(
      std::is_same_v<T, typename K::value_type> && std::is_same_v<T, typename V::value_type>,
      "weft: attention takes queries, keys and values of one floating-point type");
  static_assert(!is_dual<T>, "weft: attention has gradients, but no Hessian-vector products");
  if constexpr (std::is_same_v<T, float>) {
    if (const auto* caster = autograd::caster<T, D>()) {
      return autograd::needed(caster->attend, "attention", "weft/cuda/attention.hpp")(q, k, v,
                                                                                      options);
    }
  }
  const auto attend = [&](const auto& qs, const auto& ks, const auto& vs) {
    autograd::AttentionRule<T, D> rule{
        weft::detail::attend<T, D>(autograd::without_vars(qs), autograd::without_vars(ks),
                                   autograd::without_vars(vs), options)};
    const Tensor<T, D> y = rule.begun.y;
    rule.begun.y = {};  // the node keeps it
    return autograd::computed("scaled_dot_product_attention", rule, y, qs, ks, vs);
  };
  if constexpr (is_dual<T>) {
    return Var<T, D>{};
  } else {
    return attend(autograd::settle(q), autograd::settle(k), autograd::settle(v));
  }
}

}  // namespace weft
