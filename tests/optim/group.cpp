#include "weft/optim/group.hpp"

#include "steps.hpp"
#include "weft/nn.hpp"
#include "weft/optim.hpp"
#ifdef __CUDACC__
#include "cuda/graph_nodes.hpp"
#endif

using namespace weft;

namespace {
constexpr auto is_matrix = [](const std::string&, const auto& x) { return x.rank() > 1; };
constexpr auto is_vector = [](const std::string&, const auto& x) { return x.rank() < 2; };

template <class D, class T = float>
struct Net {
  nn::Linear<D, T> first{5, 13};
  nn::LayerNorm<D, T> norm{13};
  nn::Linear<D, T> second{13, 3};
  auto fields() { return nn::fields("first", first, "norm", norm, "second", second); }
};

/// Gradients of no meaning that `step` determines; none for every fourth parameter in odd steps.
template <class T, class D>
void set_gradients(const std::vector<Var<T, D>>& parameters, std::uint64_t step) {
  Generator draws(step);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor g = rand<T>(parameters[i].shape(), D{}, draws);
    if (step % 2 == 0 || i % 4 != 1) parameters[i].set_grad(g);
  }
}

/// A network in an arena takes the same steps, bit for bit, as one whose tensors lie anywhere.
template <class D, template <class, class> class O, class T = float, class Options>
void compare_flat(const char* name, Options options) {
  CAPTURE(name);
  Net<D, T> apart;
  apart.norm.bias->requires_grad(false);
  Net<D, T> flat = nn::clone(apart);
  nn::flatten_parameters(flat, is_matrix);
  Options others = options;
  others.lr = options.lr / 4;
  others.weight_decay = 0.25;
  O<T, D> one(nn::parameters(apart, is_matrix), options);
  O<T, D> two(nn::parameters(flat, is_matrix), options);
  one.add_group(nn::parameters(apart, is_vector), others);
  two.add_group(nn::parameters(flat, is_vector), others);
  for (std::uint64_t step = 0; step < 6; ++step) {
    for (auto* o : {&one, &two}) {
      o->zero_grad();
      set_gradients(o->parameters(), step);
    }
    one.step();
    two.step();
  }
  for (std::size_t i = 0; i < one.parameters().size(); ++i) {
    CAPTURE(i);
    CHECK(equal(one.parameters()[i].detach(), two.parameters()[i].detach()));
  }
  const StateDict state = one.state_dict();
  for (const auto& entry : state) {
    const auto& key = entry.first;
    const auto& x = entry.second;
    CAPTURE(key);
    if (!key.starts_with("state.")) continue;
    using C = compute_t<T>;
    CHECK(equal(x.template get<C, D>(), two.state_dict().template get<C, D>(key)));
  }
}
}  // namespace

TEST_CASE_TEMPLATE("a step in an arena is the same step", D, TEST_DEVICES) {
  compare_flat<D, optim::SGD>("sgd", optim::SGDOptions{.lr = 0.1});
  compare_flat<D, optim::SGD>("momentum",
                              optim::SGDOptions{.lr = 0.1, .momentum = 0.9, .dampening = 0.5});
  compare_flat<D, optim::Adam>("adam", optim::AdamOptions{.lr = 0.01});
  compare_flat<D, optim::AdamW>("adamw", optim::AdamWOptions{.lr = 0.01});
  compare_flat<D, optim::RMSprop>("rmsprop", optim::RMSpropOptions{.lr = 0.01});
  compare_flat<D, optim::RMSprop>(
      "centered", optim::RMSpropOptions{.lr = 0.01, .momentum = 0.5, .centered = true});
  compare_flat<D, optim::Adagrad>(
      "adagrad", optim::AdagradOptions{.lr = 0.01, .initial_accumulator_value = 0.5});
  compare_flat<D, optim::NAdam>("nadam", optim::NAdamOptions{.lr = 0.01});
  compare_flat<D, optim::AdamW, bfloat16>("bfloat16", optim::AdamWOptions{.lr = 0.01});
  compare_flat<D, optim::AdamW, double>("double", optim::AdamWOptions{.lr = 0.01});
}

