// The kernels of batch norm's sums: everything about a channel in one pass over the images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/conv/batch_norm_sums.hpp"
#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/primitive/vector.hpp"

namespace weft::on_cuda {

/// The kernels' arguments. For contiguous images an item is a vector of one channel, for
/// channels-last ones a vector of a place's channels.
template <class T>
struct BatchNormGrid {
  using C = compute_t<T>;
  const T* x;
  const T* gradient;  // of the results
  const C* mean;      // a number a channel, as the next two
  const C* factor;
  const T* bias;
  const C* slope;  // of the gradient of the images, as the next two
  const C* shift;
  T* to;
  C* sums;  // (part, number, channel)
  bool relu;
  int channels;
  unsigned items;    // of a channel
  unsigned vectors;  // of all channels of a place
  FastDivmod plane;  // items of an image
};

/// The arguments of the kernel that adds up the parts.
template <class T>
struct BatchNormTotals {
  using C = compute_t<T>;
  const C* sums;
  const T* weight;  // statistics
  C* mean;          // results, each a number a channel
  C* variance;
  C* scale;  // or what the gradient gets
  C* factor;
  C* slope;
  C* shift;
  T* running_mean;  // or null, as the next two
  T* running_variance;
  long long* batches;
  C share;       // of the batch in the running ones
  T* to_weight;  // or null
  T* to_bias;
  C count;
  C epsilon;
  int channels;
  int parts;
};

#if defined(__CUDACC__)
/// Where an item lies, in elements.
template <int V, bool Last, class T>
__device__ __forceinline__ int64_t place_of(const BatchNormGrid<T>& grid, unsigned item,
                                            unsigned channel) {
  if constexpr (Last) return int64_t{item} * grid.channels + channel;
  const unsigned n = grid.plane.divide(item);
  const unsigned v = item - n * grid.plane.divisor;
  return ((int64_t{n} * grid.channels + channel) * grid.plane.divisor + v) * V;
}

/// Sums of a part of the items. Together the parts go from the last items to the first: the end was
/// written just before, and the beginning is read again afterwards.
template <class T, int V, bool Last, template <class, int> class Sums>
__global__ void __launch_bounds__(block_threads, 4)
    batch_norm_sums(const __grid_constant__ BatchNormGrid<T> grid) {
  using C = compute_t<T>;
  constexpr int S = Last ? V : 1;
  using Own = Sums<C, S>;
  constexpr bool back = Own::has_gradient;
  constexpr int U = Last && back ? 2 : 4;  // as many as registers hold
  const unsigned rows = blockDim.y;
  const unsigned vector = blockIdx.x * blockDim.x + threadIdx.x;  // channels last
  const unsigned channel = Last ? vector * V : blockIdx.x;
  Own own;
  own.clear();
  if (!Last || vector < grid.vectors) {
    C mean[S];
    C factor[S];
    C bias[S];
    if constexpr (back) {
#pragma unroll
      for (int s = 0; s < S; ++s) {
        mean[s] = grid.mean[channel + s];
        factor[s] = grid.factor[channel + s];
        bias[s] = load_element(grid.bias[channel + s]);
      }
    }
    const unsigned step = rows * U * gridDim.y;
    const unsigned passes = (grid.items + step - 1) / step;
    for (unsigned pass = passes; pass-- > 0;) {
      const unsigned begin = pass * step + blockIdx.y * rows * U + threadIdx.y;
      Vector<T, V> x[U];
      Vector<T, V> g[back ? U : 1];
      bool there[U];
#pragma unroll
      for (int u = 0; u < U; ++u) {
        const unsigned item = begin + u * rows;
        there[u] = item < grid.items;
        if (!there[u]) continue;
        const int64_t at = place_of<V, Last>(grid, item, channel);
        x[u] = *reinterpret_cast<const Vector<T, V>*>(grid.x + at);
        if constexpr (back) g[u] = *reinterpret_cast<const Vector<T, V>*>(grid.gradient + at);
      }
      if constexpr (back) {
#pragma unroll
        for (int u = 0; u < U; ++u) {
          if (!there[u]) continue;
#pragma unroll
          for (int v = 0; v < V; ++v) {
            const int s = Last ? v : 0;
            const C centred = load_element(x[u].lane[v]) - mean[s];
            const bool shown = !grid.relu || centred * factor[s] + bias[s] > C(0);
            const C upstream = shown ? load_element(g[u].lane[v]) : C(0);
            own.total[s] += upstream;
            own.along[s] += upstream * centred;
          }
        }
      } else {
        Own found;
        found.clear();
#pragma unroll
        for (int u = 0; u < U; ++u) {
          if (!there[u]) continue;
          found.count += Last ? 1 : V;
#pragma unroll
          for (int v = 0; v < V; ++v) found.mean[Last ? v : 0] += load_element(x[u].lane[v]);
        }
        const C share = found.count > 0 ? 1 / found.count : C(0);
#pragma unroll
        for (int s = 0; s < S; ++s) found.mean[s] *= share;
#pragma unroll
        for (int u = 0; u < U; ++u) {
          if (!there[u]) continue;
#pragma unroll
          for (int v = 0; v < V; ++v) {
            const int s = Last ? v : 0;
            const C apart = load_element(x[u].lane[v]) - found.mean[s];
            found.squares[s] += apart * apart;
          }
        }
        own.merge(found);
      }
    }
  }
  __shared__ Own tile[block_threads];
  Own* const mine = tile + threadIdx.y * blockDim.x + threadIdx.x;
  *mine = own;
  __syncthreads();
  for (unsigned apart = block_threads / 2; apart > 0; apart /= 2) {
    if (threadIdx.y < apart && threadIdx.y + apart < rows) {
      own.merge(mine[apart * blockDim.x]);
      *mine = own;
    }
    __syncthreads();
  }
  if (threadIdx.y != 0 || (Last && vector >= grid.vectors)) return;
#pragma unroll
  for (int i = 0; i < Own::numbers; ++i) {
#pragma unroll
    for (int s = 0; s < S; ++s) {
      grid.sums[(int64_t{blockIdx.y} * Own::numbers + i) * grid.channels + channel + s] =
          own.number(i, s);
    }
  }
}

/// The gradient of the images, factor (u - shift - (x - mean) slope), from the first items on.
template <class T, int V, bool Last>
__global__ void __launch_bounds__(block_threads, 3)
    batch_norm_gradient(const __grid_constant__ BatchNormGrid<T> grid) {
  using C = compute_t<T>;
  constexpr int S = Last ? V : 1;
  constexpr int U = Last ? 2 : 4;
  const unsigned rows = blockDim.y;
  const unsigned vector = blockIdx.x * blockDim.x + threadIdx.x;
  if (Last && vector >= grid.vectors) return;
  const unsigned channel = Last ? vector * V : blockIdx.x;
  C mean[S];
  C factor[S];
  C bias[S];
  C shift[S];
  C slope[S];
#pragma unroll
  for (int s = 0; s < S; ++s) {
    mean[s] = grid.mean[channel + s];
    factor[s] = grid.factor[channel + s];
    bias[s] = load_element(grid.bias[channel + s]);
    shift[s] = grid.shift[channel + s];
    slope[s] = grid.slope[channel + s];
  }
  const unsigned step = rows * U * gridDim.y;
  for (unsigned first = blockIdx.y * rows * U + threadIdx.y; first < grid.items; first += step) {
    Vector<T, V> x[U];
    Vector<T, V> g[U];
    int64_t at[U];
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (first + u * rows >= grid.items) continue;
      at[u] = place_of<V, Last>(grid, first + u * rows, channel);
      x[u] = *reinterpret_cast<const Vector<T, V>*>(grid.x + at[u]);
      g[u] = *reinterpret_cast<const Vector<T, V>*>(grid.gradient + at[u]);
    }
#pragma unroll
    for (int u = 0; u < U; ++u) {
      if (first + u * rows >= grid.items) continue;
      Vector<T, V> out;
#pragma unroll
      for (int v = 0; v < V; ++v) {
        const int s = Last ? v : 0;
        const C centred = load_element(x[u].lane[v]) - mean[s];
        const bool shown = !grid.relu || centred * factor[s] + bias[s] > C(0);
        const C upstream = shown ? load_element(g[u].lane[v]) : C(0);
        out.lane[v] = store_element<T>(factor[s] * (upstream - shift[s] - centred * slope[s]));
      }
      *reinterpret_cast<Vector<T, V>*>(grid.to + at[u]) = out;
    }
  }
}

