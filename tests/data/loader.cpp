// SPDX-License-Identifier: Apache-2.0
#include <weft/data/loader.hpp>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#ifdef __CUDACC__
#include <weft/data/cuda.hpp>
#endif

#include "test.hpp"

using weft::Generator;
using weft::Shape;
using weft::Tensor;
using namespace weft::data;
using Indices = std::vector<std::int64_t>;

namespace {

/// Samples (image, label) that contain their own number.
struct Numbered {
  std::int64_t count;
  std::int64_t bad = -1;

  struct Sample {
    Tensor<float> image;
    std::int64_t label;
  };
  std::int64_t size() const { return count; }
  Sample get(std::int64_t i) const {
    if (i == bad) throw std::runtime_error("sample " + std::to_string(i) + " is broken");
    return {weft::full({2, 2}, static_cast<float>(i)), i};
  }
};

/// A random number that depends on the generator.
struct Noise {
  std::int64_t size() const { return 40; }
  std::uint32_t get(std::int64_t, Generator& generator) const { return generator.draw().bits32(0); }
};

/// Batches of its own making: the lists of different lengths, padded.
struct Ragged {
  std::int64_t size() const { return 5; }
  std::tuple<Tensor<std::int64_t>> batch(const std::int64_t* indices, std::int64_t count,
                                         HostMemory memory) const {
    auto out = memory.empty<std::int64_t>({count, *std::max_element(indices, indices + count)});
    out.fill(-1);
    for (std::int64_t i = 0; i < count; ++i) out(i, weft::slice(0, indices[i])).fill(indices[i]);
    return {out};
  }
};

/// The second part of all batches of the next epoch.
template <class L>
Indices labels(L& loader) {
  Indices out;
  for (const auto& [x, y] : loader) {
    for (const auto label : y.to_vector()) out.push_back(label);
  }
  return out;
}
Indices upto(std::int64_t n) {
  Indices out(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) out[static_cast<std::size_t>(i)] = i;
  return out;
}

}  // namespace

TEST_CASE("batches in order") {
  DataLoader loader(Numbered{10}, {.batch_size = 4});
  CHECK(loader.size() == 3);
  Indices sizes;
  for (const auto& [images, numbers] : loader) {
    static_assert(std::is_same_v<decltype(images), const Tensor<float>>);
    sizes.push_back(images.size(0));
    CHECK(images.shape() == Shape{numbers.size(), 2, 2});
    for (std::int64_t i = 0; i < numbers.size(); ++i) {
      CHECK(images.at(i, 1, 0) == static_cast<float>(numbers.at(i)));
    }
  }
  CHECK(sizes == Indices{4, 4, 2});
  CHECK(labels(loader) == upto(10));
  CHECK(loader.epoch() == 2);

  DataLoader dropping(Numbered{10}, {.batch_size = 4, .drop_last = true});
  CHECK(dropping.size() == 2);
  CHECK(labels(dropping) == upto(8));
  DataLoader exact(Numbered{8}, {.batch_size = 4});
  CHECK(exact.size() == 2);
  CHECK(labels(exact) == upto(8));
  DataLoader none(Numbered{0}, {.batch_size = 4, .shuffle = true, .workers = 2});
  CHECK(none.size() == 0);
  CHECK(labels(none).empty());
}

TEST_CASE("the order depends on seed and epoch, not on the workers") {
  DataLoader loader(Numbered{103}, {.batch_size = 8, .shuffle = true, .seed = 5});
  const Indices first = labels(loader);
  const Indices second = labels(loader);
  CHECK(first != second);
  Indices sorted = first;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == upto(103));
  for (const int workers : {1, 3}) {
    for (const int prefetch : {1, 4}) {
      DataLoader other(
          Numbered{103},
          {.batch_size = 8, .shuffle = true, .seed = 5, .workers = workers, .prefetch = prefetch});
      CHECK(labels(other) == first);
      CHECK(labels(other) == second);
    }
  }
  DataLoader other(Numbered{103}, {.batch_size = 8, .shuffle = true, .seed = 6});
  CHECK(labels(other) != first);
}

TEST_CASE("a loader goes on where another one stood") {
  DataLoader loader(Numbered{20}, {.batch_size = 4, .shuffle = true, .seed = 1});
  labels(loader);
  const Indices second = labels(loader);
  DataLoader resumed(Numbered{20}, {.batch_size = 4, .shuffle = true, .seed = 1, .workers = 2});
  resumed.seek(1, 3);
  CHECK(labels(resumed) == Indices(second.begin() + 12, second.end()));
  CHECK(labels(resumed) == labels(loader));
  resumed.seek(0, 5);
  CHECK(labels(resumed).empty());
  CHECK_SAYS(
      "[DataLoader::seek] epoch 0, batch 6, expected an epoch of at least 0 and a batch of "
      "0 to 5",
      resumed.seek(0, 6));
  CHECK_SAYS("epoch -1", resumed.seek(-1));
  CHECK_SAYS("[DataLoader::batch] batch 5 of 5", loader.batch(0, 5));
}

