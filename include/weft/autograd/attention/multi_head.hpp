// multi_head_attention: attention on the output of projections, heads side by side, without copies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/attention/attention.hpp"

namespace weft {

/// How (batch, length, heads * width), or (length, batch, heads * width), consists of heads.
struct HeadLayout {
  int64_t heads = 1;
  bool batch_first = true;
};

namespace autograd {

/// The view (batch, head, length, width).
template <class T, class D>
Tensor<T, D> split_heads(const Tensor<T, D>& x, HeadLayout layout) {
  const Tensor<T, D> apart = x.view({x.size(0), x.size(1), layout.heads, x.size(2) / layout.heads});
  return layout.batch_first ? apart.transpose(1, 2) : apart.permute({1, 2, 0, 3});
}

template <class T, class D>
BegunAttention<T, D> attend_heads(const Tensor<T, D>& q, const Tensor<T, D>& k,
                                  const Tensor<T, D>& v, HeadLayout layout, HeadLayout keys,
                                  AttentionOptions<T, D> options, Tensor<T, D>& y) {
  options.enable_gqa = true;  // whoever names key heads asks for it
  const auto check = [](const Tensor<T, D>& x, HeadLayout of) {
    if (x.rank() == 3 && of.heads > 0 && x.size(2) % of.heads == 0) return;
    fail<ShapeError>("multi_head_attention", "shape ", x.shape(), " for ", of.heads,
                     " heads, expected three axes, the last a multiple");
  };
  check(q, layout);
  check(k, keys);
  check(v, keys);
  auto begun = weft::detail::attend<T, D>(split_heads(q, layout), split_heads(k, keys),
                                          split_heads(v, keys), options);
  const Tensor<T, D>& out = begun.y;  // (batch, head, length, width)
  y = (layout.batch_first ? out.transpose(1, 2) : out.permute({2, 0, 1, 3}))
          .reshape({q.size(0), q.size(1), layout.heads * out.size(3)});
  begun.y = Tensor<T, D>();  // the node keeps it as y
  return begun;
}

/// The gradients of an attention with the operands in `begun`.
template <class T, class D>
void attention_gradients(const BegunAttention<T, D>& begun, const Tensor<T, D>& g,
                         const Tensor<T, D>& y, HeadLayout layout, const Tensor<T, D>& dq,
                         const Tensor<T, D>& dk, const Tensor<T, D>& dv) {
  if (y.size() == 0) {
    for (const Tensor<T, D>* x : {&dq, &dk, &dv}) x->fill(compute_t<T>(0));
    return;
  }
  using Loops = weft::detail::loops_of<D>;
  if constexpr (weft::detail::can_attend<Loops>()) {
    AttentionPlan plan = begun.plan;
    plan.draw = plan.draw.settled();
    AttentionKernels<Loops>::backward(
        plan, begun.q, begun.k, begun.v, split_heads(y, layout), begun.logs,
        weft::detail::with_dense_rows(split_heads(g, layout)), dq, dk, dv);
  }
}

template <class T, class D>
struct MultiHeadRule {
  BegunAttention<T, D> begun;
  HeadLayout layout;
  HeadLayout keys;

  template <class P>
  void backward(const Tensor<T, D>& g, const Tensor<T, D>& y, const Pack<P, P, P>& pulls,
                const Tensor<T, D>& q, const Tensor<T, D>& k, const Tensor<T, D>& v) const {
    const auto room = [](const Tensor<T, D>& x) { return empty<T>(x.shape(), x.device()); };
    Tensor<T, D> dq = room(q);
    Tensor<T, D> dk = room(k);
    Tensor<T, D> dv = room(v);
    attention_gradients(begun, g, y, layout, split_heads(dq, layout), split_heads(dk, keys),
                        split_heads(dv, keys));
    give(pulls.head, dq);
    give(pulls.tail.head, dk);
    give(pulls.tail.tail.head, dv);
  }
};

template <class T, class D>
struct PackedHeadsRule {
  BegunAttention<T, D> begun;
  HeadLayout layout;
  HeadLayout keys;

  template <class P>
  void backward(const Tensor<T, D>& g, const Tensor<T, D>& y, const Pack<P>& pulls,
                const Tensor<T, D>& x) const {
    Tensor<T, D> dx = empty<T>(x.shape(), x.device());
    const int64_t width = y.size(2);
    const int64_t key_width = width / layout.heads * keys.heads;
    attention_gradients(begun, g, y, layout, split_heads(dx.narrow(2, 0, width), layout),
                        split_heads(dx.narrow(2, width, key_width), keys),
                        split_heads(dx.narrow(2, width + key_width, key_width), keys));
    give(pulls.head, dx);
  }
};

}  // namespace autograd

/// scaled_dot_product_attention of `heads` heads side by side in the last axis, as linear layers
/// return them: q of shape (batch, n, heads * width), k and v of (batch, m, ...) give (batch, n,
/// heads * width of v); or with the length before the batch. k and v may have fewer `key_heads`.
/// Heads are read in place, without copies.
template <class T, class D>
Var<T, D> multi_head_attention(const Var<T, D>& q, const Var<T, D>& k, const Var<T, D>& v,
                               HeadLayout layout, const AttentionOptions<T, D>& options = {},
                               int64_t key_heads = 0) {
  if constexpr (std::is_same_v<T, float>) {
    if (const auto* caster = autograd::caster<T, D>()) {
      return autograd::needed(caster->attend_heads, "attention", "weft/cuda/attention.hpp")(
          q, k, v, layout, options, key_heads);
    }
  }
  const HeadLayout keys{key_heads > 0 ? key_heads : layout.heads, layout.batch_first};
  autograd::MultiHeadRule<T, D> rule{{}, layout, keys};
  Tensor<T, D> y;
  rule.begun = autograd::attend_heads(q.value(), k.value(), v.value(), layout, keys, options, y);
  return autograd::computed("multi_head_attention", rule, y, q, k, v);
}

/// The same of queries, keys and values side by side, from one projection: (batch, n, 3 * heads *
/// width), or with `key_heads` (batch, n, (heads + 2 key_heads) * width).
template <class T, class D>
Var<T, D> packed_attention(const Var<T, D>& qkv, HeadLayout layout,
                           const AttentionOptions<T, D>& options = {}, int64_t key_heads = 0) {
  if constexpr (std::is_same_v<T, float>) {
    if (const auto* caster = autograd::caster<T, D>()) {
      return autograd::needed(caster->attend_packed, "attention", "weft/cuda/attention.hpp")(
          qkv, layout, options, key_heads);
    }
  }
  const HeadLayout keys{key_heads > 0 ? key_heads : layout.heads, layout.batch_first};
  const int64_t all_heads = layout.heads + 2 * keys.heads;
  if (qkv.rank() != 3 || all_heads <= 0 || qkv.size(2) % all_heads != 0) {
    fail<ShapeError>(
        "packed_attention", "shape ", qkv.shape(), " for ", all_heads,
        " heads of queries, keys and values, expected three axes, the last a multiple");
  }
  const int64_t width = qkv.size(2) / all_heads;
  const auto part = [&](int64_t first, int64_t count) {
    return qkv.value().narrow(2, first * width, count * width);
  };
  autograd::PackedHeadsRule<T, D> rule{{}, layout, keys};
  Tensor<T, D> y;
  rule.begun =
      autograd::attend_heads(part(0, layout.heads), part(layout.heads, keys.heads),
                             part(layout.heads + keys.heads, keys.heads), layout, keys, options, y);
  return autograd::computed("packed_attention", rule, y, qkv);
}

}  // namespace weft
