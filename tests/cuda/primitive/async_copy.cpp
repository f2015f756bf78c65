// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/primitive/async_copy.hpp"

#include "test.hpp"

using weft::Cuda;
using weft::Tensor;

namespace {

__global__ void reversed(const float* from, float* to) {
  __shared__ __align__(16) float words[128];
  const unsigned t = threadIdx.x;
  if (t < 8) {
    weft::on_cuda::start_copy<16>(reinterpret_cast<char*>(words + 4 * t),
                                  reinterpret_cast<const char*>(from + 4 * t));
  }
  if (t >= 16 && t < 32) {
    weft::on_cuda::start_copy<8>(reinterpret_cast<char*>(words + 2 * t),
                                 reinterpret_cast<const char*>(from + 2 * t));
  }
  if (t >= 64) {
    weft::on_cuda::start_copy<4>(reinterpret_cast<char*>(words + t),
                                 reinterpret_cast<const char*>(from + t));
  }
  weft::on_cuda::wait_for_copies();
  to[t] = words[127 - t];
}

}  // namespace

TEST_CASE("copies of 4, 8 and 16 bytes are there for all threads after the wait [gpu]") {
  const Tensor<float, Cuda> x = weft::cast<float>(weft::arange(128, Cuda{}));
  const auto y = weft::empty<float, Cuda>({128});
  reversed<<<1, 128>>>(x.data(), y.data());
  CHECK(max(abs(y - (127.0F - x))).item() == 0);
}
