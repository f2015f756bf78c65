// RNN, LSTM and GRU: recurrent layers with PyTorch's weight names, options and defaults.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/shape/join.hpp"
#include "weft/nn/init.hpp"
#include "weft/nn/layers/sequential.hpp"
#include "weft/nn/recurrent/library.hpp"
#include "weft/nn/recurrent/sequence_lengths.hpp"
#include "weft/nn/watched.hpp"

namespace weft::nn {

struct RecurrentOptions {
  int64_t num_layers = 1;
  bool bias = true;
  bool batch_first = false;    ///< (batch, time, width) instead of (time, batch, width)
  double dropout = 0;          ///< on the outputs of all layers but the last
  bool bidirectional = false;  ///< adds a second set of layers that runs backwards
};
struct LSTMOptions {
  int64_t num_layers = 1;
  bool bias = true;
  bool batch_first = false;
  double dropout = 0;
  bool bidirectional = false;
  int64_t proj_size = 0;  ///< width that states are projected to; 0: not projected
};
enum class Nonlinearity : unsigned char { tanh, relu };
struct RNNOptions {
  int64_t num_layers = 1;
  Nonlinearity nonlinearity = Nonlinearity::tanh;
  bool bias = true;
  bool batch_first = false;
  double dropout = 0;
  bool bidirectional = false;
};

/// An LSTM's states: h of (layers * directions, batch, out) and c of (..., width); empty for zeros.
template <Device D = Cpu, class T = float>
struct LSTMState {
  Var<T, D> h;
  Var<T, D> c;
};

/// The result of a recurrent layer: the last layer's outputs, both directions side by side, and the
/// states after the last step.
template <class D, class T, class State>
struct RecurrentResult {
  Var<T, D> output;
  State state;
};

namespace detail {
template <class D, class T, class Steps>
struct Recurrent {
  static constexpr bool has_cell = Steps::has_cell;
  using State = std::conditional_t<has_cell, LSTMState<D, T>, Var<T, D>>;
  using Result = RecurrentResult<D, T, State>;

  Dict<Var<T, D>> weights;  // weight_ih_l0, weight_hh_l0, bias_ih_l0, bias_hh_l0, ...
  int64_t input_size = 0;
  int64_t hidden_size = 0;
  LSTMOptions options;
  bool relu = false;
  bool training = true;

  Recurrent() = default;
  Recurrent(int64_t in, int64_t width, const LSTMOptions& chosen, D device)
      : input_size(in), hidden_size(width), options(chosen) {
    if (in <= 0 || width <= 0 || options.num_layers <= 0 || options.proj_size < 0 ||
        options.proj_size >= width) {
      fail<ValueError>(Steps::text, "input_size ", in, ", hidden_size ", width, ", num_layers ",
                       options.num_layers, " and proj_size ", options.proj_size,
                       ", expected positive sizes and a projection to fewer");
    }
    if (!(options.dropout >= 0 && options.dropout <= 1)) {
      fail<ValueError>(Steps::text, "dropout ", options.dropout, ", expected 0 to 1");
    }
    const double bound = 1 / std::sqrt(static_cast<double>(width));
    const int64_t rows = Steps::gates * width;
    for (int64_t layer = 0; layer < options.num_layers; ++layer) {
      for (int64_t way = 0; way < directions(); ++way) {
        const auto add = [&](const char* kind, const Shape& shape) {
          const std::string name = std::string(kind) + "_l" + std::to_string(layer);
          const Var<T, D> x(empty<T>(shape, device), true);
          init::uniform(x, -bound, bound);
          weights.add(name + (way > 0 ? "_reverse" : ""), x);
        };
        add("weight_ih", {rows, layer == 0 ? in : directions() * out()});
        add("weight_hh", {rows, out()});
        if (options.bias) add("bias_ih", {rows});
        if (options.bias) add("bias_hh", {rows});
        if (options.proj_size > 0) add("weight_hr", {out(), width});
      }
    }
  }

  int64_t directions() const { return options.bidirectional ? 2 : 1; }
  int64_t out() const { return options.proj_size > 0 ? options.proj_size : hidden_size; }

  auto fields() {
    return nn::fields("", weights, "input_size", input_size, "hidden_size", hidden_size, "options",
                      options, "relu", relu);
  }

