// MultiheadAttention, with PyTorch's names, defaults and meaning of masks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/attention/multi_head.hpp"
#include "weft/autograd/rows/compose.hpp"
#include "weft/autograd/shape/movement.hpp"
#include "weft/nn/layers/linear.hpp"
#include "weft/nn/layers/sequential.hpp"
#include "weft/nn/watched.hpp"

namespace weft::nn {

/// Which keys a query ignores: a bool tensor in which true means ignored, or numbers that are added
/// to the scores. In scaled_dot_product_attention true means the opposite, as in PyTorch.
template <class T, class D>
struct IgnoreMask {
  std::optional<Tensor<bool, D>> ignored;
  std::optional<Tensor<T, D>> added;

  IgnoreMask() = default;
  IgnoreMask(const Tensor<bool, D>& mask) : ignored(mask) {}
  IgnoreMask(const Tensor<T, D>& mask) : added(mask) {}

  explicit operator bool() const { return ignored || added; }
};

namespace detail {
/// A mask with the axes that attention expects, (batch, head, query, key).
template <class T, class D>
IgnoreMask<T, D> raised(const char* name, const IgnoreMask<T, D>& mask, const Shape& shape,
                        const Shape& otherwise, const Shape& as, const Shape& as_otherwise) {
  const auto raise = [&](const auto& x) {
    if (x.shape() == shape) return x.reshape(as);
    if (x.shape() == otherwise) return x.reshape(as_otherwise);
    if (shape == otherwise) {
      fail<ShapeError>("MultiheadAttention", name, " of shape ", x.shape(), ", expected ", shape);
    }
    fail<ShapeError>("MultiheadAttention", name, " of shape ", x.shape(), ", expected ", shape,
                     " or one for each head, ", otherwise);
  };
  if (mask.ignored) return raise(*mask.ignored);
  if (mask.added) return raise(*mask.added);
  return {};
}

/// Both masks combined: as bools if possible, otherwise as numbers to be added.
template <class T, class D>
AttentionMask<T, D> joined_masks(const IgnoreMask<T, D>& a, const IgnoreMask<T, D>& b) {
  using C = compute_t<T>;
  const C never = -std::numeric_limits<C>::infinity();
  const auto numbers = [never](const IgnoreMask<T, D>& x) -> Tensor<T, D> {
    if (x.added) return *x.added;
    return cast<T>(where(*x.ignored, never, C(0)));
  };
  if (!a && !b) return {};
  if (a && b) {
    if (a.ignored && b.ignored) return Tensor<bool, D>(!(*a.ignored || *b.ignored));
    return Tensor<T, D>(numbers(a) + numbers(b));
  }
  const IgnoreMask<T, D>& one = a ? a : b;
  if (one.ignored) return Tensor<bool, D>(!*one.ignored);
  return *one.added;
}

/// Whether two handles refer to the same tensor.
template <class V>
bool is_same(const V& x, const V& y) {
  return x.variable().get() == y.variable().get() && x.value().data() == y.value().data() &&
         x.shape() == y.shape() && x.value().strides() == y.value().strides();
}
}  // namespace detail

struct MultiheadAttentionOptions {
  double dropout = 0;                ///< on the weights
  bool bias = true;                  ///< in the projections
  std::optional<int64_t> kdim = {};  ///< width of the keys; that of the queries unless given
  std::optional<int64_t> vdim = {};  ///< width of the values
  bool batch_first = false;          ///< (batch, length, width) instead of (length, batch, width)
};

template <class T, class D>
struct MultiheadAttentionMasks {
  IgnoreMask<T, D> key_padding_mask = {};  ///< (batch, keys)
  IgnoreMask<T, D> attn_mask = {};         ///< (queries, keys), or (batch * heads, queries, keys)
  bool is_causal = false;                  ///< query i ignores keys after number i, without a mask
};

/// Multi-head attention between learned projections (Vaswani et al. 2017).
template <Device D = Cpu, class T = float>
struct MultiheadAttention {
  std::optional<Var<T, D>> in_proj_weight;  // (3 width, width): queries, keys, values
  std::optional<Var<T, D>> q_proj_weight;   // (width, width), where kdim or vdim differ
  std::optional<Var<T, D>> k_proj_weight;   // (width, kdim)
  std::optional<Var<T, D>> v_proj_weight;   // (width, vdim)
  std::optional<Var<T, D>> in_proj_bias;    // (3 width,)
  Linear<D, T> out_proj;                    // width to width
  int64_t width = 0;
  int64_t heads = 1;
  double dropout = 0;
  bool batch_first = false;
  bool training = true;

