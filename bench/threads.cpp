// What threads bring on the CPU: one statement of each kind, a product and a training step.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "weft/autograd.hpp"
#include "weft/nn.hpp"
#include "weft/optim.hpp"

using namespace weft;

namespace {

double seconds() {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

/// The median of the calls' times; a line of JSON.
template <class F>
void measure(const char* name, double budget, const F& f) {
  for (int i = 0; i < 3; ++i) f();
  std::vector<double> times;
  for (const double end = seconds() + budget; times.size() < 5 || seconds() < end;) {
    const double start = seconds();
    f();
    times.push_back(seconds() - start);
  }
  std::sort(times.begin(), times.end());
  std::printf("{\"case\": \"%s\", \"ms\": %.6f, \"least\": %.6f}\n", name,
              times[times.size() / 2] * 1e3, times[0] * 1e3);
  std::fflush(stdout);
}

void statements(const std::string& suffix, int64_t rows, int64_t columns, double budget) {
  const Tensor x = rand({rows, columns}) - 0.5F;
  const Tensor y = rand({rows, columns});
  const Tensor w = rand({columns});
  const Tensor b = rand({columns});
  Tensor<float> z = zeros({rows, columns});
  Tensor<float> s = zeros({rows});
  Tensor<float> c = zeros({columns});
  Tensor<float> one = zeros({});
  const auto run = [&](const char* name, const auto& f) {
    measure((name + suffix).c_str(), budget, f);
  };
  run("chain", [&] { z = tanh(x * y + 0.3F) * exp(-x * x) + 0.5F; });
  run("axpy", [&] { z = 0.75F * x + y; });
  run("softmax", [&] { z = softmax(x, axis(-1)); });
  run("layer_norm", [&] { z = layer_norm(x, w, b); });
  run("sum", [&] { one = sum(x); });
  run("rowsum", [&] { s = sum(x, axis(1)); });
  run("colsum", [&] { c = sum(x, axis(0)); });
  run("transpose", [&] { z = x.reshape({columns, rows}).t() + y; });
}

void matrices(const char* name, int64_t m, int64_t k, int64_t n, double budget) {
  const Tensor x = rand({m, k});
  const Tensor y = rand({k, n});
  Tensor<float> z = zeros({m, n});
  measure(name, budget, [&] { z = matmul(x, y); });
}

void training(double budget) {
  manual_seed(1);
  nn::Sequential net{nn::Linear(784, 512), nn::ReLU{}, nn::Linear(512, 512), nn::ReLU{},
                     nn::Linear(512, 10)};
  nn::flatten_parameters(net);
  optim::Adam optimizer(nn::parameters(net));
  const Tensor x = rand({256, 784});
  const Tensor y = arange<int64_t>(256) % int64_t{10};
  measure("training", 2 * budget, [&] {
    optimizer.zero_grad();
    const Var loss = cross_entropy(net(x), y);
    loss.backward();
    optimizer.step();
  });
}

}  // namespace

/// bench_threads [--seconds S]
int main(int argc, char** argv) {
  const double budget = argc > 2 ? std::atof(argv[2]) : 0.25;
  statements("", 4096, 2048, budget);
  statements("_small", 256, 256, budget / 2);
  matrices("matmul 1024", 1024, 1024, 1024, budget);
  matrices("matmul 256x784x512", 256, 784, 512, budget);
  matrices("matmul 4096 by vector", 4096, 4096, 1, budget);
  training(budget);
  return 0;
}
