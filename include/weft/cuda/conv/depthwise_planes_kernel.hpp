// The kernels of depthwise convolutions of contiguous images, by columns of a few results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/primitive/vector.hpp"

namespace weft::on_cuda {

/// The kernels' arguments: sizes of the images that are read and written.
template <class T>
struct DepthwisePlanesGrid {
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
  int gap_mask[2];   // of the places counted so only those are there whose bits in it are 0,
  int gap_shift[2];  // at a place so much less: strides that are powers of 2, on the way back
  bool flipped;      // taps from the last to the first
  unsigned items;    // threads with work, in the results' kernel
  unsigned images;
  unsigned each;  // images of a part
  FastDivmod across;
  FastDivmod bands;
};

/// The number of results in a column that a thread computes.
inline constexpr int depthwise_rows = 4;

#if defined(__CUDACC__)
/// Results, or with flipped taps the gradient of the images. A thread has the taps in registers and
/// computes the same places of some images; neighbouring threads read neighbours, once more for
/// each tap of a row, from L1. Unit: strides, dilations and gaps are 1, so that a row that is read
/// serves all results that see it.
template <class T, int K, bool Unit>
__global__ void __launch_bounds__(block_threads, K == 3 ? 4 : 3)
    depthwise_planes(const __grid_constant__ DepthwisePlanesGrid<T> grid) {
  using C = compute_t<T>;
  constexpr int R = depthwise_rows;
  const unsigned item = blockIdx.x * block_threads + threadIdx.x;
  if (item >= grid.items) return;
  const unsigned line = grid.across.divide(item);
  const int x = static_cast<int>(item - line * grid.across.divisor);
  const unsigned c = grid.bands.divide(line);
  const int y = static_cast<int>(line - c * grid.bands.divisor) * R;
  C factor[K * K];
#pragma unroll
  for (int tap = 0; tap < K * K; ++tap) {
    factor[tap] = load_element(grid.weight[c * (K * K) + (grid.flipped ? K * K - 1 - tap : tap)]);
  }
  const C start = grid.bias != nullptr ? load_element(grid.bias[c]) : C(0);
  const int width = grid.in[1];
  const int from_y = y * grid.stride[0] - grid.padding[0];
  int column[K];
  bool has[K];
#pragma unroll
  for (int kx = 0; kx < K; ++kx) {
    const int at = x * grid.stride[1] - grid.padding[1] + kx * grid.dilation[1];
    column[kx] = at >> grid.gap_shift[1];
    has[kx] = at >= 0 && column[kx] < width && (at & grid.gap_mask[1]) == 0;
  }
  const int64_t in_step = int64_t{grid.channels} * grid.in[0] * width;
  const int64_t to_step = int64_t{grid.channels} * grid.out[0] * grid.out[1];
  const unsigned first = blockIdx.y * grid.each;
  const unsigned end = first + grid.each < grid.images ? first + grid.each : grid.images;
  const T* in = grid.from + first * in_step + int64_t{c} * grid.in[0] * width;
  T* to = grid.to + first * to_step + (int64_t{c} * grid.out[0] + y) * grid.out[1] + x;
  for (unsigned n = first; n < end; ++n, in += in_step, to += to_step) {
    C sum[R];
#pragma unroll
    for (int o = 0; o < R; ++o) sum[o] = start;
    if constexpr (Unit) {
      T value[R + K - 1][K];  // all on their way before the first is used
      const T* row = in + (from_y * width + column[0]);
#pragma unroll
      for (int r = 0; r < R + K - 1; ++r, row += width) {
        const bool there = from_y + r >= 0 && from_y + r < grid.in[0];
#pragma unroll
        for (int kx = 0; kx < K; ++kx) {
          value[r][kx] = T{};
          if (there && has[kx]) value[r][kx] = row[kx];
        }
      }
#pragma unroll
      for (int r = 0; r < R + K - 1; ++r) {
#pragma unroll
        for (int kx = 0; kx < K; ++kx) {
          const C seen = load_element(value[r][kx]);
#pragma unroll
          for (int ky = 0; ky < K; ++ky) {
            if (r - ky >= 0 && r - ky < R) sum[r - ky] += factor[ky * K + kx] * seen;
          }
        }
      }
    } else {
#pragma unroll
      for (int o = 0; o < R; ++o) {
#pragma unroll
        for (int ky = 0; ky < K; ++ky) {
          const int at = from_y + o * grid.stride[0] + ky * grid.dilation[0];
          const int row = at >> grid.gap_shift[0];
          if (at < 0 || row >= grid.in[0] || (at & grid.gap_mask[0]) != 0) continue;
#pragma unroll
          for (int kx = 0; kx < K; ++kx) {
            T value{};
            if (has[kx]) value = in[row * width + column[kx]];
            sum[o] += factor[ky * K + kx] * load_element(value);
          }
        }
      }
    }
#pragma unroll
    for (int o = 0; o < R; ++o) {
      if (y + o < grid.out[0]) to[o * grid.out[1]] = store_element<T>(sum[o]);
    }
  }
}

/// The weight's gradient: a block adds up a part of the images for a channel, in a fixed order.
template <class T, int K, bool Unit>
__global__ void __launch_bounds__(block_threads, K == 3 ? 4 : 3)
    depthwise_planes_weights(const __grid_constant__ DepthwisePlanesGrid<T> grid) {
  using C = compute_t<T>;
  constexpr int R = depthwise_rows;
  constexpr int warps = block_threads / 32;
  const unsigned c = blockIdx.x;
  const unsigned first = blockIdx.y * grid.each;
  const unsigned images = grid.images - first < grid.each ? grid.images - first : grid.each;
  const unsigned items = images * grid.bands.divisor * grid.across.divisor;
  const int width = grid.in[1];
  const int in_plane = grid.in[0] * width;
  const int out_plane = grid.out[0] * grid.out[1];
  C sum[K * K];
#pragma unroll
  for (int tap = 0; tap < K * K; ++tap) sum[tap] = 0;
  for (unsigned item = threadIdx.x; item < items; item += block_threads) {
    const unsigned line = grid.across.divide(item);
    const int x = static_cast<int>(item - line * grid.across.divisor);
    const unsigned n = grid.bands.divide(line);
    const int y = static_cast<int>(line - n * grid.bands.divisor) * R;
    const int64_t plane = int64_t{first + n} * grid.channels + c;
    const T* const upstream = grid.gradient + plane * out_plane + y * grid.out[1] + x;
    const T* const in = grid.from + plane * in_plane;
    const int from_y = y * grid.stride[0] - grid.padding[0];
    const int from_x = x * grid.stride[1] - grid.padding[1];
    T g[R];
#pragma unroll
    for (int o = 0; o < R; ++o) {
      g[o] = T{};
      if (y + o < grid.out[0]) g[o] = upstream[o * grid.out[1]];
    }
    if constexpr (Unit) {
      T value[R + K - 1][K];
      const T* row = in + (from_y * width + from_x);
#pragma unroll
      for (int r = 0; r < R + K - 1; ++r, row += width) {
        const bool there = from_y + r >= 0 && from_y + r < grid.in[0];
#pragma unroll
        for (int kx = 0; kx < K; ++kx) {
          value[r][kx] = T{};
          if (there && from_x + kx >= 0 && from_x + kx < width) value[r][kx] = row[kx];
        }
      }
#pragma unroll
      for (int r = 0; r < R + K - 1; ++r) {
#pragma unroll
        for (int kx = 0; kx < K; ++kx) {
          const C seen = load_element(value[r][kx]);
#pragma unroll
          for (int ky = 0; ky < K; ++ky) {
            if (r - ky >= 0 && r - ky < R) sum[ky * K + kx] += load_element(g[r - ky]) * seen;
          }
        }
      }
    } else {
#pragma unroll
      for (int o = 0; o < R; ++o) {
#pragma unroll
        for (int ky = 0; ky < K; ++ky) {
          const int row = from_y + o * grid.stride[0] + ky * grid.dilation[0];
          if (row < 0 || row >= grid.in[0]) continue;
#pragma unroll
          for (int kx = 0; kx < K; ++kx) {
            const int at = from_x + kx * grid.dilation[1];
            T value{};
            if (at >= 0 && at < width) value = in[row * width + at];
            sum[ky * K + kx] += load_element(g[o]) * load_element(value);
          }
        }
      }
    }
  }
  __shared__ C tile[K * K][warps];
#pragma unroll
  for (int tap = 0; tap < K * K; ++tap) {
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) {
      sum[tap] += __shfl_down_sync(0xffffffffU, sum[tap], apart);
    }
    if (threadIdx.x % 32 == 0) tile[tap][threadIdx.x / 32] = sum[tap];
  }
  __syncthreads();
  if (threadIdx.x < K * K) {
    C total = 0;
    for (int i = 0; i < warps; ++i) total += tile[threadIdx.x][i];
    grid.sums[(int64_t{blockIdx.y} * grid.channels + c) * (K * K) + threadIdx.x] = total;
  }
}
#endif

}  // namespace weft::on_cuda
