// Pictures: data sets of small images, and the training of a network that classifies them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <weft/data.hpp>
#include <weft/io.hpp>
#include <weft/nn.hpp>
#include <weft/optim.hpp>
#include <weft/track.hpp>
#ifdef __CUDACC__
#include <weft/cuda/conv.hpp>
#include <weft/cuda/gradient.hpp>
#include <weft/data/cuda.hpp>
#endif
#include <chrono>

#include "checkpoint.hpp"
#include "program.hpp"

namespace example {

/// Images (n, channel, row, column) and their labels, for training and for the test.
struct Pictures {
  weft::data::LabeledImages training, test;
  bool real = true;  ///< from a folder; otherwise the digits of this repository

  int64_t channels() const { return training.images.size(1); }
};

/// Images of one channel, framed by zeros to 32 x 32.
inline void frame(weft::data::LabeledImages& of) {
  const auto framed = weft::zeros<std::uint8_t>({of.images.size(0), 1, 32, 32});
  const int64_t rows = of.images.size(1), columns = of.images.size(2);
  framed(weft::all, 0)
      .narrow(1, (32 - rows) / 2, rows)
      .narrow(2, (32 - columns) / 2, columns)
      .assign(of.images);
  of.images = framed;
}

/// CIFAR-10 or Fashion-MNIST (or data in their formats) from a folder; without one, this
/// repository's 8 x 8 digits.
inline Pictures read_pictures(const std::string& folder) {
  using namespace weft;
  if (folder.empty()) {
    const Tensor order = permutation(1797);
    const auto images = load_npy<std::uint8_t>("examples/data/digits_images.npy");
    const auto labels = load_npy<std::uint8_t>("examples/data/digits_labels.npy");
    const Tensor x = take(images.reshape({1797, 1, 8, 8}), order, axis(0)) * std::uint8_t{15};
    const Tensor y = cast<int64_t>(take(labels, order, axis(0)));
    const auto known = slice(0, 1400), asked = slice(1400, 1797);
    return {{x(known), y(known)}, {x(asked), y(asked)}, false};
  }
  if (std::filesystem::exists(folder + "/data_batch_1.bin")) {
    return {data::load_cifar10(folder, true), data::load_cifar10(folder, false)};
  }
  Pictures found{data::load_mnist(folder, true), data::load_mnist(folder, false)};
  frame(found.training);
  frame(found.test);
  return found;
}

struct Plan {
  int epochs;
  double lr;    ///< the highest of the cycle
  double goal;  ///< accuracy on the test images
};

/// Bytes as floats with a mean of about 0 and a deviation of about 1, in the format that
/// convolutions read best.
template <class D>
weft::Tensor<float, D> normalized(const weft::Tensor<std::uint8_t, D>& images) {
  const weft::Tensor<float, D> x = (weft::cast<float>(images) - 96.0F) / 72.0F;
  return weft::channels_last(x);
}

template <class D>
double accuracy(auto& net, auto& batches, D device) {
  const weft::NoGrad guard;
  weft::nn::eval(net);
  int64_t right = 0;
  for (auto [image, label] : batches.to(device)) {
    right += count_nonzero(argmax(net(normalized(image)).value(), weft::axis(1)) == label).item();
  }
  weft::nn::train(net);
  return static_cast<double>(right) / static_cast<double>(batches.dataset().size());
}

/// Trains, with shifted and mirrored images if they are real ones, and checks what is reached.
template <class D>
int learn(const char* name, auto net, const Pictures& pictures, Plan plan, D device) {
  using namespace weft;
  nn::channels_last(net);
  nn::flatten_parameters(net);
  optim::AdamW optimizer(nn::parameters(net), {.lr = plan.lr, .weight_decay = 0.05});
  optim::GraphedStep step(device, [&](auto& image, auto& label) {
    const Var loss = cross_entropy(net(normalized(image)), label);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    return loss;
  });
  const int64_t size = pictures.training.images.size(2);
  auto shifted = data::transform<0>(
      data::TensorDataset(pictures.training.images, pictures.training.labels),
      data::RandomCrop{size, size, size / 16}, data::RandomHorizontalFlip{pictures.real ? 0.5 : 0});
  data::DataLoader batches(shifted,
                           {.batch_size = 64, .shuffle = true, .drop_last = true, .workers = 4});
  data::DataLoader queries(data::TensorDataset(pictures.test.images, pictures.test.labels),
                           {.batch_size = 500});
  optim::Schedule schedule(
      optimizer, optim::OneCycleLR{.max_lr = plan.lr, .total_steps = plan.epochs * batches.size()});
  const Checkpoint checkpoint(std::string(name) + (is_cuda<D> ? "_cuda" : "_cpu"));
  const int done = checkpoint.load("net", net, "optimizer", optimizer, "schedule", schedule);
  batches.seek(done);
  double found = done == plan.epochs ? accuracy(net, queries, device) : 0;
  for (int epoch = done + 1; epoch <= plan.epochs; ++epoch) {
    const auto start = std::chrono::steady_clock::now();
    auto total = zeros({}, device);
    for (auto [image, label] : progress(batches.to(device), {.label = name})) {
      total += step(image, label);
      schedule.step();
    }
    const float loss = total.item() / static_cast<float>(batches.size());
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    found = accuracy(net, queries, device);
    std::printf("epoch %2d   loss %.4f   accuracy %5.2f %%   %.2f s, %.0f images/s\n", epoch, loss,
                100 * found, time.count(), static_cast<double>(64 * batches.size()) / time.count());
    std::fflush(stdout);
    checkpoint.save(epoch, "net", net, "optimizer", optimizer, "schedule", schedule);
  }
  return check("the accuracy is reached", found >= plan.goal) ? 0 : 1;
}

}  // namespace example
