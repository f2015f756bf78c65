// The kernel of depthwise convolutions of channels-last images: neighbouring channels a thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/conv/depthwise_last_grid.hpp"

namespace weft::on_cuda {

#if defined(__CUDACC__)
/// The number of a place among those that are there; false for one that is not.
__device__ __forceinline__ bool between_gaps(int& at, int gaps) {
  if (gaps == 1) return true;
  const int whole = at / gaps;
  const bool there = whole * gaps == at;
  at = whole;
  return there;
}

/// Results, or with flipped taps the gradient of the images. Unit: strides, dilations and gaps are
/// 1 along a row.
template <class T, int K, bool Unit>
__global__ void __launch_bounds__(block_threads, 2)
    depthwise_last(const __grid_constant__ DepthwiseLastGrid<T> grid) {
  using C = compute_t<T>;
  constexpr int V = 16 / static_cast<int>(sizeof(T));
  constexpr int N = depthwise_outputs;
  extern __shared__ __align__(16) unsigned char depthwise_memory[];
  C* const taps = reinterpret_cast<C*>(depthwise_memory);  // (tap, channel of the block)
  const int wide = static_cast<int>(blockDim.x) * V;
  const int first = static_cast<int>(blockIdx.y) * wide;
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  for (int i = thread; i < K * K * wide; i += static_cast<int>(blockDim.x * blockDim.y)) {
    const int tap = i / wide;
    const int c = first + i % wide;
    const int at = grid.flipped ? K * K - 1 - tap : tap;
    taps[i] = c < grid.channels ? load_element(grid.weight[c * K * K + at]) : C(0);
  }
  __syncthreads();
  const int c = first + static_cast<int>(threadIdx.x) * V;
  if (c >= grid.channels) return;
  C start[V];
#pragma unroll
  for (int v = 0; v < V; ++v) {
    start[v] = grid.bias != nullptr ? load_element(grid.bias[c + v]) : C(0);
  }
  const C* const own = taps + threadIdx.x * V;
  for (unsigned item = blockIdx.x * blockDim.y + threadIdx.y; item < grid.items;
       item += gridDim.x * blockDim.y) {
    const unsigned line = grid.groups.divide(item);
    const int x = static_cast<int>(item - line * grid.groups.divisor) * N;
    const unsigned n = grid.rows.divide(line);
    const int y = static_cast<int>(line - n * grid.rows.divisor);
    C sum[N][V];
#pragma unroll
    for (int o = 0; o < N; ++o) {
#pragma unroll
      for (int v = 0; v < V; ++v) sum[o][v] = start[v];
    }
    const int from_x = x * grid.stride[1] - grid.padding[1];
#pragma unroll
    for (int ky = 0; ky < K; ++ky) {
      int from_y = y * grid.stride[0] - grid.padding[0] + ky * grid.dilation[0];
      if (!between_gaps(from_y, grid.gaps[0]) || from_y < 0 || from_y >= grid.in[0]) continue;
      const T* const row =
          grid.from + (int64_t{n} * grid.in[0] + from_y) * grid.in[1] * grid.channels + c;
      C factor[K][V];
#pragma unroll
      for (int kx = 0; kx < K; ++kx) {
#pragma unroll
        for (int v = 0; v < V; ++v) factor[kx][v] = own[(ky * K + kx) * wide + v];
      }
      if constexpr (Unit) {
        Channels<T, V> value[N + K - 1];  // all on their way before the first is used
#pragma unroll
        for (int j = 0; j < N + K - 1; ++j) {
          const bool there = from_x + j >= 0 && from_x + j < grid.in[1];
          value[j] = Channels<T, V>::load(row + (from_x + j) * grid.channels, there);
        }
#pragma unroll
        for (int j = 0; j < N + K - 1; ++j) {
#pragma unroll
          for (int v = 0; v < V; ++v) {
            const C x_v = value[j][v];
#pragma unroll
            for (int kx = 0; kx < K; ++kx) {
              if (j - kx >= 0 && j - kx < N) sum[j - kx][v] += factor[kx][v] * x_v;
            }
          }
        }
      } else {
#pragma unroll
        for (int o = 0; o < N; ++o) {
          Channels<T, V> value[K];
#pragma unroll
          for (int kx = 0; kx < K; ++kx) {
            int at = from_x + o * grid.stride[1] + kx * grid.dilation[1];
            const bool there = between_gaps(at, grid.gaps[1]) && at >= 0 && at < grid.in[1];
            value[kx] = Channels<T, V>::load(row + at * grid.channels, there);
          }
#pragma unroll
          for (int kx = 0; kx < K; ++kx) {
#pragma unroll
            for (int v = 0; v < V; ++v) sum[o][v] += factor[kx][v] * value[kx][v];
          }
        }
      }
    }
    T* const to = grid.to + (int64_t{line} * grid.out[1] + x) * grid.channels + c;
#pragma unroll
    for (int o = 0; o < N; ++o) {
      if (x + o >= grid.out[1]) break;
      Channels<T, V> raw;
#pragma unroll
      for (int v = 0; v < V; ++v) raw.element[v] = store_element<T>(sum[o][v]);
      *reinterpret_cast<Channels<T, V>*>(to + o * grid.channels) = raw;
    }
  }
}

#endif

}  // namespace weft::on_cuda
