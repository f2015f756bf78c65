// SPDX-License-Identifier: Apache-2.0
#ifdef __CUDACC__
#include <weft/io/cuda.hpp>

#include "test.hpp"

using namespace weft;

TEST_CASE("[gpu] DLPack: there and back shares the elements") {
  const Tensor x = arange<float>(6, Cuda{}).reshape({2, 3});
  auto lent = to_dlpack(x.t());
  CHECK(lent->tensor.device.type == dlpack::cuda);
  CHECK(lent->tensor.device.id == x.device().ordinal);
  const Tensor y = from_dlpack(lent.release()).get<float, Cuda>();
  CHECK(y.data() == x.data());
  y += 1.0F;
  CHECK(x.to(Cpu{}).at(1, 2) == 6);
  const Tensor<float, CudaAt<0>> z =
      from_dlpack(to_dlpack(x.to(Cuda{0})).release()).get<float, CudaAt<0>>();
  CHECK(equal(z, x.to(Cuda{0})));
  CHECK_SAYS("on device type 2", from_dlpack(to_dlpack(x).release()).get<float>());
}

TEST_CASE(
    "[gpu] DLPack: work waits for the producer's stream, which waits before the deleter runs") {
  constexpr int64_t n = 1 << 24;
  cudaStream_t theirs = nullptr;
  weft::cuda::check(cudaStreamCreateWithFlags(&theirs, cudaStreamNonBlocking), "test");
  float* memory = nullptr;
  weft::cuda::check(cudaMalloc(&memory, n * sizeof(float)), "test");
  for (int round = 0; round < 10; ++round) {
    weft::cuda::check(cudaMemsetAsync(memory, 0, n * sizeof(float), theirs), "test");
    int64_t shape[] = {n};
    bool deleted = false;
    dlpack::Managed managed{
        {memory, {dlpack::cuda, 0}, 1, {2, 32, 1}, shape, nullptr, 0},
        &deleted,
        [](dlpack::Managed* self) { *static_cast<bool*>(self->context) = true; }};
    {
      const Tensor x = from_dlpack(&managed, {.stream = theirs}).get<float, Cuda>();
      for (int i = 0; i < 10; ++i) x += 1.0F;
    }
    CHECK(deleted);
    // Ordered on their stream: all ten additions are done when this copy runs.
    float last = 0;
    weft::cuda::check(
        cudaMemcpyAsync(&last, memory + n - 1, sizeof last, cudaMemcpyDeviceToHost, theirs),
        "test");
    weft::cuda::check(cudaStreamSynchronize(theirs), "test");
    CHECK(last == 10);
  }
  // And as a consumer: their stream sees what weft wrote, and weft's next write waits for it.
  for (int round = 0; round < 10; ++round) {
    Tensor x = zeros({n}, Cuda{});
    for (int i = 0; i < 10; ++i) x += 1.0F;
    const auto lent = to_dlpack(x, {.stream = theirs});
    float last = 0;
    weft::cuda::check(cudaMemcpyAsync(memory, lent->tensor.data, n * sizeof(float),
                                      cudaMemcpyDeviceToDevice, theirs),
                      "test");
    x += 1.0F;
    weft::cuda::check(
        cudaMemcpyAsync(&last, memory + n - 1, sizeof last, cudaMemcpyDeviceToHost, theirs),
        "test");
    weft::cuda::check(cudaStreamSynchronize(theirs), "test");
    CHECK(last == 10);
  }
  weft::cuda::check(cudaFree(memory), "test");
  weft::cuda::synchronize();
  weft::cuda::check(cudaStreamSynchronize(theirs), "test");
}

TEST_CASE("[gpu] DLPack: memory of another device than the tensor says") {
  float memory[4] = {};
  int64_t shape[] = {4};
  int deleted = 0;
  dlpack::Managed managed{{memory, {dlpack::cuda, 0}, 1, {2, 32, 1}, shape, nullptr, 0},
                          &deleted,
                          [](dlpack::Managed* self) { ++*static_cast<int*>(self->context); }};
  CHECK_SAYS("memory that is not on cuda:0", from_dlpack(&managed).get<float, Cuda>());
  CHECK(deleted == 1);
  managed.tensor.device.id = 77;
  CHECK_SAYS("a tensor on cuda:77 of", from_dlpack(&managed).get<float, Cuda>());
  CHECK(deleted == 2);
}
#endif
