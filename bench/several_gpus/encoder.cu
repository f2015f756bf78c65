// An encoder of 8 layers of width 1024, 8 sequences of 512 a GPU, bfloat16, AdamW: the step under
// DistributedDataParallel beside one GPU's.
// SPDX-License-Identifier: Apache-2.0
#include "timing.hpp"

#include "weft/cuda/attention.hpp"

using namespace weft;

namespace {

double encoder(const dist::Group& world, const dist::Group& g, Cuda device, bool graphed,
               dist::DdpOptions options = {}) {
  const weft::cuda::Tf32Guard tf32;
  manual_seed(1);
  nn::TransformerEncoder<Cuda> net(
      nn::TransformerEncoderLayer<Cuda>(1024, 16, {.dim_feedforward = 4096, .batch_first = true},
                                        device),
      8);
  dist::DistributedDataParallel model(net, g, options);
  optim::AdamW optimizer(nn::parameters(net), {.lr = 1e-4});
  const Tensor<float, Cuda> x = randn({8, 512, 1024}, device);
  const auto plain = [&](const auto& input) {
    optimizer.zero_grad();
    const Var<float, Cuda> loss = [&] {
      const Autocast<bfloat16, Cuda> guard;
      return Var<float, Cuda>(mean(square(model(Var<float, Cuda>(input)))));
    }();
    loss.backward();
    optimizer.step();
    return loss;
  };
  if (!graphed) return timing::time_of(world, device, 10, [&] { plain(x); });
  optim::GraphedStep step(device, plain);
  return timing::time_of(world, device, 10, [&] { step(x); });
}

}  // namespace

int main() {
  return timing::main([](const dist::Group& g, Cuda device) {
    const dist::Group alone = g.split(g.rank());
    const auto report = [&](const char* mode, double ms) {
      timing::report(g, "encoder", mode, ms);
    };
    report("one GPU, statements", encoder(g, alone, device, false));
    report("one GPU, graph", encoder(g, alone, device, true));
    report("DDP, statements", encoder(g, g, device, false));
    report("DDP, graph", encoder(g, g, device, true));
    report("DDP, graph, bfloat16 gradients",
           encoder(g, g, device, true, {.bfloat16_gradients = true}));
  });
}