  using Options = MultiheadAttentionOptions;
  using Masks = MultiheadAttentionMasks<T, D>;

  MultiheadAttention() = default;
  /// Throws ValueError if `heads` does not divide `width`.
  MultiheadAttention(int64_t embed_dim, int64_t num_heads, Options options = {}, D device = {})
      : out_proj(embed_dim, embed_dim, {.bias = options.bias}, device),
        width(embed_dim),
        heads(num_heads),
        dropout(options.dropout),
        batch_first(options.batch_first) {
    if (num_heads <= 0 || embed_dim <= 0 || embed_dim % num_heads != 0) {
      fail<ValueError>("MultiheadAttention", "a width of ", embed_dim, " for ", num_heads,
                       " heads, expected a multiple");
    }
    if (!(dropout >= 0 && dropout <= 1)) {
      fail<ValueError>("MultiheadAttention", "dropout ", dropout, ", expected 0 to 1");
    }
    const auto weight = [&](int64_t rows, int64_t columns) {
      Var<T, D> x(empty<T>({rows, columns}, device), true);
      init::xavier_uniform(x);
      return x;
    };
    const int64_t kdim = options.kdim.value_or(width);
    const int64_t vdim = options.vdim.value_or(width);
    if (kdim == width && vdim == width) {
      in_proj_weight = weight(3 * width, width);
    } else {
      q_proj_weight = weight(width, width);
      k_proj_weight = weight(width, kdim);
      v_proj_weight = weight(width, vdim);
    }
    if (!options.bias) return;
    in_proj_bias = Var<T, D>(zeros<T>({3 * width}, device), true);
    out_proj.bias->detach().fill(compute_t<T>(0));
  }

  auto fields() {
    return nn::fields("in_proj_weight", in_proj_weight, "q_proj_weight", q_proj_weight,
                      "k_proj_weight", k_proj_weight, "v_proj_weight", v_proj_weight,
                      "in_proj_bias", in_proj_bias, "out_proj", out_proj, "width", width, "heads",
                      heads, "dropout", dropout, "batch_first", batch_first);
  }

  /// Queries of shape (n, batch, width), keys (m, batch, kdim) and values (m, batch, vdim) give (n,
  /// batch, width); with batch_first the batch comes first, and inputs may come without a batch
  /// axis. Throws ShapeError if shapes do not match.
  Var<T, D> operator()(const Var<T, D>& query, const Var<T, D>& key, const Var<T, D>& value,
                       const Masks& masks = {}) const {
    const detail::Watched watched(*this);
    return watched(out_proj(heads_of(query, key, value, masks)));
  }

  /// The same without the output projection: the heads' results side by side.
  Var<T, D> heads_of(const Var<T, D>& query, const Var<T, D>& key, const Var<T, D>& value,
                     const Masks& masks = {}) const {
    if (query.rank() == 2) {
      const int at = batch_first ? 0 : 1;
      const Var<T, D> q = query.unsqueeze(at);
      const bool self = detail::is_same(query, key) && detail::is_same(key, value);
      return heads_of(q, self ? q : key.unsqueeze(at), self ? q : value.unsqueeze(at),
                      with_batch(masks))
          .squeeze(at);
    }
    check(query, key, value);
    const int64_t batch = query.size(batch_first ? 0 : 1);
    const AttentionOptions<T, D> options{
        mask_of(masks, batch, query.size(batch_first ? 1 : 0), key.size(batch_first ? 1 : 0)),
        masks.is_causal, training ? dropout : 0};
    const HeadLayout layout{heads, batch_first};
    if (in_proj_weight && detail::is_same(query, key) && detail::is_same(key, value)) {
      return packed_attention(projected(query, *in_proj_weight, 0, 3), layout, options);
    }
    return multi_head_attention(part(query, 0, q_proj_weight), part(key, 1, k_proj_weight),
                                part(value, 2, v_proj_weight), layout, options);
  }

