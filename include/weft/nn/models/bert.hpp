// Bert: the encoder of Devlin et al. (2018), with the names that Hugging Face's files have.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because the parts of the model are of no use without it.

#include "weft/autograd/attention/multi_head.hpp"
#include "weft/nn/attention/transformer_layers.hpp"
#include "weft/nn/layers/norm.hpp"
#include "weft/nn/models/loading.hpp"

namespace weft::nn::models {

/// A model's config.json, with the values of bert-base-uncased.
struct BertConfig {
  int64_t vocab_size = 30522;
  int64_t hidden_size = 768;
  int64_t num_hidden_layers = 12;
  int64_t num_attention_heads = 12;
  int64_t intermediate_size = 3072;
  FeedForward hidden_act = FeedForward::gelu;  ///< gelu_tanh: "gelu_new", "gelu_pytorch_tanh"
  int64_t max_position_embeddings = 512;
  int64_t type_vocab_size = 2;
  double hidden_dropout_prob = 0.1;
  double attention_probs_dropout_prob = 0.1;
  double layer_norm_eps = 1e-12;
  bool pooler = true;  ///< with the layer that sees the first token

  /// The config of all-MiniLM-L6-v2, which computes sentence embeddings.
  static BertConfig minilm_l6() {
    BertConfig config;
    config.hidden_size = 384;
    config.num_hidden_layers = 6;
    config.intermediate_size = 1536;
    return config;
  }
};

namespace bert {

/// The sum of token, position and segment embeddings, normalised.
template <class D, class T>
struct Embeddings {
  nn::Embedding<D, T> word_embeddings;
  nn::Embedding<D, T> position_embeddings;
  nn::Embedding<D, T> token_type_embeddings;
  nn::LayerNorm<D, T> norm;
  nn::Dropout dropout;

  Embeddings() = default;
  Embeddings(const BertConfig& c, D device)
      : word_embeddings(c.vocab_size, c.hidden_size, {}, device),
        position_embeddings(c.max_position_embeddings, c.hidden_size, {}, device),
        token_type_embeddings(c.type_vocab_size, c.hidden_size, {}, device),
        norm(c.hidden_size, {.epsilon = c.layer_norm_eps}, device),
        dropout{c.hidden_dropout_prob} {}

  auto fields() {
    return nn::fields("word_embeddings", word_embeddings, "position_embeddings",
                      position_embeddings, "token_type_embeddings", token_type_embeddings,
                      "LayerNorm", norm, "dropout", dropout);
  }

  Var<T, D> operator()(const Tensor<int64_t, D>& ids, const Tensor<int64_t, D>& types) const {
    const int64_t most = position_embeddings.weight.size(0);
    if (ids.rank() != 2 || ids.size(1) > most) {
      fail<ShapeError>("Bert", "tokens of shape ", ids.shape(),
                       ", expected (batch, length) with a length of at most ", most);
    }
    const Var<T, D> places = position_embeddings.weight.narrow(0, 0, ids.size(1));
    const Var<T, D> words = take(word_embeddings.weight, ids, axis(0));
    Var<T, D> x;
    if (types.size() == 0) {
      x = words + places + token_type_embeddings.weight(0);
    } else {
      x = words + places + take(token_type_embeddings.weight, types, axis(0));
    }
    x = norm(x);
    return dropout.training && dropout.p > 0 ? dropout(x) : x;
  }
};

/// The layers' weights are made next to each other, and so are their biases: without gradients, all
/// three are one product.
template <class D, class T>
struct SelfAttention {
  nn::Linear<D, T> query, key, value;

  SelfAttention() = default;
  SelfAttention(int64_t width, D device) {
    const Tensor<T, D> weights = empty<T>({3 * width, width}, device);
    const Tensor<T, D> biases = empty<T>({3 * width}, device);
    int64_t first = 0;
    for (nn::Linear<D, T>* layer : {&query, &key, &value}) {
      const nn::Linear<D, T> made(width, width, {}, device);
      layer->weight = Var<T, D>(weights.narrow(0, first, width), true);
      layer->bias = Var<T, D>(biases.narrow(0, first, width), true);
      layer->weight.detach().assign(made.weight.value());
      layer->bias->detach().assign(made.bias->value());
      first += width;
    }
  }

  auto fields() { return nn::fields("query", query, "key", key, "value", value); }

