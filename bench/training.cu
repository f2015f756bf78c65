// Training on the GPU: AdamW's step over many tensors, and all of a step of a small network, with
// and without arenas and as one graph: milliseconds, not bytes.
// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/gradient.hpp"
#include "weft/cuda/matmul.hpp"
#include "weft/nn.hpp"
#include "weft/optim.hpp"

#include <optional>

#include "bench.hpp"

using namespace weft;
using bench::expect;
using bench::filled;
using bench::input;
using bench::measure;

namespace {

using GpuVar = Var<float, Cuda>;

/// As many tensors and weights as in MobileNetV3-small for ten classes.
std::vector<GpuVar> many_tensors() {
  std::vector<GpuVar> out;
  for (int64_t i = 0; i < 47; ++i) {
    const int64_t channels = 16 * (1 + i % 12);
    out.push_back(parameter(filled({channels, 304}, 0)));
    out.push_back(parameter(filled({channels}, 0)));
    out.push_back(parameter(filled({channels}, 0)));
  }
  out.push_back(parameter(filled({10, 1024}, 0)));
  return out;
}

void adamw(const char* name, bool flat) {
  constexpr double lr = 1e-3;
  constexpr double decay = 1e-2;
  struct Set {
    std::vector<GpuVar> parameters = many_tensors();
    bench::Gpu<> first;
    std::optional<optim::AdamW<float, Cuda>> optimizer;
  };
  std::vector<Set> sets(1);
  Set& set = sets[0];
  if (flat) {
    std::vector<GpuVar*> leaves;
    for (auto& x : set.parameters) leaves.push_back(&x);
    autograd::move_into_arena(leaves);
  }
  int64_t count = 0;
  for (const auto& x : set.parameters) {
    x.set_grad(filled(x.shape(), 1));
    count += x.size();
  }
  set.first = set.parameters[0].detach().flatten();
  set.optimizer.emplace(set.parameters, optim::AdamWOptions{.lr = lr, .weight_decay = decay});
  // The first step goes by lr, whatever the gradient's size.
  const auto value = [](int64_t i) {
    const double g = input(1, i);
    return input(0, i) * (1 - lr * decay) - lr * g / (std::abs(g) + 1e-8);
  };
  measure(name, 28.0 * static_cast<double>(count), sets, [](Set& s) { s.optimizer->step(); },
          {expect(set.first, 1e-6, value, true)});
}

using Mlp =
    nn::Sequential<nn::Linear<Cuda>, nn::ReLU, nn::Linear<Cuda>, nn::ReLU, nn::Linear<Cuda>>;

/// 784-512-512-10 in batches of 256, with Adam.
struct Training {
  Mlp net{
      nn::Linear<Cuda>(784, 512), {}, nn::Linear<Cuda>(512, 512), {}, nn::Linear<Cuda>(512, 10)};
  Tensor<float, Cuda> x = filled({256, 784}, 0);
  Tensor<int64_t, Cuda> y = arange<int64_t>(256, Cuda{}) % int64_t{10};
  std::optional<optim::Adam<float, Cuda>> optimizer;

  explicit Training(bool flat) {
    manual_seed(1);
    for (const auto& p : nn::parameters(net)) nn::init::uniform(p, -0.04, 0.04);
    if (flat) nn::flatten_parameters(net);
    optimizer.emplace(nn::parameters(net));
  }
  Var<float, Cuda> step(const Tensor<float, Cuda>& images, const Tensor<int64_t, Cuda>& classes) {
    optimizer->zero_grad();
    const Var loss = cross_entropy(net(images), classes);
    loss.backward();
    optimizer->step();
    return loss;
  }
};

auto plain(Training& t) {
  return [&t](const auto& x, const auto& y) { return t.step(x, y).detach(); };
}
auto graphed(Training& t) {
  return optim::GraphedStep(Cuda{}, [&t](const auto& x, const auto& y) { return t.step(x, y); });
}

/// Times the steps that make(training) returns. Their losses must equal plain steps'.
template <class Make>
void mlp(const char* name, bool flat, const Make& make) {
  const weft::cuda::Tf32Guard tf32;
  Training reference(false);
  Training training(flat);
  auto step = make(training);
  bench::Gpu<> losses = zeros({5}, Cuda{});
  std::vector<double> wanted;
  for (int i = 0; i < 5; ++i) {
    losses(i) = step(training.x, training.y) * 1.0F;
    wanted.push_back(reference.step(reference.x, reference.y).item());
  }
  int kernels = -1;
  if constexpr (requires { step.recording(); }) kernels = step.recording().kernels();
  std::vector<int> sets(1);
  measure(
      name, 0, sets, [&](int) { step(training.x, training.y); },
      {expect(
          losses, 1e-6, [&](int64_t i) { return wanted[static_cast<std::size_t>(i)]; }, true)},
      "weft", kernels);
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main(argc, argv,
                     {{"adamw_142", [] { adamw("adamw_142", false); }},
                      {"adamw_142_arena", [] { adamw("adamw_142_arena", true); }},
                      {"mlp", [] { mlp("mlp", false, plain); }},
                      {"mlp_arena", [] { mlp("mlp_arena", true, plain); }},
                      {"mlp_graphed", [] { mlp("mlp_graphed", false, graphed); }},
                      {"mlp_graphed_arena", [] { mlp("mlp_graphed_arena", true, graphed); }}});
}
