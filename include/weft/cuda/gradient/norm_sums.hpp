// The sums of a norm's gradients: along a row, by the threads that share it, and over rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/gradient/norm_plan.hpp"
#include "weft/cuda/rows/exchange.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

/// Two sums over the threads that share a row, returned to each of them.
template <class C>
__device__ __forceinline__ void sum_of_row(C& a, C& b, unsigned group, unsigned turn) {
  const unsigned width = group < 32 ? group : 32;
#pragma unroll
  for (unsigned w = 16; w > 0; w /= 2) {
    if (w >= width) continue;
    a += __shfl_xor_sync(~0U, a, w);
    b += __shfl_xor_sync(~0U, b, w);
  }
  if (group <= 32) return;
  __shared__ C parts[2][2][32];
  const unsigned lane = threadIdx.x % 32;
  if (lane == 0) {
    parts[turn % 2][0][threadIdx.x / 32] = a;
    parts[turn % 2][1][threadIdx.x / 32] = b;
  }
  __syncthreads();
  a = lane < group / 32 ? parts[turn % 2][0][lane] : C{};
  b = lane < group / 32 ? parts[turn % 2][1][lane] : C{};
#pragma unroll
  for (unsigned w = 16; w > 0; w /= 2) {
    a += __shfl_xor_sync(~0U, a, w);
    b += __shfl_xor_sync(~0U, b, w);
  }
}

/// Where the blocks of a cluster leave each other their sums, in two turns.
template <class C>
struct NormExchange {
  struct Sums {
    C along;
    C mean;
  };
  struct alignas(16) Area {
    Sums of[norm_parts];
    char barrier[Exchange::barrier_bytes];
  };
  Area area[2];

  __device__ __forceinline__ void begin() {
    Exchange::begin(static_cast<unsigned>(__cvta_generic_to_shared(area)), sizeof(Area));
    Exchange::wait_for_cluster();
  }
  /// Two sums over the threads of each block, then over all blocks; __syncthreads has been called
  /// since the turn before.
  __device__ __forceinline__ void sum(C& along, C& mean, unsigned parts, unsigned turn) {
    Area& mine = area[turn % 2];
    const auto barrier = static_cast<unsigned>(__cvta_generic_to_shared(mine.barrier));
    if (threadIdx.x == 0) Exchange::expect(barrier, sizeof(Sums) * parts);
    if (threadIdx.x < parts) {
      const auto to = static_cast<unsigned>(__cvta_generic_to_shared(mine.of + Exchange::rank()));
      Exchange::send(Sums{along, mean}, to, barrier, threadIdx.x);
    }
    Exchange::wait(barrier, turn / 2 % 2);
    along = mean = C{};
#pragma unroll 1
    for (unsigned p = 0; p < parts; ++p) {
      along += mine.of[p].along;
      mean += mine.of[p].mean;
    }
  }
};

/// Writes a block's line of sums; each thread holds the sums of its elements.
template <int V, class C, int E>
__device__ __forceinline__ void store_line(const C (&sum)[E], C* line, unsigned columns,
                                           unsigned group, unsigned rows_a_block, C* tile) {
  const unsigned lane = threadIdx.x % group;
  if (rows_a_block == 1) {
#pragma unroll
    for (int e = 0; e < E; ++e) {
      const unsigned column = (lane + e / V * group) * V + e % V;
      if (column < columns) line[column] = sum[e];
    }
    return;
  }
  __syncthreads();
#pragma unroll
  for (int e = 0; e < E; ++e) tile[e * 128 + threadIdx.x] = sum[e];
  __syncthreads();
  for (unsigned column = threadIdx.x; column < columns; column += 128) {
    const unsigned vector = column / V;
    const unsigned e = vector / group * V + column % V;
    C total{};
    for (unsigned r = 0; r < rows_a_block; ++r) total += tile[e * 128 + r * group + vector % group];
    line[column] = total;
  }
}

}  // namespace weft::on_cuda::detail

#endif