TEST_CASE_TEMPLATE("training in an arena is the same training, and resumes", D, TEST_DEVICES) {
  auto apart = test::network<D>();
  nn::load_state_dict(apart, test::pytorch().under("train.model."));
  auto flat = nn::clone(apart);
  nn::flatten_parameters(flat);
  optim::AdamW one(nn::parameters(apart), {.lr = 0.01, .weight_decay = 0.1});
  optim::AdamW two(nn::parameters(flat), {.lr = 0.01, .weight_decay = 0.1});
  test::train<D>("adamw", apart, one, 0, 20);
  test::train<D>("adamw", flat, two, 0, 10);
  StateDict saved;
  saved.add(nn::state_dict(nn::clone(flat)), "model.");
  saved.add(two.state_dict(), "optimizer.");
  auto resumed = test::network<D>();
  nn::load_state_dict(resumed, saved.under("model."));
  nn::flatten_parameters(resumed);
  optim::AdamW goes_on(nn::parameters(resumed));
  goes_on.load_state_dict(saved.under("optimizer."));
  CHECK(goes_on.options().weight_decay == 0.1);
  test::train<D>("adamw", resumed, goes_on, 10, 20);
  for (std::size_t i = 0; i < one.parameters().size(); ++i) {
    CHECK(equal(one.parameters()[i].detach(), goes_on.parameters()[i].detach()));
  }
}

TEST_CASE_TEMPLATE("a group steps by its own options and count", D, TEST_DEVICES) {
  const Var x = parameter(ones({2}, D{}));
  const Var y = parameter(ones({2}, D{}));
  optim::SGD optimizer(std::vector{x}, {.lr = 0.5});
  x.set_grad(ones({2}, D{}));
  optimizer.step();
  optimizer.add_group({y}, {.lr = 0.25, .momentum = 0.5, .dampening = 0.5});
  y.set_grad(ones({2}, D{}));
  optimizer.step();
  CHECK(all(x.detach() == 0.0F).item());
  CHECK(all(y.detach() == 0.75F).item());  // its first step: no dampening
  CHECK(optimizer.steps() == 2);
  CHECK(optimizer.steps(1) == 1);
  optimizer.step();
  CHECK(all(y.detach() == 0.75F - 0.25F).item());  // 0.5 of before and 0.5 of this
}

#ifdef __CUDACC__
TEST_CASE("[gpu] a step is two kernels a group, of any number of tensors") {
  const auto kernels = [](const auto& f) {
    f();  // what is made at first use is made
    const GraphNodes n = captured(f);
    CHECK(n.copies + n.memsets == 0);
    return n.kernels;
  };
  const auto count = [&](auto optimizer) {
    set_gradients(optimizer.parameters(), 0);
    return kernels([&] { optimizer.step(); });
  };
  Net<Cuda> apart;
  Net<Cuda> net;
  nn::flatten_parameters(net, is_matrix);
  const auto parameters = nn::parameters(net, [](auto&, auto&) { return true; });
  CHECK(parameters.size() == 6);
  CHECK(count(optim::AdamW(nn::parameters(apart))) == 2);
  CHECK(count(optim::SGD(nn::parameters(apart))) == 2);
  CHECK(count(optim::SGD(nn::parameters(apart), {.momentum = 0.9})) == 2);
  CHECK(kernels([&] { optim::clip_grad_value(nn::parameters(apart), 1); }) == 1);
  nn::flatten_parameters(apart);
  CHECK(count(optim::SGD(nn::parameters(apart))) == 2);
  CHECK(count(optim::SGD(nn::parameters(apart), {.momentum = 0.9})) == 2);
  CHECK(count(optim::Adam(nn::parameters(apart))) == 2);
  CHECK(count(optim::AdamW(nn::parameters(apart))) == 2);
  CHECK(count(optim::RMSprop(nn::parameters(apart))) == 2);
  CHECK(count(optim::Adagrad(nn::parameters(apart))) == 2);
  optim::AdamW grouped(nn::parameters(net, is_matrix));
  grouped.add_group(nn::parameters(net, is_vector), {.weight_decay = 0});
  CHECK(count(std::move(grouped)) == 4);
  const auto clip = [&] { optim::clip_grad_norm(nn::parameters(apart), 1); };
  CHECK(kernels(clip) <= 4);
  CHECK(kernels([&] { optim::clip_grad_value(nn::parameters(apart), 1); }) == 1);
  CHECK(kernels([&] { nn::zero_grad(apart); }) == 0);
}
#endif
