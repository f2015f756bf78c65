#include "weft/nn/memory_format.hpp"

#include "images.hpp"
#include "weft/autograd.hpp"
#include "weft/nn/layers/conv.hpp"
#include "weft/nn/module.hpp"
#include "weft/nn/state.hpp"
#include "weft/optim/sgd.hpp"

#ifdef __CUDACC__
#include "weft/cuda/gradient.hpp"
#endif

using namespace weft;

namespace {
template <class D>
struct Net {
  nn::Conv2d<D> first{3, 4, 3, {.padding = 1}};
  nn::Conv2d<D> second{4, 4, 1, {.bias = false}};
  nn::Conv2d<D> third{4, 4, 3, {.padding = 1, .groups = 4}};
  auto fields() { return nn::fields("first", first, "second", second, "third", third); }
  auto operator()(const Var<float, D>& x) const {
    return third(second(first(x).node()).node()).node();
  }
};

/// Values, gradients and parameters after a step.
template <class D>
void train(const Net<D>& net, const Tensor<float, D>& x, std::vector<Tensor<float, D>>& out) {
  optim::SGD optimizer(nn::parameters(net), {.lr = 0.1, .momentum = 0.9});
  for (int i = 0; i < 2; ++i) {
    optimizer.zero_grad();
    const Var y = net(x);
    out.push_back(y.detach().clone());
    y.backward(y.detach());
    for (const auto& p : nn::parameters(net)) out.push_back(p.grad().clone());
    optimizer.step();
  }
}
}  // namespace

TEST_CASE_TEMPLATE("weights in channels-last format train as others do", D, TEST_DEVICES) {
  const Net<D> plain;
  std::vector<Tensor<float, D>> wanted;
  Net<D> alone = nn::clone(plain);
  Net<D> together = nn::clone(plain);
  const Tensor<float, D> x = channels_last(test::image<float, D>({2, 3, 6, 5}));
  nn::channels_last(alone);
  nn::channels_last(together);
  nn::flatten_parameters(together);
  train(plain, x, wanted);
  for (const auto* net : {&alone, &together}) {
    CHECK(is_channels_last(net->first.weight.detach()));
    std::vector<Tensor<float, D>> found;
    train(*net, x, found);
    REQUIRE(found.size() == wanted.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(allclose(found[i], wanted[i], {1e-4, 1e-4}));
    }
    CHECK(is_channels_last(net->first.weight.grad()));
    CHECK(is_channels_last(net->first.weight.detach()));
    CHECK(net->first.bias->detach().is_contiguous());
  }
  Net<D> loaded;
  nn::load_state_dict(loaded, nn::state_dict(together));
  CHECK(equal(loaded.first.weight.detach(), together.first.weight.detach()));
}

TEST_CASE_TEMPLATE("an optimizer's states lie as flattened channels-last weights do", D,
                   TEST_DEVICES) {
  const Net<D> plain;
  Net<D> flat = nn::clone(plain);
  nn::channels_last(flat);
  nn::flatten_parameters(flat);
  const Tensor<float, D> x = channels_last(test::image<float, D>({2, 3, 6, 5}));
  // One parameter lacks a gradient in the second step: the others are then updated in other runs.
  const auto steps = [&](const Net<D>& net) {
    // With a rate of 0.1 the weights diverge and rounding decides.
    optim::SGD optimizer(nn::parameters(net), {.lr = 1e-3, .momentum = 0.9});
    for (int i = 0; i < 3; ++i) {
      optimizer.zero_grad();
      const Var<float, D> hidden = net.first(x).node();
      const Var<float, D> y = i == 1 ? hidden : net.third(net.second(hidden).node()).node();
      y.backward(y.detach());
      if (i == 1) {
        for (const auto& p : nn::parameters(net.second)) p.zero_grad();
        for (const auto& p : nn::parameters(net.third)) p.zero_grad();
      }
      optimizer.step();
    }
    StateDict all = optimizer.state_dict();
    all.add(nn::state_dict(net), "net.");
    return all;
  };
  const StateDict wanted = steps(plain);
  const StateDict found = steps(flat);
  int compared = 0;
  for (const auto& entry : wanted) {
    if (entry.second.dtype() != dtype_of<float>) continue;
    const std::string& name = entry.first;
    CAPTURE(name);
    CHECK(allclose(found.template get<float, D>(name), wanted.template get<float, D>(name),
                   {1e-4, 1e-5}));
    ++compared;
  }
  CHECK(compared >= 10);
}

TEST_CASE("a parameter that others hold stays where it is") {
  Net<Cpu> net;
  const Var held = net.first.weight;
  CHECK_SAYS("[channels_last] first.weight has 2 handles, expected 1 in the module alone",
             nn::channels_last(net));
  CHECK(net.first.weight.detach().is_contiguous());
}
