// Graphs: a sequence of statements that is recorded once and then runs with a single launch.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <chrono>

using namespace weft;

// A few steps of gradient descent on ||w - target||^2 with momentum: many small statements.
template <class X>
void descend(X& w, X& velocity, const X& target, const X& rate) {
  for (int step = 0; step < 10; ++step) {
    velocity.assign(velocity * 0.9 - rate * (w - target));
    w += velocity;
  }
}

int run(Cpu) {
  auto target = linspace(-1, 1, 1024);
  auto w = zeros({1024});
  auto velocity = zeros({1024});
  auto rate = full({}, 0.05F);
  for (int k = 0; k < 50; ++k) descend(w, velocity, target, rate);
  return example::check("the statements find the target", allclose(w, target, {.atol = 1e-4})) ? 0
                                                                                               : 1;
}

#ifdef __CUDACC__
double microseconds(auto f) {
  weft::cuda::synchronize();
  const auto begin = std::chrono::steady_clock::now();
  f();
  weft::cuda::synchronize();
  const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
  return time.count();
}

int run(Cuda) {
  auto target = linspace(-1, 1, 1024, Cuda{});
  auto w = zeros({1024}, Cuda{});
  auto velocity = zeros({1024}, Cuda{});
  auto rate = full({}, 0.05F, Cuda{});  // a number would be baked in, a tensor of rank 0 is read
  Tensor<float, Cuda> loss;

  // Nothing runs here. What is carried from one replay to the next is written in place.
  weft::cuda::Graph steps = weft::cuda::capture([&] {
    descend(w, velocity, target, rate);
    loss = sum((w - target) * (w - target));
  });
  bool right = example::check("a capture runs nothing", allclose(w, 0));
  std::cout << steps.kernels() << " kernels, " << steps.memory() << " bytes of the graph's own\n";

  const double replayed = microseconds([&] {
    for (int k = 0; k < 50; ++k) steps.replay();
  });
  right &= example::check("50 replays find the target", allclose(w, target, {.atol = 1e-4}));
  right &= example::check("the loss is that of the last replay", loss.item() < 1e-6);

  rate.assign(0);
  velocity.assign(0);
  w.assign(target + 1);
  steps.replay();
  right &= example::check("with a rate of 0 nothing moves", allclose(loss, 1024));

  const double eager = microseconds([&] {
    for (int k = 0; k < 50; ++k) descend(w, velocity, target, rate);
  });
  std::cout << "20 statements: " << replayed / 50 << " us a replay, " << eager / 50
            << " us one by one\n";
  return right ? 0 : 1;
}
#endif

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}
