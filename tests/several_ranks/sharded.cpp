// A model whose weights, gradients and optimizer state lie in parts trains as a whole one.
#include "ranks.hpp"

#include "weft/nn.hpp"
#include "weft/optim.hpp"
#ifdef __CUDACC__
#include "weft/cuda/gradient.hpp"
#include "weft/cuda/matmul.hpp"
#endif

using namespace weft;

namespace {
template <class D>
struct Net {
  nn::Linear<D> in{10, 20};
  std::vector<dist::Unit<nn::Linear<D>>> units;
  nn::BatchNorm1d<D> norm{20};
  dist::Unit<nn::Linear<D>> out{nn::Linear<D>(20, 3)};
  bool skip = false;
  bool recomputes = false;
  Net() {
    for (int i = 0; i < 3; ++i) units.emplace_back(nn::Linear<D>(20, 20));
  }
  auto fields() { return nn::fields("in", in, "units", units, "norm", norm, "out", out); }
  Var<float, D> operator()(const Var<float, D>& x) const {
    Var<float, D> y = in(x);
    for (std::size_t i = 0; i + (skip ? 1 : 0) < units.size(); ++i) {
      const auto block = [this, i](const Var<float, D>& v) {
        return Var<float, D>(tanh(units[i](v)));
      };
      y = y + (recomputes ? checkpoint(block, y) : block(y));
    }
    return out(norm(y));
  }
};

template <class D>
Var<float, D> loss_of(const auto& model, int step, int rank, int ranks) {
  Generator generator(static_cast<std::uint64_t>(step));
  const Tensor<float, D> x = randn({24, 10}, Cpu{}, generator).to(D{});
  const int64_t rows = 24 / ranks;
  const Var<float, D> y = model(Var<float, D>(x.narrow(0, rows * rank, rows).clone()));
  return mean(square(y)) * 10.0F;
}

/// As nn::state_dict has them, on the CPU.
template <class D>
void check_near(const StateDict& found, const StateDict& expected, double limit) {
  REQUIRE(found.size() == expected.size());
  for (const auto& each : expected) {
    const std::string& name = each.first;
    const AnyTensor& x = each.second;
    if (x.dtype() != Dtype::float32) continue;
    CAPTURE(name);
    const Tensor<float> a = found.at(name).template to<float>(Cpu{});
    const Tensor<float> b = x.template to<float>(Cpu{});
    REQUIRE(a.shape() == b.shape());
    CHECK(max(abs(a - b)).eval().item() <= static_cast<float>(limit));
  }
}
}  // namespace

TEST_CASE_TEMPLATE("a model in parts trains as DistributedDataParallel does", D, TEST_DEVICES) {
  const auto& g = *test::world();
  const int n = g.size();
  for (const int stage : {2, 3}) {
    CAPTURE(stage);
    manual_seed(4);
    Net<D> whole;
    Net<D> net = nn::clone(whole);
    const dist::DistributedDataParallel ddp(whole, g);
    const dist::FullyShardedDataParallel model(net, g, {.stage = stage, .bucket_bytes = 500});
    optim::AdamW all(nn::parameters(whole), {.lr = 0.01, .weight_decay = 0.1});
    optim::AdamW optimizer(model.parameters(), {.lr = 0.01, .weight_decay = 0.1});
    const auto go = [&](int i, auto& mine) {
      net.recomputes = whole.recomputes = i % 4 == 3;
      mine.zero_grad();
      all.zero_grad();
      const int passes = i % 3 == 2 ? 2 : 1;  // gradients add up
      for (int k = 0; k < passes; ++k) {
        loss_of<D>(model, 10 * i + k, g.rank(), n).backward();
        loss_of<D>(ddp, 10 * i + k, g.rank(), n).backward();
      }
      if (i % 2 == 1) {
        const float norm = model.clip_grad_norm(0.5).item();
        CHECK(norm == doctest::Approx(optim::clip_grad_norm(all.parameters(), 0.5).item()));
      }
      mine.step();
      all.step();
    };
    for (int i = 0; i < 12; ++i) go(i, optimizer);
    const StateDict saved = model.state_dict();
    dist::detail::broadcast_buffers(g, whole);
    check_near<D>(saved, nn::state_dict(whole), 1e-5);
    {
      const NoGrad guard;  // evaluation fetches what the steps have made
      nn::eval(net);
      nn::eval(whole);
      const Var<float, D> a = loss_of<D>(model, 3, 0, 1), b = loss_of<D>(ddp, 3, 0, 1);
      CHECK(a.item() == doctest::Approx(b.item()).epsilon(1e-4));
      nn::train(net);
      nn::train(whole);
    }
    // Elements of the largest Unit are 448 with gaps, of all 2176; a part is a multiple of 64.
    CHECK(model.shard_elements() <= 2176 / n + 64 * std::ssize(model.parameters()));

    // Others go on from a checkpoint: in the other stage, and on each rank by itself.
    const StateDict state = model.optimizer_state(optimizer);
    CHECK(state.at("state.units.1.weight.exp_avg").shape() == Shape{20, 20});
    Net<D> second;
    const dist::FullyShardedDataParallel other(second, g, {.stage = 5 - stage});
    other.load_state_dict(saved);
    optim::AdamW resumed(other.parameters(), {.lr = 0.5});
    other.load_optimizer_state(resumed, state);
    CHECK(resumed.lr() == 0.01);
    optimizer.zero_grad();
    loss_of<D>(model, 5, g.rank(), n).backward();
    optimizer.step();
    loss_of<D>(other, 5, g.rank(), n).backward();
    resumed.step();
    check_near<D>(other.state_dict(), model.state_dict(), 1e-6);

    // And when the last rank has gone, the others by themselves, as one rank with all samples
    // would. BatchNorm's statistics are computed from a rank's samples, so they stay as they are.
    const bool stays = n == 1 || g.rank() + 1 < n;
    const dist::Group rest = g.split(stays ? 0 : 1);
    Net<D> third;
    Net<D> fourth;
    const dist::FullyShardedDataParallel fewer(third, rest, {.stage = stage});
    const dist::FullyShardedDataParallel alone(fourth, dist::Group(), {.stage = stage});
    optim::AdamW parts(fewer.parameters(), {.lr = 0.5});
    optim::AdamW single(alone.parameters(), {.lr = 0.5});
    fewer.load_state_dict(saved);
    alone.load_state_dict(saved);
    fewer.load_optimizer_state(parts, state);
    alone.load_optimizer_state(single, state);
    nn::eval(third);
    nn::eval(fourth);
    for (int i = 0; i < 3 && stays; ++i) {
      parts.zero_grad();
      single.zero_grad();
      loss_of<D>(fewer, i, rest.rank(), rest.size()).backward();
      loss_of<D>(alone, i, 0, 1).backward();
      parts.step();
      single.step();
    }
    if (stays) check_near<D>(fewer.state_dict(), alone.state_dict(), 1e-5);
  }
}

