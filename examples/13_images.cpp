// Images: Fashion-MNIST from a folder, randomly shifted, classified by the nearest class mean.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <weft/data.hpp>
#ifdef __CUDACC__
#include <weft/data/cuda.hpp>
#endif

#include <chrono>

using namespace weft;

template <class Device>
int run(const std::string& folder, Device device) {
  const auto train = data::load_mnist(folder, true);  // (60000, 28, 28), (60000,)
  const auto test = data::load_mnist(folder, false);  // (10000, 28, 28), (10000,)
  std::cout << "training images: " << train.images.size(0) << ", test: " << test.images.size(0)
            << "\n";

  // Each image is shifted by a pixel at most. Bytes go to the device, and become floats there.
  auto samples = data::transform<0>(data::TensorDataset(train.images, train.labels),
                                    data::RandomCrop{28, 28, 1});
  data::DataLoader batches(samples, {.batch_size = 512, .shuffle = true, .workers = 2});
  const auto start = std::chrono::steady_clock::now();
  auto sums = zeros({10, 28, 28}, device);
  auto counts = zeros({10, 1, 1}, device);
  for (auto [image, label] : batches.to(device)) {
    index_add(sums, axis(0), label, data::to_float(image));
    index_add(counts, axis(0), label, ones({label.size(), 1, 1}, device));
  }
  Tensor means = (sums / counts).eval().reshape({10, 784});
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  std::cout << "one epoch: " << time.count() << " s\n";

  data::DataLoader queries(data::TensorDataset(test.images, test.labels), {.batch_size = 500});
  int64_t right = 0;
  for (auto [image, label] : queries.to(device)) {
    Tensor x = data::to_float(image).eval().reshape({-1, 1, 784});
    right += count_nonzero(argmin(sum(square(x - means), axis(-1)), axis(-1)) == label).item();
  }
  const double accuracy = static_cast<double>(right) / static_cast<double>(test.images.size(0));
  std::cout << "nearest mean: " << 100 * accuracy << " % of the test images right\n";
  return example::check("more than 65 %", accuracy > 0.65) ? 0 : 1;
}

int main(int argc, char** argv) {
  const std::string folder = example::path_of(argc, argv, "/usr/share/datasets/fashion-mnist");
  if (!std::filesystem::exists(folder)) {
    std::cout << "skipped: no folder " << folder << "; Debian's package dataset-fashion-mnist has "
              << "it, or give another one: " << argv[0] << " FOLDER [--device cpu|cuda]\n";
    return 77;
  }
  return example::main(argc, argv, [&](auto device) { return run(folder, device); });
}
