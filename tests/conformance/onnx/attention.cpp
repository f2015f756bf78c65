// ONNX's attentions and rotary positions, written out where weft's own function has no such option.
// SPDX-License-Identifier: Apache-2.0
#include "weft/attention.hpp"
#include "../call.hpp"

namespace conformance {

namespace {

/// (batch, length, heads * width) as (batch, heads, length, width).
template <class T>
Tensor<T> by_heads(const Tensor<T>& x, int64_t heads) {
  return x.reshape(x.size(0), x.size(1), heads, x.size(2) / heads).permute(0, 2, 1, 3).clone();
}
template <class T>
Tensor<T> heads_joined(const Tensor<T>& x) {
  return x.permute(0, 2, 1, 3).reshape(x.size(0), x.size(2), x.size(1) * x.size(3));
}

/// What is added to the scores: 0 for what a query may see, -infinity elsewhere. Float, since the
/// scores are so until they are rounded.
Float bias_of(Call& c, int mask, int64_t batch, int64_t queries, int64_t keys, int64_t past,
              bool lengths) {
  Float bias = weft::zeros({1, 1, queries, keys});
  if (c.has(mask)) {
    c.visit<float, bool, half, bfloat16>(mask, [&](const auto& given) {
      using M = element_t<decltype(given)>;
      Float added;
      if constexpr (std::is_same_v<M, bool>) {
        added = where(given, 0.F, -INFINITY);
      } else {
        added = cast<float>(given);
      }
      const int64_t missing = keys - added.size(-1);
      if (missing > 0) {
        added = weft::pad(added, Shape{0, missing}, weft::PadMode::constant, -INFINITY);
      }
      bias = bias + added;
    });
  }
  // How many keys come before the first query, for each image of the batch.
  Float before = weft::full({1, 1, 1, 1}, static_cast<float>(past));
  const Float key = weft::arange<float>(0, static_cast<float>(keys), 1, Cpu{});
  if (lengths) {
    const Float filled = cast<float>(c.get<int64_t>(6)).reshape(batch, 1, 1, 1);
    before = filled - static_cast<float>(queries);
    bias = bias + where(key < filled, 0.F, -INFINITY);
  }
  const Float query = weft::arange<float>(0, static_cast<float>(queries), 1, Cpu{}).unsqueeze(1);
  const Float distance = query + before - key;
  if (c.integer("is_causal") != 0) bias = bias + where(distance >= 0, 0.F, -INFINITY);
  const auto left = static_cast<float>(c.integer("left_window_size", -1));
  const auto right = static_cast<float>(c.integer("right_window_size", -1));
  if (left >= 0) bias = bias + where(distance <= left, 0.F, -INFINITY);
  if (right >= 0) bias = bias + where(distance >= -right, 0.F, -INFINITY);
  return bias;
}

template <class T>
void attend(Call& c) {
  Tensor<T> q = c.get<T>(0);
  Tensor<T> k = c.get<T>(1);
  Tensor<T> v = c.get<T>(2);
  const bool rows = q.rank() == 3;
  if (rows) {
    q = by_heads(q, c.integer("q_num_heads"));
    k = by_heads(k, c.integer("kv_num_heads"));
    v = by_heads(v, c.integer("kv_num_heads"));
  }
  const int64_t past = c.has(4) ? c.shape(4)[2] : 0;
  if (c.has(4)) k = cat(c.get<T>(4), k, axis(2));
  if (c.has(5)) v = cat(c.get<T>(5), v, axis(2));
  const Tensor<T> keys = k;
  const Tensor<T> values = v;
  double scale = c.number("scale", 0);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(q.size(3)));
  const float cap = c.real("softcap", 0);
  const Float bias = bias_of(c, 3, q.size(0), q.size(2), k.size(2), past, c.has(6));

  // The value by weft's own function, where nothing happens to the scores that it has not.
  const int64_t mode = c.results() > 3 ? c.integer("qk_matmul_output_mode") : -1;
  Tensor<T> y;
  // ONNX rounds after each step, and tests bfloat16 to less than its last place.
  const bool stepwise = cap > 0 || std::is_same_v<T, bfloat16>;
  if (!stepwise) {
    const Tensor<T> added = cast<T>(bias);
    y = scaled_dot_product_attention(
        q, k, v, {.mask = added, .scale = scale, .enable_gqa = q.size(1) != k.size(1)});
  }
  const int64_t group = q.size(1) / k.size(1);
  if (group > 1) {
    k = weft::repeat_interleave(k, group, axis(1));
    v = weft::repeat_interleave(v, group, axis(1));
  }
  const auto root = static_cast<float>(static_cast<T>(static_cast<float>(std::sqrt(scale))));
  const Tensor<T> scaled_keys = k * root;
  const Tensor<T> scaled = q * root;
  Tensor<T> product = matmul(scaled, scaled_keys.transpose(2, 3));
  Tensor<T> seen = product;
  if (cap > 0) product = cap * tanh(product / cap);
  if (mode == 1) seen = product;
  const Tensor<T> scores = cast<T>(cast<float>(product) + bias);
  if (mode == 2) seen = scores;
  const Tensor<bool> nothing = max(bias, axis(-1), keepdims) == -INFINITY;
  Tensor<T> shares;
  if constexpr (std::is_same_v<T, bfloat16>) {
    const Tensor<T> e = exp(Tensor<T>(scores - max(scores, axis(-1), keepdims)));
    Tensor<T> sums = e.narrow(3, 0, 1);
    for (int64_t i = 1; i < e.size(3); ++i) sums = sums + e.narrow(3, i, 1);
    shares = e / sums;
  } else {
    shares = cast<T>(softmax(cast<float>(scores), axis(-1)));
  }
  const Tensor<T> weights = where(nothing, 0, shares);
  if (mode == 3) seen = weights;
  if (stepwise) y = matmul(weights, v);
  c.out(rows ? heads_joined(y) : y);
  c.out(keys);
  c.out(values);
  c.out(seen);
}

template <class T>
void flex_attend(Call& c) {
  const Tensor<T> q = c.get<T>(0);
  const Tensor<T> k = c.get<T>(1);
  double scale = c.number("scale", 0);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(q.size(3)));
  c.out(scaled_dot_product_attention(q, k, c.get<T>(2),
                                     {.scale = scale, .enable_gqa = q.size(1) != k.size(1)}));
}

