// Linear and Embedding: layers with one matrix of weights.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/index/indexing.hpp"
#include "weft/autograd/linalg/matmul.hpp"
#include "weft/nn/fields.hpp"
#include "weft/nn/init.hpp"
#include "weft/nn/layers/dropout.hpp"
#include "weft/nn/watched.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/linalg/matmul.hpp"

namespace weft::nn {

struct LinearOptions {
  bool bias = true;
};

/// y = x weight^T + bias along the last axis; initialised uniformly within 1 / sqrt(in).
template <Device D = Cpu, class T = float>
struct Linear {
  Var<T, D> weight;               // (out, in)
  std::optional<Var<T, D>> bias;  // (out,)

  Linear() = default;
  Linear(int64_t in, int64_t out, LinearOptions options = {}, D device = {})
      : weight(empty<T>({out, in}, device), true) {
    const double bound = in > 0 ? 1 / std::sqrt(static_cast<double>(in)) : 0;
    init::uniform(weight, -bound, bound);
    if (!options.bias) return;
    bias = Var<T, D>(empty<T>({out}, device), true);
    init::uniform(*bias, -bound, bound);
  }

  /// Not with one size: says so.
  template <NumberLike N>
  explicit Linear(N) {
    static_assert(weft::detail::always_false<N>,
                  "weft: a Linear has two sizes: write nn::Linear(in, out)");
  }

  auto fields() { return nn::fields("weight", weight, "bias", bias); }

  /// x of shape (..., in), the result of (..., out).
  Var<T, D> operator()(const Var<T, D>& x) const;
  /// The same plus `added`, of the result's shape: a residual connection, on CUDA in the product's
  /// own call.
  Var<T, D> plus(const Var<T, D>& x, const Var<T, D>& added) const;
  /// relu of (*this)(x), on CUDA in the product's own call; then dropout with probability
  /// `dropout`. One statement, whose gradient follows from the result.
  Var<T, D> relu(const Var<T, D>& x, double dropout = 0) const;
  /// gelu_tanh of (*this)(x); without gradients on CUDA in the product's own call.
  Var<T, D> gelu_tanh(const Var<T, D>& x) const;
  /// Not of another element type: says so.
  template <ExpressionLike X>
    requires(!std::is_same_v<typename X::value_type, T>)
  Var<T, D>
  operator()(const X&) const {
    static_assert(weft::detail::always_false<X>,
                  "weft: a Linear takes the element type of its weights: write cast<T>(x), or make "
                  "the layer as nn::Linear<Cpu, double>(in, out)");
    return {};
  }

 private:
  void check(const Var<T, D>& x) const {
    if (weight.rank() != 2) {
      fail<ShapeError>("Linear", "a layer without sizes: write nn::Linear<D> a{in, out}");
    }
    if (x.rank() == 0 || x.shape()[x.rank() - 1] != weight.shape()[1]) {
      fail<ShapeError>("Linear", "x of shape ", x.shape(), " for a layer from ", weight.shape()[1],
                       " to ", weight.shape()[0], " features");
    }
  }
};

// Not inline: weft::lib holds them.
template <Device D, class T>
Var<T, D> Linear<D, T>::operator()(const Var<T, D>& x) const {
  check(x);
  const detail::Watched watched(*this);
  if (bias) return watched(Var<T, D>(linear(x, weight, *bias)));
  return watched(Var<T, D>(linear(x, weight)));
}
template <Device D, class T>
Var<T, D> Linear<D, T>::plus(const Var<T, D>& x, const Var<T, D>& added) const {
  check(x);
  const detail::Watched watched(*this);
  if (bias) return watched(Var<T, D>(linear(x, weight, *bias) + added));
  return watched(Var<T, D>(linear(x, weight) + added));
}
template <Device D, class T>
Var<T, D> Linear<D, T>::relu(const Var<T, D>& x, double dropout) const {
  check(x);
  detail::check_chance("Linear", dropout);
  const detail::Watched watched(*this);
  const auto cut = [&](const auto& product) {
    if (dropout == 0) return Var<T, D>(weft::relu(product));
    return Var<T, D>(detail::dropped(weft::relu(product), dropout));
  };
  return watched(bias ? cut(linear(x, weight, *bias)) : cut(linear(x, weight)));
}

template <Device D, class T>
Var<T, D> Linear<D, T>::gelu_tanh(const Var<T, D>& x) const {
  if (is_grad_enabled() || autograd::caster<T, D>() != nullptr) {
    return weft::gelu_tanh((*this)(x));
  }
  check(x);
  const detail::Watched watched(*this);
  const auto active = [&](const auto& product) {
    return Var<T, D>(Tensor<T, D>(weft::gelu_tanh(product)));
  };
  const auto& w = weight.value();
  return watched(bias ? active(linear(x.value(), w, bias->value())) : active(linear(x.value(), w)));
}

struct EmbeddingOptions {
  std::optional<int64_t> padding_index;  ///< this row is 0 at first and gets no gradient
};

/// Row i of a table for each index i; initialised from a normal distribution.
template <Device D = Cpu, class T = float>
struct Embedding {
  Var<T, D> weight;  // (count, width)
  std::optional<int64_t> padding_index;

  Embedding() = default;
  Embedding(int64_t count, int64_t width, EmbeddingOptions options = {}, D device = {})
      : weight(empty<T>({count, width}, device), true), padding_index(options.padding_index) {
    init::normal(weight);
    if (!padding_index) return;
    if (*padding_index < 0) *padding_index += count;
    if (*padding_index < 0 || *padding_index >= count) {
      fail<IndexError>("Embedding", "padding_index ", *options.padding_index, " among ", count,
                       " rows");
    }
    weight.detach()(*padding_index).fill(compute_t<T>(0));
  }

  auto fields() { return nn::fields("weight", weight, "padding_index", padding_index); }

  /// Takes integers of any shape; the result has an additional last axis of `width`. Throws
  /// IndexError for an index outside the table.
  template <TensorLike I>
  Var<T, D> operator()(const I& indices) const {
    const detail::Watched watched(*this);
    if (!padding_index) return watched(Var<T, D>(take(weight, indices, axis(0))));
    using C = compute_t<typename I::value_type>;
    const auto padded = indices.unsqueeze(-1) == static_cast<C>(*padding_index);
    return watched(Var<T, D>(
        where(padded, take(weight.detach(), indices, axis(0)), take(weight, indices, axis(0)))));
  }
};

WEFT_MODEL(Module<Linear<>>&& Module<Embedding<>>);

}  // namespace weft::nn
