// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/threads.hpp"

#include "test.hpp"

using weft::cuda::detail::RowTeam;

namespace {

/// out[t] = what thread t knows of 2^-10 t merged with those that share its row, twice over.
__global__ void merge_twice(RowTeam team, unsigned area, float* out) {
  extern __shared__ __align__(128) char row_threads_scratch[];
  weft::reducer::Sum<float> s{static_cast<float>(threadIdx.x)};
  for (unsigned turn = 0; turn < 2; ++turn) {
    team.area = area;
    team.turn = turn;
    const auto merged =
        weft::cuda::detail::merge_team(weft::reducer::sum{}, s, team, row_threads_scratch);
    s.value = turn == 0 ? s.value + merged.value : merged.value;
  }
  out[threadIdx.x] = s.value;
}

/// Whether each thread has n + 1 times the sum over the threads for which same(t, u).
template <class Same>
bool merges(RowTeam team, unsigned threads, Same same) {
  auto out = weft::zeros({threads}, weft::Cuda{});
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

}  // namespace

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
