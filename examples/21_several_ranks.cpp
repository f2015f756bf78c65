// Several processes: a convolutional network on all of them, over MPI on CPUs or NCCL on GPUs.
// Run it alone, with `mpirun -n 4 21_several_ranks [FOLDER]`, or with
// `torchrun --no-python --nproc-per-node=2 21_several_ranks_cuda [FOLDER] --device cuda`.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <weft/data.hpp>
#include <weft/dist.hpp>
#include <weft/io.hpp>
#include <weft/nn.hpp>
#include <weft/nn/models/cnn.hpp>
#include <weft/optim.hpp>
#ifdef __CUDACC__
#include <weft/data/cuda.hpp>
#endif

using namespace weft;
using nn::models::Cnn;

/// Bytes of (batch, row, column) as floats of (batch, channel, row, column).
template <class D>
Tensor<float, D> pixels(const Tensor<std::uint8_t, D>& images, float white) {
  const Tensor<float, D> x = cast<float>(images.unsqueeze(1)) / white;
  return channels_last(x);
}

/// Each rank classifies its share of the samples; the counts are added up.
template <class D>
double accuracy(const Cnn<D>& net, const auto& samples, float white, const dist::Group& world,
                D device) {
  const NoGrad guard;
  const dist::DistributedSampler mine(samples.size(), world, {.shuffle = false, .drop_last = true});
  data::DataLoader batches(mine.share(samples), {.batch_size = 500});
  Tensor counts = zeros({2}, device);  // right, all
  for (auto [image, label] : batches.to(device)) {
    const auto found = argmax(net(pixels(image, white)).value(), axis(1));
    counts(0) += cast<float>(count_nonzero(found == label));
    counts(1) += static_cast<float>(label.size());
  }
  world.all_reduce(counts);
  const Tensor<float> found = counts.to(Cpu{});
  return found.at(0) / found.at(1);
}

template <class D>
int run(const auto& training, const auto& test, int64_t size, float white, double goal, int epochs,
        const dist::Group& world, D device) {
  Cnn<D> net({.size = size}, device);
  dist::DistributedDataParallel model(net, world);
  optim::AdamW optimizer(nn::parameters(net), {.lr = 1e-2});
  optim::GraphedStep step(device, [&](auto& image, auto& label) {
    optimizer.zero_grad();
    const Var loss = cross_entropy(model(pixels(image, white)), label);
    loss.backward();  // averages the gradients over the ranks on the way
    optimizer.step();
    return loss;
  });

  dist::DistributedSampler sampler(training.size(), world);
  const int64_t each = 128 / world.size();  // 128 samples a step, whatever the number of ranks
  data::DataLoader batches(sampler.share(training), {.batch_size = each, .drop_last = true});
  for (int epoch = 0; epoch < epochs; ++epoch) {
    sampler.set_epoch(epoch);
    Tensor total = zeros({}, device);
    for (auto [image, label] : batches.to(device)) total += step(image, label);
    world.all_reduce(total, dist::Reduce::average);
    if (world.rank() == 0) {
      std::printf("epoch %2d   loss %.4f\n", epoch + 1,
                  total.item() / static_cast<float>(batches.size()));
    }
  }

  // Rank 0 writes the checkpoint, and all ranks resume from it.
  const std::string file =
      std::filesystem::temp_directory_path() / "weft_several_ranks.safetensors";
  if (world.rank() == 0) save_safetensors(file, nn::state_dict(net));
  world.barrier(device);
  Cnn<D> loaded({.size = size}, device);
  nn::load_state_dict(loaded, load_safetensors(file));
  const double found = accuracy(loaded, test, white, world, device);
  if (world.rank() > 0) return found >= goal ? 0 : 1;
  std::printf("%d ranks, accuracy %.2f %%\n", world.size(), 100 * found);
  return example::check("the accuracy is reached", found >= goal) ? 0 : 1;
}

int main(int argc, char** argv) {
  // Fashion-MNIST or data in its format; otherwise this repository's digits.
  const std::string folder = example::path_of(argc, argv, "");
  return example::main(argc, argv, [&]<class D>(D) {
    const dist::Group world = dist::init();
    const D device = world.device<D>();
    manual_seed(1);
    if (folder.empty()) {
      const Tensor order = permutation(1797);  // the same on all ranks
      const auto images = load_npy<std::uint8_t>("examples/data/digits_images.npy");
      const auto labels = load_npy<std::uint8_t>("examples/data/digits_labels.npy");
      const Tensor x = take(images.reshape({1797, 8, 8}), order, axis(0));
      const Tensor y = cast<int64_t>(take(labels, order, axis(0)));
      const auto known = slice(0, 1400), asked = slice(1400, 1796);
      const data::TensorDataset a(x(known), y(known)), b(x(asked), y(asked));
      return run(a, b, 8, 16, 0.96, 15, world, device);
    }
    const auto x = data::load_mnist(folder, true), y = data::load_mnist(folder, false);
    const data::TensorDataset a(x.images, x.labels), b(y.images, y.labels);
    return run(a, b, 28, 255, 0.9, 5, world, device);
  });
}