TEST_CASE("random samples are the same for any number of workers, new in each epoch") {
  DataLoader loader(Noise{}, {.batch_size = 7, .shuffle = true});
  const auto draw = [](auto& from) {
    std::vector<std::uint32_t> out;
    for (const auto& [x] : from) {
      for (const std::uint32_t v : x.to_vector()) out.push_back(v);
    }
    return out;
  };
  const auto first = draw(loader);
  const auto second = draw(loader);
  auto distinct = first;
  std::sort(distinct.begin(), distinct.end());
  CHECK(std::unique(distinct.begin(), distinct.end()) == distinct.end());
  CHECK(first != second);
  DataLoader threaded(Noise{}, {.batch_size = 7, .shuffle = true, .workers = 3});
  CHECK(draw(threaded) == first);
  CHECK(draw(threaded) == second);
}

TEST_CASE("rows of tensors, and batches of the data set's own making") {
  const Tensor<float> x = weft::rand({50, 3});
  DataLoader loader(TensorDataset(x, weft::arange<std::int64_t>(50)),
                    {.batch_size = 16, .shuffle = true, .workers = 2});
  std::int64_t seen = 0;
  for (auto [rows, numbers] : loader) {
    for (std::int64_t i = 0; i < rows.size(0); ++i) CHECK(equal(rows(i), x(numbers.at(i))));
    seen += rows.size(0);
    rows += 1;  // a copy
  }
  CHECK(seen == 50);
  DataLoader ragged(Ragged{}, {.batch_size = 3});
  const auto [first] = ragged.batch(0, 0);
  CHECK(first.shape() == Shape{3, 2});
  CHECK(first.to_vector() == Indices{-1, -1, 1, -1, 2, 2});
}

TEST_CASE("what a worker throws comes out of the loop, in its turn") {
  for (const int workers : {0, 1, 4}) {
    CAPTURE(workers);
    DataLoader loader(Numbered{100, 33}, {.batch_size = 5, .workers = workers});
    int batches = 0;
    CHECK_THROWS_WITH_AS(
        [&] {
          for (const auto& batch : loader) batches += std::get<0>(batch).rank() == 3;
        }(),
        "sample 33 is broken", std::runtime_error);
    CHECK(batches == 6);
    CHECK(loader.epoch() == 1);
  }
  DataLoader loader(Numbered{100, 0}, {.workers = 2});
  CHECK_THROWS_AS(loader.begin(), std::runtime_error);
}

TEST_CASE("leaving the loop early, by break or by exception") {
  DataLoader loader(Numbered{1000}, {.batch_size = 2, .workers = 3, .prefetch = 5});
  for (int round = 0; round < 20; ++round) {
    int batches = 0;
    for (const auto& batch : loader) {
      batches += std::get<0>(batch).rank() == 3;
      if (batches == round) break;
    }
    CHECK_THROWS_AS(
        [&] {
          for ([[maybe_unused]] const auto& batch : loader) throw std::logic_error("stop");
        }(),
        std::logic_error);
  }
}

TEST_CASE("two loops at once, and threads of the user's") {
  DataLoader a(Numbered{40}, {.batch_size = 4, .shuffle = true, .workers = 2});
  DataLoader b(Numbered{40}, {.batch_size = 4, .shuffle = true});
  Indices in_thread;
  std::thread thread([&] { in_thread = labels(a); });
  const Indices here = labels(b);
  thread.join();
  CHECK(in_thread == here);
}

TEST_CASE("options that make no sense") {
  CHECK_SAYS("[DataLoader] batches of 0, expected at least 1",
             DataLoader(Numbered{1}, {.batch_size = 0}));
  CHECK_SAYS("[DataLoader] -1 workers, expected 0 to 1024",
             DataLoader(Numbered{1}, {.workers = -1}));
  CHECK_SAYS("[DataLoader] to prefetch 0 batches", DataLoader(Numbered{1}, {.prefetch = 0}));
}

TEST_CASE_TEMPLATE("the same batches on a device", D, TEST_DEVICES) {
  for (const int workers : {0, 2}) {
    CAPTURE(workers);
    const LoaderOptions options{.batch_size = 8, .shuffle = true, .seed = 2, .workers = workers};
    DataLoader there(Numbered{60}, options);
    DataLoader here(Numbered{60}, options);
    for (int epoch = 0; epoch < 2; ++epoch) {
      std::int64_t number = 0;
      auto range = there.to(D{});
      CHECK(range.size() == 8);
      for (const auto& [images, numbers] : range) {
        static_assert(std::is_same_v<decltype(images), const Tensor<float, D>>);
        const auto [expected, indices] = here.batch(epoch, number++);
        CHECK(images.to_vector() == expected.to_vector());
        CHECK(numbers.to_vector() == indices.to_vector());
      }
      CHECK(number == 8);
    }
    CHECK(there.epoch() == 2);
  }
}

TEST_CASE_TEMPLATE("a data set that lies on the device", D, TEST_DEVICES) {
  const auto x = weft::rand({300, 5}, D{});
  for (const int workers : {0, 2}) {
    DataLoader loader(TensorDataset(x, weft::arange<std::int64_t>(300, D{})),
                      {.batch_size = 64, .shuffle = true, .workers = workers});
    std::int64_t seen = 0;
    for (const auto& [rows, numbers] : loader.to(D{})) {
      CHECK(rows.device() == x.device());
      CHECK(equal(rows, index_select(x, numbers, weft::axis(0))));
      seen += numbers.size();
    }
    CHECK(seen == 300);
  }
}
