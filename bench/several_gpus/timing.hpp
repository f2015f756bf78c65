// What the programs for several GPUs share: a start, times on the slowest rank, lines of JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda.hpp"
#include "weft/cuda/gradient.hpp"
#include "weft/cuda/matmul.hpp"
#include "weft/cuda/tf32.hpp"
#include "weft/dist.hpp"
#include "weft/nn.hpp"
#include "weft/optim.hpp"

#include <algorithm>
#include <cstdio>

namespace timing {
using namespace weft;

/// The milliseconds of one call of f on the current stream: the median of five rounds of n calls,
/// on the slowest rank.
template <class F>
double time_of(const dist::Group& g, Cuda device, int n, const F& f) {
  for (int i = 0; i < 3; ++i) f();
  std::vector<float> rounds;
  for (int round = 0; round < 5; ++round) {
    g.barrier(device);
    weft::cuda::Event begin(true), end(true);
    begin.record();
    for (int i = 0; i < n; ++i) f();
    end.record();
    end.synchronize();
    rounds.push_back(static_cast<float>(end.milliseconds_since(begin) / n));
  }
  std::sort(rounds.begin(), rounds.end());
  const Tensor<float, Cuda> slowest = full({1}, rounds[2], device);
  g.all_reduce(slowest, dist::Reduce::maximum);
  return slowest.item();
}

/// Rank 0's line.
inline void report(const dist::Group& g, const char* name, const char* mode, double ms,
                   double bytes = 0, double peak = 0) {
  if (g.rank() > 0) return;
  std::printf("{\"case\": \"%s\", \"mode\": \"%s\", \"ms\": %.4f", name, mode, ms);
  if (bytes > 0) std::printf(", \"held\": %.4f, \"peak\": %.4f", bytes, peak);
  std::printf("}\n");
  std::fflush(stdout);
}

/// f(group, device), with its error as a line.
template <class F>
int main(const F& f) {
  try {
    const dist::Group g = dist::init({.timeout = 60});
    f(g, g.device<Cuda>());
    g.barrier();
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace timing
