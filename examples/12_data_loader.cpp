// DataLoader: a randomly split data set, in shuffled batches prepared by threads, on CPU or GPU.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <weft/data.hpp>
#include <weft/io.hpp>
#ifdef __CUDACC__
#include <weft/data/cuda.hpp>
#endif

using namespace weft;

template <class Device>
int run(Device device) {
  auto pixels = load_npy<std::uint8_t>("examples/data/digits_images.npy");  // (1797, 64)
  Tensor labels = cast<int64_t>(load_npy<std::uint8_t>("examples/data/digits_labels.npy"));
  Generator generator(1);
  auto [train, test] =
      data::random_split(data::TensorDataset(pixels, labels), {0.75, 0.25}, generator);

  // The mean image of each class, from shuffled batches that two threads put together.
  data::DataLoader batches(train, {.batch_size = 64, .shuffle = true, .workers = 2});
  auto sums = zeros({10, 64}, device);
  auto counts = zeros({10, 1}, device);
  for (auto [image, label] : batches.to(device)) {  // (batch, 64), (batch,)
    index_add(sums, axis(0), label, cast<float>(image));
    index_add(counts, axis(0), label, ones({label.size(), 1}, device));
  }
  Tensor means = sums / counts;  // (class, 64)

  // A digit is taken for the class whose mean is nearest.
  data::DataLoader queries(test, {.batch_size = 100});
  int64_t right = 0;
  for (auto [image, label] : queries.to(device)) {
    Tensor x = cast<float>(image).eval().unsqueeze(1);  // (batch, 1, 64)
    Tensor nearest = argmin(sum(square(x - means), axis(-1)), axis(-1));
    right += count_nonzero(nearest == label).item();
  }
  const double accuracy = static_cast<double>(right) / static_cast<double>(test.size());
  std::cout << "trained on " << train.size() << " digits in batches of 64, " << test.size()
            << " asked for: " << 100 * accuracy << " % right\n";
  bool fine = example::check("every digit was seen once",
                             sum(counts).item() == static_cast<float>(train.size()));
  fine &= example::check("more than 87 % are right", accuracy > 0.87);
  return fine ? 0 : 1;
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}
