// PReLU, GLU and SwiGLU: activations with weights, and gates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/layers/linear.hpp"
#include "weft/nn/watched.hpp"
#include "weft/ops/gates.hpp"

namespace weft::nn {

/// x where it is positive, else x times a learned slope: one for all, or one for each of
/// `num_parameters` channels, which are axis 1 (He et al. 2015).
template <Device D = Cpu, class T = float>
struct PReLU {
  Var<T, D> weight;  // (num_parameters,)

  explicit PReLU(int64_t num_parameters = 1, double init = 0.25, D device = {})
      : weight(full<T>({num_parameters}, static_cast<compute_t<T>>(init), device), true) {}

  auto fields() { return nn::fields("weight", weight); }

  Var<T, D> operator()(const Var<T, D>& x) const {
    const detail::Watched watched(*this);
    return watched(Var<T, D>(prelu(x, weight)));
  }
};

/// The first half of an axis times the sigmoid of the other (Dauphin et al. 2017).
struct GLU {
  int along = -1;

  auto fields() { return nn::fields("along", along); }

  template <ExpressionLike X>
  auto operator()(const X& e) const {
    return decltype(Var(e))(glu(e, along));
  }
};

/// down(silu(gate(x)) * up(x)): the feed-forward network of Llama, with its names (Shazeer 2020).
template <Device D = Cpu, class T = float>
struct SwiGLU {
  Linear<D, T> gate_proj;
  Linear<D, T> up_proj;
  Linear<D, T> down_proj;

  SwiGLU() = default;
  SwiGLU(int64_t width, int64_t hidden, LinearOptions options = {.bias = false}, D device = {})
      : gate_proj(width, hidden, options, device),
        up_proj(width, hidden, options, device),
        down_proj(hidden, width, options, device) {}

  auto fields() {
    return nn::fields("gate_proj", gate_proj, "up_proj", up_proj, "down_proj", down_proj);
  }

  /// x of shape (..., width), the result too.
  Var<T, D> operator()(const Var<T, D>& x) const {
    const Var<T, D> hidden = silu(gate_proj(x)) * up_proj(x);
    return down_proj(hidden);
  }
};

WEFT_MODEL(Module<PReLU<>>&& Module<GLU>&& Module<SwiGLU<>>);

}  // namespace weft::nn
