// TransformerEncoder, TransformerDecoder and Transformer: stacks of layers, with PyTorch's names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/attention/transformer_layers.hpp"
#include "weft/nn/module.hpp"

namespace weft::nn {

/// The mask of n queries that ignore later keys: true above the diagonal. Attention with is_causal
/// needs no memory for a mask.
template <Device D = Cpu>
Tensor<bool, D> generate_square_subsequent_mask(int64_t n, D device = {}) {
  return arange<int64_t>(n, device) > arange<int64_t>(n, device).unsqueeze(1);
}

/// Encoder layers one after the other, optionally followed by a norm.
template <Device D = Cpu, class T = float>
struct TransformerEncoder {
  using Masks = MultiheadAttentionMasks<T, D>;

  std::vector<TransformerEncoderLayer<D, T>> layers;
  std::optional<LayerNorm<D, T>> norm;

  TransformerEncoder() = default;
  /// Copies of a layer, initialised with its values as in PyTorch.
  TransformerEncoder(const TransformerEncoderLayer<D, T>& layer, int64_t num_layers,
                     std::optional<LayerNorm<D, T>> last = {})
      : norm(last) {
    for (int64_t i = 0; i < num_layers; ++i) layers.push_back(clone(layer));
  }

  auto fields() { return nn::fields("layers", layers, "norm", norm); }

  Var<T, D> operator()(const Var<T, D>& x, const Masks& masks = {}) const {
    Var<T, D> y = x;
    for (const auto& layer : layers) y = layer(y, masks);
    return norm ? (*norm)(y) : y;
  }
};

/// Decoder layers one after the other, optionally followed by a norm.
template <Device D = Cpu, class T = float>
struct TransformerDecoder {
  using Masks = MultiheadAttentionMasks<T, D>;

  std::vector<TransformerDecoderLayer<D, T>> layers;
  std::optional<LayerNorm<D, T>> norm;

  TransformerDecoder() = default;
  TransformerDecoder(const TransformerDecoderLayer<D, T>& layer, int64_t num_layers,
                     std::optional<LayerNorm<D, T>> last = {})
      : norm(last) {
    for (int64_t i = 0; i < num_layers; ++i) layers.push_back(clone(layer));
  }

  auto fields() { return nn::fields("layers", layers, "norm", norm); }

  Var<T, D> operator()(const Var<T, D>& x, const Var<T, D>& memory, const Masks& masks = {},
                       const Masks& memory_masks = {}) const {
    Var<T, D> y = x;
    for (const auto& layer : layers) y = layer(y, memory, masks, memory_masks);
    return norm ? (*norm)(y) : y;
  }
};

struct TransformerOptions {
  int64_t d_model = 512;
  int64_t nhead = 8;
  int64_t num_encoder_layers = 6;
  int64_t num_decoder_layers = 6;
  TransformerLayerOptions layer = {};
};

template <class T, class D>
struct TransformerMasks {
  MultiheadAttentionMasks<T, D> src = {};
  MultiheadAttentionMasks<T, D> tgt = {};
  MultiheadAttentionMasks<T, D> memory = {};
};

/// An encoder and a decoder (Vaswani et al. 2017). All matrices are initialised as in Glorot and
/// Bengio 2010.
template <Device D = Cpu, class T = float>
struct Transformer {
  TransformerEncoder<D, T> encoder;
  TransformerDecoder<D, T> decoder;

  Transformer() = default;
  explicit Transformer(const TransformerOptions& options, D device = {}) {
    const auto norm = [&] {
      return LayerNorm<D, T>(options.d_model, {.epsilon = options.layer.layer_norm_eps}, device);
    };
    encoder = TransformerEncoder<D, T>(
        TransformerEncoderLayer<D, T>(options.d_model, options.nhead, options.layer, device),
        options.num_encoder_layers, norm());
    decoder = TransformerDecoder<D, T>(
        TransformerDecoderLayer<D, T>(options.d_model, options.nhead, options.layer, device),
        options.num_decoder_layers, norm());
    for (const auto& x : parameters(*this)) {
      if (x.rank() > 1) init::xavier_uniform(x);
    }
  }

  auto fields() { return nn::fields("encoder", encoder, "decoder", decoder); }

  /// src of shape (m, batch, width) and tgt of (n, batch, width) give (n, batch, width), or with
  /// batch_first the batch comes first.
  Var<T, D> operator()(const Var<T, D>& src, const Var<T, D>& tgt,
                       const TransformerMasks<T, D>& masks = {}) const {
    return decoder(tgt, encoder(src, masks.src), masks.tgt, masks.memory);
  }
};

WEFT_MODEL(Module<TransformerEncoder<>>&& Module<TransformerDecoder<>>&& Module<Transformer<>>);

}  // namespace weft::nn
