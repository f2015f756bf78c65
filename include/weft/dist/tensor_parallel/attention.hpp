// ParallelAttention: attention whose heads are split among the ranks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/dist/tensor_parallel/linear.hpp"
#include "weft/nn/attention/attention.hpp"

namespace weft::dist {

struct ParallelAttentionOptions {
  double dropout = 0;        ///< of the weights; each rank's heads draw from its own generator
  bool bias = true;          ///< of the projections
  bool batch_first = false;  ///< (batch, length, width) instead of (length, batch, width)
};

/// Each rank has heads / n of the heads of a MultiheadAttention(width, heads), with the
/// corresponding columns of the input projections and rows of the output projection: one all_reduce
/// each way (Shoeybi et al. 2019). The weights are the same as in a MultiheadAttention created with
/// the same seed.
template <class D = Cpu, class T = float>
struct ParallelAttention {
  Var<T, D> in_proj_weight;               // (3 width / n, width): queries, keys, values
  std::optional<Var<T, D>> in_proj_bias;  // (3 width / n,)
  nn::Linear<D, T> out_proj;              // width / n to width, without its bias
  std::optional<Var<T, D>> out_bias;      // (width,), alike on all ranks
  int64_t width = 0;
  int64_t heads = 1;  ///< of all ranks
  double dropout = 0;
  bool batch_first = false;
  Group group;
  bool training = true;

  using Options = ParallelAttentionOptions;
  using Masks = nn::MultiheadAttentionMasks<T, D>;

  ParallelAttention() = default;
  /// Throws ValueError if the number of ranks does not divide `num_heads`.
  ParallelAttention(int64_t embed_dim, int64_t num_heads, Group g, Options options = {},
                    D device = {})
      : width(embed_dim),
        heads(num_heads),
        dropout(options.dropout),
        batch_first(options.batch_first),
        group(std::move(g)) {
    detail::part_of("ParallelAttention", "heads", heads, group);
    const nn::MultiheadAttention<D, T> all(width, heads, {.bias = options.bias}, device);
    const int64_t mine = width / group.size();
    const int64_t first = mine * group.rank();
    // The rows of this rank's heads in each of the three parts.
    const auto rows = [&](const Tensor<T, D>& x) {
      Shape shape = x.shape();
      shape[0] = 3 * mine;
      const Tensor<T, D> out = empty<T>(shape, device);
      for (int64_t k = 0; k < 3; ++k) {
        out.narrow(0, k * mine, mine).assign(x.narrow(0, k * width + first, mine));
      }
      return Var<T, D>(out, true);
    };
    in_proj_weight = rows(all.in_proj_weight->value());
    out_proj = nn::Linear<D, T>(mine, width, {.bias = false}, device);
    out_proj.weight.value().assign(all.out_proj.weight.value().narrow(1, first, mine));
    if (!options.bias) return;
    in_proj_bias = rows(all.in_proj_bias->value());
    out_bias = Var<T, D>(all.out_proj.bias->value().clone(), true);
  }

  auto fields() {
    return nn::fields("in_proj_weight", in_proj_weight, "in_proj_bias", in_proj_bias, "out_bias",
                      out_bias, "out_proj", out_proj, "width", width, "heads", heads, "dropout",
                      dropout, "batch_first", batch_first, "group", group);
  }

  /// Queries (n, batch, width), keys and values (m, batch, width), the same on all ranks, give (n,
  /// batch, width), or with the batch first. Throws ShapeError if shapes do not match.
  Var<T, D> operator()(const Var<T, D>& query, const Var<T, D>& key, const Var<T, D>& value,
                       const Masks& masks = {}) const {
    const int batch_axis = batch_first ? 0 : 1;
    const bool fits = query.rank() == 3 && key.rank() == 3 && key.shape() == value.shape() &&
                      query.size(2) == width && key.size(2) == width &&
                      query.size(batch_axis) == key.size(batch_axis);
    if (!fits) {
      fail<ShapeError>("ParallelAttention", "queries ", query.shape(), ", keys ", key.shape(),
                       " and values ", value.shape(), ", expected ",
                       batch_first ? "(batch, length, width)" : "(length, batch, width)",
                       " of width ", width);
    }
    const AttentionOptions<T, D> options{
        mask_of(masks, query.size(batch_axis), query.size(1 - batch_axis),
                key.size(1 - batch_axis)),
        masks.is_causal, training ? dropout : 0};
    const HeadLayout layout{heads / group.size(), batch_first};
    const Var<T, D> q = copy_to_ranks(group, query);
    if (nn::detail::is_same(query, key) && nn::detail::is_same(key, value)) {
      return whole(packed_attention(projected(q, 0, 3), layout, options));
    }
    const Var<T, D> k = copy_to_ranks(group, key);
    const Var<T, D> v = nn::detail::is_same(key, value) ? k : copy_to_ranks(group, value);
    return whole(multi_head_attention(projected(q, 0, 1), projected(k, 1, 1), projected(v, 2, 1),
                                      layout, options));
  }

 private:
  /// The masks of this rank's heads.
  AttentionMask<T, D> mask_of(const Masks& masks, int64_t batch, int64_t n, int64_t m) const {
    const auto mine = [&](nn::IgnoreMask<T, D> mask) {
      const auto some = [&](auto& x) {
        if (!x || x->size(1) != heads) return;
        const int64_t each = heads / group.size();
        *x = x->narrow(1, each * group.rank(), each);
      };
      some(mask.ignored);
      some(mask.added);
      return mask;
    };
    const Shape padding{batch, m};
    return nn::detail::joined_masks(
        nn::detail::raised("key_padding_mask", masks.key_padding_mask, padding, padding,
                           {batch, 1, 1, m}, {batch, 1, 1, m}),
        mine(nn::detail::raised("attn_mask", masks.attn_mask, {n, m}, {batch * heads, n, m},
                                {1, 1, n, m}, {batch, heads, n, m})));
  }
  /// x times `count` of the three parts of the weight, from number `number` on.
  Var<T, D> projected(const Var<T, D>& x, int64_t number, int64_t count) const {
    const int64_t each = width / group.size();
    const auto some = [&](const Var<T, D>& of) {
      return count == 3 ? of : of.narrow(0, number * each, count * each);
    };
    if (in_proj_bias) return linear(x, some(in_proj_weight), some(*in_proj_bias));
    return linear(x, some(in_proj_weight));
  }
  Var<T, D> whole(const Var<T, D>& y) const {
    const Var<T, D> sum = reduce_from_ranks(group, out_proj(y));
    return out_bias ? Var<T, D>(sum + *out_bias) : sum;
  }
};

}  // namespace weft::dist
