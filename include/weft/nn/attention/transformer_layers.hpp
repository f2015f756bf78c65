// TransformerEncoderLayer and TransformerDecoderLayer, with PyTorch's names and defaults.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/attention/attention.hpp"
#include "weft/nn/layers/norm.hpp"

namespace weft::nn {

/// The activation function between a layer's two linear layers. Without gradients on CUDA relu and
/// gelu_tanh are part of the first one's product; gelu, with the error function, is a kernel of its
/// own.
enum class FeedForward : unsigned char { relu, gelu, gelu_tanh };

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
  if (!dropout.training || dropout.p == 0) return x + y;
  return x + dropped(y, dropout.p);
}

/// x + dropout(layer(y)): without dropout, the layer adds x in its own call.
template <class Layer, class T, class D>
Var<T, D> residual(const Var<T, D>& x, const Layer& layer, const Var<T, D>& y,
                   const Dropout& dropout) {
  if (!dropout.training || dropout.p == 0) return layer.plus(y, x);
  return residual(x, layer(y), dropout);
}

/// dropout(activation(linear1(x))).
template <class D, class T>
Var<T, D> fed(const Var<T, D>& x, const Linear<D, T>& linear1, FeedForward activation,
              const Dropout& dropout) {
  check_chance("Dropout", dropout.p);
  if (activation == FeedForward::relu) return linear1.relu(x, dropout.training ? dropout.p : 0);
  if (activation == FeedForward::gelu_tanh) return dropout(linear1.gelu_tanh(x));
  return dropout(gelu(linear1(x)));
}
}  // namespace detail

/// Self-attention and a feed-forward network, each added to its input and normalised.
template <Device D = Cpu, class T = float>
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
    // `to` plus what attention, or the feed-forward network, makes of y.
    const auto attended = [&](const Var<T, D>& to, const Var<T, D>& y) {
      return detail::residual(to, self_attn.out_proj, self_attn.heads_of(y, y, y, masks), dropout);
    };
    const auto fed = [&](const Var<T, D>& to, const Var<T, D>& y) {
      return detail::residual(to, linear2, detail::fed(y, linear1, activation, dropout), dropout);
    };
    if (norm_first) {
      const Var<T, D> y = attended(x, norm1(x));
      return fed(y, norm2(y));
    }
    const Var<T, D> y = norm1(attended(x, x));
    return norm2(fed(y, y));
  }
};

/// Self-attention, cross-attention to an encoder's output, and a feed-forward network.
template <Device D = Cpu, class T = float>
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
    // `to` plus what attention, or the feed-forward network, makes of y.
    const auto attended = [&](const Var<T, D>& to, const Var<T, D>& y) {
      return detail::residual(to, self_attn.out_proj, self_attn.heads_of(y, y, y, masks), dropout);
    };
    const auto looked_up = [&](const Var<T, D>& to, const Var<T, D>& y) {
      return detail::residual(to, multihead_attn.out_proj,
                              multihead_attn.heads_of(y, memory, memory, memory_masks), dropout);
    };
    const auto fed = [&](const Var<T, D>& to, const Var<T, D>& y) {
      return detail::residual(to, linear2, detail::fed(y, linear1, activation, dropout), dropout);
    };
    if (norm_first) {
      const Var<T, D> y = attended(x, norm1(x));
      const Var<T, D> z = looked_up(y, norm2(y));
      return fed(z, norm3(z));
    }
    const Var<T, D> y = norm1(attended(x, x));
    const Var<T, D> z = norm2(looked_up(y, y));
    return norm3(fed(z, z));
  }
};

WEFT_MODEL(Module<TransformerEncoderLayer<>>&& Module<TransformerDecoderLayer<>>);

}  // namespace weft::nn
