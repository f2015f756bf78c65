// Gpt: the decoder of Radford et al. (2019), with the names of Hugging Face's GPT-2 files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/attention/multi_head.hpp"
#include "weft/nn/attention/cache.hpp"
#include "weft/nn/attention/transformer_layers.hpp"
#include "weft/nn/layers/norm.hpp"
#include "weft/nn/models/loading.hpp"

namespace weft::nn::models {

/// A model's config.json, with the values of the smallest GPT-2.
struct GptConfig {
  int64_t vocab_size = 50257;
  int64_t n_positions = 1024;
  int64_t n_embd = 768;
  int64_t n_layer = 12;
  int64_t n_head = 12;
  double dropout = 0.1;
  double layer_norm_epsilon = 1e-5;
};

namespace gpt {

/// y = x weight + bias; the weight is (in, out), as in GPT-2's files.
template <class D, class T>
struct Projection {
  Var<T, D> weight;  // (in, out)
  Var<T, D> bias;    // (out,)

  Projection() = default;
  Projection(int64_t in, int64_t out, double deviation, D device)
      : weight(empty<T>({in, out}, device), true), bias(zeros<T>({out}, device), true) {
    nn::init::normal(weight, 0, deviation);
  }
  auto fields() { return nn::fields("weight", weight, "bias", bias); }
  Var<T, D> operator()(const Var<T, D>& x) const { return matmul(x, weight) + bias; }
  /// gelu_tanh of the same; without gradients on CUDA in the product's own call.
  Var<T, D> gelu(const Var<T, D>& x) const {
    if (is_grad_enabled() || autograd::caster<T, D>() != nullptr) return gelu_tanh((*this)(x));
    return Var<T, D>(Tensor<T, D>(gelu_tanh(matmul(x.value(), weight.value()) + bias.value())));
  }
  /// The same plus `added`, as nn::Linear's.
  Var<T, D> plus(const Var<T, D>& x, const Var<T, D>& added) const {
    return matmul(x, weight) + bias + added;
  }
};

template <class D, class T>
struct Attention {
  Projection<D, T> c_attn;  // queries, keys and values
  Projection<D, T> c_proj;
  int64_t heads = 1;
  double dropout = 0;
  bool training = true;

  auto fields() {
    return nn::fields("c_attn", c_attn, "c_proj", c_proj, "heads", heads, "dropout", dropout);
  }

  /// The heads' results for x of shape (batch, length, width), still to be projected. With a cache,
  /// x follows its contents and is added to it.
  Var<T, D> operator()(const Var<T, D>& x, nn::KeyValueCache<D, T>* cache) const {
    const Var<T, D> qkv = c_attn(x);
    if (cache == nullptr) {
      return packed_attention(qkv, {heads, true},
                              {.causal = true, .dropout = training ? dropout : 0});
    }
    const int64_t width = x.size(2);
    const auto part = [&](int64_t i) {
      const Tensor<T, D> some = qkv.value().narrow(2, i * width, width);
      return autograd::split_heads(some, HeadLayout{heads, true});
    };
    const int64_t past = cache->length();
    cache->append(part(1), part(2));
    const Tensor<T, D> y = scaled_dot_product_attention(part(0), cache->keys(), cache->values(),
                                                        {.causal = true, .past = past});
    return Var<T, D>(y.transpose(1, 2).reshape(x.shape()));
  }
};

template <class D, class T>
struct FeedForward {
  Projection<D, T> c_fc;
  Projection<D, T> c_proj;
  auto fields() { return nn::fields("c_fc", c_fc, "c_proj", c_proj); }
  /// What c_proj projects.
  Var<T, D> operator()(const Var<T, D>& x) const { return c_fc.gelu(x); }
};

template <class D, class T>
struct Block {
  nn::LayerNorm<D, T> ln_1;
  Attention<D, T> attn;
  nn::LayerNorm<D, T> ln_2;
  FeedForward<D, T> mlp;
  nn::Dropout dropout;

  auto fields() {
    return nn::fields("ln_1", ln_1, "attn", attn, "ln_2", ln_2, "mlp", mlp, "dropout", dropout);
  }
  Var<T, D> operator()(const Var<T, D>& x, nn::KeyValueCache<D, T>* cache) const {
    const Var<T, D> y = nn::detail::residual(x, attn.c_proj, attn(ln_1(x), cache), dropout);
    return nn::detail::residual(y, mlp.c_proj, mlp(ln_2(y)), dropout);
  }
};

}  // namespace gpt

/// How Gpt::generate chooses tokens.
struct GenerateOptions {
  double temperature = 1;  ///< 0: always the likeliest
  int64_t top_k = 0;       ///< of the likeliest so many only; 0: of all
};

/// The decoder; the output layer is the transposed embedding. Files of Hugging Face are loaded by
/// load_gpt.
template <Device D = Cpu, class T = float>
struct Gpt {
  nn::Embedding<D, T> wte;  // tokens
  nn::Embedding<D, T> wpe;  // places
  std::vector<gpt::Block<D, T>> h;
  nn::LayerNorm<D, T> ln_f;
  nn::Dropout dropout;

  using Cache = std::vector<nn::KeyValueCache<D, T>>;

