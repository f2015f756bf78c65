// Bilinear: a layer of two inputs, linear in each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/layers/linear.hpp"

namespace weft::nn {

/// y_k = a^T weight_k b + bias_k along the last axes of a and b; initialised uniformly within 1 /
/// sqrt(in1).
template <Device D = Cpu, class T = float>
struct Bilinear {
  Var<T, D> weight;               // (out, in1, in2)
  std::optional<Var<T, D>> bias;  // (out,)

  Bilinear() = default;
  Bilinear(int64_t in1, int64_t in2, int64_t out, LinearOptions options = {}, D device = {})
      : weight(empty<T>({out, in1, in2}, device), true) {
    const double bound = in1 > 0 ? 1 / std::sqrt(static_cast<double>(in1)) : 0;
    init::uniform(weight, -bound, bound);
    if (!options.bias) return;
    bias = Var<T, D>(empty<T>({out}, device), true);
    init::uniform(*bias, -bound, bound);
  }

  auto fields() { return nn::fields("weight", weight, "bias", bias); }

  /// a of shape (..., in1) and b (..., in2), the result (..., out): one product with a, whose value
  /// (..., out, in2) is kept, and a sum.
  Var<T, D> operator()(const Var<T, D>& a, const Var<T, D>& b) const {
    bool fits = weight.rank() == 3 && a.rank() > 0 && a.rank() == b.rank() &&
                a.size(-1) == weight.size(1) && b.size(-1) == weight.size(2);
    for (int i = 0; fits && i + 1 < a.rank(); ++i) fits = a.size(i) == b.size(i);
    if (!fits) {
      fail<ShapeError>("Bilinear", "inputs of shapes ", a.shape(), " and ", b.shape(),
                       " for a weight of shape ", weight.shape(),
                       ", expected (..., in1) and (..., in2) for (out, in1, in2)");
    }
    const Var<T, D> columns =
        weight.permute({1, 0, 2}).reshape({weight.size(1), weight.size(0) * weight.size(2)});
    Shape shape = a.shape();
    shape[a.rank() - 1] = weight.size(0);
    shape.push_back(weight.size(2));
    const Var<T, D> half = matmul(a, columns);
    const Var<T, D> y = sum(half.reshape(shape) * b.unsqueeze(-2), axis(-1));
    if (!bias) return y;
    return y + *bias;
  }
};

WEFT_MODEL(Module<Bilinear<>>);

}  // namespace weft::nn
