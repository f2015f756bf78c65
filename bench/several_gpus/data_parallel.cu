// One process, all GPUs: the MLP's step under dist::DataParallel beside one GPU's.
// SPDX-License-Identifier: Apache-2.0
#include "timing.hpp"

using namespace weft;

namespace {

using Mlp =
    nn::Sequential<nn::Linear<Cuda>, nn::ReLU, nn::Linear<Cuda>, nn::ReLU, nn::Linear<Cuda>>;

/// Batches of 1024 a GPU, TF32, AdamW.
double step(const dist::Group& g, const std::vector<Cuda>& devices) {
  weft::cuda::set_allow_tf32(true);
  manual_seed(1);
  const Cuda device = devices[0];
  Mlp net{nn::Linear<Cuda>(784, 4096, {}, device),
          {},
          nn::Linear<Cuda>(4096, 4096, {}, device),
          {},
          nn::Linear<Cuda>(4096, 10, {}, device)};
  nn::flatten_parameters(net);
  optim::AdamW optimizer(nn::parameters(net), {.lr = 1e-3});
  const dist::DataParallel model(net, devices);
  const int64_t n = 1024 * std::ssize(devices);
  const Tensor<float, Cuda> x = rand({n, 784}, device);
  const Tensor<int64_t, Cuda> y = arange<int64_t>(n, device) % int64_t{10};
  return timing::time_of(g, device, 20, [&] {
    optimizer.zero_grad();
    const Var<float, Cuda> loss = cross_entropy(model(Var<float, Cuda>(x)), y);
    loss.backward();
    optimizer.step();
  });
}

}  // namespace

int main() {
  return timing::main([](const dist::Group& g, Cuda) {
    const auto devices = dist::all_devices<Cuda>();
    timing::report(g, "data_parallel", "one GPU, statements", step(g, {devices[0]}));
    timing::report(g, "data_parallel", "all GPUs, statements", step(g, devices));
  });
}