  Var<T, D> operator()(const Var<T, D>& x, HeadLayout layout,
                       const AttentionOptions<T, D>& options) const {
    if (!is_grad_enabled() && x.rank() == 3 && query.bias && key.bias && value.bias) {
      const Tensor<T, D> weights =
          rows_of_all(query.weight.value(), key.weight.value(), value.weight.value());
      const Tensor<T, D> biases =
          rows_of_all(query.bias->value(), key.bias->value(), value.bias->value());
      if (weights.size() > 0 && biases.size() > 0 && x.size(2) == weights.size(1)) {
        return packed_attention(Var<T, D>(linear(x, weights, biases)), layout, options);
      }
    }
    return multi_head_attention(query(x), key(x), value(x), layout, options);
  }

 private:
  /// Three tensors of one shape as one, if they follow each other in one block of memory; otherwise
  /// without elements.
  static Tensor<T, D> rows_of_all(const Tensor<T, D>& a, const Tensor<T, D>& b,
                                  const Tensor<T, D>& c) {
    const bool alike = a.shape() == b.shape() && b.shape() == c.shape() && a.is_contiguous() &&
                       b.is_contiguous() && c.is_contiguous();
    const bool follow = a.storage() == b.storage() && b.storage() == c.storage() &&
                        b.data() == a.data() + a.size() && c.data() == b.data() + b.size();
    if (!alike || !follow) return {};
    Shape shape = a.shape();
    shape[0] *= 3;
    using Access = weft::detail::Access;
    return Access::make<T, D>(StorageHandle(Access::storage(a)), a.data(), shape, a.strides());
  }
};

/// A linear layer with a residual connection and layer normalisation.
template <class D, class T>
struct Output {
  nn::Linear<D, T> dense;
  nn::LayerNorm<D, T> norm;
  nn::Dropout dropout;
  auto fields() { return nn::fields("dense", dense, "LayerNorm", norm, "dropout", dropout); }
  Var<T, D> operator()(const Var<T, D>& x, const Var<T, D>& before) const {
    return norm(nn::detail::residual(before, dense, x, dropout));
  }
};

template <class D, class T>
struct AttentionBlock {
  SelfAttention<D, T> self;
  Output<D, T> output;
  auto fields() { return nn::fields("self", self, "output", output); }
};

template <class D, class T>
struct Intermediate {
  nn::Linear<D, T> dense;
  auto fields() { return nn::fields("dense", dense); }
};

template <class D, class T>
struct Layer {
  AttentionBlock<D, T> attention;
  Intermediate<D, T> intermediate;
  Output<D, T> output;
  int64_t heads = 1;
  double attention_dropout = 0;
  FeedForward activation = FeedForward::gelu;
  bool training = true;

  Layer() = default;
  Layer(const BertConfig& c, D device)
      : heads(c.num_attention_heads),
        attention_dropout(c.attention_probs_dropout_prob),
        activation(c.hidden_act) {
    const auto linear = [&](int64_t in, int64_t out) {
      return nn::Linear<D, T>(in, out, {}, device);
    };
    const auto norm = [&] {
      return nn::LayerNorm<D, T>(c.hidden_size, {.epsilon = c.layer_norm_eps}, device);
    };
    const int64_t width = c.hidden_size;
    attention.self = SelfAttention<D, T>(width, device);
    attention.output = {linear(width, width), norm(), {c.hidden_dropout_prob}};
    intermediate = {linear(width, c.intermediate_size)};
    output = {linear(c.intermediate_size, width), norm(), {c.hidden_dropout_prob}};
  }

  auto fields() {
    return nn::fields("attention", attention, "intermediate", intermediate, "output", output,
                      "heads", heads, "attention_dropout", attention_dropout, "activation",
                      activation);
  }

  Var<T, D> operator()(const Var<T, D>& x, const AttentionMask<T, D>& mask) const {
    const Var<T, D> attended = attention.self(
        x, {heads, true}, {.mask = mask, .dropout = training ? attention_dropout : 0});
    const Var<T, D> y = attention.output(attended, x);
    return output(hidden(y), y);
  }

 private:
  Var<T, D> hidden(const Var<T, D>& x) const;
};

template <class D, class T>
Var<T, D> Layer<D, T>::hidden(const Var<T, D>& x) const {
  const nn::Linear<D, T>& dense = intermediate.dense;
  switch (activation) {
    case FeedForward::relu:
      return weft::relu(dense(x));
    case FeedForward::gelu:
      return gelu(dense(x));
    case FeedForward::gelu_tanh:
      break;
  }
  return dense.gelu_tanh(x);
}

template <class D, class T>
struct Encoder {
  std::vector<Layer<D, T>> layer;
  auto fields() { return nn::fields("layer", layer); }
};

template <class D, class T>
struct Pooler {
  nn::Linear<D, T> dense;
  auto fields() { return nn::fields("dense", dense); }
};

}  // namespace bert

/// The encoder. Files of Hugging Face are loaded by load_bert.
template <Device D = Cpu, class T = float>
struct Bert {
  bert::Embeddings<D, T> embeddings;
  bert::Encoder<D, T> encoder;
  std::optional<bert::Pooler<D, T>> pooler;

