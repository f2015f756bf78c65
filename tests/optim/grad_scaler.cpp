#include "weft/optim/grad_scaler.hpp"

#include "steps.hpp"
#ifdef __CUDACC__
#include "weft/cuda/attention.hpp"
#include "weft/cuda/conv.hpp"
#endif
#include "weft/autograd/autocast.hpp"
#include "weft/optim/adam.hpp"
#include "weft/optim/graphed_step.hpp"
#include "weft/optim/sgd.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("a scaler skips steps with infinities, and its scale follows", D, TEST_DEVICES) {
  const Var x = parameter(full({3}, 2.0F, D{}));
  const Var y = parameter(full({2}, 2.0F, D{}));
  optim::SGD optimizer(std::vector{x, y}, {.lr = 0.5, .momentum = 0.5});
  optim::GradScaler scaler(D{}, {.init_scale = 64, .growth_interval = 2});
  const auto step = [&](float slope) {
    optimizer.zero_grad();
    const Var loss = sum(x * slope) + sum(y);
    scaler.scale(loss).backward();
    CHECK(y.grad().to(Cpu{}).at(0) == static_cast<float>(scaler.get_scale()));
    scaler.step(optimizer);
    scaler.update();
  };
  step(1);
  CHECK(all(x.detach() == 1.5F).item());
  CHECK(scaler.get_scale() == 64);
  step(1e38F);  // overflows
  CHECK(all(x.detach() == 1.5F).item());
  CHECK(all(y.detach() == 1.5F).item());
  CHECK(optimizer.steps() == 1);
  CHECK(scaler.get_scale() == 32);
  step(0);
  CHECK(scaler.get_scale() == 32);
  CHECK(optimizer.steps() == 2);
  CHECK(all(x.detach() == 1.25F).item());  // the momentum of the first step
  step(math::nan<float>);
  CHECK(scaler.get_scale() == 16);
  step(0);
  step(0);
  CHECK(scaler.get_scale() == 32);
  CHECK(optimizer.steps() == 4);

  optim::GradScaler other(D{});
  other.load_state_dict(scaler.state_dict());
  CHECK(other.get_scale() == 32);
  CHECK(other.options().growth_interval == 2);
  optimizer.zero_grad();
  scaler.scale(Var(sum(x))).backward();
  scaler.unscale(optimizer);
  CHECK(all(x.grad() == 1.0F).item());
  CHECK_SAYS("[unscale] the gradients of this optimizer", scaler.unscale(optimizer));
  scaler.step(optimizer);
  CHECK(optimizer.steps() == 5);
  CHECK_SAYS("[update] no optimizer's step", optim::GradScaler(D{}).update());
  CHECK_SAYS("growth_factor 1", optim::GradScaler(D{}, {.growth_factor = 1}));
  optim::GradScaler off(D{}, {.enabled = false});
  CHECK(off.get_scale() == 1);
  CHECK(off.scale(Var(sum(x))).item() == Var(sum(x)).item());
}

namespace {
/// The last losses of 50 steps in H, by a GraphedStep.
template <class H, class D>
std::vector<float> trained() {
  auto net = test::network<D>();
  nn::load_state_dict(net, test::pytorch().under("train.model."));
  optim::AdamW optimizer(nn::parameters(net), {.lr = 0.01, .weight_decay = 0.1});
  optim::GradScaler scaler(D{}, {.growth_interval = 10, .enabled = std::is_same_v<H, weft::half>});
  optim::GraphedStep step(D{}, [&](const auto& x, const auto& classes) {
    optimizer.zero_grad();
    Var<float, D> loss;
    if constexpr (std::is_same_v<H, float>) {
      loss = cross_entropy(net(x), classes);
    } else {
      const Autocast<H, D> guard;
      loss = cross_entropy(net(x), classes);
    }
    scaler.scale(loss).backward();
    scaler.step(optimizer);
    scaler.update();
    return loss;
  });
  const auto x = test::pytorch<float, D>("train.x");
  const auto classes = test::pytorch<int64_t, D>("train.classes");
  std::vector<float> losses;
  for (int64_t i = 0; i < 50; ++i) {
    losses.push_back(step(x(i % 5).contiguous(), classes(i % 5).contiguous()).item());
  }
  if constexpr (std::is_same_v<H, weft::half>) {
    CHECK(optimizer.steps() >= 45);
    CHECK(scaler.get_scale() != 65536);
  }
  return losses;
}
}  // namespace

TEST_CASE_TEMPLATE("training in 16 bits converges as in float", D, TEST_DEVICES) {
  const auto plain = trained<float, D>();
  const auto brain = trained<bfloat16, D>();
  const auto small = trained<weft::half, D>();
  CHECK(plain.back() < 0.8F * plain.front());
  for (std::size_t i = 45; i < 50; ++i) {
    CAPTURE(i);
    CHECK(brain[i] == doctest::Approx(plain[i]).epsilon(0.03));
    CHECK(small[i] == doctest::Approx(plain[i]).epsilon(0.03));
  }
}
