#include "weft/nn/module.hpp"

#include "gradients.hpp"
#include "weft/nn/layers/batch_norm.hpp"
#include "weft/nn/layers/linear.hpp"
#include "weft/nn/layers/norm.hpp"
#include "weft/nn/layers/sequential.hpp"

using namespace weft;

namespace {
template <class D = Cpu>
struct Net {
  nn::Linear<D> first{2, 3};
  nn::Linear<D> second{2, 3};
  nn::Dropout dropout{0.25};
  nn::BatchNorm1d<D> norm{3};
  auto fields() {
    return nn::fields("first", first, "second", second, "dropout", dropout, "norm", norm);
  }
};
}  // namespace

TEST_CASE_TEMPLATE("a module is frozen and unfrozen", D, TEST_DEVICES) {
  const Net<D> net;
  nn::requires_grad(net.norm, false);
  CHECK(nn::parameters(net).size() == 4);
  nn::requires_grad(net, false);
  CHECK(nn::parameters(net).empty());
  nn::requires_grad(net, true);
  CHECK(nn::parameters(net).size() == 6);
}

TEST_CASE_TEMPLATE("parameters are handles, each listed once", D, TEST_DEVICES) {
  Net<D> net;
  CHECK(nn::parameters(net).size() == 6);
  CHECK(nn::count(net) == 24);
  net.second.weight = net.first.weight;
  CHECK(nn::parameters(net).size() == 5);
  net.first.bias->requires_grad(false);
  const auto named = nn::named_parameters(net);
  CHECK(named.size() == 4);
  CHECK(named[1].first == "second.bias");
  nn::parameters(net)[0].detach().fill(2.0F);
  CHECK(all(net.second.weight.detach() == 2.0F).item());
}

TEST_CASE_TEMPLATE("parameters of several modules follow each other", D, TEST_DEVICES) {
  const Net<D> net;
  const nn::Linear<D> one(2, 3);
  nn::Linear<D> other(3, 1);
  const auto all_of = nn::parameters(one, nn::Dropout{}, net, other);
  REQUIRE(all_of.size() == 10);
  CHECK(all_of[0].variable().get() == one.weight.variable().get());
  CHECK(all_of[2].variable().get() == net.first.weight.variable().get());
  CHECK(all_of[8].variable().get() == other.weight.variable().get());
  CHECK(nn::parameters(net, net.first).size() == 6);
  other.weight.requires_grad(false);
  CHECK(nn::parameters(one, other).size() == 3);
  const auto weights = [](const std::string& name, const auto&) {
    return name.ends_with("weight");
  };
  CHECK(nn::parameters(net, weights).size() == 3);
}

namespace {
template <class D = Cpu>
struct Stack {
  std::array<nn::Linear<D>, 2> layers{nn::Linear<D>(2, 3), nn::Linear<D>(3, 1)};
  std::array<int, 2> option{1, 2};
  auto fields() { return nn::fields("layers", layers, "option", option); }
};
}  // namespace

TEST_CASE_TEMPLATE("modules in an array are found, copied and moved", D, TEST_DEVICES) {
  Stack<> stack;
  stack.option[1] = 5;
  const auto named = nn::named_parameters(stack);
  REQUIRE(named.size() == 4);
  CHECK(named[2].first == "layers.1.weight");
  const Stack<> copy = nn::clone(stack);
  const Stack<D> moved = nn::to(stack, D{});
  const auto before = stack.layers[1].weight.detach().clone();
  CHECK(equal(moved.layers[1].weight.detach().to(Cpu{}), before));
  CHECK(moved.option[1] == 5);
  nn::parameters(stack)[2].detach().fill(7.0F);
  CHECK(equal(copy.layers[1].weight.detach(), before));
}

namespace {
/// A tree of options, as JSON libraries have.
struct Tree {
  using value_type = Tree;
  int leaf = 0;
};
struct Configured {
  nn::Linear<> layer{2, 3};
  Tree options{7};
  auto fields() { return nn::fields("layer", layer, "options", options); }
};
}  // namespace

TEST_CASE("a field of options may contain its own kind") {
  Configured net;
  CHECK(nn::parameters(net).size() == 2);
  CHECK(nn::clone(net).options.leaf == 7);
}

TEST_CASE_TEMPLATE("train and eval reach what asks for them", D, TEST_DEVICES) {
  nn::Sequential net{Net<D>(), nn::Dropout{}};
  nn::eval(net);
  CHECK(!net.template get<0>().dropout.training);
  CHECK(!net.template get<0>().norm.training);
  CHECK(!net.template get<1>().training);
  nn::train(net);
  CHECK(net.template get<0>().norm.training);
}

TEST_CASE_TEMPLATE("clone has elements of its own, and shares as before", D, TEST_DEVICES) {
  Net<D> net;
  net.second.weight = net.first.weight;
  net.first.bias->requires_grad(false);
  net.norm.running_mean->fill(3.0F);
  const Net<D> copy = nn::clone(net);
  CHECK(equal(copy.first.weight.detach(), net.first.weight.detach()));
  CHECK(copy.second.weight.variable().get() == copy.first.weight.variable().get());
  CHECK(!copy.first.bias->requires_grad());
  net.first.weight.detach().fill(7.0F);
  net.norm.running_mean->fill(7.0F);
  CHECK(!any(copy.first.weight.detach() == 7.0F).item());
  CHECK(all(*copy.norm.running_mean == 3.0F).item());
}

TEST_CASE_TEMPLATE("to moves values, options and sharing", D, TEST_DEVICES) {
  Net<> net;
  net.second.weight = net.first.weight;
  net.dropout.p = 0.125;
  net.norm.epsilon = 0.5;
  net.second.bias.reset();
  nn::eval(net);
  const auto offset = default_generator().offset();
  const Net<D> moved = nn::to(net, D{});
  CHECK(default_generator().offset() == offset);
  CHECK(equal(moved.first.weight.detach().to(Cpu{}), net.first.weight.detach()));
  CHECK(moved.first.weight.requires_grad());
  CHECK(moved.second.weight.variable().get() == moved.first.weight.variable().get());
  CHECK(!moved.second.bias);
  CHECK(moved.dropout.p == 0.125);
  CHECK(moved.norm.epsilon == 0.5);
  CHECK(!moved.norm.training);
  static_assert(std::is_same_v<nn::moved_t<nn::Sequential<nn::Linear<Cpu>, nn::ReLU>, Cuda>,
                               nn::Sequential<nn::Linear<Cuda>, nn::ReLU>>);
}

TEST_CASE_TEMPLATE("zero_grad forgets", D, TEST_DEVICES) {
  const nn::Linear<D> layer(2, 2);
  const Var loss = sum(layer(ones({1, 2}, D{})));
  loss.backward();
  CHECK(layer.weight.has_grad());
  nn::zero_grad(layer);
  CHECK(!layer.weight.has_grad());
}
