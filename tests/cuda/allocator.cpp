// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/allocator.hpp>

#include <cstdint>

#include "cuda/kernels.hpp"
#include "test.hpp"

using namespace weft::on_cuda;
using weft::Cuda;
using weft::Memory;
using weft::StorageHandle;

namespace {
/// The user's own: cudaMalloc, counted.
struct Plain final : Allocator {
  int live = 0;
  std::int64_t asked = 0;
  void* allocate(std::int64_t bytes, cudaStream_t, bool) override {
    void* data = nullptr;
    if (cudaMalloc(&data, static_cast<std::size_t>(bytes)) != cudaSuccess) return nullptr;
    ++live;
    asked += bytes;
    return data;
  }
  void deallocate(void* data, std::int64_t, cudaStream_t, bool) noexcept override {
    --live;
    cudaFree(data);
  }
};
}  // namespace

TEST_CASE("[gpu] the pool hands out aligned blocks of every size") {
  Allocator& pool = allocator();
  const Stream stream;
  for (std::int64_t bytes : {1, 511, 512, 513, 4096, 1 << 20, (1 << 20) + 1, 100 << 20}) {
    void* data = pool.allocate(bytes, stream, false);
    CHECK(data != nullptr);
    CHECK(reinterpret_cast<std::uintptr_t>(data) % 256 == 0);
    CHECK(cudaMemsetAsync(data, 1, static_cast<std::size_t>(bytes), stream) == cudaSuccess);
    pool.deallocate(data, bytes, stream, false);
  }
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(pool.allocate(std::int64_t{1} << 50, stream, false) == nullptr);
  CHECK(cudaGetLastError() == cudaSuccess);
}

TEST_CASE("[gpu] a small block comes back on its own stream only") {
  Allocator& pool = allocator();
  const Stream a;
  const Stream b;
  void* first = pool.allocate(1000, a, false);
  pool.deallocate(first, 1000, a, false);
  void* other = pool.allocate(1000, b, false);
  CHECK(other != first);
  void* same = pool.allocate(600, a, false);
  CHECK(same == first);
  pool.deallocate(other, 1000, b, false);
  pool.deallocate(same, 600, a, false);
}

TEST_CASE("[gpu] a replacement serves new tensors, and old ones go back where they came from") {
  Plain plain;
  StorageHandle before(Memory<Cuda>::allocate({}, 1000));
  set_allocator(Cuda{}, &plain);
  StorageHandle during(Memory<Cuda>::allocate({}, 1000));
  CHECK(&allocator() == &plain);
  CHECK(plain.live == 1);
  CHECK(plain.asked == 1024);  // whole vectors
  before = {};
  CHECK(plain.live == 1);
  set_allocator(Cuda{}, nullptr);
  CHECK(&allocator() != &plain);
  during = {};
  CHECK(plain.live == 0);
}
