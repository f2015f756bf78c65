// The kernels of max pooling over two axes on CUDA, and of its gradient, by vectors of 16 bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/primitive/vector.hpp"
#include "weft/ops/conv/pool_window.hpp"

namespace weft::on_cuda {

/// Images and results, contiguous or channels-last. A thread has one vector of what it writes.
template <class T, class I>
struct PoolGrid {
  const T* from;  // images, or the gradient of the results
  T* to;          // results, or the gradient of the images
  I* index;
  pool::Window window;
  int channels;       // of channels-last images
  FastDivmod across;  // vectors of channels, or of a row
  FastDivmod columns;
  FastDivmod rows;
  unsigned items;
};

#if defined(__CUDACC__)

namespace detail {
/// Splits the place along a dimension off an item's number.
__device__ __forceinline__ int take_place(unsigned& rest, const FastDivmod& size) {
  const unsigned whole = size.divide(rest);
  const auto place = static_cast<int>(rest - whole * size.divisor);
  rest = whole;
  return place;
}
}  // namespace detail

/// The largest of each window of channels-last images, for V channels side by side.
template <class T, class I, int V, bool Places>
__global__ void __launch_bounds__(block_threads)
    pool_last(const __grid_constant__ PoolGrid<T, I> grid) {
  using C = compute_t<T>;
  unsigned rest = blockIdx.x * block_threads + threadIdx.x;
  if (rest >= grid.items) return;
  const int channel = detail::take_place(rest, grid.across) * V;
  const int ox = detail::take_place(rest, grid.columns);
  const int oy = detail::take_place(rest, grid.rows);
  const pool::Window& w = grid.window;
  const int height = w.in[1];
  const int width = w.in[2];
  const int step_y = w.dilation[1];
  const int step_x = w.dilation[2];
  int top = w.begin(1, oy);
  int left = w.begin(2, ox);
  const int bottom = w.end(1, oy) < height ? w.end(1, oy) : height;
  const int right = w.end(2, ox) < width ? w.end(2, ox) : width;
  while (top < 0) top += step_y;
  while (left < 0) left += step_x;
  const T* const image =
      grid.from + static_cast<int64_t>(rest) * height * width * grid.channels + channel;
  C best[V];
  int found[V];
#pragma unroll
  for (int j = 0; j < V; ++j) {
    best[j] = C{};
    found[j] = -1;
  }
  for (int y = top; y < bottom; y += step_y) {
    for (int x = left; x < right; x += step_x) {
      const int place = y * width + x;
      const auto read = *reinterpret_cast<const Vector<T, V>*>(image + static_cast<int64_t>(place) *
                                                                           grid.channels);
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const C value = load_element(read.lane[j]);
        if (found[j] < 0 || value > best[j] || value != value) {
          best[j] = value;
          found[j] = place;
        }
      }
    }
  }
  const int64_t to =
      ((static_cast<int64_t>(rest) * w.out[1] + oy) * w.out[2] + ox) * grid.channels + channel;
  Vector<T, V> values;
#pragma unroll
  for (int j = 0; j < V; ++j) values.lane[j] = static_cast<T>(best[j]);
  *reinterpret_cast<Vector<T, V>*>(grid.to + to) = values;
  if constexpr (Places) {
#pragma unroll
    for (int j = 0; j < V; ++j) grid.index[to + j] = static_cast<I>(found[j]);
  }
}

/// The gradient of channels-last images: for V channels the sum over the windows that chose a
/// place.
template <class T, class I, int V>
__global__ void __launch_bounds__(block_threads)
    pool_last_gradient(const __grid_constant__ PoolGrid<T, I> grid) {
  using C = compute_t<T>;
  unsigned rest = blockIdx.x * block_threads + threadIdx.x;
  if (rest >= grid.items) return;
  const int channel = detail::take_place(rest, grid.across) * V;
  const int x = detail::take_place(rest, grid.columns);
  const int y = detail::take_place(rest, grid.rows);
  const pool::Window& w = grid.window;
  const auto me = static_cast<I>(y * w.in[2] + x);
  C sum[V]{};
  const int bottom = w.last(1, y);
  const int right = w.last(2, x);
  const int left = w.first(2, x);
  for (int oy = w.first(1, y); oy < bottom; ++oy) {
    for (int ox = left; ox < right; ++ox) {
      const int64_t at =
          ((static_cast<int64_t>(rest) * w.out[1] + oy) * w.out[2] + ox) * grid.channels + channel;
      const auto g = *reinterpret_cast<const Vector<T, V>*>(grid.from + at);
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (grid.index[at + j] == me) sum[j] += load_element(g.lane[j]);
      }
    }
  }
  Vector<T, V> out;
#pragma unroll
  for (int j = 0; j < V; ++j) out.lane[j] = static_cast<T>(sum[j]);
  const int64_t to =
      ((static_cast<int64_t>(rest) * w.in[1] + y) * w.in[2] + x) * grid.channels + channel;
  *reinterpret_cast<Vector<T, V>*>(grid.to + to) = out;
}

