// Convolutions: a convolutional network learns real images, in channels-last format.
// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"
#include "program.hpp"

#include <weft/data.hpp>
#include <weft/io.hpp>
#include <weft/nn.hpp>
#include <weft/nn/models/cnn.hpp>
#include <weft/optim.hpp>
#include <weft/track.hpp>
#ifdef __CUDACC__
#include <weft/cuda/conv.hpp>
#include <weft/cuda/gradient.hpp>
#include <weft/data/cuda.hpp>
#endif
#include <chrono>

using namespace weft;
using nn::models::Cnn;

/// Bytes of (batch, row, column) as floats of (batch, channel, row, column).
template <class D>
Tensor<float, D> pixels(const Tensor<std::uint8_t, D>& images, float white) {
  const Tensor<float, D> x = cast<float>(images.unsqueeze(1)) / white;
  return channels_last(x);
}

template <class D>
double accuracy(Cnn<D>& net, auto& batches, float white, D device) {
  const NoGrad guard;
  nn::eval(net);
  int64_t right = 0;
  for (auto [image, label] : batches.to(device)) {
    right += count_nonzero(argmax(net(pixels(image, white)).value(), axis(1)) == label).item();
  }
  nn::train(net);
  return static_cast<double>(right) / static_cast<double>(batches.dataset().size());
}

template <class D>
int run(const auto& training, const auto& test, int64_t size, float white, double goal, double lr,
        int epochs, D device) {
  Cnn<D> net({.size = size, .dropout = 0.25}, device);
  nn::flatten_parameters(net);
  optim::AdamW optimizer(nn::parameters(net), {.lr = lr});
  optim::GraphedStep step(device, [&](auto& image, auto& label) {
    const Var loss = cross_entropy(net(pixels(image, white)), label);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    return loss;
  });
  data::DataLoader batches(training,
                           {.batch_size = 64, .shuffle = true, .drop_last = true, .workers = 1});
  data::DataLoader queries(test, {.batch_size = 500});
  optim::Schedule schedule(optimizer, optim::CosineAnnealingLR{epochs * batches.size()});
  const example::Checkpoint checkpoint(is_cuda<D> ? "convolution_cuda" : "convolution_cpu");
  const int done = checkpoint.load("net", net, "optimizer", optimizer, "schedule", schedule);
  batches.seek(done);
  double found = done == epochs ? accuracy(net, queries, white, device) : 0;
  for (int epoch = done + 1; epoch <= epochs; ++epoch) {
    const auto start = std::chrono::steady_clock::now();
    auto total = zeros({}, device);
    for (auto [image, label] : progress(batches.to(device), {.label = "training"})) {
      total += step(image, label);
      schedule.step();
    }
    const float loss = total.item() / static_cast<float>(batches.size());
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    found = accuracy(net, queries, white, device);
    std::printf("epoch %2d   loss %.4f   accuracy %5.2f %%   %.2f s, %.0f images/s\n", epoch, loss,
                100 * found, time.count(), static_cast<double>(64 * batches.size()) / time.count());
    checkpoint.save(epoch, "net", net, "optimizer", optimizer, "schedule", schedule);
  }
  return example::check("the accuracy is reached", found >= goal) ? 0 : 1;
}

int main(int argc, char** argv) {
  // Fashion-MNIST or data in its format; otherwise this repository's digits.
  const std::string folder = example::path_of(argc, argv, "");
  return example::main(argc, argv, [&](auto device) {
    manual_seed(1);
    if (folder.empty()) {
      const Tensor order = permutation(1797);
      const auto images = load_npy<std::uint8_t>("examples/data/digits_images.npy");
      const auto labels = load_npy<std::uint8_t>("examples/data/digits_labels.npy");
      const Tensor x = take(images.reshape({1797, 8, 8}), order, axis(0));
      const Tensor y = cast<int64_t>(take(labels, order, axis(0)));
      const auto known = slice(0, 1400), asked = slice(1400, 1797);
      const data::TensorDataset a(x(known), y(known)), b(x(asked), y(asked));
      return run(a, b, 8, 16, 0.97, 1e-2, 15, device);
    }
    const auto x = data::load_mnist(folder, true), y = data::load_mnist(folder, false);
    const data::TensorDataset a(x.images, x.labels), b(y.images, y.labels);
    return run(a, b, 28, 255, 0.91, 2e-3, 8, device);
  });
}
