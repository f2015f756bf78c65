// ResNet-18 in batches of 64 a GPU, bfloat16, AdamW: the step under DistributedDataParallel beside
// one GPU's. SPDX-License-Identifier: Apache-2.0
#include "timing.hpp"

#include "weft/cuda/conv.hpp"
#include "weft/nn/models/resnet.hpp"

using namespace weft;

namespace {

double resnet(const dist::Group& world, const dist::Group& g, Cuda device, bool graphed) {
  const weft::cuda::Tf32Guard tf32;
  weft::cuda::set_measure_convolutions(true);
  manual_seed(1);
  auto net = nn::models::resnet18<Cuda>({}, device);
  dist::DistributedDataParallel model(net, g);
  optim::AdamW optimizer(nn::parameters(net), {.lr = 1e-3});
  const Tensor<float, Cuda> x = rand({64, 3, 224, 224}, device);
  const Tensor<int64_t, Cuda> y = arange<int64_t>(64, device);
  const auto plain = [&](const auto& images, const auto& classes) {
    optimizer.zero_grad();
    const Var<float, Cuda> loss = [&] {
      const Autocast<bfloat16, Cuda> guard;
      return cross_entropy(model(Var<float, Cuda>(images)), classes);
    }();
    loss.backward();
    optimizer.step();
    return loss;
  };
  if (!graphed) return timing::time_of(world, device, 10, [&] { plain(x, y); });
  optim::GraphedStep step(device, plain);
  return timing::time_of(world, device, 10, [&] { step(x, y); });
}

}  // namespace

int main() {
  return timing::main([](const dist::Group& g, Cuda device) {
    const dist::Group alone = g.split(g.rank());
    const auto report = [&](const char* mode, double ms) {
      timing::report(g, "resnet18", mode, ms);
    };
    report("one GPU, statements", resnet(g, alone, device, false));
    report("one GPU, graph", resnet(g, alone, device, true));
    report("DDP, statements", resnet(g, g, device, false));
    report("DDP, graph", resnet(g, g, device, true));
  });
}