/// The largest of windows of K x K, two places apart and K / 2 of them before the image: V
/// neighbours of a row of contiguous images, which read 2 V places of each of K rows once.
template <class T, class I, int K, int V, bool Places>
__global__ void __launch_bounds__(block_threads)
    pool_row(const __grid_constant__ PoolGrid<T, I> grid) {
  using C = compute_t<T>;
  unsigned rest = blockIdx.x * block_threads + threadIdx.x;
  if (rest >= grid.items) return;
  const int vector = detail::take_place(rest, grid.across);
  const int oy = detail::take_place(rest, grid.rows);
  const pool::Window& w = grid.window;
  constexpr int before = K / 2 * (K % 2);
  const int height = w.in[1];
  const int width = w.in[2];
  const T* const image = grid.from + static_cast<int64_t>(rest) * height * width;
  C best[V];
  int found[V];
#pragma unroll
  for (int j = 0; j < V; ++j) {
    best[j] = C{};
    found[j] = -1;
  }
#pragma unroll
  for (int ky = 0; ky < K; ++ky) {
    const int y = 2 * oy - before + ky;
    if (y < 0 || y >= height) continue;
    const int first = y * width + vector * 2 * V;
    const auto read = *reinterpret_cast<const Vector<T, 2 * V>*>(image + first);
    C value[2 * V + before];
    if constexpr (before > 0) value[0] = vector > 0 ? load_element(image[first - 1]) : C{};
#pragma unroll
    for (int j = 0; j < 2 * V; ++j) value[before + j] = load_element(read.lane[j]);
#pragma unroll
    for (int j = 0; j < V; ++j) {
#pragma unroll
      for (int kx = 0; kx < K; ++kx) {
        const int at = 2 * j + kx;
        if (at < before && vector == 0) continue;
        if (found[j] < 0 || value[at] > best[j] || value[at] != value[at]) {
          best[j] = value[at];
          found[j] = first + at - before;
        }
      }
    }
  }
  const int64_t to = (static_cast<int64_t>(rest) * w.out[1] + oy) * w.out[2] + vector * V;
  Vector<T, V> values;
#pragma unroll
  for (int j = 0; j < V; ++j) values.lane[j] = static_cast<T>(best[j]);
  *reinterpret_cast<Vector<T, V>*>(grid.to + to) = values;
  if constexpr (Places) {
    Vector<I, V> places;
#pragma unroll
    for (int j = 0; j < V; ++j) places.lane[j] = static_cast<I>(found[j]);
    *reinterpret_cast<Vector<I, V>*>(grid.index + to) = places;
  }
}

/// The gradient of such images: 2 V neighbours of a row.
template <class T, class I, int K, int V>
__global__ void __launch_bounds__(block_threads)
    pool_row_gradient(const __grid_constant__ PoolGrid<T, I> grid) {
  using C = compute_t<T>;
  unsigned rest = blockIdx.x * block_threads + threadIdx.x;
  if (rest >= grid.items) return;
  const int vector = detail::take_place(rest, grid.across);
  const int y = detail::take_place(rest, grid.rows);
  const pool::Window& w = grid.window;
  constexpr int behind = K % 2;  // windows of the next vector that reach into this one
  const int first = y * w.in[2] + vector * 2 * V;
  C sum[2 * V]{};
  const int bottom = w.last(1, y);
  for (int oy = w.first(1, y); oy < bottom; ++oy) {
    const int64_t line = (static_cast<int64_t>(rest) * w.out[1] + oy) * w.out[2] + vector * V;
    const auto g = *reinterpret_cast<const Vector<T, V>*>(grid.from + line);
    const auto chosen = *reinterpret_cast<const Vector<I, V>*>(grid.index + line);
    const bool more = behind > 0 && vector + 1 < static_cast<int>(grid.across.divisor);
    const C next = more ? static_cast<C>(load_element(grid.from[line + V])) : C{};
    const I next_chosen = more ? grid.index[line + V] : I(-1);
#pragma unroll
    for (int j = 0; j < 2 * V; ++j) {
      const auto me = static_cast<I>(first + j);
      if (chosen.lane[j / 2] == me) sum[j] += load_element(g.lane[j / 2]);
      if (behind == 0 || j % 2 == 0) continue;
      if (j / 2 + 1 < V) {
        if (chosen.lane[(j / 2 + 1) % V] == me) sum[j] += load_element(g.lane[(j / 2 + 1) % V]);
      } else if (next_chosen == me) {
        sum[j] += next;
      }
    }
  }
  Vector<T, 2 * V> out;
#pragma unroll
  for (int j = 0; j < 2 * V; ++j) out.lane[j] = static_cast<T>(sum[j]);
  *reinterpret_cast<Vector<T, 2 * V>*>(grid.to + static_cast<int64_t>(rest) * w.in[1] * w.in[2] +
                                       first) = out;
}

#endif

}  // namespace weft::on_cuda
