// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/primitive/cub.hpp>

#include "test.hpp"

TEST_CASE("a call is made twice: for the size, then with memory [gpu]") {
  int calls = 0;
  const auto call = [&](void* room, std::size_t& bytes, cudaStream_t stream) {
    CHECK(stream == weft::cuda::current_stream().handle());
    CHECK((room != nullptr) == (calls++ > 0));
    bytes = 0;
    return cudaSuccess;
  };
  weft::cuda::run_cub("test", weft::Cuda{}, call);
  CHECK(calls == 2);
  CHECK_THROWS_AS(
      weft::cuda::run_cub("test", weft::Cuda{},
                          [](void*, std::size_t&, cudaStream_t) { return cudaErrorInvalidValue; }),
      weft::DeviceError);
}
