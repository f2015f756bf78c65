// Training steps of convolutional networks on the CPU: the guides' CNN and MobileNetV3-small.
// SPDX-License-Identifier: Apache-2.0
#include "weft/nn.hpp"
#include "weft/nn/models/cnn.hpp"
#include "weft/nn/models/mobilenet.hpp"
#include "weft/optim.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

using namespace weft;

namespace {

/// Prints the least time of a step over `seconds` as a line of JSON, and that of the processor,
/// which other programs on the machine disturb less.
template <class Net>
void step(const std::string& name, Net net, const Shape& images, bool last, double seconds) {
  manual_seed(1);
  if (last) nn::channels_last(net);
  nn::flatten_parameters(net);
  optim::SGD optimizer(nn::parameters(net), {.lr = 1e-3, .momentum = 0.9});
  const Tensor plain = randn(images);
  const Tensor x = last ? channels_last(plain) : plain;
  const Tensor y = arange<int64_t>(images[0]) % int64_t{10};
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  double best = 1e30;
  double cpu = 1e30;
  for (int i = 0;; ++i) {
    const auto from = Clock::now();
    const std::clock_t begin = std::clock();
    const Var loss = cross_entropy(net(x), y);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    const auto to = Clock::now();
    const double used = 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (i > 1) {
      best = std::min(best, std::chrono::duration<double, std::milli>(to - from).count());
      cpu = std::min(cpu, used);
    }
    if (i > 3 && std::chrono::duration<double>(to - start).count() > seconds) break;
  }
  std::printf(
      "{\"case\": \"%s%s\", \"who\": \"weft\", \"threads\": %d, \"ms\": %.3f, \"cpu_ms\": %.3f}\n",
      name.c_str(), last ? "_last" : "", num_threads(), best, cpu);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) set_num_threads(std::atoi(argv[1]));
  const double seconds = argc > 2 ? std::atof(argv[2]) : 5;
  const std::string only = argc > 3 ? argv[3] : "";
  for (const bool last : {false, true}) {
    if (only.empty() || only == "cnn") {
      step("cnn_step", nn::models::Cnn({.channels = 1, .size = 28}), {64, 1, 28, 28}, last,
           seconds);
    }
    if (only.empty() || only == "mobilenet") {
      step("mobilenet_step",
           nn::models::mobilenet_v3_small({.classes = 10, .channels = 3, .first_stride = 1}),
           {64, 3, 32, 32}, last, seconds);
    }
  }
}