/// Adds up the parts, one warp per channel, and finishes.
template <class T, template <class, int> class Sums>
__global__ void __launch_bounds__(block_threads)
    batch_norm_totals(const __grid_constant__ BatchNormTotals<T> grid) {
  using C = compute_t<T>;
  using Own = Sums<C, 1>;
  const int c = static_cast<int>(blockIdx.x * (block_threads / 32) + threadIdx.x / 32);
  if (c >= grid.channels) return;  // alike in a warp
  const int lane = static_cast<int>(threadIdx.x % 32);
  Own own;
  own.clear();
  for (int part = lane; part < grid.parts; part += 32) {
    Own more;
    for (int i = 0; i < Own::numbers; ++i) {
      more.set(i, grid.sums[(int64_t{part} * Own::numbers + i) * grid.channels + c]);
    }
    own.merge(more);
  }
  for (int apart = 16; apart > 0; apart /= 2) {
    Own more;
    for (int i = 0; i < Own::numbers; ++i) {
      more.set(i, __shfl_down_sync(0xffffffffU, own.number(i, 0), apart));
    }
    own.merge(more);
  }
  if (lane != 0) return;
  if constexpr (Own::has_gradient) {
    const C scale = grid.scale[c];
    grid.slope[c] = scale * scale * own.along[0] / grid.count;
    grid.shift[c] = own.total[0] / grid.count;
    if (grid.to_weight != nullptr) grid.to_weight[c] = store_element<T>(own.along[0] * scale);
    if (grid.to_bias != nullptr) grid.to_bias[c] = store_element<T>(own.total[0]);
  } else {
    const C variance = own.squares[0] / grid.count;
    const C scale = 1 / ::sqrt(variance + grid.epsilon);
    grid.mean[c] = own.mean[0];
    grid.variance[c] = variance;
    grid.scale[c] = scale;
    grid.factor[c] = scale * load_element(grid.weight[c]);
    if (grid.running_mean == nullptr) return;
    const C rest = 1 - grid.share;
    const C unbiased = own.squares[0] / (grid.count - 1);
    T& mean = grid.running_mean[c];
    T& spread = grid.running_variance[c];
    mean = store_element<T>(rest * load_element(mean) + grid.share * own.mean[0]);
    spread = store_element<T>(rest * load_element(spread) + grid.share * unbiased);
    if (c == 0) ++*grid.batches;
  }
}
#endif

}  // namespace weft::on_cuda