  /// x of shape (time, batch, input_size), with batch_first (batch, time, input_size), or without a
  /// batch (time, input_size); the first state is 0 unless given. Throws ShapeError if shapes do
  /// not match, and ValueError for sequences without steps.
  Result operator()(const Var<T, D>& x, const State& state = {},
                    const SequenceLengths<D>& lengths = {}) const {
    if (x.rank() == 2) {
      Result r = (*this)(
          x.unsqueeze(options.batch_first ? 0 : 1),
          map(state, [](const auto& v) { return v.rank() == 2 ? v.unsqueeze(1) : v; }), lengths);
      return {r.output.squeeze(options.batch_first ? 0 : 1),
              map(r.state, [](const auto& v) { return v.squeeze(1); })};
    }
    if (x.rank() != 3 || x.size(2) != input_size) {
      fail<ShapeError>(Steps::text, "an input of shape ", x.shape(), ", expected ",
                       options.batch_first ? "(batch, time, " : "(time, batch, ", input_size, ")");
    }
    Var<T, D> y = options.batch_first ? x.transpose(0, 1) : x;
    const int64_t batch = y.size(1);
    if (y.size(0) == 0) {
      fail<ValueError>(Steps::text, "an input of shape ", x.shape(), ", expected a step at least");
    }
    lengths.check(Steps::text, y.size(0), batch);
    const detail::Watched watched(*this);
    const Var<T, D> h0 = first(hidden_of(state), batch, out(), x.device());
    const Var<T, D> c0 = first(cell_of(state), batch, hidden_size, x.device());
    if constexpr (has_recurrent_library<D>()) {
      const auto states = by_library(y, h0, c0, lengths);
      if (states.outputs.size() > 0) {
        y = watched(options.batch_first ? states.outputs.transpose(0, 1) : states.outputs);
        if constexpr (has_cell) return {y, {states.h, states.c}};
        if constexpr (!has_cell) return {y, states.h};
      }
    }
    const Tensor<bool, D> inside = lengths.inside(x.device(), y.size(0));
    std::vector<Var<T, D>> hs;
    std::vector<Var<T, D>> cs;
    for (int64_t layer = 0; layer < options.num_layers; ++layer) {
      if (layer > 0 && training && options.dropout > 0) y = Dropout{options.dropout}(y);
      std::vector<Var<T, D>> outputs;
      for (int64_t way = 0; way < directions(); ++way) {
        const int64_t k = layer * directions() + way;
        const Var<T, D> c = has_cell ? Var<T, D>(c0(k)) : Var<T, D>();
        const auto states = run(y, weights_of(k), h0(k), c, {way > 0, inside});
        outputs.push_back(states.outputs);
        hs.push_back(states.h);
        cs.push_back(states.c);
      }
      y = outputs.size() == 1 ? outputs[0] : cat(outputs, axis(2));
    }
    y = watched(options.batch_first ? y.transpose(0, 1) : y);
    if constexpr (has_cell) {
      return {y, {stack(hs, axis(0)), stack(cs, axis(0))}};
    } else {
      return {y, stack(hs, axis(0))};
    }
  }