/// Attention whose keys and values are summed up in a matrix, a step at a time.
template <class T>
void linear_attend(Call& c) {
  const int64_t heads = c.integer("q_num_heads");
  const int64_t key_heads = c.integer("kv_num_heads");
  const std::string rule = c.word("update_rule", "gated_delta");
  const Float q = by_heads(Float(cast<float>(c.get<T>(0))), heads);
  const Float k = by_heads(Float(cast<float>(c.get<T>(1))), key_heads);
  const Float v = by_heads(Float(cast<float>(c.get<T>(2))), key_heads);
  const int64_t batch = q.size(0);
  const int64_t width = q.size(3);
  Float state = weft::zeros({batch, key_heads, width, v.size(3)});
  if (c.has(3)) state = cast<float>(c.get<T>(3));
  Float decay;
  if (c.has(4)) decay = by_heads(Float(cast<float>(c.get<T>(4))), key_heads);
  Float beta;
  if (c.has(5)) {
    const Float given = cast<float>(c.get<T>(5));
    beta = by_heads(given, given.size(2));
  }
  double scale = c.number("scale", 0);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<double>(width));
  std::vector<Float> steps;
  for (int64_t t = 0; t < q.size(2); ++t) {
    const auto at = [&](const Float& x) { return x.narrow(2, t, 1); };  // (batch, heads, 1, width)
    if (c.has(4)) state = state * exp(at(decay)).transpose(2, 3);
    Float value = at(v);
    if (c.has(5)) value = at(beta) * (value - matmul(at(k), state));
    state = state + at(k).transpose(2, 3) * value;
    const Float read = weft::repeat_interleave(state, heads / key_heads, axis(1));
    steps.push_back(static_cast<float>(scale) * matmul(at(q), read));
  }
  c.out(cast<T>(heads_joined(Float(weft::cat(steps, axis(2))))));
  c.out(cast<T>(state));
}

void rotary(Call& c) {
  const bool rows = c.shape(0).rank() == 3;
  const Float given = c.f32(0);
  const Float x =
      rows ? by_heads(given, c.integer("num_heads")) : given;  // (batch, head, length, width)
  int64_t turned = c.integer("rotary_embedding_dim");
  if (turned == 0) turned = x.size(3);
  Float cosine = c.f32(1);
  Float sine = c.f32(2);
  if (c.has(3)) {
    cosine = take(cosine, c.get<int64_t>(3), axis(0));
    sine = take(sine, c.get<int64_t>(3), axis(0));
  }
  cosine = cosine.unsqueeze(1);  // (batch, 1, length, width / 2)
  sine = sine.unsqueeze(1);
  const Float part = x.narrow(3, 0, turned);
  const bool pairs = c.integer("interleaved") != 0;
  const auto half_of = [&](int64_t i) {
    return Float(pairs ? part.reshape(x.size(0), x.size(1), x.size(2), turned / 2, 2)
                             .narrow(4, i, 1)
                             .squeeze(4)
                       : part.narrow(3, i * turned / 2, turned / 2));
  };
  const Float first = cosine * half_of(0) - sine * half_of(1);
  const Float second = sine * half_of(0) + cosine * half_of(1);
  const Float both = pairs ? Float(stack(first, second, axis(4))).reshape(part.shape())
                           : Float(cat(first, second, axis(3)));
  const Float y = cat(both, x.narrow(3, turned, x.size(3) - turned), axis(3));
  c.out(rows ? heads_joined(y) : y);
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["Attention"] = [](Call& c) {
    switch (c.dtype(0)) {
      case weft::Dtype::float32:
        return attend<float>(c);
      case weft::Dtype::float16:
        return attend<half>(c);
      case weft::Dtype::bfloat16:
        return attend<bfloat16>(c);
      default:
        c.reject(0);
    }
  };
  table["FlexAttention"] = [](Call& c) {
    switch (c.dtype(0)) {
      case weft::Dtype::float32:
        return flex_attend<float>(c);
      case weft::Dtype::float16:
        return flex_attend<half>(c);
      case weft::Dtype::float64:
        return flex_attend<double>(c);
      default:
        c.reject(0);
    }
  };
  table["LinearAttention"] = [](Call& c) {
    c.dtype(0) == weft::Dtype::float16 ? linear_attend<half>(c) : linear_attend<float>(c);
  };
  table["RotaryEmbedding"] = rotary;
});

}  // namespace conformance
