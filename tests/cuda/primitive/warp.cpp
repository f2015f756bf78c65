// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/primitive/warp.hpp>

#include "test.hpp"

namespace {
template <int Width, class T>
__global__ void over_groups(T* sums, T* largest) {
  const T x = static_cast<T>(threadIdx.x * 7 % 32);
  sums[threadIdx.x] = weft::cuda::sum_of_threads<Width>(x);
  largest[threadIdx.x] = weft::cuda::largest_of_threads<Width>(x);
}
__global__ void exchange(weft::complex<float>* out) {
  const auto lane = static_cast<float>(threadIdx.x);
  out[threadIdx.x] = weft::cuda::exchanged(weft::complex<float>(lane, -lane), 5);
}

template <int Width, class T>
void check_groups() {
  const weft::Tensor<T, weft::Cuda> sums = weft::zeros<T>({64}, weft::Cuda{});
  const weft::Tensor<T, weft::Cuda> largest = weft::zeros<T>({64}, weft::Cuda{});
  over_groups<Width><<<1, 64>>>(sums.data(), largest.data());
  const auto all_sums = sums.to_vector();
  const auto all_largest = largest.to_vector();
  for (int i = 0; i < 64; ++i) {
    int sum = 0;
    int most = 0;
    for (int j = i / Width * Width; j < (i / Width + 1) * Width; ++j) {
      sum += j * 7 % 32;
      most = j * 7 % 32 > most ? j * 7 % 32 : most;
    }
    CHECK(all_sums[static_cast<std::size_t>(i)] == static_cast<T>(sum));
    CHECK(all_largest[static_cast<std::size_t>(i)] == static_cast<T>(most));
  }
}
}  // namespace

TEST_CASE("sums and maxima over groups of a warp's threads [gpu]") {
  check_groups<1, float>();
  check_groups<4, float>();
  check_groups<16, double>();
  check_groups<32, int>();
}

TEST_CASE("a thread's value in another one [gpu]") {
  using Z = weft::complex<float>;
  const auto out = weft::zeros<Z>({32}, weft::Cuda{});
  exchange<<<1, 32>>>(out.data());
  const auto values = out.to_vector();
  for (int i = 0; i < 32; ++i) {
    const auto other = static_cast<float>(i ^ 5);
    CHECK(values[static_cast<std::size_t>(i)] == Z(other, -other));
  }
}
