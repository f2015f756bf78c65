// Positions in a sequence: sinusoidal PositionalEncoding and rotary_embedding.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/function.hpp"
#include "weft/nn/layers/sequential.hpp"
#include "weft/ops/fuse.hpp"

namespace weft::nn {

struct PositionalEncodingOptions {
  double dropout = 0.1;
  int64_t max_len = 5000;
  bool batch_first = false;  ///< (batch, length, width) instead of (length, batch, width)
};

/// x plus sin(i w_k) and cos(i w_k) side by side for position i, where w_k = 10000^(-2k / width)
/// (Vaswani et al. 2017); the buffer has the name and shape of PyTorch's tutorial.
template <Device D = Cpu, class T = float>
struct PositionalEncoding {
  Tensor<T, D> pe;  // (max_len, 1, width)
  Dropout dropout;
  bool batch_first = false;

  PositionalEncoding() = default;
  explicit PositionalEncoding(int64_t width, PositionalEncodingOptions options = {}, D device = {})
      : pe(empty<T>({options.max_len, 1, width}, device)),
        dropout{options.dropout},
        batch_first(options.batch_first) {
    const int64_t half_width = (width + 1) / 2;
    const Tensor<double, D> pairs = arange<double>(static_cast<double>(half_width), device);
    const Tensor<double, D> places = arange<double>(static_cast<double>(options.max_len), device);
    const double step = -2 * std::log(10000.0) / static_cast<double>(width);
    const Tensor<double, D> angles = places.reshape({-1, 1, 1}) * exp(pairs * step);
    pe(weft::all, weft::all, slice(0, none, 2)).assign(cast<T>(sin(angles)));
    pe(weft::all, weft::all, slice(1, none, 2))
        .assign(cast<T>(cos(angles(weft::all, weft::all, slice(0, width / 2)))));
  }

  auto fields() { return nn::fields("pe", pe, "dropout", dropout, "batch_first", batch_first); }

  /// Throws ShapeError for a sequence that is longer than max_len.
  Var<T, D> operator()(const Var<T, D>& x) const {
    const int along = batch_first ? 1 : 0;
    if (x.rank() != 3 || x.size(along) > pe.size(0) || x.size(2) != pe.size(2)) {
      fail<ShapeError>("PositionalEncoding", "an input of shape ", x.shape(), ", expected ",
                       batch_first ? "(batch, length, " : "(length, batch, ", pe.size(2),
                       ") with a length of at most ", pe.size(0));
    }
    const Tensor<T, D> places = pe.narrow(0, 0, x.size(along));
    const Var<T, D> y = x + (batch_first ? places.transpose(0, 1) : places);
    return dropout.training && dropout.p > 0 ? dropout(y) : y;
  }
};

/// cos and sin of rotary_embedding's angles: both (length, width / 2).
template <class T, class D>
struct RotaryAngles {
  Tensor<T, D> cosines;
  Tensor<T, D> sines;
};

/// For positions first, first + 1, ...: position i turns pair k by i base^(-2k / width).
template <class T = float, class D = Cpu>
RotaryAngles<T, D> rotary_angles(int64_t length, int64_t width, double base = 10000,
                                 int64_t first = 0, D device = {}) {
  if (width <= 0 || width % 2 != 0) {
    fail<ValueError>("rotary_angles", "a width of ", width, ", expected an even number");
  }
  const Tensor<double, D> pairs = arange<double>(static_cast<double>(width / 2), device);
  const Tensor<double, D> places =
      arange<double>(static_cast<double>(first), static_cast<double>(first + length), 1, device);
  const double step = -2 * std::log(base) / static_cast<double>(width);
  const Tensor<double, D> angles = places.unsqueeze(1) * exp(pairs * step);
  return {Tensor<T, D>(cast<T>(cos(angles))), Tensor<T, D>(cast<T>(sin(angles)))};
}

/// Which elements of a row form a pair: neighbours, as in the paper and GPT-J, or elements half the
/// width apart, as in GPT-NeoX and Llama.
enum class RotaryPairs : unsigned char { halves, neighbours };

namespace detail {
/// Each pair rotated by its angle, or back.
template <class T, class D>
Tensor<T, D> turned(const Tensor<T, D>& x, const RotaryAngles<T, D>& angles, RotaryPairs pairs,
                    bool back) {
  using C = compute_t<T>;
  const Tensor<T, D> y = empty<T>(x.shape(), x.device());
  const int64_t width = x.size(-1);
  const auto part = [&](const Tensor<T, D>& of, int64_t number) {
    if (pairs == RotaryPairs::halves) return of.narrow(-1, number * width / 2, width / 2);
    Shape split = of.shape();
    split[split.rank() - 1] = width / 2;
    split.push_back(2);
    return of.reshape(split).narrow(-1, number, 1).squeeze(-1);
  };
  const Tensor<T, D> a = part(x, 0);
  const Tensor<T, D> b = part(x, 1);
  const Tensor<T, D> to_a = part(y, 0);
  const Tensor<T, D> to_b = part(y, 1);
  const C sign(back ? -1 : 1);
  tie(to_a, to_b) = fuse(a * angles.cosines - sign * (b * angles.sines),
                         b * angles.cosines + sign * (a * angles.sines));
  return y;
}

template <class T, class D>
struct RotaryRule {
  RotaryAngles<T, D> angles;
  RotaryPairs pairs;

  template <class G, class P, class X>
  void backward(const G& g, const G&, const Pack<P>& dx, const X&) const {
    dx.head(turned(g, angles, pairs, true));
  }
};
}  // namespace detail

/// Each pair of elements of the last axis, rotated by an angle proportional to the position along
/// the axis before it (Su et al. 2021): for queries and keys of shape (..., length, width).
template <class T, class D>
Var<T, D> rotary_embedding(const Var<T, D>& x, const RotaryAngles<T, D>& angles,
                           RotaryPairs pairs = RotaryPairs::halves) {
  const bool fits = x.rank() >= 2 && x.size(-1) == 2 * angles.cosines.size(1) &&
                    x.size(-2) == angles.cosines.size(0);
  if (!fits) {
    fail<ShapeError>("rotary_embedding", "an input of shape ", x.shape(), " with angles of shape ",
                     angles.cosines.shape(), ", expected (..., length, 2 pairs)");
  }
  const detail::RotaryRule<T, D> rule{angles, pairs};
  return autograd::computed("rotary_embedding", rule,
                            detail::turned(x.value(), angles, pairs, false), x);
}

WEFT_MODEL(Module<PositionalEncoding<>>);

}  // namespace weft::nn
