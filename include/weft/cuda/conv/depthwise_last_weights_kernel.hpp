// The kernel of a depthwise convolution's gradient of its weight, of channels-last images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/conv/depthwise_last_grid.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

/// What a thread adds up of the weight's gradient.
template <class C, int K, int V>
struct DepthwiseTaps {
  C sum[K * K][V];
};

/// Adds what a band of rows of an image gives where strides and dilations are 1. Columns of the
/// image go by; those of the gradient that it meets stay in registers, K of them, and the next
/// column of both is on its way.
template <class T, int K, int V>
__device__ __forceinline__ void add_band(const DepthwiseLastGrid<T>& grid, const T* image,
                                         const T* upstream, int y,
                                         DepthwiseTaps<compute_t<T>, K, V>& taps) {
  using C = compute_t<T>;
  constexpr int R = depthwise_outputs;
  const int from_y = y - grid.padding[0];
  Channels<T, V> next[R + K - 1];
  Channels<T, V> next_g[R];
  const auto read = [&](int x) {
#pragma unroll
    for (int r = 0; r < R + K - 1; ++r) {
      const int at = from_y + r;
      const bool there = at >= 0 && at < grid.in[0] && x < grid.in[1];
      next[r] = Channels<T, V>::load(image + (at * grid.in[1] + x) * grid.channels, there);
    }
  };
  const auto read_gradient = [&](int x) {
#pragma unroll
    for (int o = 0; o < R; ++o) {
      const bool there = y + o < grid.out[0] && x >= 0 && x < grid.out[1];
      next_g[o] = Channels<T, V>::load(upstream + (o * grid.out[1] + x) * grid.channels, there);
    }
  };
  C g[K][R][V];
  const auto keep = [&](int slot) {
#pragma unroll
    for (int o = 0; o < R; ++o) {
#pragma unroll
      for (int v = 0; v < V; ++v) g[slot][o][v] = next_g[o][v];
    }
  };
  // Column x of the image meets columns x + padding - kx of the gradient.
#pragma unroll
  for (int slot = 1; slot < K; ++slot) {
    read_gradient(grid.padding[1] - K + slot);
    keep(slot);
  }
  read(0);
  read_gradient(grid.padding[1]);
  for (int start = 0; start < grid.in[1]; start += K) {
#pragma unroll
    for (int u = 0; u < K; ++u) {
      const int x = start + u;
      if (x >= grid.in[1]) break;
      keep(u);
      C seen[R + K - 1][V];
#pragma unroll
      for (int r = 0; r < R + K - 1; ++r) {
#pragma unroll
        for (int v = 0; v < V; ++v) seen[r][v] = next[r][v];
      }
      read(x + 1);
      read_gradient(x + 1 + grid.padding[1]);
#pragma unroll
      for (int kx = 0; kx < K; ++kx) {
#pragma unroll
        for (int ky = 0; ky < K; ++ky) {
#pragma unroll
          for (int o = 0; o < R; ++o) {
#pragma unroll
            for (int v = 0; v < V; ++v) {
              taps.sum[ky * K + kx][v] += g[(u - kx + K) % K][o][v] * seen[o + ky][v];
            }
          }
        }
      }
    }
  }
}

/// The weight's gradient: each part's sums over its rows of all images, or where strides and
/// dilations are 1 over bands of them, in a fixed order.
template <class T, int K, int V, bool Unit>
__global__ void __launch_bounds__(block_threads, 2)
    depthwise_last_weights(const __grid_constant__ DepthwiseLastGrid<T> grid) {
  using C = compute_t<T>;
  __shared__ C tile[K * K * block_threads * V];  // (tap, row, channel)
  const int c = static_cast<int>(blockIdx.y * blockDim.x + threadIdx.x) * V;
  const bool there = c < grid.channels;
  DepthwiseTaps<C, K, V> taps;
  C(&sum)[K * K][V] = taps.sum;
#pragma unroll
  for (int tap = 0; tap < K * K; ++tap) {
#pragma unroll
    for (int v = 0; v < V; ++v) sum[tap][v] = 0;
  }
  const unsigned begin = blockIdx.x * grid.each;
  const unsigned end = begin + grid.each < grid.items ? begin + grid.each : grid.items;
  for (unsigned line = begin + threadIdx.y; there && line < end; line += blockDim.y) {
    const unsigned n = grid.rows.divide(line);
    const int y = static_cast<int>(line - n * grid.rows.divisor) * (Unit ? depthwise_outputs : 1);
    const T* const upstream =
        grid.gradient + (int64_t{n} * grid.out[0] + y) * grid.out[1] * grid.channels + c;
    const T* const image = grid.from + int64_t{n} * grid.in[0] * grid.in[1] * grid.channels + c;
    if constexpr (Unit) {
      add_band<T, K, V>(grid, image, upstream, y, taps);
      continue;
    }
    const int from_y = y * grid.stride[0] - grid.padding[0];
    for (int x = 0; x < grid.out[1]; ++x) {
      const auto g = Channels<T, V>::load(upstream + x * grid.channels, true);
      const int from_x = x * grid.stride[1] - grid.padding[1];
#pragma unroll
      for (int ky = 0; ky < K; ++ky) {
        const int at_y = from_y + ky * grid.dilation[0];
        if (at_y < 0 || at_y >= grid.in[0]) continue;
        const T* const row = image + int64_t{at_y} * grid.in[1] * grid.channels;
#pragma unroll
        for (int kx = 0; kx < K; ++kx) {
          const int at_x = from_x + kx * grid.dilation[1];
          const auto value =
              Channels<T, V>::load(row + at_x * grid.channels, at_x >= 0 && at_x < grid.in[1]);
#pragma unroll
          for (int v = 0; v < V; ++v) sum[ky * K + kx][v] += g[v] * value[v];
        }
      }
    }
  }
  const int wide = static_cast<int>(blockDim.x) * V;
  const int rows = static_cast<int>(blockDim.y);
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
#pragma unroll
  for (int tap = 0; tap < K * K; ++tap) {
#pragma unroll
    for (int v = 0; v < V; ++v) tile[(tap * block_threads + thread) * V + v] = sum[tap][v];
  }
  __syncthreads();
  for (int i = thread; i < K * K * wide; i += rows * static_cast<int>(blockDim.x)) {
    const int tap = i / wide;
    const int lane = i % wide;
    C total = 0;
    for (int r = 0; r < rows; ++r) total += tile[tap * block_threads * V + r * wide + lane];
    const int at = static_cast<int>(blockIdx.y) * wide + lane;
    if (at < grid.channels) {
      grid.sums[(int64_t{blockIdx.x} * grid.channels + at) * K * K + tap] = total;
    }
  }
}

}  // namespace weft::on_cuda

#endif