 private:
  RecurrentStates<T, D> run(const Var<T, D>& x, const RecurrentWeights<Var<T, D>>& w,
                            const Var<T, D>& h0, const Var<T, D>& c0,
                            const RecurrentPath<D>& path) const {
    if constexpr (std::is_same_v<Steps, RnnSteps<false>>) {
      if (relu) return run_layer<RnnSteps<true>>(x, w, h0, c0, path);
    }
    return run_layer<Steps>(x, w, h0, c0, path);
  }
  /// All layers at once, or one by one if there is dropout between them; empty if the library does
  /// not support them.
  RecurrentStates<T, D> by_library(Var<T, D> y, const Var<T, D>& h0, const Var<T, D>& c0,
                                   const SequenceLengths<D>& lengths) const {
    if (!lengths.is_known()) return {};
    const bool drops = training && options.dropout > 0;
    RecurrentProblem p{.operation = Steps::text,
                       .cell = relu ? RecurrentCellKind::rnn_relu : recurrent_cell<Steps>(),
                       .time = y.size(0),
                       .batch = y.size(1),
                       .in = input_size,
                       .width = hidden_size,
                       .out = out(),
                       .layers = drops ? 1 : options.num_layers,
                       .directions = directions(),
                       .bias = options.bias};
    for (const int64_t length : lengths.known()) p.lengths.push_back(static_cast<int>(length));
    std::vector<Var<T, D>> hs;
    std::vector<Var<T, D>> cs;
    for (int64_t layer = 0; layer < options.num_layers; layer += p.layers) {
      if (layer > 0) y = Dropout{options.dropout}(y);
      const int64_t first = layer * directions();
      const int64_t count = p.layers * directions();
      std::vector<Var<T, D>> own;
      for (int64_t i = first * p.weights(); i < (first + count) * p.weights(); ++i) {
        own.push_back(weights[static_cast<std::size_t>(i)]);
      }
      const auto states = run_library(p, y, own, h0.narrow(0, first, count),
                                      has_cell ? Var<T, D>(c0.narrow(0, first, count)) : c0);
      if (states.outputs.size() == 0) return {};
      y = states.outputs;
      hs.push_back(states.h);
      cs.push_back(states.c);
      p.in = directions() * out();
    }
    if (hs.size() == 1) return {y, hs[0], cs[0]};
    return {y, cat(hs, axis(0)), has_cell ? cat(cs, axis(0)) : Var<T, D>()};
  }
  static Var<T, D> hidden_of(const State& state) {
    if constexpr (has_cell) return state.h;
    if constexpr (!has_cell) return state;
  }
  static Var<T, D> cell_of([[maybe_unused]] const State& state) {
    if constexpr (has_cell) return state.c;
    return {};
  }
  template <class F>
  static State map(const State& state, const F& f) {
    if constexpr (has_cell) return {f(state.h), f(state.c)};
    if constexpr (!has_cell) return f(state);
  }
  Var<T, D> first(const Var<T, D>& state, int64_t batch, int64_t width, D device) const {
    const Shape shape{options.num_layers * directions(), batch, width};
    if (state.size() == 0) return Var<T, D>(zeros<T>(shape, device));
    if (!(state.shape() == shape)) {
      fail<ShapeError>(Steps::text, "a state of shape ", state.shape(), ", expected ", shape);
    }
    return state;
  }
  RecurrentWeights<Var<T, D>> weights_of(int64_t k) const {
    const bool projects = options.proj_size > 0;
    auto i = static_cast<std::size_t>(k * (2 + (options.bias ? 2 : 0) + (projects ? 1 : 0)));
    RecurrentWeights<Var<T, D>> w;
    w.ih = weights[i++];
    w.hh = weights[i++];
    if (options.bias) w.bias_ih = weights[i++];
    if (options.bias) w.bias_hh = weights[i++];
    if (projects) w.hr = weights[i];
    return w;
  }
};
}  // namespace detail

/// Elman's network: h = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu. As in LSTM and GRU, weights
/// are initialised uniformly within 1 / sqrt(hidden_size).
template <Device D = Cpu, class T = float>
struct RNN : detail::Recurrent<D, T, detail::RnnSteps<false>> {
  using Base = detail::Recurrent<D, T, detail::RnnSteps<false>>;
  RNN() = default;
  RNN(int64_t in, int64_t width, RNNOptions chosen = {}, D device = {})
      : Base(in, width,
             {chosen.num_layers, chosen.bias, chosen.batch_first, chosen.dropout,
              chosen.bidirectional},
             device) {
    Base::relu = chosen.nonlinearity == Nonlinearity::relu;
  }
};

/// Long short-term memory: `auto [output, state] = lstm(x, {h0, c0})`. The rows of the weights are
/// the gates i, f, g and o.
template <Device D = Cpu, class T = float>
struct LSTM : detail::Recurrent<D, T, detail::LstmSteps> {
  using Base = detail::Recurrent<D, T, detail::LstmSteps>;
  LSTM() = default;
  LSTM(int64_t in, int64_t width, LSTMOptions chosen = {}, D device = {})
      : Base(in, width, chosen, device) {}
};

/// Gated recurrent units. The rows of the weights are the gates r, z and n; the reset gate
/// multiplies the state's product, bias included.
template <Device D = Cpu, class T = float>
struct GRU : detail::Recurrent<D, T, detail::GruSteps> {
  using Base = detail::Recurrent<D, T, detail::GruSteps>;
  GRU() = default;
  GRU(int64_t in, int64_t width, RecurrentOptions chosen = {}, D device = {})
      : Base(in, width,
             {chosen.num_layers, chosen.bias, chosen.batch_first, chosen.dropout,
              chosen.bidirectional},
             device) {}
};

WEFT_MODEL(Module<RNN<>>&& Module<LSTM<>>&& Module<GRU<>>);

}  // namespace weft::nn
