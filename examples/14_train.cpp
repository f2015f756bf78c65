// Training: a network learns real images, is tracked while it does, and saves a checkpoint.
// SPDX-License-Identifier: Apache-2.0
#include "checkpoint.hpp"
#include "program.hpp"

#include <weft/data.hpp>
#include <weft/io.hpp>
#include <weft/nn.hpp>
#include <weft/optim.hpp>
#include <weft/track.hpp>
#ifdef __CUDACC__
#include <weft/cuda/gradient.hpp>
#include <weft/cuda/matmul.hpp>
#include <weft/data/cuda.hpp>
#endif
#include <filesystem>

using namespace weft;

template <class D>
struct Net {
  nn::Linear<D> fc1, fc2, fc3;
  nn::Dropout dropout{0.1};
  auto fields() { return nn::fields("fc1", fc1, "fc2", fc2, "fc3", fc3, "dropout", dropout); }
  Var<float, D> operator()(const Var<float, D>& x) const {
    return fc3(dropout(relu(fc2(dropout(relu(fc1(x)))))));
  }
};

template <class D>
Tensor<float, D> pixels(const Tensor<std::uint8_t, D>& images, float white) {
  return cast<float>(images.reshape({images.size(0), -1})) / white;  // (batch, pixel)
}

template <class D>
double accuracy(Net<D>& net, auto& batches, float white, D device) {
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
int run(const auto& training, const auto& test, float white, double goal, int epochs, D device) {
  const int64_t inputs = std::get<0>(training.get(0)).size();
  Net<D> net{{inputs, 256}, {256, 128}, {128, 10}};
  nn::flatten_parameters(net);  // an optimizer's step is then one kernel, not one a tensor
  optim::AdamW optimizer(nn::parameters(net), {.lr = 2e-3});
  optim::GraphedStep step(device, [&](auto& image, auto& label) {  // one launch on a GPU
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

  const std::filesystem::path folder = example::results(is_cuda<D> ? "train_cuda" : "train_cpu");
  const example::Checkpoint checkpoint(is_cuda<D> ? "train_cuda" : "train_cpu");
  const int done = checkpoint.load("net", net, "optimizer", optimizer, "schedule", schedule);
  // A resumed run writes its own log and curve, next to the first run's.
  const std::string part = done == 0 ? "" : "_from_" + std::to_string(done + 1);
  track::EventWriter events(folder.string());  // tensorboard --logdir
  track::CsvLogger table((folder / ("log" + part + ".csv")).string());
  track::Curve curve({.title = "14_train", .x = "epoch", .y = "loss", .log_scale = true});
  batches.seek(done);
  for (int epoch = done + 1; epoch <= epochs; ++epoch) {
    auto total = zeros({}, device);
    for (auto [image, label] : progress(batches.to(device), {.label = "training"})) {
      total += step(image, label);
      schedule.step();
    }
    const double loss = total.item() / static_cast<float>(batches.size());
    const double right = accuracy(net, queries, white, device);
    std::printf("epoch %2d   loss %.4f   accuracy %5.2f %%\n", epoch, loss, 100 * right);
    events.add_scalar("loss", loss, epoch);
    events.add_histogram("fc1", net.fc1.weight, epoch);
    table({{"epoch", epoch}, {"loss", loss}, {"accuracy", right}});
    curve.add("training", epoch, loss);
    checkpoint.save(epoch, "net", net, "optimizer", optimizer, "schedule", schedule);
  }
  if (done < epochs) curve.save((folder / ("loss" + part + ".svg")).string());
  const std::string file = (folder / "net.safetensors").string();
  save_safetensors(file, nn::state_dict(net));
  std::cout << "log, curve and network in " << folder.string() << "\n";
  Net<D> loaded{{inputs, 256}, {256, 128}, {128, 10}};
  nn::load_state_dict(loaded, load_safetensors(file));
  const double found = accuracy(loaded, queries, white, device);
  const bool same = example::check("the checkpoint is the trained network",
                                   found == accuracy(net, queries, white, device));
  return example::check("the accuracy is reached", found >= goal) && same ? 0 : 1;
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
      const Tensor x = take(images, order, axis(0));  // (1797, 64)
      const Tensor y = cast<int64_t>(take(labels, order, axis(0)));
      const auto known = slice(0, 1400), asked = slice(1400, 1797);
      const data::TensorDataset a(x(known), y(known)), b(x(asked), y(asked));
      return run(a, b, 16, 0.95, 30, device);
    }
    const auto x = data::load_mnist(folder, true), y = data::load_mnist(folder, false);
    const data::TensorDataset a(x.images, x.labels), b(y.images, y.labels);
    return run(a, b, 255, 0.88, 8, device);
  });
}