  /// The output together with the attention weights, averaged over the heads, (batch, n, m), or
  /// with `average` false (batch, heads, n, m), or these without a batch. Slower, since the weights
  /// are stored.
  std::pair<Var<T, D>, Var<T, D>> with_weights(const Var<T, D>& query, const Var<T, D>& key,
                                               const Var<T, D>& value, const Masks& masks = {},
                                               bool average = true) const {
    if (query.rank() == 2) {
      const int at = batch_first ? 0 : 1;
      const auto [y, weights] = with_weights(query.unsqueeze(at), key.unsqueeze(at),
                                             value.unsqueeze(at), with_batch(masks), average);
      return {y.squeeze(at), weights.squeeze(0)};
    }
    check(query, key, value);
    const auto split = [&](const Var<T, D>& x) {
      const Var<T, D> y = x.reshape({x.size(0), x.size(1), heads, x.size(2) / heads});
      return batch_first ? y.transpose(1, 2) : y.permute({1, 2, 0, 3});
    };
    const Var<T, D> q = split(part(query, 0, q_proj_weight));  // (batch, head, query, width)
    const Var<T, D> k = split(part(key, 1, k_proj_weight));
    const Var<T, D> v = split(part(value, 2, v_proj_weight));
    using C = compute_t<T>;
    constexpr C never = -std::numeric_limits<C>::infinity();
    Var<T, D> scores = matmul(q, k.transpose(-1, -2)) *
                       static_cast<C>(1 / std::sqrt(static_cast<double>(width / heads)));
    const AttentionMask<T, D> mask = mask_of(masks, q.size(0), q.size(2), k.size(2));
    if (mask.allowed) scores = where(*mask.allowed, scores, never);
    if (mask.added) scores = scores + *mask.added;
    if (masks.is_causal) {
      const Tensor<bool, D> behind = arange<int64_t>(k.size(2), query.device()) >
                                     arange<int64_t>(q.size(2), query.device()).unsqueeze(1);
      scores = where(behind, never, scores);
    }
    // A query that ignores all keys has weights and gradients of 0, not NaN.
    const Tensor<bool, D> sees = any(scores.detach() != never, axis(-1), keepdims);
    Var<T, D> weights = where(sees, softmax(where(sees, scores, C(0)).eval()), C(0));
    weights = Dropout{dropout, training}(weights);
    const Var<T, D> y = matmul(weights, v);  // (batch, head, query, width)
    const Var<T, D> flat = (batch_first ? y.transpose(1, 2) : y.permute({2, 0, 1, 3}))
                               .reshape({query.size(0), query.size(1), width});
    if (average) weights = mean(weights, axis(1));
    return {out_proj(flat), weights};
  }

 private:
  void check(const Var<T, D>& query, const Var<T, D>& key, const Var<T, D>& value) const {
    const int64_t k = k_proj_weight ? k_proj_weight->size(1) : width;
    const int64_t v = v_proj_weight ? v_proj_weight->size(1) : width;
    const int along = batch_first ? 0 : 1;
    const bool fits = query.rank() == 3 && key.rank() == 3 && value.rank() == 3 &&
                      query.size(2) == width && key.size(2) == k && value.size(2) == v &&
                      query.size(along) == key.size(along) && key.size(0) == value.size(0) &&
                      key.size(1) == value.size(1);
    if (fits) return;
    fail<ShapeError>("MultiheadAttention", "queries ", query.shape(), ", keys ", key.shape(),
                     " and values ", value.shape(), ", expected ",
                     batch_first ? "(batch, length, width)" : "(length, batch, width)",
                     " of widths ", width, ", ", k, " and ", v);
  }
  /// Masks of inputs without a batch, for these with one.
  static Masks with_batch(Masks masks) {
    const auto raise = [](auto& mask) {
      if (mask && mask->rank() == 1) *mask = mask->unsqueeze(0);
    };
    raise(masks.key_padding_mask.ignored);
    raise(masks.key_padding_mask.added);
    return masks;
  }
  AttentionMask<T, D> mask_of(const Masks& masks, int64_t batch, int64_t n, int64_t m) const {
    const Shape padding{batch, m};
    const Shape scores{n, m};
    return detail::joined_masks(
        detail::raised("key_padding_mask", masks.key_padding_mask, padding, padding,
                       {batch, 1, 1, m}, {batch, 1, 1, m}),
        detail::raised("attn_mask", masks.attn_mask, scores, {batch * heads, n, m}, {1, 1, n, m},
                       {batch, heads, n, m}));
  }
  /// x times `count` of the packed weight's three parts, starting with number `first`.
  Var<T, D> projected(const Var<T, D>& x, const Var<T, D>& weight, int64_t first,
                      int64_t count) const {
    const auto some = [&](const Var<T, D>& of) {
      return of.size(0) == count * width ? of : of.narrow(0, first * width, count * width);
    };
    if (in_proj_bias) return linear(x, some(weight), some(*in_proj_bias));
    return linear(x, some(weight));
  }
  Var<T, D> part(const Var<T, D>& x, int64_t number, const std::optional<Var<T, D>>& own) const {
    return projected(x, own ? *own : *in_proj_weight, number, 1);
  }
};

WEFT_MODEL(Module<MultiheadAttention<>>);

}  // namespace weft::nn
