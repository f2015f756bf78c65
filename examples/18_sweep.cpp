// All GPUs in one process: a sweep over learning rates, and an ensemble of the best networks.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <weft/dist/threads.hpp>
#include <weft/io.hpp>
#include <weft/nn.hpp>
#include <weft/optim.hpp>
#ifdef __CUDACC__
#include <weft/dist/cuda.hpp>
#endif

using namespace weft;

template <class D>
using Net = nn::Sequential<nn::Linear<D>, nn::ReLU, nn::Linear<D>>;

template <class D>
struct Trained {
  double rate, accuracy;
  Tensor<float> chances;  // (sample, class)
};

template <class D>
int run(D) {
  const Tensor images = cast<float>(load_npy<std::uint8_t>("examples/data/digits_images.npy"));
  const Tensor labels = cast<int64_t>(load_npy<std::uint8_t>("examples/data/digits_labels.npy"));
  const auto known = slice(0, 1400), asked = slice(1400, 1797);
  const auto share = [&](const Tensor<float>& chances) {
    const int64_t right = count_nonzero(argmax(chances, axis(1)) == labels(asked)).item();
    return static_cast<double>(right) / static_cast<double>(chances.size(0));
  };

  // Each device takes the next task when it is free; on the CPU there is one.
  const std::vector<double> rates{1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1};
  const auto results = dist::map_tasks(
      dist::all_devices<D>(), static_cast<int>(rates.size()), [&](int task, D device) {
        const double rate = rates[static_cast<std::size_t>(task)];
        const Tensor x = (images / 16.0F).eval().to(device);
        const Tensor y = labels.to(device);
        Net<D> net{nn::Linear<D>(64, 64, {}, device), {}, nn::Linear<D>(64, 10, {}, device)};
        nn::flatten_parameters(net);
        optim::AdamW optimizer(nn::parameters(net), {.lr = rate});
        for (int i = 0; i < 120; ++i) {
          optimizer.zero_grad();
          const Var loss = cross_entropy(net(Var(x(known))), y(known));
          loss.backward();
          optimizer.step();
        }
        const NoGrad guard;
        const Tensor<float> chances = softmax(net(Var(x(asked))).value()).eval().to(Cpu{});
        return Trained<D>{rate, share(chances), chances};
      });

  double best = 0;
  Tensor together = zeros({397, 10});
  for (const auto& result : results) {
    std::printf("rate %.4f   accuracy %.2f %%\n", result.rate, 100 * result.accuracy);
    best = std::max(best, result.accuracy);
    if (result.accuracy > 0.9) together += result.chances;
  }
  std::printf("ensemble      accuracy %.2f %%\n", 100 * share(together));
  const bool learned = example::check("some rate learns the digits", best > 0.9);
  return example::check("an ensemble is about as good as the best of its networks",
                        share(together) > best - 0.02) &&
                 learned
             ? 0
             : 1;
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}
