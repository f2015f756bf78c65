// Real handwritten digits, each classified by its nearest neighbour: one statement, on CPU or GPU.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <weft/io.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <vector>

using namespace weft;

/// 8 x 8 images with pixels from 0 to 16, and the digit that each one shows.
struct Digits {
  Tensor<float> train;                // (train, 64)
  Tensor<std::uint8_t> train_labels;  // (train,)
  Tensor<float> query;                // (query, 64)
  Tensor<std::uint8_t> query_labels;  // (query,)
};

/// The first of every four images in the file is classified; the other three are known.
Digits load(const std::filesystem::path& folder) {
  const auto pixels = load_npy<std::uint8_t>((folder / "digits_images.npy").string());
  const auto digits = load_npy<std::uint8_t>((folder / "digits_labels.npy").string());
  const auto groups = pixels.size(0) / 4;
  Tensor used = cast<float>(pixels(slice(0, 4 * groups)));         // (4 groups, 64)
  auto image = used.reshape({groups, 4, 64});                      // (group, 4, 64)
  auto label = digits(slice(0, 4 * groups)).reshape({groups, 4});  // (group, 4)
  return {image(all, slice(1, 4)).reshape({-1, 64}), label(all, slice(1, 4)).flatten(),
          image(all, 0), label(all, 0)};
}

std::string name(Cpu) { return "cpu"; }
void wait_for(Cpu) {}
#ifdef __CUDACC__
std::string name(Cuda device) { return "cuda, " + weft::cuda::properties(device).name; }
void wait_for(Cuda device) { weft::cuda::synchronize(device); }
#endif

/// The median time of five runs, in milliseconds, after one that warms up.
template <class Device, class F>
double median_time(Device device, F run) {
  using Clock = std::chrono::steady_clock;
  double times[6];
  for (double& time : times) {
    wait_for(device);
    const auto start = Clock::now();
    run();
    wait_for(device);
    time = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  }
  std::sort(times + 1, times + 6);
  return times[3];
}

/// Images side by side, two characters per pixel, with the predictions below.
void show(const Digits& data, const std::vector<int64_t>& which, const std::vector<int>& found) {
  const std::string ink = " .:-=+*#%";
  for (int row = 0; row < 8; ++row) {
    for (int64_t i : which) {
      for (int column = 0; column < 8; ++column) {
        const auto pixel = static_cast<std::size_t>(data.query.at(i, 8 * row + column));
        std::cout << std::string(2, ink[pixel / 2]);
      }
      std::cout << "   ";
    }
    std::cout << "\n";
  }
  for (int64_t i : which) {
    const int taken_for = found[static_cast<std::size_t>(i)];
    const int truth = data.query_labels.at(i);
    std::string caption = "       " + std::to_string(taken_for);
    if (taken_for != truth) caption += ", is a " + std::to_string(truth);
    std::cout << caption + std::string(19 - caption.size(), ' ');
  }
  std::cout << "\n\n";
}

template <class Device>
int run(Device device) {
  const Digits data = load(std::filesystem::path(__FILE__).parent_path() / "data");
  auto query = data.query.to(device)(all, newaxis, all);  // (query, 1, 64)
  auto train = data.train.to(device)(newaxis, all, all);  // (1, train, 64)

  Tensor<int64_t, Device> nearest;
  const double time = median_time(device, [&] {
    nearest = argmin(sum(square(query - train), axis(-1)), axis(-1));  // (query,)
  });

  std::vector<int> found;
  std::vector<int64_t> right;
  std::vector<int64_t> wrong;
  for (int64_t neighbour : nearest.to_vector()) {
    const auto i = static_cast<int64_t>(found.size());
    found.push_back(data.train_labels.at(neighbour));
    (found.back() == data.query_labels.at(i) ? right : wrong).push_back(i);
  }
  const double accuracy = static_cast<double>(right.size()) / static_cast<double>(found.size());
  const auto bytes = nearest.size() * train.size() * static_cast<int64_t>(sizeof(float));

  std::vector<int64_t> some = right;
  some.resize(std::min<std::size_t>(some.size(), 3));
  for (int64_t i : wrong) {
    if (some.size() < 5) some.push_back(i);
  }
  show(data, some, found);
  std::cout << "statement   nearest = argmin(sum(square(query - train), axis(-1)), axis(-1))\n"
            << "device      " << name(device) << "\n"
            << "digits      " << found.size() << " asked for, " << train.size(1) << " known\n";
  std::printf("accuracy    %.2f %%, %d wrong\n", 100 * accuracy, static_cast<int>(wrong.size()));
  std::printf("time        %.3f ms, the median of five runs\n", time);
  std::cout << "not written " << bytes << " bytes: the differences, " << data.query.size(0) << " x "
            << train.size(1) << " x 64 floats\n"
            << "source      run<Device> with Device = " << (is_cuda<Device> ? "Cuda" : "Cpu")
            << "; on the other device it is the same with one word changed: "
            << (is_cuda<Device> ? "Cpu" : "Cuda") << "\n";
  return accuracy > 0.98 ? 0 : 1;
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}