TEST_CASE_TEMPLATE("a step in parts as a graph", D, TEST_DEVICES) {
  const auto& g = *test::world();
  manual_seed(4);
  Net<D> first;
  Net<D> second = nn::clone(first);
  const auto train = [&](Net<D>& net, bool graphed) {
    const dist::FullyShardedDataParallel model(net, g);
    optim::AdamW optimizer(model.parameters(), {.lr = 0.01});
    const auto run = [&](const auto& x) {
      optimizer.zero_grad();
      const Var<float, D> loss = mean(square(model(Var<float, D>(x))));
      loss.backward();
      optimizer.step();
      return loss;
    };
    optim::GraphedStep step(g.device<D>(), run);
    for (int i = 0; i < 6; ++i) {
      Generator generator(static_cast<std::uint64_t>(g.rank() + 100 * i));
      const Tensor<float, D> x = randn({4, 10}, Cpu{}, generator).to(D{});
      if (graphed) {
        step(x);
      } else {
        run(x);
      }
    }
    return model.state_dict();
  };
  const StateDict plain = train(first, false);
  check_near<D>(train(second, true), plain, 1e-6);
}

TEST_CASE_TEMPLATE("what does not fit a model in parts", D, TEST_DEVICES) {
  const auto& g = *test::world();
  Net<D> net;
  const dist::FullyShardedDataParallel model(net, g);
  net.skip = true;
  const auto x = Var<float, D>(ones({4, 10}, D{}));
  CHECK_SAYS("the forward pass did not use units.2.weight, units.2.bias, so that", model(x));
  net.skip = false;
  const Var<float, D> y = model(x);
  Var<float, D>(sum(net.in(x))).backward();
  CHECK_SAYS("the last backward pass gave no gradient to", model(x));
  Net<D> other;
  const auto handles = nn::parameters(other);
  CHECK_SAYS("make the optimizer afterwards", dist::FullyShardedDataParallel(other, dist::Group()));
  CHECK_SAYS("expected 2 or 3", dist::FullyShardedDataParallel(other, g, {.stage = 1}));
}

#ifdef __CUDACC__
namespace {
struct Wide {
  std::vector<dist::Unit<nn::Linear<Cuda>>> units;
  Wide() {
    for (int i = 0; i < 8; ++i) units.emplace_back(nn::Linear<Cuda>(1024, 1024));
  }
  auto fields() { return nn::fields("units", units); }
  Var<float, Cuda> operator()(const Var<float, Cuda>& x) const {
    Var<float, Cuda> y = x;
    for (const auto& unit : units) y = tanh(unit(y));
    return y;
  }
};
}  // namespace

TEST_CASE("a rank holds its part") {
  const auto& g = *test::world();
  const double n = g.size();
  const Var<float, Cuda> x(ones({16, 1024}, Cuda{}));
  const auto bytes_a_parameter = [&](const auto& make) {
    const int64_t before = weft::cuda::memory_allocated();
    Wide net;
    const auto [model, optimizer] = make(net);
    for (int i = 0; i < 2; ++i) {
      optimizer->zero_grad();
      Var<float, Cuda>(sum((*model)(x))).backward();
      optimizer->step();
    }
    weft::cuda::synchronize();
    return static_cast<double>(weft::cuda::memory_allocated() - before) / (8 * 1024.0 * 1025);
  };
  const auto first = [&](Wide& net) {
    auto optimizer = dist::sharded<optim::AdamW>(net, g);
    return std::pair(&net, std::make_unique<decltype(optimizer)>(std::move(optimizer)));
  };
  const auto in_parts = [&](int stage) {
    return [&g, stage](Wide& net) {
      auto model = std::make_unique<dist::FullyShardedDataParallel<Wide>>(
          net, g, dist::FullyShardedOptions{.stage = stage});
      auto optimizer = std::make_unique<optim::AdamW<float, Cuda>>(model->parameters());
      return std::pair(std::move(model), std::move(optimizer));
    };
  };
  bytes_a_parameter(first);  // what libraries keep is there now
  CHECK(bytes_a_parameter(first) == doctest::Approx(8 + 8 / n).epsilon(0.02));
  CHECK(bytes_a_parameter(in_parts(2)) == doctest::Approx(4 + 12 / n).epsilon(0.02));
  CHECK(bytes_a_parameter(in_parts(3)) == doctest::Approx(16 / n + 4.0 * 2 / 8).epsilon(0.02));
}
#endif
