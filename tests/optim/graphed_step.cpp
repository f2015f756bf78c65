#include "weft/optim/graphed_step.hpp"

#include "steps.hpp"
#include "weft/nn.hpp"
#include "weft/optim.hpp"

using namespace weft;

namespace {
template <class D>
auto dropout_network() {
  return nn::Sequential{nn::Linear<D>(8, 16), nn::BatchNorm1d<D>(16), nn::ReLU{}, nn::Dropout{0.25},
                        nn::Linear<D>(16, 4)};
}

template <class D>
struct Batches {
  Tensor<float, D> x = test::pytorch<float, D>("train.x");
  Tensor<int64_t, D> classes = test::pytorch<int64_t, D>("train.classes");
};

/// What `count` steps leave, each by call(step, x, classes), whatever a step is made of.
template <class D, class Make>
std::pair<StateDict, std::vector<float>> trained(bool flat, int count, const Make& make) {
  manual_seed(11);
  auto net = dropout_network<D>();
  if (flat) nn::flatten_parameters(net);
  optim::AdamW optimizer(nn::parameters(net), {.lr = 0.01, .weight_decay = 0.1});
  optim::Schedule schedule(optimizer, optim::WarmUp{4, optim::CosineAnnealingLR{16}, 0.25});
  auto step = make([&](const Tensor<float, D>& x, const Tensor<int64_t, D>& classes) {
    optimizer.zero_grad();
    const Var loss = cross_entropy(net(x), classes);
    loss.backward();
    optim::clip_grad_norm(optimizer.parameters(), 0.5);
    optimizer.step();
    return loss;
  });
  const Batches<D> all;
  std::vector<float> losses;
  for (int i = 0; i < count; ++i) {
    losses.push_back(step(all.x(i % 5), all.classes(i % 5)).item());
    schedule.step();
  }
  CHECK(optimizer.steps() == count);
  StateDict out = nn::state_dict(net);
  out.add(optimizer.state_dict());
  return {out, losses};
}

template <class D>
void compare(bool flat) {
  CAPTURE(flat);
  const auto plain = trained<D>(flat, 12, [](auto f) { return f; });
  const auto offset = default_generator().offset();
  const auto graphed = trained<D>(flat, 12, [](auto f) { return optim::GraphedStep(D{}, f); });
  CHECK(default_generator().offset() == offset);
  CHECK(plain.second == graphed.second);
  for (const auto& entry : plain.first) {
    const auto& name = entry.first;
    const auto& x = entry.second;
    CAPTURE(name);
    if (x.dtype() == Dtype::float32) {
      const auto mine = graphed.first.template get<float, D>(name);
      CHECK(equal(mine, x.template get<float, D>()));
    }
  }
  const auto counted = graphed.first.template get<int64_t, D>("1.num_batches_tracked");
  CHECK(counted.item() == 12);
}
}  // namespace

TEST_CASE_TEMPLATE("graphed steps are plain steps, bit for bit", D, TEST_DEVICES) {
  compare<D>(false);
  compare<D>(true);
}

TEST_CASE_TEMPLATE("what a step gives is the caller's own", D, TEST_DEVICES) {
  const Tensor total = zeros({}, D{});
  optim::GraphedStep both(D{}, [&](const auto& x, const auto& y) {
    total += sum(x);
    return std::tuple(x * 2.0F, Var(y), total.clone());
  });
  std::vector<Tensor<float, D>> doubled;
  for (int i = 0; i < 5; ++i) {
    const auto [a, b, c] = both(full({3}, float(i), D{}), full<double>({}, 0.5 * i, D{}));
    doubled.push_back(a);
    CHECK(b.item() == 0.5 * i);
    CHECK(c.item() == float(3 * i * (i + 1) / 2));
  }
  for (int i = 0; i < 5; ++i) CHECK(all(doubled[size_t(i)] == float(2 * i)).item());
  CHECK(both.is_recorded() == is_cuda<D>);

  int calls = 0;
  optim::GraphedStep count(D{}, [&] {
    ++calls;
    total.fill(5);
  });
  for (int i = 0; i < 6; ++i) {
    const std::tuple<> nothing = count();
    (void)nothing;
  }
  CHECK(calls == (is_cuda<D> ? 3 : 6));
  CHECK(total.item() == 5);
  total.fill(1);
  count();
  CHECK(total.item() == 5);
}

TEST_CASE_TEMPLATE("arguments have the shapes and types of the first call", D, TEST_DEVICES) {
  const Tensor out = zeros({2}, D{});
  optim::GraphedStep step(
      D{}, [&](const auto&... x) { (out.assign(cast<float>(sum(x)) + out), ...); }, {.warm_up = 1});
  for (int i = 0; i < 3; ++i) {
    if (i > 0) {
      CHECK_SAYS(
          "[GraphedStep] argument 1 is float32 of shape (3, 2), expected float32 of shape "
          "(4, 2) as in the first call",
          step(ones({3}, D{}), ones({3, 2}, D{})));
      CHECK_SAYS("argument 0 is float64 of shape (3,), expected float32",
                 step(ones<double>({3}, D{}), ones({4, 2}, D{})));
      CHECK_SAYS("1 arguments, expected 2", step(ones({3}, D{})));
    }
    step(ones({3}, D{}) * 2.0F, ones({4, 2}, D{}));  // an expression is an argument too
  }
  CHECK(all(out == 3 * 14.0F).item());
  CHECK(step.is_recorded() == is_cuda<D>);
  step.reset();
  CHECK_FALSE(step.is_recorded());
  step(ones({5}, D{}));
  CHECK(all(out == 3 * 14.0F + 5).item());
}

#ifdef __CUDACC__
TEST_CASE("[gpu] a recording reads an argument in its format") {
  std::vector<bool> formats;
  optim::GraphedStep step(Cuda{}, [&](const auto& x) {
    formats.push_back(is_channels_last(x));
    return sum(x * x);
  });
  const Tensor<float, Cuda> x = channels_last(full({2, 3, 2, 2}, 2.F, Cuda{}));
  for (int i = 0; i < 4; ++i) CHECK(step(x).item() == 96);
  CHECK(formats == std::vector<bool>(3, true));
}

TEST_CASE("[gpu] what a recording would not repeat is refused, and a plain call goes on") {
  const Var x = parameter(ones({4}, Cuda{}));
  optim::SGD optimizer(std::vector{x}, {.lr = 0.5});
  bool reads = true;
  double rate = 0;
  optim::GraphedStep step(Cuda{}, [&] {
    optimizer.zero_grad();
    const Var loss = sum(x * x);
    loss.backward();
    if (reads) loss.item();
    if (rate > 0) optimizer.set_lr(rate);
    optimizer.step();
    return loss;
  });
  step();
  step();
  CHECK_SAYS("the stream is being captured", step());
  CHECK_FALSE(step.is_recorded());
  reads = false;
  rate = 0.25;
  CHECK_SAYS("[set_lr] the rate is set while statements are captured", step());
  rate = 0;
  CHECK(optimizer.lr() == 0.5);
  x.detach().fill(1);
  CHECK(step().item() == 4);
  CHECK(step.is_recorded());
  CHECK(step.recording().kernels() >= 4);  // the loss, its gradient, the count, the update
  CHECK(step().item() == 0);
  optimizer.set_lr(0);
  x.detach().fill(3);
  CHECK(step().item() == 36);
  CHECK(step().item() == 36);
  CHECK(optimizer.steps() == 6);
}
#endif
