// Inputs of the GPU benchmarks, known on the host, and sums over them there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

#include "weft/cuda.hpp"

namespace bench {

using weft::int64_t;
template <class T = float>
using Gpu = weft::Tensor<T, weft::Cuda>;

/// Run r works on set r % set_count, so that no operand is still in L2 from the run before.
inline unsigned set_count = 3;

/// Evenly spread inputs on [-1, 1) or on [0, 1); either way multiples of 2^-24, known on the host.
enum class Range { centred, unit };

WEFT_HD inline float input(unsigned seed, int64_t i, Range range = Range::centred) {
  unsigned h = static_cast<unsigned>(i) * 0x9E3779B9U + seed * 0x85EBCA6BU;
  h = (h ^ (h >> 16)) * 0x7FEB352DU;
  h = (h ^ (h >> 15)) * 0x846CA68BU;
  h ^= h >> 16;
  const float unit = static_cast<float>(h >> 8) * 0x1p-24F;
  return range == Range::unit ? unit : 2 * unit - 1;
}

/// The same cut to what bfloat16 holds.
WEFT_HD inline float short_input(unsigned seed, int64_t i) {
  const float x = input(seed, i);
  return __builtin_bit_cast(float, __builtin_bit_cast(unsigned, x) & 0xFFFF0000U);
}

template <class T>
__global__ void fill_kernel(T* out, int64_t n, unsigned seed, Range range) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if constexpr (sizeof(T) == 2) {
    const auto bits = __builtin_bit_cast(unsigned, short_input(seed, i)) >> 16;
    out[i] = __builtin_bit_cast(T, static_cast<std::uint16_t>(bits));
  } else {
    out[i] = input(seed, i, range);
  }
}

/// A tensor of inputs; operand k of set s has the seed 16 s + k, so those of set 0 have k.
template <class T = float>
Gpu<T> filled(const weft::Shape& shape, unsigned seed, Range range = Range::centred) {
  auto x = weft::empty<T>(shape, weft::Cuda{});
  const auto blocks = static_cast<unsigned>((x.size() + 255) / 256);
  fill_kernel<<<blocks, 256, 0, weft::cuda::current_stream().handle()>>>(x.data(), x.size(), seed,
                                                                         range);
  weft::cuda::check(cudaGetLastError(), "bench");
  return x;
}

/// The buffers of one case: make(first seed) for each set.
template <class F>
auto make_sets(F make) {
  std::vector<decltype(make(0U))> sets;
  for (unsigned s = 0; s < set_count; ++s) sets.push_back(make(16 * s));
  return sets;
}

/// Calls f(part, begin, end) for the parts of [0, n), on all cores where there is enough to do.
template <class F>
int in_parallel(int64_t n, const F& f) {
  const int64_t parts = n < (1 << 22) ? 1 : std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (int64_t p = 1; p < parts; ++p) {
    threads.emplace_back([&f, n, p, parts] { f(p, n * p / parts, n * (p + 1) / parts); });
  }
  f(0, 0, n / parts);
  for (std::thread& t : threads) t.join();
  return static_cast<int>(parts);
}

/// The sum of term(i) for i in [0, n), in double.
template <class F>
double sum_of(int64_t n, const F& term) {
  std::vector<double> partial(std::max(1U, std::thread::hardware_concurrency()));
  in_parallel(n, [&](int64_t part, int64_t begin, int64_t end) {
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += term(i);
    partial[static_cast<std::size_t>(part)] = sum;
  });
  double sum = 0;
  for (double p : partial) sum += p;
  return sum;
}

}  // namespace bench
