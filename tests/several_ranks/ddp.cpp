// Training by all ranks is training by one with all samples.
#include "ranks.hpp"

#include "weft/data.hpp"
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
  nn::Linear<D> fc1{12, 40};
  nn::Linear<D> fc2{40, 24};
  nn::Linear<D> fc3{24, 5};
  bool skip = false;
  auto fields() { return nn::fields("fc1", fc1, "fc2", fc2, "fc3", fc3, "skip", skip); }
  Var<float, D> operator()(const Var<float, D>& x) const {
    const Var<float, D> h = relu(fc1(x));
    if (skip) return h.narrow(1, 0, 5);
    return fc3(tanh(fc2(h)));
  }
};

template <class D>
struct Samples {
  Tensor<float, D> x;
  Tensor<int64_t, D> y;
  explicit Samples(int64_t n) {
    Generator generator(5);
    x = randn({n, 12}, Cpu{}, generator).to(D{});
    y = randint(0, 5, {n}, Cpu{}, generator).to(D{});
  }
};

/// The flat parameters after 50 steps of `ranks` times 8 samples.
template <class D>
std::vector<float> trained(const dist::Group& g, bool graph, dist::DdpOptions options) {
  constexpr int64_t batch = 8;
  const int all = test::world()->size();
  const bool together = g.size() > 1;
  const Samples<D> samples(batch * all * 4);
  manual_seed(together ? static_cast<std::uint64_t>(g.rank()) : 0U);  // rank 0's weights win
  Net<D> net;
  dist::DistributedDataParallel model(net, g, options);
  if (options.first_bucket_bytes < 1000) CHECK(model.buckets() > 2);
  optim::AdamW optimizer(nn::parameters(net), {.lr = 1e-2});
  const auto run = [&](const auto& x, const auto& y) {
    optimizer.zero_grad();
    const Var loss = cross_entropy(model(x), y);
    loss.backward();
    optimizer.step();
    return loss;
  };
  optim::GraphedStep step(test::world()->device<D>(), run);
  for (int i = 0; i < 50; ++i) {
    const int64_t first = i % 4 * batch * all + (together ? g.rank() * batch : 0);
    const int64_t n = together ? batch : batch * all;
    const auto x = samples.x.narrow(0, first, n);
    const auto y = samples.y.narrow(0, first, n);
    if (graph) {
      step(x, y);
    } else {
      run(x, y);
    }
  }
  std::vector<float> out;
  for (const auto& p : nn::parameters(net)) {
    for (const float v : p.value().to_vector()) out.push_back(v);
  }
  return out;
}

void check_near(const std::vector<float>& a, const std::vector<float>& b, double limit) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(double{a[i]} - double{b[i]}));
  }
  CHECK(worst <= limit);
}
}  // namespace

TEST_CASE_TEMPLATE("N ranks are one rank with N times the batch", D, TEST_DEVICES) {
  const auto& g = *test::world();
  const auto alone = trained<D>(dist::Group(), false, {});
  const auto together = trained<D>(g, false, {});
  check_near(together, alone, 1e-5);
  CHECK(trained<D>(g, false, {}) == together);  // the same bits in each run
  const auto buckets = trained<D>(g, false, {.bucket_bytes = 2000, .first_bucket_bytes = 500});
  check_near(buckets, alone, 1e-5);
  check_near(trained<D>(g, true, {.bucket_bytes = 2000, .first_bucket_bytes = 500}), alone, 1e-5);
  check_near(trained<D>(g, false, {.bfloat16_gradients = true}), alone, 0.1);
  // And on all ranks.
  const Tensor<float, D> mine = tensor(together, {static_cast<int64_t>(together.size())}).to(D{});
  const Tensor<float, D> first = mine.clone();
  g.broadcast(first, 0);
  CHECK(equal(mine, first));
}

TEST_CASE_TEMPLATE("gradients come together over several passes", D, TEST_DEVICES) {
  const auto& g = *test::world();
  const Samples<D> samples(8 * g.size());
  manual_seed(3);
  Net<D> net;
  Net<D> other = nn::clone(net);
  dist::DistributedDataParallel model(net, g);
  const auto mine = samples.x.narrow(0, 8 * g.rank(), 8);
  {
    const auto local = model.no_sync();
    Var(sum(square(model(mine.narrow(0, 0, 4))))).backward();
  }
  Var(sum(square(model(mine.narrow(0, 4, 4))))).backward();
  Var(sum(square(other(samples.x)))).backward();
  const auto found = net.fc1.weight.grad().to_vector();
  const auto expected = other.fc1.weight.grad().to_vector();
  for (std::size_t i = 0; i < found.size(); i += 7) {
    CHECK(found[i] * static_cast<float>(g.size()) == doctest::Approx(expected[i]).epsilon(1e-4));
  }
}

TEST_CASE_TEMPLATE("parameters that no gradient comes for", D, TEST_DEVICES) {
  const auto& g = *test::world();
  const Samples<D> samples(8);
  Net<D> net;
  {
    dist::DistributedDataParallel model(net, g);
    net.skip = true;
    CHECK_SAYS("the forward pass did not use fc2.weight, fc2.bias, fc3.weight, fc3.bias, so that",
               model(samples.x));
    net.skip = false;
    Var(sum(model(samples.x))).backward();
    nn::zero_grad(net);
    const Var out = model(samples.x);
    Var(sum(net.fc1(samples.x))).backward();  // what else uses the module
    CHECK_SAYS("the last backward pass gave no gradient to fc2.weight", model(samples.x));
  }
  nn::zero_grad(net);
  dist::DistributedDataParallel model(net, g, {.find_unused = true});
  net.skip = g.rank() == 0;
  const Var out = model(samples.x);
  nn::zero_grad(net);
  Var(sum(out)).backward();
  const float others = static_cast<float>(8 * (g.size() - 1)) / static_cast<float>(g.size());
  CHECK(net.fc3.bias->grad().to(Cpu{}).at(0) == doctest::Approx(others));
}

TEST_CASE("each rank has its own samples, and all of them together every one") {
  const auto& g = *test::world();
  const int64_t n = 10 * g.size();
  const data::TensorDataset all(arange<int64_t>(0, n).eval());
  dist::DistributedSampler sampler(n, g, {.seed = 4});
  data::DataLoader loader(sampler.share(all), {.batch_size = 4});
  std::vector<int64_t> last;
  for (int epoch = 0; epoch < 2; ++epoch) {
    sampler.set_epoch(epoch);
    const Tensor<int64_t> seen = zeros<int64_t>({n});
    std::vector<int64_t> mine;
    for (auto [x] : loader) {
      for (const int64_t v : x.to_vector()) {
        seen.at(v) += 1;
        mine.push_back(v);
      }
    }
    CHECK(mine == sampler.indices());
    CHECK(mine != last);
    last = mine;
    g.all_reduce(seen);
    CHECK(equal(seen, ones<int64_t>({n})));
  }
}
