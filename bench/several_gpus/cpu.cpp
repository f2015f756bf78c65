// Several processes on the CPU, over MPI: all_reduce from 4 KB to 64 MB, and the step of an MLP
// under DistributedDataParallel with 256 samples a rank, and with 1024 on all. Rank 0 prints a line
// of JSON a case. cpu.py starts it. SPDX-License-Identifier: Apache-2.0
#include "weft/dist.hpp"
#include "weft/nn.hpp"
#include "weft/optim.hpp"
#include "weft/weft.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

using namespace weft;

namespace {

using Mlp = nn::Sequential<nn::Linear<>, nn::ReLU, nn::Linear<>, nn::ReLU, nn::Linear<>>;

/// The milliseconds of one call of f: the median of five rounds of n calls, on the slowest rank.
template <class F>
double time_of(const dist::Group& g, int n, const F& f) {
  f();
  std::vector<double> rounds;
  for (int round = 0; round < 5; ++round) {
    g.barrier();
    const auto begin = dist::Clock::now();
    for (int i = 0; i < n; ++i) f();
    rounds.push_back(dist::Seconds(dist::Clock::now() - begin).count() * 1e3 / n);
  }
  std::sort(rounds.begin(), rounds.end());
  const Tensor<double> slowest = full<double>({1}, rounds[2]);
  g.all_reduce(slowest, dist::Reduce::maximum);
  return slowest.item();
}

void report(const dist::Group& g, const char* name, int64_t bytes, double ms) {
  if (g.rank() > 0) return;
  std::printf("{\"case\": \"%s\", \"bytes\": %lld, \"ms\": %.4f}\n", name,
              static_cast<long long>(bytes), ms);
  std::fflush(stdout);
}

double mlp(const dist::Group& g, int64_t batch) {
  manual_seed(1);
  Mlp net{nn::Linear<>(784, 1024), {}, nn::Linear<>(1024, 1024), {}, nn::Linear<>(1024, 10)};
  dist::DistributedDataParallel model(net, g);
  optim::AdamW optimizer(nn::parameters(net), {.lr = 1e-3});
  const Tensor<float> x = rand({batch, 784});
  const Tensor<int64_t> y = arange<int64_t>(batch) % int64_t{10};
  return time_of(g, 3, [&] {
    optimizer.zero_grad();
    const Var<float> loss = cross_entropy(model(Var<float>(x)), y);
    loss.backward();
    optimizer.step();
  });
}

}  // namespace

int main() {
  try {
    const dist::Group g = dist::init({.timeout = 60});
    for (const int64_t kb : {4, 64, 1024, 16384, 65536}) {
      const Tensor<float> x = zeros({kb * 256});
      if (g.size() > 1) {
        report(g, "all_reduce", kb * 1024,
               time_of(g, kb < 1024 ? 100 : 5, [&] { g.all_reduce(x); }));
      }
    }
    report(g, "256 samples a rank", 0, mlp(g, 256));
    report(g, "1024 samples on all", 0, mlp(g, 1024 / g.size()));
    g.barrier();
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