  Bert() = default;
  explicit Bert(const BertConfig& config, D device = {}) : embeddings(config, device) {
    if (config.num_attention_heads <= 0 || config.hidden_size % config.num_attention_heads != 0) {
      fail<ValueError>("Bert", "a width of ", config.hidden_size, " for ",
                       config.num_attention_heads, " heads, expected a multiple");
    }
    for (int64_t i = 0; i < config.num_hidden_layers; ++i) {
      encoder.layer.emplace_back(config, device);
    }
    if (config.pooler) pooler = {{{config.hidden_size, config.hidden_size, {}, device}}};
  }

  auto fields() {
    return nn::fields("embeddings", embeddings, "encoder", encoder, "pooler", pooler);
  }

  /// Tokens of shape (batch, length) to vectors of (batch, length, hidden_size). The mask is true
  /// for tokens and false for padding, which nothing attends to; types tell the first sentence (0,
  /// also without types) from the second (1).
  Var<T, D> operator()(const Tensor<int64_t, D>& ids, const Tensor<bool, D>& mask = {},
                       const Tensor<int64_t, D>& types = {}) const {
    AttentionMask<T, D> attended;
    if (mask.size() > 0) {
      if (!(mask.shape() == ids.shape())) {
        fail<ShapeError>("Bert", "a mask of shape ", mask.shape(), " for tokens of ", ids.shape());
      }
      attended = mask.reshape({mask.size(0), 1, 1, mask.size(1)});
    }
    Var<T, D> x = embeddings(ids, types);
    for (const auto& layer : encoder.layer) x = layer(x, attended);
    return x;
  }

  /// The pooler's output for the first token: (batch, hidden_size).
  Var<T, D> pooled(const Var<T, D>& hidden) const {
    if (!pooler) fail<ValueError>("Bert", "there is no pooler: make one with {.pooler = true}");
    return tanh(pooler->dense(hidden.narrow(1, 0, 1).squeeze(1)));
  }
};

/// The mean of the vectors of all unmasked tokens, normalised to length 1: the sentence embedding
/// of all-MiniLM-L6-v2. hidden has shape (batch, length, width), mask (batch, length), the result
/// (batch, width).
template <class T, class D>
Var<T, D> sentence_vectors(const Var<T, D>& hidden, const Tensor<bool, D>& mask) {
  using C = compute_t<T>;
  const Tensor<bool, D> here = mask.unsqueeze(2);
  const Tensor<C, D> count = sum(cast<C>(mask), axis(1), keepdims);
  const Var<T, D> total = sum(where(here, hidden, C(0)), axis(1));
  const Var<T, D> average = total / cast<T>(maximum(count, C(1)));
  return normalize(average);
}

/// Loads a file of Hugging Face: names may begin with "bert.", LayerNorm's weights may have their
/// old names gamma and beta; tensors that do not belong to the encoder (position_ids, task heads)
/// are skipped. Elements are converted to the model's type. Throws ValueError if something is
/// missing.
template <class D, class T>
void load_bert(Bert<D, T>& model, const StateDict& dict) {
  const auto rename = [](std::string name) -> std::string {
    if (name.starts_with("bert.")) name = name.substr(5);
    const bool known = name.starts_with("embeddings.") || name.starts_with("encoder.") ||
                       name.starts_with("pooler.");
    if (!known || name.ends_with("position_ids")) return "";
    if (name.ends_with(".gamma")) return name.substr(0, name.size() - 5) + "weight";
    if (name.ends_with(".beta")) return name.substr(0, name.size() - 4) + "bias";
    return name;
  };
  if (model.pooler) {
    nn::load_state_dict(model, converted<T>(dict), {.rename = nn::Rename(rename)});
  } else {
    const auto without = [&](const std::string& name) {
      const std::string to = rename(name);
      return to.starts_with("pooler.") ? std::string() : to;
    };
    nn::load_state_dict(model, converted<T>(dict), {.rename = nn::Rename(without)});
  }
}

WEFT_MODEL(Module<Bert<>>);

}  // namespace weft::nn::models
