// ZeRO: the step of a network of 201 M parameters, whole on each rank and in parts, and the memory
// that a rank holds after a step and at most, in bytes a parameter.
// SPDX-License-Identifier: Apache-2.0
#include "timing.hpp"

using namespace weft;

namespace {

constexpr int64_t width = 4096, layers = 12, batch = 2048;

struct Net {
  std::vector<dist::Unit<nn::Linear<Cuda>>> units;
  explicit Net(Cuda device) {
    for (int64_t i = 0; i < layers; ++i) {
      units.emplace_back(nn::Linear<Cuda>(width, width, {}, device));
    }
  }
  auto fields() { return nn::fields("units", units); }
  Var<float, Cuda> operator()(const Var<float, Cuda>& x) const {
    Var<float, Cuda> y = x;
    for (const auto& unit : units) y = relu(unit(y));
    return y;
  }
};

/// Times `make(net)`, a pair of a model and an optimizer, as statements, measures its memory, and
/// times it as a graph.
template <class Make>
void run(const char* mode, const dist::Group& g, Cuda device, const Make& make) {
  const weft::cuda::Tf32Guard tf32;
  manual_seed(1);
  const int64_t before = weft::cuda::memory_allocated(device);
  const Tensor<float, Cuda> x = rand({batch, width}, device);
  const int64_t input = weft::cuda::memory_allocated(device) - before;
  Net net(device);
  auto [model, optimizer] = make(net);
  const auto plain = [&, &m = *model, &o = *optimizer](const auto& in) {
    o.zero_grad();
    const Var<float, Cuda> loss = mean(square(m(Var<float, Cuda>(in))));
    loss.backward();
    o.step();
    return loss;
  };
  for (int i = 0; i < 2; ++i) plain(x);
  weft::cuda::synchronize(device);
  weft::cuda::reset_peak_memory_stats(device);
  plain(x);
  weft::cuda::synchronize(device);
  const auto count = static_cast<double>(layers * (width + 1) * width);
  const double held =
      static_cast<double>(weft::cuda::memory_allocated(device) - before - input) / count;
  const double peak =
      static_cast<double>(weft::cuda::max_memory_allocated(device) - before - input) / count;
  const double statements = timing::time_of(g, device, 10, [&] { plain(x); });
  optim::GraphedStep step(device, plain);
  const double graphed = timing::time_of(g, device, 10, [&] { step(x); });
  timing::report(g, "zero", (std::string(mode) + ", statements").c_str(), statements, held, peak);
  timing::report(g, "zero", (std::string(mode) + ", graph").c_str(), graphed, held, peak);
}

}  // namespace

int main() {
  return timing::main([](const dist::Group& g, Cuda device) {
    const optim::AdamWOptions options{.lr = 1e-4};
    run("whole", g, device, [&](Net& net) {
      auto model = std::make_unique<dist::DistributedDataParallel<Net>>(net, g);
      auto optimizer = std::make_unique<optim::AdamW<float, Cuda>>(nn::parameters(net), options);
      return std::pair(std::move(model), std::move(optimizer));
    });
    run("stage 1", g, device, [&](Net& net) {
      auto optimizer = dist::sharded<optim::AdamW>(net, g, options);
      return std::pair(std::unique_ptr<Net, void (*)(Net*)>(&net, [](Net*) {}),
                       std::make_unique<decltype(optimizer)>(std::move(optimizer)));
    });
    for (const int stage : {2, 3}) {
      run(stage == 2 ? "stage 2" : "stage 3", g, device, [&](Net& net) {
        auto model = std::make_unique<dist::FullyShardedDataParallel<Net>>(
            net, g, dist::FullyShardedOptions{.stage = stage});
        auto optimizer = std::make_unique<optim::AdamW<float, Cuda>>(model->parameters(), options);
        return std::pair(std::move(model), std::move(optimizer));
      });
    }
  });
}
