// A training step on the CPU: an MLP of 784-512-512-10 in batches of 256, with Adam.
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include "weft/autograd.hpp"
#include "weft/nn.hpp"
#include "weft/optim.hpp"

using namespace weft;

static void mlp(benchmark::State& state) {
  manual_seed(1);
  nn::Sequential net{nn::Linear(784, 512), nn::ReLU{}, nn::Linear(512, 512), nn::ReLU{},
                     nn::Linear(512, 10)};
  nn::flatten_parameters(net);
  optim::Adam optimizer(nn::parameters(net));
  const Tensor x = rand({256, 784});
  const Tensor y = arange<int64_t>(256) % int64_t{10};
  float first = 0;
  float last = 0;
  for (auto _ : state) {
    optimizer.zero_grad();
    const Var loss = cross_entropy(net(x), y);
    loss.backward();
    optimizer.step();
    last = loss.item();
    if (first == 0) first = last;
  }
  if (state.iterations() > 20 && !(last < first)) state.SkipWithError("the loss has not fallen");
}
BENCHMARK(mlp)->UseRealTime()->Unit(benchmark::kMillisecond)->Repetitions(5);

BENCHMARK_MAIN();
