// SPDX-License-Identifier: Apache-2.0
#ifdef __CUDACC__
#include <weft/data/cuda.hpp>

#include "cuda/kernels.hpp"
#include "test.hpp"

using weft::Cuda;
using weft::Tensor;
using namespace weft::data;

TEST_CASE("[gpu] batches are put together in page-locked memory") {
  const DataLoader loader(TensorDataset(weft::rand({64, 100})), {.batch_size = 16});
  const auto [rows] = loader.batch(0, 0, Feed<Cuda>::memory());
  CHECK(weft::cuda::is_pinned(rows));
  CHECK(equal(rows, std::get<0>(loader.dataset().tensors())(weft::slice(0, 16))));
}

TEST_CASE("[gpu] the copy of a batch runs beside computing, and what uses it waits") {
  const auto x = weft::arange<float>(1 << 22).reshape({4, 1 << 20});
  for (const int workers : {0, 2}) {
    CAPTURE(workers);
    DataLoader loader(TensorDataset{x}, {.batch_size = 1, .workers = workers});
    auto range = loader.to(Cuda{});
    {  // Page-locking memory may wait for the GPU, so there is enough of it before.
      std::vector<Tensor<float>> host;
      std::vector<Tensor<float, Cuda>> there;
      for (int i = 0; i < 12; ++i) {
        host.push_back(Feed<Cuda>::memory().empty<float>({1, 1 << 20}));
        there.push_back(range.feed(host.back().fill(0)));
      }
      range.feed.stream.synchronize();
    }
    weft::cuda::current_stream().synchronize();

    const weft::StorageHandle busy = test::zeroed();
    test::fill(busy, 1, 200, weft::cuda::current_stream());  // 200 ms on the default stream
    auto it = range.begin();
    range.feed.stream.synchronize();
    CHECK_FALSE(weft::cuda::current_stream().query());
    Tensor<float, Cuda> twice = std::get<0>(*it) * 2.0F;
    CHECK(twice(0, (1 << 20) - 1).item() == 2.0F * ((1 << 20) - 1));
  }
}

TEST_CASE("[gpu] sums over all batches of several epochs") {
  const auto x = weft::rand({4096, 1024});
  DataLoader loader(TensorDataset{x}, {.batch_size = 512, .shuffle = true, .workers = 2});
  Tensor<double, Cuda> total = weft::zeros<double>({}, Cuda{});
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (const auto& [rows] : loader.to(Cuda{})) {
      Tensor<float, Cuda> y = rows;
      for (int i = 0; i < 20; ++i) y = y * 1.0F;
      total += sum(weft::cast<double>(y));
    }
  }
  const double expected = 3 * sum(weft::cast<double>(x)).item();
  CHECK(total.item() == doctest::Approx(expected).epsilon(1e-9));
}

TEST_CASE("[gpu] batches that are kept, and a loop that is left early") {
  const auto x = weft::rand({8, 1 << 20});
  DataLoader loader(TensorDataset{x}, {.batch_size = 1, .workers = 3});
  std::vector<Tensor<float, Cuda>> kept;
  for (const auto& [row] : loader.to(Cuda{})) kept.push_back(row);
  for (std::int64_t i = 0; i < 8; ++i) {
    CHECK(equal(kept[static_cast<std::size_t>(i)](0).to(weft::Cpu{}), x(i)));
  }
  for (int round = 0; round < 8; ++round) {
    int batches = 0;
    for ([[maybe_unused]] const auto& batch : loader.to(Cuda{})) {
      if (batches++ == round) break;
    }
  }
  CHECK_NOTHROW(weft::cuda::current_stream().synchronize());
}

TEST_CASE("[nogpu] without a GPU there are no batches on one") {
  DataLoader loader(TensorDataset(weft::ones({4})), {});
  CHECK_SAYS("no CUDA device is available", loader.to(Cuda{}));
}
#endif
