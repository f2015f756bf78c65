// ONNX's recurrent layers, a step at a time.
// SPDX-License-Identifier: Apache-2.0
#include "../call.hpp"

namespace conformance {

namespace {

Float activated(const std::string& name, const Float& x) {
  if (name == "Tanh") return tanh(x);
  if (name == "Sigmoid") return sigmoid(x);
  if (name == "Relu") return relu(x);
  throw NotExpressible("the activation " + name);
}

/// What a cell has for one direction, its rows cut into `gates` parts of the hidden size.
struct Cell {
  Float input;      // (gates * hidden, input)
  Float hidden;     // (gates * hidden, hidden)
  Float bias;       // (gates * hidden,) of the input's product
  Float recurrent;  // and of the hidden one's
  Float peephole;   // (3 * hidden,)
  std::string names[3];
  bool after = false;
  float limit = 0;
};

Float clipped(const Cell& cell, const Float& x) {
  return cell.limit > 0 ? Float(clamp(x, -cell.limit, cell.limit)) : x;
}

Float part(const Float& x, int64_t i, int64_t size) { return x.narrow(-1, i * size, size); }

/// One step of a batch: (batch, input) and the states (batch, hidden).
using Step = void (*)(const Cell&, const Float& x, Float& h, Float& state);

void rnn_step(const Cell& cell, const Float& x, Float& h, Float&) {
  const Float z =
      matmul(x, cell.input.t()) + matmul(h, cell.hidden.t()) + cell.bias + cell.recurrent;
  h = activated(cell.names[0], clipped(cell, z));
}

void gru_step(const Cell& cell, const Float& x, Float& h, Float&) {
  const int64_t n = h.size(1);
  const Float from_x = matmul(x, cell.input.t()) + cell.bias;
  const Float from_h = matmul(h, cell.hidden.t()) + cell.recurrent;
  const Float z = activated(cell.names[0], clipped(cell, part(from_x, 0, n) + part(from_h, 0, n)));
  const Float r = activated(cell.names[0], clipped(cell, part(from_x, 1, n) + part(from_h, 1, n)));
  Float old = r * part(from_h, 2, n);
  if (!cell.after) {
    old = matmul(r * h, cell.hidden.narrow(0, 2 * n, n).t()) + part(cell.recurrent, 2, n);
  }
  const Float fresh = activated(cell.names[1], clipped(cell, part(from_x, 2, n) + old));
  h = (1 - z) * fresh + z * h;
}

void lstm_step(const Cell& cell, const Float& x, Float& h, Float& state) {
  const int64_t n = h.size(1);
  const Float z =
      matmul(x, cell.input.t()) + matmul(h, cell.hidden.t()) + cell.bias + cell.recurrent;
  const auto peek = [&](int64_t i, const Float& at) {
    return Float(part(cell.peephole, i, n) * at);
  };
  const Float in = activated(cell.names[0], clipped(cell, part(z, 0, n) + peek(0, state)));
  const Float forget = activated(cell.names[0], clipped(cell, part(z, 2, n) + peek(2, state)));
  const Float fresh = activated(cell.names[1], clipped(cell, part(z, 3, n)));
  state = forget * state + in * fresh;
  const Float out = activated(cell.names[0], clipped(cell, part(z, 1, n) + peek(1, state)));
  h = out * activated(cell.names[2], state);
}

void recur(Call& c, Step step, int64_t gates, std::vector<std::string> names) {
  const bool first = c.integer("layout") != 0;
  const Float x = first ? Float(c.f32(0).transpose(0, 1)) : c.f32(0);  // (time, batch, input)
  const int64_t n = c.integer("hidden_size", c.shape(2)[2]);
  const int64_t directions = c.shape(1)[0];
  const std::string way = c.word("direction", "forward");
  const int64_t batch = x.size(1);
  Int lengths = weft::full<int64_t>({batch, 1}, x.size(0));
  if (c.has(4)) lengths = cast<int64_t>(c.get<int32_t>(4)).eval().reshape(-1, 1);
  std::vector<Float> outputs;
  std::vector<Float> last;
  std::vector<Float> cells;
  for (int64_t d = 0; d < directions; ++d) {
    Cell cell;
    cell.input = c.f32(1)(d);
    cell.hidden = c.f32(2)(d);
    const Float both = c.has(3) ? Float(c.f32(3)(d)) : Float(weft::zeros({2 * gates * n}));
    cell.bias = both.narrow(0, 0, gates * n);
    cell.recurrent = both.narrow(0, gates * n, gates * n);
    cell.peephole = c.has(7) ? Float(c.f32(7)(d)) : Float(weft::zeros({3 * n}));
    const int each = static_cast<int>(names.size());
    for (int i = 0; i < each; ++i) {
      cell.names[i] = c.words("activations", static_cast<int>(d) * each + i,
                              names[static_cast<std::size_t>(i)].c_str());
    }
    cell.after = c.integer("linear_before_reset") != 0;
    cell.limit = c.real("clip", 0);
    const auto initial = [&](int i) {
      if (!c.has(i)) return Float(weft::zeros({batch, n}));
      return Float(first ? c.f32(i).transpose(0, 1)(d) : c.f32(i)(d)).clone();
    };
    Float h = initial(5);
    Float state = initial(6);
    const bool backwards = way == "reverse" || d == 1;
    std::vector<Float> steps;
    for (int64_t i = 0; i < x.size(0); ++i) {
      const int64_t t = backwards ? x.size(0) - 1 - i : i;
      Float next = h;
      Float next_state = state;
      step(cell, x(t), next, next_state);
      const Tensor<bool> counts = lengths > t;
      h = where(counts, next, h);
      state = where(counts, next_state, state);
      steps.push_back(where(counts, next, 0));
    }
    if (backwards) std::reverse(steps.begin(), steps.end());
    outputs.push_back(weft::stack(steps));  // (time, batch, hidden)
    last.push_back(h);
    cells.push_back(state);
  }
  const Float y = weft::stack(outputs, axis(1));  // (time, direction, batch, hidden)
  const Float h = weft::stack(last);              // (direction, batch, hidden)
  const Float state = weft::stack(cells);
  c.out(first ? y.permute(2, 0, 1, 3) : y);
  c.out(first ? h.transpose(0, 1) : h);
  c.out(first ? state.transpose(0, 1) : state);
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["RNN"] = [](Call& c) { recur(c, rnn_step, 1, {"Tanh"}); };
  table["GRU"] = [](Call& c) { recur(c, gru_step, 3, {"Sigmoid", "Tanh"}); };
  table["LSTM"] = [](Call& c) { recur(c, lstm_step, 4, {"Sigmoid", "Tanh", "Tanh"}); };
});

}  // namespace conformance
