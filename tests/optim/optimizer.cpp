#include "weft/optim/optimizer.hpp"

#include "training.hpp"
#include "weft/nn.hpp"
#include "weft/optim.hpp"

using namespace weft;
using test::pytorch;

namespace {

template <class D>
auto network() {
  return nn::Sequential{nn::Linear<D>(8, 16), nn::ReLU{}, nn::Linear<D>(16, 4)};
}

/// Steps `from` to `to` of the run that PyTorch has made; compares each loss.
template <class D, class N, class O>
void train(const std::string& name, const N& net, O& optimizer, int64_t from, int64_t to,
           double clip = 0) {
  const auto x = pytorch<float, D>("train.x");
  const auto classes = pytorch<int64_t, D>("train.classes");
  const auto losses = pytorch<double, Cpu>("train." + name + ".losses");
  for (int64_t i = from; i < to; ++i) {
    CAPTURE(i);
    optimizer.zero_grad();
    const Var loss = cross_entropy(net(x(i % 5)), classes(i % 5));
    loss.backward();
    if (clip > 0) optim::clip_grad_norm(optimizer.parameters(), clip);
    optimizer.step();
    CHECK(static_cast<double>(loss.item()) == doctest::Approx(losses.at(i)).epsilon(1e-4));
  }
}

/// 50 steps are PyTorch's, and 10 + 10 through a state dict are 20, bit for bit.
template <class D, template <class, class> class O, class Options>
void compare(const std::string& name, Options options, double clip = 0) {
  CAPTURE(name);
  auto net = network<D>();
  nn::load_state_dict(net, pytorch().under("train.model."));
  auto first = nn::clone(net);
  O<float, D> optimizer(nn::parameters(net), options);
  train<D>(name, net, optimizer, 0, 50, clip);
  for (const auto& [key, p] : nn::named_parameters(net)) {
    CHECK(allclose(p.detach(), pytorch<float, D>("train." + name + "." + key), {1e-3, 1e-4}));
  }
  CHECK(optimizer.steps() == 50);

  auto second = nn::clone(first);
  O<float, D> whole(nn::parameters(first), options);
  train<D>(name, first, whole, 0, 20, clip);
  O<float, D> begun(nn::parameters(second), options);
  train<D>(name, second, begun, 0, 10, clip);
  StateDict saved;
  saved.add(nn::state_dict(nn::clone(second)), "model.");
  saved.add(begun.state_dict(), "optimizer.");
  auto resumed = network<D>();
  options.lr = 0.123;  // the rate is the state's
  O<float, D> goes_on(nn::parameters(resumed), options);
  nn::load_state_dict(resumed, saved.under("model."));
  goes_on.load_state_dict(saved.under("optimizer."));
  train<D>(name, resumed, goes_on, 10, 20, clip);
  const auto expected = nn::parameters(first);
  const auto found = nn::parameters(resumed);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(equal(found[i].detach(), expected[i].detach()));
  }
}

}  // namespace

TEST_CASE_TEMPLATE("SGD is PyTorch's", D, TEST_DEVICES) {
  compare<D, optim::SGD>("sgd", optim::SGDOptions{.lr = 0.1});
  compare<D, optim::SGD>(
      "momentum",
      optim::SGDOptions{.lr = 0.1, .momentum = 0.9, .dampening = 0.2, .weight_decay = 0.01});
  compare<D, optim::SGD>("nesterov",
                         optim::SGDOptions{.lr = 0.05, .momentum = 0.9, .nesterov = true});
  compare<D, optim::SGD>("clipped", optim::SGDOptions{.lr = 0.5}, 0.3);
}

TEST_CASE_TEMPLATE("Adam and AdamW are PyTorch's", D, TEST_DEVICES) {
  compare<D, optim::Adam>("adam", optim::AdamOptions{.lr = 0.01, .weight_decay = 0.01});
  compare<D, optim::AdamW>("adamw", optim::AdamWOptions{.lr = 0.01, .weight_decay = 0.1});
}

TEST_CASE_TEMPLATE("RMSprop and Adagrad are PyTorch's", D, TEST_DEVICES) {
  compare<D, optim::RMSprop>("rmsprop", optim::RMSpropOptions{.lr = 0.002});
  compare<D, optim::RMSprop>(
      "centered",
      optim::RMSpropOptions{
          .lr = 0.002, .weight_decay = 0.01, .momentum = 0.5, .centered = true});
  compare<D, optim::Adagrad>(
      "adagrad", optim::AdagradOptions{.lr = 0.05, .lr_decay = 0.01, .weight_decay = 0.01});
}

TEST_CASE("an optimizer refuses what does not fit") {
  nn::Linear small(2, 1);
  nn::Linear large(3, 1);
  optim::Adam a(nn::parameters(small));
  optim::Adam b(nn::parameters(large));
  CHECK_SAYS("'state.0.exp_avg' is float32 of shape (1, 3), expected float32 of shape (1, 2)",
             a.load_state_dict(b.state_dict()));
  optim::SGD s(nn::parameters(small), {.momentum = 0.9});
  CHECK_SAYS("Adam finds no 'state.0.exp_avg'", a.load_state_dict(s.state_dict()));
  StateDict more = a.state_dict();
  more.add("other", ones({1}));
  CHECK_SAYS("7 tensors, expected 6", a.load_state_dict(more));
  CHECK_SAYS("lr -1", a.set_lr(-1));
  CHECK_SAYS("beta1 1", optim::Adam(nn::parameters(small), {.beta1 = 1}));
  CHECK_SAYS("nesterov", optim::SGD(nn::parameters(small), {.nesterov = true}));
  CHECK_SAYS("no parameters", optim::SGD(std::vector<Var<float>>{}));
}

TEST_CASE_TEMPLATE("a parameter without a gradient stays", D, TEST_DEVICES) {
  const Var x = parameter(ones({2}, D{}));
  const Var y = parameter(ones({2}, D{}));
  optim::SGD optimizer(std::vector{x, y}, {.lr = 0.5, .maximize = true});
  x.set_grad(ones({2}, D{}));
  optimizer.step();
  CHECK(all(x.detach() == 1.5F).item());
  CHECK(all(y.detach() == 1.0F).item());
  optimizer.zero_grad();
  CHECK(!x.has_grad());
}
