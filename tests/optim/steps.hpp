// What the tests of optimizers include: a network's training beside PyTorch's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training.hpp"
#include "weft/nn/layers/linear.hpp"
#include "weft/nn/layers/sequential.hpp"
#include "weft/nn/module.hpp"
#include "weft/nn/state.hpp"
#include "weft/optim/clip.hpp"

namespace test {

template <class D>
auto network() {
  return weft::nn::Sequential{weft::nn::Linear<D>(8, 16), weft::nn::ReLU{},
                              weft::nn::Linear<D>(16, 4)};
}

/// Steps `from` to `to` of the run that PyTorch has made; compares each loss.
template <class D, class N, class O>
void train(const std::string& name, const N& net, O& optimizer, int64_t from, int64_t to,
           double clip = 0) {
  const auto x = pytorch<float, D>("train.x");
  const auto classes = pytorch<int64_t, D>("train.classes");
  const auto losses = pytorch<double, weft::Cpu>("train." + name + ".losses");
  for (int64_t i = from; i < to; ++i) {
    CAPTURE(i);
    optimizer.zero_grad();
    const weft::Var loss = weft::cross_entropy(net(x(i % 5)), classes(i % 5));
    loss.backward();
    if (clip > 0) weft::optim::clip_grad_norm(optimizer.parameters(), clip);
    optimizer.step();
    CHECK(static_cast<double>(loss.item()) == doctest::Approx(losses.at(i)).epsilon(1e-4));
  }
}

/// 50 steps are PyTorch's, and 10 + 10 through a state dict are 20, bit for bit.
template <class D, template <class, class> class O, class Options>
void compare(const std::string& name, Options options, double clip = 0) {
  CAPTURE(name);
  auto net = network<D>();
  weft::nn::load_state_dict(net, pytorch().under("train.model."));
  auto first = weft::nn::clone(net);
  O<float, D> optimizer(weft::nn::parameters(net), options);
  train<D>(name, net, optimizer, 0, 50, clip);
  for (const auto& [key, p] : weft::nn::named_parameters(net)) {
    CHECK(weft::allclose(p.detach(), pytorch<float, D>("train." + name + "." + key), {1e-3, 1e-4}));
  }
  CHECK(optimizer.steps() == 50);

  auto second = weft::nn::clone(first);
  O<float, D> whole(weft::nn::parameters(first), options);
  train<D>(name, first, whole, 0, 20, clip);
  O<float, D> begun(weft::nn::parameters(second), options);
  train<D>(name, second, begun, 0, 10, clip);
  weft::StateDict saved;
  saved.add(weft::nn::state_dict(weft::nn::clone(second)), "model.");
  saved.add(begun.state_dict(), "optimizer.");
  auto resumed = network<D>();
  options.lr = 0.123;  // the rate is the state's
  O<float, D> goes_on(weft::nn::parameters(resumed), options);
  weft::nn::load_state_dict(resumed, saved.under("model."));
  goes_on.load_state_dict(saved.under("optimizer."));
  train<D>(name, resumed, goes_on, 10, 20, clip);
  const auto expected = weft::nn::parameters(first);
  const auto found = weft::nn::parameters(resumed);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(weft::equal(found[i].detach(), expected[i].detach()));
  }
}

}  // namespace test
