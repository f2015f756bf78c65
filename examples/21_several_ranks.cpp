// Several processes: a network learns the digits on all of them, over MPI on CPUs or NCCL on GPUs.
// Run it alone, with `mpirun -n 4 21_several_ranks`, or with
// `torchrun --no-python --nproc-per-node=2 21_several_ranks_cuda --device cuda`.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <weft/data.hpp>
#include <weft/dist.hpp>
#include <weft/io.hpp>
#include <weft/nn.hpp>
#include <weft/optim.hpp>
#ifdef __CUDACC__
#include <weft/data/cuda.hpp>
#endif

using namespace weft;

template <class D>
struct Net {
  nn::Linear<D> fc1{64, 128}, fc2{128, 64}, fc3{64, 10};
  auto fields() { return nn::fields("fc1", fc1, "fc2", fc2, "fc3", fc3); }
  Var<float, D> operator()(const Var<float, D>& x) const { return fc3(relu(fc2(relu(fc1(x))))); }
};

template <class D>
Tensor<float, D> pixels(const Tensor<std::uint8_t, D>& images) {
  return cast<float>(images) / 16.0F;  // (batch, pixel)
}

/// Each rank asks about its share of the samples; the counts are added up.
template <class D>
double accuracy(const Net<D>& net, const auto& samples, const dist::Group& world, D device) {
  const NoGrad guard;
  const dist::DistributedSampler mine(samples.size(), world, {.shuffle = false, .drop_last = true});
  data::DataLoader batches(mine.share(samples), {.batch_size = 100});
  Tensor counts = zeros({2}, device);  // right, all
  for (auto [image, label] : batches.to(device)) {
    counts(0) += cast<float>(count_nonzero(argmax(net(pixels(image)).value(), axis(1)) == label));
    counts(1) += static_cast<float>(label.size());
  }
  world.all_reduce(counts);
  const Tensor<float> found = counts.to(Cpu{});
  return found.at(0) / found.at(1);
}

template <class D>
int run(D) {
  const dist::Group world = dist::init();
  const D device = world.device<D>();
  const auto images = load_npy<std::uint8_t>("examples/data/digits_images.npy");
  const auto labels = load_npy<std::uint8_t>("examples/data/digits_labels.npy");
  manual_seed(1);
  const Tensor order = permutation(1797);         // the same on all ranks
  const Tensor x = take(images, order, axis(0));  // (1797, 64)
  const Tensor y = cast<int64_t>(take(labels, order, axis(0)));
  const auto known = slice(0, 1400), asked = slice(1400, 1796);
  const data::TensorDataset training(x(known), y(known)), test(x(asked), y(asked));

  Net<D> net;
  dist::DistributedDataParallel model(net, world);
  optim::AdamW optimizer(nn::parameters(net), {.lr = 4e-3});
  optim::GraphedStep step(device, [&](auto& image, auto& label) {
    optimizer.zero_grad();
    const Var loss = cross_entropy(model(pixels(image)), label);
    loss.backward();  // averages the gradients over the ranks on the way
    optimizer.step();
    return loss;
  });

  dist::DistributedSampler sampler(training.size(), world);
  const int64_t each = 128 / world.size();  // 128 samples a step, whatever the number of ranks
  data::DataLoader batches(sampler.share(training), {.batch_size = each, .drop_last = true});
  for (int epoch = 0; epoch < 30; ++epoch) {
    sampler.set_epoch(epoch);
    Tensor total = zeros({}, device);
    for (auto [image, label] : batches.to(device)) total += step(image, label);
    world.all_reduce(total, dist::Reduce::average);
    if (world.rank() == 0 && epoch % 10 == 9) {
      std::printf("epoch %2d   loss %.4f\n", epoch + 1,
                  total.item() / static_cast<float>(batches.size()));
    }
  }

  // Rank 0 writes the checkpoint, and all go on from it.
  const std::string file =
      std::filesystem::temp_directory_path() / "weft_several_ranks.safetensors";
  if (world.rank() == 0) save_safetensors(file, nn::state_dict(net));
  world.barrier(device);
  Net<D> loaded;
  nn::load_state_dict(loaded, load_safetensors(file));
  const double found = accuracy(loaded, test, world, device);
  if (world.rank() > 0) return found >= 0.93 ? 0 : 1;
  std::printf("%d ranks, accuracy %.2f %%\n", world.size(), 100 * found);
  return example::check("the accuracy is reached", found >= 0.93) ? 0 : 1;
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}
