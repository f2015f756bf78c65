#include "weft/optim/optimizer.hpp"

#include "gradients.hpp"
#include "weft/nn.hpp"
#include "weft/optim.hpp"

using namespace weft;

TEST_CASE("an optimizer refuses what does not fit") {
  nn::Linear small(2, 1);
  nn::Linear large(3, 1);
  optim::Adam a(nn::parameters(small));
  optim::Adam b(nn::parameters(large));
  CHECK_SAYS("'state.0.exp_avg' is float32 of shape (1, 3), expected float32 of shape (1, 2)",
             a.load_state_dict(b.state_dict()));
  optim::SGD s(nn::parameters(small), {.momentum = 0.9});
  CHECK_SAYS("Adam finds no 'groups.0.beta1'", a.load_state_dict(s.state_dict()));
  StateDict more = a.state_dict();
  more.add("other", ones({1}));
  CHECK_SAYS("13 tensors, expected 12 for 2 parameters in 1 groups", a.load_state_dict(more));
  more = a.state_dict();
  more.set("groups.0.lr", full<double>({}, -3.0));
  CHECK_SAYS("lr -3", a.load_state_dict(more));
  CHECK(a.lr() == 1e-3);
  CHECK_SAYS("lr -1", a.set_lr(-1));
  CHECK_SAYS("beta1 1", optim::Adam(nn::parameters(small), {.beta1 = 1}));
  CHECK_SAYS("nesterov", optim::SGD(nn::parameters(small), {.nesterov = true}));
  CHECK_SAYS("no parameters", optim::SGD(std::vector<Var<float>>{}));
}

TEST_CASE("an optimizer refuses parameters that would never change") {
  const Var a = parameter(ones({2}));
  const Var b(tensor(1.0F));
  CHECK_SAYS("[Adam] parameter 1, of shape (), requires no gradient", optim::Adam({a, b}, 0.1));
  CHECK_SAYS("parameter 0, of shape ()", optim::LBFGS(std::vector{b}));
  optim::SGD optimizer({a}, 0.1);
  CHECK_SAYS("[SGD] parameter 2, of shape ()", optimizer.add_group({parameter(ones({3})), b}));
  CHECK(optimizer.parameters().size() == 1);
  const Var scaled = 0.1F * parameter(ones({3}));
  CHECK_SAYS("[SGD] parameter 0, of shape (3,), was computed by a statement",
             optim::SGD(std::vector{scaled}));
  scaled.retain_grad();
  CHECK(optim::SGD(std::vector{scaled}).parameters().size() == 1);
}

