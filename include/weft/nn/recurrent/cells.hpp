// RNNCell, LSTMCell and GRUCell: one step of a recurrent layer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/recurrent/recurrent.hpp"

namespace weft::nn {

struct RecurrentCellOptions {
  bool bias = true;
};

namespace detail {
template <class D, class T, class Steps>
struct RecurrentCell {
  Var<T, D> weight_ih;               // (gates * width, in)
  Var<T, D> weight_hh;               // (gates * width, width)
  std::optional<Var<T, D>> bias_ih;  // (gates * width,)
  std::optional<Var<T, D>> bias_hh;

  RecurrentCell() = default;
  RecurrentCell(int64_t in, int64_t width, bool bias, D device) {
    const double bound = 1 / std::sqrt(static_cast<double>(width));
    const auto make = [&](const Shape& shape) {
      Var<T, D> x(empty<T>(shape, device), true);
      init::uniform(x, -bound, bound);
      return x;
    };
    weight_ih = make({Steps::gates * width, in});
    weight_hh = make({Steps::gates * width, width});
    if (bias) bias_ih = make({Steps::gates * width});
    if (bias) bias_hh = make({Steps::gates * width});
  }

  auto fields() {
    return nn::fields("weight_ih", weight_ih, "weight_hh", weight_hh, "bias_ih", bias_ih, "bias_hh",
                      bias_hh);
  }

 protected:
  template <class Chosen = Steps>
  RecurrentStates<T, D> step(const Var<T, D>& x, const Var<T, D>& h, const Var<T, D>& c) const {
    const int64_t width = weight_hh.size(1);
    const int64_t in = weight_ih.size(1);
    if (x.rank() < 1 || x.rank() > 2 || x.size(-1) != in) {
      fail<ShapeError>(Steps::text, "an input of shape ", x.shape(), ", expected (batch, ", in,
                       ") or (", in, ",)");
    }
    if (x.rank() == 1) {
      const auto row = [](const Var<T, D>& v) { return v.rank() == 1 ? v.unsqueeze(0) : v; };
      RecurrentStates<T, D> states = step<Chosen>(row(x), row(h), row(c));
      states.h = states.h.squeeze(0);
      if (Steps::has_cell) states.c = states.c.squeeze(0);
      return states;
    }
    const Shape shape{x.size(0), width};
    const auto first = [&](const Var<T, D>& state) {
      if (state.size() == 0) return Var<T, D>(zeros<T>(shape, x.device()));
      if (state.shape() == shape) return state;
      fail<ShapeError>(Steps::text, "a state of shape ", state.shape(), ", expected ", shape);
    };
    const auto or_nothing = [](const std::optional<Var<T, D>>& v) { return v ? *v : Var<T, D>(); };
    return run_layer<Chosen, T, D>(
        x.unsqueeze(0),
        {weight_ih, weight_hh, or_nothing(bias_ih), or_nothing(bias_hh), Var<T, D>()}, first(h),
        Steps::has_cell ? first(c) : Var<T, D>(), {});
  }
};
}  // namespace detail

/// h' = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu: x of (batch, in), h of (batch, width), by
/// default 0; or both without a batch.
template <Device D = Cpu, class T = float>
struct RNNCell : detail::RecurrentCell<D, T, detail::RnnSteps<false>> {
  Nonlinearity nonlinearity = Nonlinearity::tanh;

  RNNCell() = default;
  RNNCell(int64_t in, int64_t width, RecurrentCellOptions options = {},
          Nonlinearity function = Nonlinearity::tanh, D device = {})
      : detail::RecurrentCell<D, T, detail::RnnSteps<false>>(in, width, options.bias, device),
        nonlinearity(function) {}

  Var<T, D> operator()(const Var<T, D>& x, const Var<T, D>& h = {}) const {
    if (nonlinearity == Nonlinearity::relu) {
      return this->template step<detail::RnnSteps<true>>(x, h, {}).h;
    }
    return this->step(x, h, {}).h;
  }
};

/// One step of LSTM: `state = cell(x, state)` for state.h and state.c of (batch, width).
template <Device D = Cpu, class T = float>
struct LSTMCell : detail::RecurrentCell<D, T, detail::LstmSteps> {
  LSTMCell() = default;
  LSTMCell(int64_t in, int64_t width, RecurrentCellOptions options = {}, D device = {})
      : detail::RecurrentCell<D, T, detail::LstmSteps>(in, width, options.bias, device) {}

  LSTMState<D, T> operator()(const Var<T, D>& x, const LSTMState<D, T>& state = {}) const {
    const auto states = this->step(x, state.h, state.c);
    return {states.h, states.c};
  }
};

/// One step of GRU.
template <Device D = Cpu, class T = float>
struct GRUCell : detail::RecurrentCell<D, T, detail::GruSteps> {
  GRUCell() = default;
  GRUCell(int64_t in, int64_t width, RecurrentCellOptions options = {}, D device = {})
      : detail::RecurrentCell<D, T, detail::GruSteps>(in, width, options.bias, device) {}

  Var<T, D> operator()(const Var<T, D>& x, const Var<T, D>& h = {}) const {
    return this->step(x, h, {}).h;
  }
};

WEFT_MODEL(Module<RNNCell<>>&& Module<LSTMCell<>>&& Module<GRUCell<>>);

}  // namespace weft::nn