  Gpt() = default;
  /// Initialised as GPT-2. Throws ValueError if the width is not divisible by the number of heads.
  explicit Gpt(const GptConfig& c, D device = {})
      : wte(c.vocab_size, c.n_embd, {}, device),
        wpe(c.n_positions, c.n_embd, {}, device),
        ln_f(c.n_embd, {.epsilon = c.layer_norm_epsilon}, device),
        dropout{c.dropout} {
    if (c.n_head <= 0 || c.n_embd % c.n_head != 0) {
      fail<ValueError>("Gpt", "a width of ", c.n_embd, " for ", c.n_head,
                       " heads, expected a multiple");
    }
    nn::init::normal(wte.weight, 0, 0.02);
    nn::init::normal(wpe.weight, 0, 0.02);
    const double last = 0.02 / std::sqrt(2 * static_cast<double>(c.n_layer));
    for (int64_t i = 0; i < c.n_layer; ++i) {
      const auto norm = [&] {
        return nn::LayerNorm<D, T>(c.n_embd, {.epsilon = c.layer_norm_epsilon}, device);
      };
      const int64_t width = c.n_embd;
      gpt::Block<D, T> block;
      block.ln_1 = norm();
      block.attn.c_attn = {width, 3 * width, 0.02, device};
      block.attn.c_proj = {width, width, last, device};
      block.attn.heads = c.n_head;
      block.attn.dropout = c.dropout;
      block.ln_2 = norm();
      block.mlp.c_fc = {width, 4 * width, 0.02, device};
      block.mlp.c_proj = {4 * width, width, last, device};
      block.dropout = {c.dropout};
      h.push_back(block);
    }
  }

  auto fields() {
    return nn::fields("wte", wte, "wpe", wpe, "h", h, "ln_f", ln_f, "dropout", dropout);
  }

  /// Tokens of shape (batch, length) to the logits of each next token, (batch, length, vocab_size).
  Var<T, D> operator()(const Tensor<int64_t, D>& ids) const { return logits(hidden(ids, nullptr)); }

  /// The logits after the last token only, (batch, vocab_size); the tokens follow those already in
  /// the cache, and are added to it. In a NoGrad.
  Var<T, D> next(const Tensor<int64_t, D>& ids, Cache& cache) const {
    cache.resize(h.size());
    const Var<T, D> x = hidden(ids, &cache);
    return logits(x.narrow(1, x.size(1) - 1, 1)).squeeze(1);
  }

  /// Generates `count` more tokens, each sampled from the model's distribution: (batch, length) to
  /// (batch, length + count). Keys and values of earlier tokens are cached, and the host does not
  /// wait for any token. Throws ShapeError beyond n_positions.
  Tensor<int64_t, D> generate(const Tensor<int64_t, D>& ids, int64_t count,
                              GenerateOptions options = {}) const {
    const NoGrad guard;
    Cache cache;
    std::vector<Tensor<int64_t, D>> all{ids};
    for (int64_t i = 0; i < count; ++i) {
      const Tensor<T, D> scores = next(all.back(), cache).value();
      all.push_back(chosen(scores, options).unsqueeze(1));
    }
    return cat(all, axis(1));
  }

 private:
  Var<T, D> hidden(const Tensor<int64_t, D>& ids, Cache* cache) const {
    const int64_t past = cache != nullptr ? cache->at(0).length() : 0;
    if (ids.rank() != 2 || ids.size(1) == 0 || past + ids.size(1) > wpe.weight.size(0)) {
      fail<ShapeError>("Gpt", "tokens of shape ", ids.shape(), " behind ", past,
                       ", expected (batch, length) with at most ", wpe.weight.size(0), " in all");
    }
    const Var<T, D> places = wpe.weight.narrow(0, past, ids.size(1));
    Var<T, D> x = take(wte.weight, ids, axis(0)) + places;
    if (dropout.training && dropout.p > 0) x = dropout(x);
    for (std::size_t i = 0; i < h.size(); ++i) {
      x = h[i](x, cache != nullptr ? &(*cache)[i] : nullptr);
    }
    return ln_f(x);
  }
  Var<T, D> logits(const Var<T, D>& x) const { return linear(x, wte.weight); }

  /// By Gumbel's trick: the largest of logits plus -log(-log(u)).
  static Tensor<int64_t, D> chosen(const Tensor<T, D>& scores, const GenerateOptions& options) {
    using C = compute_t<T>;
    if (!(options.temperature >= 0) || options.top_k < 0) {
      fail<ValueError>("generate", "temperature ", options.temperature, " and top_k ",
                       options.top_k, ", expected at least 0");
    }
    if (options.temperature == 0) return argmax(scores, axis(1));
    Tensor<C, D> x = cast<C>(scores) * static_cast<C>(1 / options.temperature);
    if (options.top_k > 0 && options.top_k < x.size(1)) {
      const Tensor<C, D> best = topk(x, options.top_k, axis(1)).values;
      const Tensor<C, D> least = best.narrow(1, options.top_k - 1, 1);
      x = where(x < least, -std::numeric_limits<C>::infinity(), x);
    }
    const auto u = maximum(uniform<C>(x.shape()), static_cast<C>(1e-30));
    return argmax(Tensor<C, D>(x - log(-log(u))), axis(1));
  }
};

/// Loads a GPT-2 file of Hugging Face: names may begin with "transformer."; masks that are stored
/// as buffers and the output layer, which is the embedding, are skipped. Elements are converted to
/// the model's type.
template <class D, class T>
void load_gpt(Gpt<D, T>& model, const StateDict& dict) {
  const auto rename = [](std::string name) -> std::string {
    if (name.starts_with("transformer.")) name = name.substr(12);
    const bool mask = name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias");
    return mask || name.starts_with("lm_head") ? "" : name;
  };
  nn::load_state_dict(model, converted<T>(dict), {.rename = nn::Rename(rename)});
}

WEFT_MODEL(Module<Gpt<>>);

}  // namespace weft::nn::models
