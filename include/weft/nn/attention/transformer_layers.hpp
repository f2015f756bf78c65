// TransformerEncoderLayer and TransformerDecoderLayer, with PyTorch's names and defaults.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/attention/attention.hpp"
#include "weft/nn/layers/norm.hpp"

namespace weft::nn {

/// The activation function between a layer's two linear layers.
enum class FeedForward : unsigned char { relu, gelu };

struct TransformerLayerOptions {
  int64_t dim_feedforward = 2048;
  double dropout = 0.1;
  FeedForward activation = FeedForward::relu;
  double layer_norm_eps = 1e-5;
  bool batch_first = false;  ///< (batch, length, width) instead of (length, batch, width)
  bool norm_first = false;   ///< norms before attention and feed-forward, not behind the sums
};

namespace detail {
/// x + dropout(y), one statement.
template <class T, class D>
Var<T, D> residual(const Var<T, D>& x, const Var<T, D>& y, const Dropout& dropout) {
  using C = compute_t<T>;
  if (!dropout.training || dropout.p == 0) return x + y;
  const auto scale = static_cast<C>(dropout.p < 1 ? 1 / (1 - dropout.p) : 0);
  return x + where(trials(1 - dropout.p, y.shape()), y * scale, C(0));
}

/// linear2(dropout(activation(linear1(x)))).
template <class D, class T>
Var<T, D> feed_forward(const Var<T, D>& x, const Linear<D, T>& linear1, const Linear<D, T>& linear2,
                       FeedForward activation, const Dropout& dropout) {
  Var<T, D> hidden = linear1(x);
  if (activation == FeedForward::relu) {
    hidden = relu(hidden);
  } else {
    hidden = gelu(hidden);
  }
  if (dropout.training && dropout.p > 0) hidden = dropout(hidden);
  return linear2(hidden);
}
}  // namespace detail

/// Self-attention and a feed-forward network, each added to its input and normalised.
template <class D = Cpu, class T = float>
struct TransformerEncoderLayer {
  using Masks = MultiheadAttentionMasks<T, D>;

  MultiheadAttention<D, T> self_attn;
  Linear<D, T> linear1;  // width to dim_feedforward
  Linear<D, T> linear2;  // and back
  LayerNorm<D, T> norm1;
  LayerNorm<D, T> norm2;
  Dropout dropout;
  FeedForward activation = FeedForward::relu;
  bool norm_first = false;

  TransformerEncoderLayer() = default;
  TransformerEncoderLayer(int64_t d_model, int64_t nhead, TransformerLayerOptions options = {},
                          D device = {})
      : self_attn(d_model, nhead, {.dropout = options.dropout, .batch_first = options.batch_first},
                  device),
        linear1(d_model, options.dim_feedforward, {}, device),
        linear2(options.dim_feedforward, d_model, {}, device),
        norm1(d_model, {.epsilon = options.layer_norm_eps}, device),
        norm2(d_model, {.epsilon = options.layer_norm_eps}, device),
        dropout{options.dropout},
        activation(options.activation),
        norm_first(options.norm_first) {}

  auto fields() {
    return nn::fields("self_attn", self_attn, "linear1", linear1, "linear2", linear2, "norm1",
                      norm1, "norm2", norm2, "dropout", dropout, "activation", activation,
                      "norm_first", norm_first);
  }

  /// x of shape (length, batch, width), or with batch_first (batch, length, width).
  Var<T, D> operator()(const Var<T, D>& x, const Masks& masks = {}) const {
    const auto attended = [&](const Var<T, D>& y) { return self_attn(y, y, y, masks); };
    const auto fed = [&](const Var<T, D>& y) {
      return detail::feed_forward(y, linear1, linear2, activation, dropout);
    };
    if (norm_first) {
      const Var<T, D> y = detail::residual(x, attended(norm1(x)), dropout);
      return detail::residual(y, fed(norm2(y)), dropout);
    }
    const Var<T, D> y = norm1(detail::residual(x, attended(x), dropout));
    return norm2(detail::residual(y, fed(y), dropout));
  }
};

/// Self-attention, cross-attention to an encoder's output, and a feed-forward network.
template <class D = Cpu, class T = float>
struct TransformerDecoderLayer {
  using Masks = MultiheadAttentionMasks<T, D>;

  MultiheadAttention<D, T> self_attn;
  MultiheadAttention<D, T> multihead_attn;
  Linear<D, T> linear1;
  Linear<D, T> linear2;
  LayerNorm<D, T> norm1;
  LayerNorm<D, T> norm2;
  LayerNorm<D, T> norm3;
  Dropout dropout;
  FeedForward activation = FeedForward::relu;
  bool norm_first = false;

  TransformerDecoderLayer() = default;
  TransformerDecoderLayer(int64_t d_model, int64_t nhead, TransformerLayerOptions options = {},
                          D device = {})
      : self_attn(d_model, nhead, {.dropout = options.dropout, .batch_first = options.batch_first},
                  device),
        multihead_attn(d_model, nhead,
                       {.dropout = options.dropout, .batch_first = options.batch_first}, device),
        linear1(d_model, options.dim_feedforward, {}, device),
        linear2(options.dim_feedforward, d_model, {}, device),
        norm1(d_model, {.epsilon = options.layer_norm_eps}, device),
        norm2(d_model, {.epsilon = options.layer_norm_eps}, device),
        norm3(d_model, {.epsilon = options.layer_norm_eps}, device),
        dropout{options.dropout},
        activation(options.activation),
        norm_first(options.norm_first) {}

  auto fields() {
    return nn::fields("self_attn", self_attn, "multihead_attn", multihead_attn, "linear1", linear1,
                      "linear2", linear2, "norm1", norm1, "norm2", norm2, "norm3", norm3, "dropout",
                      dropout, "activation", activation, "norm_first", norm_first);
  }

  /// x of shape (n, batch, width) and the encoder's `memory` of (m, batch, width), or with
  /// batch_first (batch, n, width) and (batch, m, width).
  Var<T, D> operator()(const Var<T, D>& x, const Var<T, D>& memory, const Masks& masks = {},
                       const Masks& memory_masks = {}) const {
    const auto attended = [&](const Var<T, D>& y) { return self_attn(y, y, y, masks); };
    const auto looked_up = [&](const Var<T, D>& y) {
      return multihead_attn(y, memory, memory, memory_masks);
    };
    const auto fed = [&](const Var<T, D>& y) {
      return detail::feed_forward(y, linear1, linear2, activation, dropout);
    };
    if (norm_first) {
      const Var<T, D> y = detail::residual(x, attended(norm1(x)), dropout);
      const Var<T, D> z = detail::residual(y, looked_up(norm2(y)), dropout);
      return detail::residual(z, fed(norm3(z)), dropout);
    }
    const Var<T, D> y = norm1(detail::residual(x, attended(x), dropout));
    const Var<T, D> z = norm2(detail::residual(y, looked_up(y), dropout));
    return norm3(detail::residual(z, fed(z), dropout));
  }
};

static_assert(Module<TransformerEncoderLayer<>> && Module<TransformerDecoderLayer<>>);

}  // namespace weft::nn
