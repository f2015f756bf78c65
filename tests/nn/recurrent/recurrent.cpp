#include "weft/nn/recurrent/recurrent.hpp"

#include "sequence.hpp"

using namespace weft;
using test::matches;
using test::sequence_input;

namespace {
template <class M>
void load(M& net, const std::string& name, const char* prefix = "") {
  nn::load_state_dict(net, test::sequence().under(name + ".before."), {.prefix = prefix});
}
template <class D>
bool is_state(const Var<double, D>& h, const std::string& name) {
  return matches<D>(h.detach(), name + ".y1");
}
template <class D>
bool is_state(const nn::LSTMState<D, double>& state, const std::string& name) {
  return matches<D>(state.h.detach(), name + ".y1") && matches<D>(state.c.detach(), name + ".y2");
}
template <class D>
Var<double, D> state_loss(const Var<double, D>& h) {
  return test::weighted(h);
}
template <class D>
Var<double, D> state_loss(const nn::LSTMState<D, double>& state) {
  return test::weighted(state.h) + test::weighted(state.c);
}
template <class D, class M>
bool own_gradients_match(const M& net, const std::string& name) {
  bool same = true;
  for (const auto& [key, x] : nn::named_parameters(net)) {
    const bool near = matches<D>(x.grad(), name + key, 1e-8);
    if (!near) MESSAGE("the gradient of ", name, " with respect to ", key);
    same = same && near;
  }
  return same;
}
template <class D, class M>
void check(M& net, const std::string& name, const typename M::State& state = {},
           const nn::SequenceLengths<D>& lengths = {}, const std::string& prefix = "") {
  CAPTURE(name);
  load(net, name, prefix.c_str());
  const Var x = sequence_input<D>(name + ".x0");
  const auto [y, last] = net(x, state, lengths);
  CHECK(matches<D>(y.detach(), name + ".y0"));
  CHECK(is_state<D>(last, name));
  const Var loss = test::weighted(y) + state_loss<D>(last);
  loss.backward();
  CHECK(matches<D>(x.grad(), name + ".dx0", 1e-8));
  CHECK(own_gradients_match<D>(net, name + ".grad." + prefix));
}
}  // namespace

TEST_CASE_TEMPLATE("RNN is PyTorch's", D, TEST_DEVICES) {
  nn::RNN<D, double> plain(4, 6);
  check<D>(plain, "rnn.plain");
  nn::RNN<D, double> deep(4, 6,
                          {.num_layers = 2,
                           .nonlinearity = nn::Nonlinearity::relu,
                           .batch_first = true,
                           .bidirectional = true});
  const Var h0 = sequence_input<D>("rnn.relu.x1");
  check<D>(deep, "rnn.relu", h0);
  CHECK(matches<D>(h0.grad(), "rnn.relu.dx1"));
  nn::RNN<D, double> packed(4, 3);
  check<D>(packed, "packed.rnn", {}, {3, 5, 1}, "rnn.");
}

TEST_CASE_TEMPLATE("GRU is PyTorch's", D, TEST_DEVICES) {
  nn::GRU<D, double> plain(4, 6);
  check<D>(plain, "gru.plain");
  nn::GRU<D, double> deep(4, 3, {.num_layers = 2, .batch_first = true, .bidirectional = true});
  const Var h0 = sequence_input<D>("gru.deep.x1");
  check<D>(deep, "gru.deep", h0);
  CHECK(matches<D>(h0.grad(), "gru.deep.dx1"));
  nn::GRU<D, double> packed(4, 3, {.bidirectional = true});
  check<D>(packed, "packed.gru", {}, {3, 5, 1}, "rnn.");
}

TEST_CASE_TEMPLATE("LSTM is PyTorch's", D, TEST_DEVICES) {
  nn::LSTM<D, double> plain(4, 6, {.bias = false});
  check<D>(plain, "lstm.plain");
  const auto with_state = [](auto& net, const std::string& name) {
    const Var h0 = sequence_input<D>(name + ".x1");
    const Var c0 = sequence_input<D>(name + ".x2");
    check<D>(net, name, {h0, c0});
    CHECK(matches<D>(h0.grad(), name + ".dx1"));
    CHECK(matches<D>(c0.grad(), name + ".dx2"));
  };
  nn::LSTM<D, double> deep(4, 3, {.num_layers = 2, .batch_first = true, .bidirectional = true});
  with_state(deep, "lstm.deep");
  nn::LSTM<D, double> projected(4, 6, {.num_layers = 2, .bidirectional = true, .proj_size = 2});
  with_state(projected, "lstm.projected");
  nn::LSTM<D, double> packed(4, 3, {.num_layers = 2, .bidirectional = true});
  check<D>(packed, "packed.lstm", {}, {3, 5, 1}, "rnn.");
  // The same lengths as a tensor; a sequence by itself; a network of another device's type.
  const Var x = sequence_input<D>("packed.lstm.x0");
  const Tensor<int64_t, D> lengths = tensor<int64_t>({3, 5, 1}).to(D{});
  const auto [y, state] = packed(x, {}, lengths);
  CHECK(matches<D>(y.detach(), "packed.lstm.y0"));
  const auto [alone, last] = packed(x(all, 1));
  CHECK(allclose(alone.detach(), y.detach()(all, 1), {1e-12, 1e-12}));
  CHECK(last.h.shape() == Shape{4, 3});
  const auto moved = nn::to(packed, Cpu{});
  CHECK(nn::named_parameters(moved)[5].first == "weight_hh_l0_reverse");
  CHECK(allclose(moved(Var<double>(x.detach().to(Cpu{}))).output.detach(),
                 packed(x).output.detach().to(Cpu{}), {1e-12, 1e-12}));
}

TEST_CASE_TEMPLATE("dropout is between layers, and in training alone", D, TEST_DEVICES) {
  const Var<float, D> x = ones({3, 2, 4}, D{});
  nn::GRU<D> net(4, 5, {.num_layers = 2, .dropout = 0.5});
  CHECK(!equal(net(x).output.detach(), net(x).output.detach()));
  nn::eval(net);
  CHECK(equal(net(x).output.detach(), net(x).output.detach()));
  const nn::GRU<D> one(4, 5, {.dropout = 0.5});
  CHECK(equal(one(x).output.detach(), one(x).output.detach()));
}

TEST_CASE_TEMPLATE("recurrent layers say what does not fit", D, TEST_DEVICES) {
  const nn::LSTM<D, double> net(4, 3);
  const Var<double, D> x = test::numbers<D>({5, 2, 4});
  CHECK_SAYS("(5, 2, 3), expected (time, batch, 4)", net(Var(test::numbers<D>({5, 2, 3}))));
  CHECK_SAYS("expected a step at least", net(x(slice(0, 0))));
  CHECK_SAYS("a sequence of length 0, expected 1 to 5", net(x, {}, {5, 0}));
  CHECK_SAYS("lengths of shape (3,) for a batch of 2", net(x, {}, {5, 1, 1}));
  CHECK_SAYS("a state of shape (2, 2, 3), expected (1, 2, 3)",
             net(x, {Var(test::numbers<D>({2, 2, 3})), Var(test::numbers<D>({1, 2, 3}))}));
  CHECK_SAYS("a projection to fewer", nn::LSTM<D>(4, 3, {.proj_size = 3}));
}
