// Autocast: matrix products, convolutions and attention of float Vars in bfloat16 or half.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/attention/multi_head.hpp"
#include "weft/autograd/conv/conv.hpp"
#include "weft/autograd/expression/caster.hpp"
#include "weft/autograd/linalg/matmul.hpp"
#include "weft/ops/conv/visit.hpp"
#include "weft/ops/elementwise/cast.hpp"

namespace weft {

namespace autograd {

/// A Caster's functions for elements of type H: operands are rounded to H, the result is converted
/// back to float, and gradients are computed in H too.
template <class H, class D>
struct CastTo {
  using V = Var<float, D>;
  using Half = Var<H, D>;

  static Half in(const V& x) { return cast<H>(x); }
  static V out(const Half& y) { return cast<float>(y); }

  static V multiply(const V& a, const V& b) {
    const Half x = in(a);
    const Half w = in(b);
    const Half y = matmul(x, w);
    return out(y);
  }

  static V convolve(const char* operation, bool transposed, const conv::Problem& p, const V& x,
                    const V& w, const V* bias, bool cut) {
    const ConvRule rule{operation, transposed, cut, p};
    const Half images = in(x);
    const Half filters = in(w);
    const auto compute = [&](const Tensor<H, D>* shift) {
      return conv::detail::compute<H, D>(operation, transposed, p, images.value(), filters.value(),
                                         shift, cut);
    };
    if (bias == nullptr) {
      return out(computed(operation, rule, compute(nullptr), images, filters));
    }
    const Half shift = in(*bias);
    return out(computed(operation, rule, compute(&shift.value()), images, filters, shift));
  }

  static AttentionOptions<H, D> options(const AttentionOptions<float, D>& o) {
    AttentionOptions<H, D> to;
    to.mask.allowed = o.mask.allowed;
    if (o.mask.added) to.mask.added = Tensor<H, D>(cast<H>(*o.mask.added));
    to.causal = o.causal;
    to.dropout = o.dropout;
    to.scale = o.scale;
    to.enable_gqa = o.enable_gqa;
    to.past = o.past;
    return to;
  }
  static V attend(const V& q, const V& k, const V& v, const AttentionOptions<float, D>& o) {
    return out(scaled_dot_product_attention(in(q), in(k), in(v), options(o)));
  }
  static V attend_heads(const V& q, const V& k, const V& v, const HeadLayout& layout,
                        const AttentionOptions<float, D>& o, int64_t key_heads) {
    return out(multi_head_attention(in(q), in(k), in(v), layout, options(o), key_heads));
  }
  static V attend_packed(const V& qkv, const HeadLayout& layout,
                         const AttentionOptions<float, D>& o, int64_t key_heads) {
    return out(packed_attention(in(qkv), layout, options(o), key_heads));
  }

  template <bool Convolves, bool Attends>
  static constexpr Caster<D> table() {
    Caster<D> all{&multiply, nullptr, nullptr, nullptr, nullptr};
    if constexpr (Convolves) all.convolve = &convolve;
    if constexpr (Attends) {
      all.attend = &attend;
      all.attend_heads = &attend_heads;
      all.attend_packed = &attend_packed;
    }
    return all;
  }
};

/// Whether this file has included D's convolutions, and its attention.
template <class D>
inline constexpr bool has_convolutions = weft::detail::Complete<Visitor<weft::detail::loops_of<D>>>;
template <class D>
inline constexpr bool has_attention =
    weft::detail::Complete<AttentionKernels<weft::detail::loops_of<D>>>;

}  // namespace autograd

/// While it lives, matrix products, convolutions and attention of Var<float, D> in its thread round
/// their operands to H (bfloat16 or half), compute in H with sums in float, and return float. So do
/// their gradients, even after the guard is gone. Everything else, the weights included, stays
/// float. Autocast<H, D>(false) turns it off inside another one.
///   const Autocast<bfloat16, Cuda> guard;
///   const Var loss = cross_entropy(net(x), y);
template <class H, Device D = Cpu, bool Convolves = autograd::has_convolutions<D>,
          bool Attends = autograd::has_attention<D>>
class Autocast {
  static_assert(std::is_same_v<H, bfloat16> || std::is_same_v<H, half>,
                "weft: Autocast computes in 16 bits: write Autocast<bfloat16> or Autocast<half>");

 public:
  explicit Autocast(bool enabled = true) : scope_(enabled ? &table : nullptr) {}

 private:
  static constexpr autograd::Caster<D> table =
      autograd::CastTo<H, D>::template table<Convolves, Attends>();
  autograd::WithCaster<D> scope_;
};

}  // namespace weft
