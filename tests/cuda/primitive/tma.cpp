// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/primitive/tma.hpp>

#include <vector>

#include "test.hpp"

#ifdef __CUDACC__
#include "weft/cuda.hpp"

namespace {
/// Copies stretches of 16 bytes through shared memory, two barriers' loads at a time.
__global__ void copy_by_bulk(const int* from, int* to, int stretches) {
#if __CUDA_ARCH__ >= 900
  __shared__ alignas(16) int room[2][4];
  __shared__ unsigned long long barriers[2];
  if (threadIdx.x != 0) return;
  for (auto& barrier : barriers) weft::cuda::start_barrier(&barrier);
  weft::cuda::publish_barriers();
  for (int i = 0; i < stretches; ++i) {
    const int s = i % 2;
    weft::cuda::bulk_load(room[s], from + 4 * i, 16, barriers + s);
    weft::cuda::wait_barrier(barriers + s, static_cast<unsigned>(i) / 2 & 1);
    for (int& value : room[s]) ++value;
    weft::cuda::publish_to_bulk();
    weft::cuda::bulk_store(to + 4 * i, room[s], 16);
    weft::cuda::wait_bulk_reads<1>();
  }
  weft::cuda::bulk_load(room[0], from, 0, barriers + stretches % 2);  // nothing, and done at once
  weft::cuda::wait_barrier(barriers + stretches % 2, static_cast<unsigned>(stretches) / 2 & 1);
  weft::cuda::bulk_store(to, room[0], 0);
  weft::cuda::wait_bulk_reads<0>();
#endif
}

__global__ void copy_relaxed(const unsigned long long* from, unsigned long long* to) {
  weft::cuda::store_relaxed(to, weft::cuda::load_relaxed(from));
}
}  // namespace

TEST_CASE("bulk copies there and back [gpu] [sanitize]") {
  const auto kernel = reinterpret_cast<const void*>(copy_by_bulk);
  const bool here = weft::cuda::has_bulk_copies(kernel, weft::Cuda{0});
  if (weft::cuda::properties().major < 9) CHECK_FALSE(here);
  if (!here) return;
  const auto x = weft::arange<int>(28, weft::Cuda{});
  auto y = weft::zeros<int>({28}, weft::Cuda{});
  copy_by_bulk<<<1, 32, 0, weft::cuda::current_stream().handle()>>>(x.data(), y.data(), 7);
  CHECK(weft::equal(y, x + 1));
}

TEST_CASE("a relaxed word is the word [gpu]") {
  const auto x = weft::full({1}, std::uint64_t{0x123456789ABCDEFULL}, weft::Cuda{});
  auto y = weft::zeros<std::uint64_t>({1}, weft::Cuda{});
  copy_relaxed<<<1, 1, 0, weft::cuda::current_stream().handle()>>>(
      reinterpret_cast<const unsigned long long*>(x.data()),
      reinterpret_cast<unsigned long long*>(y.data()));
  CHECK(weft::equal(y, x));
}
#endif