TEST_CASE("a frozen parameter stays until it is unfrozen") {
  Var x = parameter(ones({2}));
  x.requires_grad(false);
  const Var y = parameter(ones({2}));
  optim::SGD optimizer({x, y}, 1);
  const auto step = [&] {
    optimizer.zero_grad();
    sum(x * y).backward();
    optimizer.step();
  };
  step();
  CHECK(equal(x.detach(), ones({2})));
  CHECK(equal(y.detach(), zeros({2})));
  x.requires_grad(true);
  y.value().fill(1);
  step();
  CHECK(equal(x.detach(), zeros({2})));
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

TEST_CASE_TEMPLATE("groups have options of their own", D, TEST_DEVICES) {
  const Var x = parameter(ones({2}, D{}));
  const Var y = parameter(ones({3}, D{}));
  const auto set = [&] {
    x.set_grad(ones({2}, D{}));
    y.set_grad(ones({3}, D{}));
  };
  optim::SGD optimizer(std::vector{x}, {.lr = 0.5});
  optimizer.add_group({y}, {.lr = 0.125, .weight_decay = 1});
  CHECK(optimizer.parameters().size() == 2);
  CHECK(optimizer.groups().size() == 2);
  CHECK(optimizer.options(1).weight_decay == 1);
  set();
  optimizer.step();
  CHECK(all(x.detach() == 0.5F).item());
  CHECK(all(y.detach() == 0.75F).item());
  optimizer.set_lr(0, 1);
  optimizer.step();
  CHECK(all(x.detach() == 0.0F).item());
  CHECK(all(y.detach() == 0.75F).item());
  optimizer.set_lr(0.25);
  CHECK(optimizer.lr(0) == 0.25);
  CHECK(optimizer.lr(1) == 0.25);
  optimizer.set_options({.lr = 1}, 1);
  optimizer.step();
  CHECK(all(x.detach() == -0.25F).item());
  CHECK(all(y.detach() == -0.25F).item());
  CHECK_SAYS("[SGD] group 2 of 2", optimizer.set_lr(1, 2));
  CHECK_SAYS("momentum -1", optimizer.set_options({.momentum = -1}));
  CHECK_SAYS("a parameter of shape (2,) is there twice", optimizer.add_group({x}, {}));
  CHECK_SAYS("a parameter of shape (3,) is there twice", optim::SGD(std::vector{y, y}));
  optimizer.add_group(std::vector{parameter(ones({1}, D{}))});
  CHECK(optimizer.lr(2) == 0.25);
  CHECK_SAYS("no parameters", optimizer.add_group({}, {}));
  CHECK_SAYS("lr -1", optimizer.add_group({parameter(ones({1}, D{}))}, {.lr = -1}));
  CHECK(optimizer.parameters().size() == 3);
}

TEST_CASE_TEMPLATE("maximize goes the other way", D, TEST_DEVICES) {
  const auto moved = [](auto make, bool up) {
    const Var x = parameter(full({3}, 2.0F, D{}));
    auto optimizer = make(std::vector{x}, up);
    for (int i = 0; i < 3; ++i) {
      x.set_grad(full({3}, static_cast<float>(i) - 0.5F, D{}));
      optimizer.step();
    }
    return x.detach().to(Cpu{}).at(0) - 2;
  };
  const auto check = [&](auto make) {
    const float up = moved(make, true);
    CHECK(up != 0);
    CHECK(up == doctest::Approx(-moved(make, false)));
  };
  using Vars = std::vector<Var<float, D>>;
  check([](Vars x, bool up) { return optim::SGD(x, {.lr = 0.1, .maximize = up}); });
  check([](Vars x, bool up) { return optim::Adam(x, {.lr = 0.1, .maximize = up}); });
  check([](Vars x, bool up) {
    return optim::AdamW(x, {.lr = 0.1, .weight_decay = 0, .maximize = up});
  });
  check([](Vars x, bool up) { return optim::RMSprop(x, {.lr = 0.1, .maximize = up}); });
  check([](Vars x, bool up) { return optim::Adagrad(x, {.lr = 0.1, .maximize = up}); });
}

TEST_CASE_TEMPLATE("a state dict holds the groups", D, TEST_DEVICES) {
  const auto make = [](optim::AdamOptions first, optim::AdamOptions second) {
    optim::Adam out(std::vector{parameter(ones({2}, D{})), parameter(ones({3}, D{}))}, first);
    out.add_group({parameter(ones({4}, D{}))}, second);
    return out;
  };
  auto a = make({.lr = 0.1}, {.lr = 0.2, .beta1 = 0.5, .maximize = true});
  const auto step = [](auto& optimizer) {
    for (const auto& x : optimizer.parameters()) x.set_grad(x.detach() * 0.5F);
    optimizer.step();
  };
  step(a);
  const StateDict dict = a.state_dict();
  CHECK(dict.names()[0] == "groups.0.parameters");
  CHECK(equal(dict.get<int64_t>("groups.1.parameters"), tensor<int64_t>({2})));
  CHECK(dict.get<double>("groups.1.beta1").item() == 0.5);
  CHECK(dict.get<double>("groups.1.maximize").item() == 1);
  CHECK(dict.contains("state.2.exp_avg_sq"));
  auto b = make({}, {});
  b.load_state_dict(dict);
  CHECK(b.lr(1) == 0.2);
  CHECK(b.options(1).beta1 == 0.5);
  CHECK(b.options(1).maximize);
  CHECK(b.options(0).beta1 == 0.9);
  CHECK(b.steps(1) == 1);
  for (std::size_t i = 0; i < 3; ++i) b.parameters()[i].detach().assign(a.parameters()[i].detach());
  step(a);
  step(b);
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(equal(a.parameters()[i].detach(), b.parameters()[i].detach()));
  }
  optim::Adam whole(
      std::vector{parameter(ones({2}, D{})), parameter(ones({3}, D{})), parameter(ones({4}, D{}))});
  CHECK_SAYS("'groups.0.parameters' is int64 of shape (2,), expected int64 of shape (3,)",
             whole.load_state_dict(dict));
  optim::Adam less(std::vector{parameter(ones({2}, D{})), parameter(ones({3}, D{}))});
  CHECK_SAYS("Adam finds no 'groups.1.parameters'", a.load_state_dict(less.state_dict()));
}

TEST_CASE_TEMPLATE("a step that is skipped changes nothing", D, TEST_DEVICES) {
  const auto check = [](auto make) {
    const Var x = parameter(full({3}, 2.0F, D{}));
    const Var y = parameter(full({3}, 2.0F, D{}));
    auto skips = make(std::vector{x});
    auto plain = make(std::vector{y});
    for (int i = 0; i < 4; ++i) {
      const bool skip = i % 2 == 1;
      const Tensor<float, D> g = full({3}, 0.5F + static_cast<float>(i), D{});
      x.set_grad(g * (skip ? math::nan<float> : 1.0F));
      skips.step(full<bool>({}, skip, D{}));
      y.set_grad(g);
      if (!skip) plain.step();
    }
    // Another kernel, which may contract products and sums in another way.
    CHECK(allclose(x.detach(), y.detach(), {1e-6, 1e-6}));
    CHECK(skips.steps() == 2);
    const StateDict a = skips.state_dict();
    const StateDict b = plain.state_dict();
    for (const auto& entry : a) {
      const auto& name = entry.first;
      CAPTURE(name);
      if (entry.second.dtype() != Dtype::float32) continue;
      CHECK(allclose(entry.second.template get<float, D>(), b.template get<float, D>(name),
                     {1e-6, 1e-6}));
    }
  };
  using Vars = std::vector<Var<float, D>>;
  check([](Vars x) { return optim::AdamW(x, {.lr = 0.1}); });
  check([](Vars x) { return optim::SGD(x, {.lr = 0.1, .momentum = 0.9}); });
  check([](Vars x) { return optim::NAdam(x, {.lr = 0.1}); });
}
