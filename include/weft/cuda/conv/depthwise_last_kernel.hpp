// The kernels of depthwise convolutions of channels-last images, by neighbouring channels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because the kernels share how neighbouring channels are moved.

#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/primitive/vector.hpp"

namespace weft::on_cuda {

/// The kernels' arguments: sizes of the images that are read and written.
template <class T>
struct DepthwiseLastGrid {
  const T* from;
  const T* weight;  // (filter, tap)
  const T* bias;    // or null
  T* to;
  const T* gradient;  // of the results, for the weight's
  compute_t<T>* sums;
  int channels;
  int in[2];
  int out[2];
  int padding[2];
  int stride[2];
  int dilation[2];
  int gaps[2];   // of the places counted so only each so many is there: strides, on the way back
  bool flipped;  // taps from the last to the first
  unsigned items;
  unsigned each;  // rows of a part
  FastDivmod groups;
  FastDivmod rows;
};

/// Neighbours in a row that a thread computes.
inline constexpr int depthwise_outputs = 4;

#if defined(__CUDACC__)
/// N neighbouring elements, 16 bytes at most, that one instruction moves.
template <class T, int N>
struct alignas(sizeof(T) * N) Channels {
  T element[N];

  /// Zeros where `there` is false.
  static __device__ __forceinline__ Channels load(const T* from, bool there) {
    Channels x{};
    if (there) x = *reinterpret_cast<const Channels*>(from);
    return x;
  }
  __device__ __forceinline__ compute_t<T> operator[](int i) const {
    return load_element(element[i]);
  }
};

/// The index of a place among those that exist; false if it does not.
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

/// A thread's part of the weight's gradient.
template <class C, int K, int V>
struct DepthwiseTaps {
  C sum[K * K][V];
};

/// Adds what a band of rows of an image gives where strides and dilations are 1. Walks the image's
/// columns; the K columns of the gradient that meet one stay in registers, while the next column of
/// both is loaded.
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
#endif

}  // namespace weft::on_cuda
