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
  team.column = threadIdx.x % 32;
  const auto all = weft::cuda::detail::merge_team(weft::pack_of(weft::reducer::sum{}),
                                                  weft::pack_of(mine), 1, team, scratch);
  out[blockIdx.x * blockDim.x + threadIdx.x] = all.head.value;
}

/// out[t] = what thread t knows of 2^-10 t merged with those that share its row, twice over.
__global__ void merge_twice(RowTeam team, unsigned area, float* out) {
  extern __shared__ __align__(128) char row_threads_scratch[];
  weft::reducer::Sum<float> s{static_cast<float>(threadIdx.x)};
  team.column = threadIdx.x % 32;
  for (unsigned turn = 0; turn < 2; ++turn) {
    team.area = area;
    team.turn = turn;
    const auto merged = weft::cuda::detail::merge_team(
        weft::pack_of(weft::reducer::sum{}), weft::pack_of(s), 1, team, row_threads_scratch);
    s.value = turn == 0 ? s.value + merged.head.value : merged.head.value;
  }
  out[threadIdx.x] = s.value;
}

/// Whether each thread has n + 1 times the sum over the threads for which same(t, u).
template <class Same>
bool merges(RowTeam team, unsigned threads, Same same) {
  auto out = weft::zeros({threads}, Cuda{});
  const unsigned area = 8 * (team.columns ? threads : 40U);
  merge_twice<<<1, threads, 2 * area>>>(team, area, out.data());
  const auto got = out.to_vector();
  for (unsigned t = 0; t < threads; ++t) {
    float expected = 0;
    float n = 0;
    for (unsigned u = 0; u < threads; ++u) {
      if (!same(t, u)) continue;
      expected += static_cast<float>(u);
      n += 1;
    }
    if (got[t] != expected * (n + 1)) return false;
  }
  return true;
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

TEST_CASE("threads that share a row all have its total [gpu] [sanitize]") {
  for (const unsigned group : {1U, 2U, 8U, 32U}) {
    CAPTURE(group);
    CHECK(merges({group, 1, 1, false, false, 0, 0}, 256,
                 [=](unsigned t, unsigned u) { return t / group == u / group; }));
  }
  for (const unsigned threads : {64U, 96U, 256U}) {
    CAPTURE(threads);
    const unsigned warps = threads == 96 ? 4 : threads / 32;
    CHECK(merges({threads, warps, 1, false, false, 0, 0}, threads,
                 [](unsigned, unsigned) { return true; }));
    CHECK(merges({threads / 32, 1, 1, true, false, 0, 0}, threads,
                 [](unsigned t, unsigned u) { return t % 32 == u % 32; }));
  }
}
