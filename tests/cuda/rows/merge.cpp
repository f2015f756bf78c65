// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/rows/merge.hpp>

#include <vector>

#include "test.hpp"

using weft::Cuda;
using weft::cuda::detail::RowTeam;

namespace {

/// out[t] = the sum of what the threads give that share thread t's row; thread t gives t + 1.
__global__ void sum_groups(RowTeam team, long long* out) {
  extern __shared__ __align__(128) char scratch[];
  using State = weft::reducer::Sum<long long>;
  const State mine{static_cast<long long>(threadIdx.x) + 1};
  const State all = weft::cuda::detail::merge_team(weft::reducer::sum{}, mine, team, scratch);
  out[blockIdx.x * blockDim.x + threadIdx.x] = all.value;
}

std::vector<std::int64_t> sums(RowTeam team, unsigned threads) {
  const auto out = weft::zeros<std::int64_t>({threads}, Cuda{});
  sum_groups<<<1, threads, 8192, weft::cuda::current_stream().handle()>>>(
      team, reinterpret_cast<long long*>(out.data()));
  weft::cuda::check(cudaGetLastError(), "sum_groups");
  return out.to_vector();
}

}  // namespace

TEST_CASE("lanes that share a row get its sum [gpu]") {
  for (unsigned width : {1U, 2U, 4U, 8U, 16U, 32U}) {
    CAPTURE(width);
    const auto found = sums({width, 1, 1, false, false, 0, 0}, 64);
    for (unsigned t = 0; t < 64; ++t) {
      const std::int64_t first = t / width * width;
      const std::int64_t expected = first * width + std::int64_t{width} * (width + 1) / 2;
      CHECK(found[t] == expected);
    }
  }
}

TEST_CASE("a block that shares a row, also of a number of warps that is no power of two [gpu]") {
  for (unsigned warps : {2U, 3U, 5U, 8U}) {
    CAPTURE(warps);
    unsigned rounded = 1;
    while (rounded < warps) rounded *= 2;
    const unsigned threads = 32 * warps;
    for (std::int64_t found : sums({threads, rounded, 1, false, false, 0, 0}, threads)) {
      CHECK(found == std::int64_t{threads} * (threads + 1) / 2);
    }
  }
}

TEST_CASE("columns: the threads of a row are 32 apart [gpu]") {
  const auto found = sums({4, 1, 1, true, false, 0, 0}, 128);
  for (int t = 0; t < 128; ++t) {
    CHECK(found[static_cast<std::size_t>(t)] == 4 * (t % 32 + 1) + 32 * (1 + 2 + 3));
  }
}
