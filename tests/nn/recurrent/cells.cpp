#include "weft/nn/recurrent/cells.hpp"

#include "sequence.hpp"

using namespace weft;
using test::matches;
using test::sequence_input;

namespace {
template <class D, class M, class F>
void check(M cell, const std::string& name, const F& outputs) {
  CAPTURE(name);
  nn::load_state_dict(cell, test::sequence().under(name + ".before."));
  const Var x = sequence_input<D>(name + ".x0");
  const Var h = sequence_input<D>(name + ".x1");
  Var<double, D> loss = zeros<double>({}, D{});
  int i = 0;
  for (const Var<double, D>& y : outputs(cell, x, h)) {
    CHECK(matches<D>(y.detach(), name + ".y" + std::to_string(i++)));
    loss = loss + test::weighted(y);
  }
  loss.backward();
  CHECK(matches<D>(x.grad(), name + ".dx0"));
  CHECK(matches<D>(h.grad(), name + ".dx1"));
  CHECK(test::gradients_match<D>(cell, name));
}
}  // namespace

TEST_CASE_TEMPLATE("cells are PyTorch's", D, TEST_DEVICES) {
  using Outputs = std::vector<Var<double, D>>;
  const auto one = [](const auto& cell, const auto& x, const auto& h) {
    return Outputs{cell(x, h)};
  };
  check<D>(nn::RNNCell<D, double>(4, 6), "cell.rnn", one);
  check<D>(nn::GRUCell<D, double>(4, 6), "cell.gru", one);
  const Var c = sequence_input<D>("cell.lstm.x2");
  check<D>(nn::LSTMCell<D, double>(4, 6), "cell.lstm",
           [&](const auto& cell, const auto& x, const auto& h) {
             const auto state = cell(x, {h, c});
             return Outputs{state.h, state.c};
           });
  CHECK(matches<D>(c.grad(), "cell.lstm.dx2"));
}

TEST_CASE_TEMPLATE("cells take one input without a batch", D, TEST_DEVICES) {
  const nn::LSTMCell<D> lstm(3, 2);
  const Var<float, D> x = rand<float>({4, 3}, D{});
  nn::LSTMState<D> state = lstm(x(0));
  CHECK(state.h.shape() == Shape{2});
  state = lstm(x(1), state);
  const auto rows = lstm(x(slice(1, 2)), lstm(x(slice(0, 1))));
  CHECK(allclose(state.h.detach(), rows.h.detach()(0)));
  CHECK(allclose(state.c.detach(), rows.c.detach()(0)));
  const nn::GRUCell<D> gru(3, 2);
  CHECK(allclose(gru(x(0)).detach(), gru(x).detach()(0)));
  CHECK_SAYS("[gru] an input of shape (4,), expected (batch, 3) or (3,)", gru(ones({4}, D{})));
}

TEST_CASE_TEMPLATE("a layer is its cell, step by step", D, TEST_DEVICES) {
  const nn::RNNCell<D> cell(3, 2, {.bias = false}, nn::Nonlinearity::relu);
  nn::RNN<D> layer(3, 2, {.nonlinearity = nn::Nonlinearity::relu, .bias = false});
  layer.weights[0].detach().assign(cell.weight_ih.detach());
  layer.weights[1].detach().assign(cell.weight_hh.detach());
  const Var<float, D> x = rand<float>({4, 5, 3}, D{});
  Var<float, D> h;
  for (int64_t t = 0; t < 4; ++t) h = cell(x(t), h);
  CHECK(allclose(layer(x).output.detach()(3), h.detach()));
  CHECK_SAYS("expected (batch, 3)", cell(x));
}
