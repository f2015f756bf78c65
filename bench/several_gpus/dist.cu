// Several GPUs, a process each: all_reduce from 4 KB to 400 MB, and the step of an MLP under
// DistributedDataParallel beside one GPU's. Rank 0 prints a line of JSON a case; `dist mlp` does
// the DDP rows alone, for other settings of NCCL.
// SPDX-License-Identifier: Apache-2.0
#include "timing.hpp"

#include <cstring>

using namespace weft;
using timing::time_of;

namespace {

using GpuVar = Var<float, Cuda>;

void all_reduce(const dist::Group& g, Cuda device, int64_t bytes) {
  const Tensor<float, Cuda> x = ones({bytes / 4}, device);
  g.all_reduce(x);
  const bool right = x.to(Cpu{}).at(bytes / 4 - 1) == static_cast<float>(g.size());
  x.fill(0);
  const int n = bytes <= (4 << 20) ? 100 : bytes <= (100 << 20) ? 20 : 10;
  const double eager = time_of(g, device, n, [&] { g.all_reduce(x); });
  constexpr int in_graph = 10;
  auto graph = weft::cuda::capture(
      [&] {
        for (int i = 0; i < in_graph; ++i) g.all_reduce(x);
      },
      device);
  const double graphed = time_of(g, device, n / in_graph, [&] { graph.replay(); }) / in_graph;
  if (g.rank() > 0) return;
  for (const auto& [mode, ms] : {std::pair("stream", eager), std::pair("graph", graphed)}) {
    std::printf(
        "{\"case\": \"all_reduce\", \"bytes\": %lld, \"mode\": \"%s\", \"ms\": %.5f, "
        "\"right\": %s}\n",
        static_cast<long long>(bytes), mode, ms, right ? "true" : "false");
  }
  std::fflush(stdout);
}

using Mlp =
    nn::Sequential<nn::Linear<Cuda>, nn::ReLU, nn::Linear<Cuda>, nn::ReLU, nn::Linear<Cuda>>;

/// The step of 784-4096-4096-10 in batches of 1024 a GPU, TF32, AdamW.
double mlp(const dist::Group& world, const dist::Group& g, Cuda device, bool graphed,
           dist::DdpOptions options = {}) {
  const weft::cuda::Tf32Guard tf32;
  manual_seed(1);
  Mlp net{nn::Linear<Cuda>(784, 4096, {}, device),
          {},
          nn::Linear<Cuda>(4096, 4096, {}, device),
          {},
          nn::Linear<Cuda>(4096, 10, {}, device)};
  const Tensor<float, Cuda> x = rand({1024, 784}, device);
  const Tensor<int64_t, Cuda> y = arange<int64_t>(1024, device) % int64_t{10};
  dist::DistributedDataParallel model(net, g, options);
  optim::AdamW optimizer(nn::parameters(net), {.lr = 1e-3});
  const auto plain = [&](const auto& images, const auto& classes) {
    optimizer.zero_grad();
    const GpuVar loss = cross_entropy(model(images), classes);
    loss.backward();
    optimizer.step();
    return loss;
  };
  if (!graphed) return time_of(world, device, 20, [&] { plain(x, y); });
  optim::GraphedStep step(device, plain);
  return time_of(world, device, 20, [&] { step(x, y); });
}

}  // namespace

int main(int argc, char** argv) {
  return timing::main([&](const dist::Group& g, Cuda device) {
    const bool again = argc > 1 && std::strcmp(argv[1], "mlp") == 0;
    for (const int64_t kb : {4, 64, 256, 1024, 4096, 25600, 102400, 409600}) {
      if (!again) all_reduce(g, device, kb * 1024);
    }
    const dist::Group alone = g.split(g.rank());
    const auto report = [&](const char* mode, double ms) { timing::report(g, "mlp", mode, ms); };
    if (!again) {
      report("one GPU, statements", mlp(g, alone, device, false));
      report("one GPU, graph", mlp(g, alone, device, true));
      report("DDP, statements", mlp(g, g, device, false));
    }
    const dist::DdpOptions one{.bucket_bytes = 1 << 30, .first_bucket_bytes = 1 << 30};
    report("DDP, graph", mlp(g, g, device, true));
    report("DDP, graph, one bucket", mlp(g, g, device, true, one));
    report("DDP, graph, bfloat16 gradients", mlp(g, g, device, true, {.bfloat16_gradients = true}));
    dist::DdpOptions both = one;
    both.bfloat16_gradients = true;
    report("DDP, graph, bfloat16, one bucket", mlp(g, g, device, true, both));
  });
}
