// The kernels of a norm's gradients: one walks over the rows, one adds what its blocks have summed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>

#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/primitive/tma.hpp"
#include "weft/cuda/primitive/vector.hpp"

namespace weft::on_cuda {

/// The most threads of a block that has a row.
inline constexpr unsigned norm_threads = 512;
/// Elements of a row that a thread keeps, computed in type C, at most and of short rows.
template <class C>
inline constexpr int norm_elements = sizeof(C) > 4 ? 8 : 16;
inline constexpr int norm_few_elements = 4;

/// Of each row a thread has vectors `group` apart; a block takes every blocks-th group of rows and
/// leaves a line of sums for the weight, then one for the bias.
template <class T, class C>
struct NormGrid {
  const T* x;
  const T* gradient;
  const T* weight;
  const C* centre;
  const C* scale;
  T* target;
  C* sums;
  unsigned rows;
  unsigned columns;
  unsigned group;  // threads of a row: a power of two up to 32, or all of the block
  unsigned rows_a_block;
  unsigned blocks;
  bool adds;
};

/// Lines of sums, to be added up: `count` of them side by side, `columns` for each target.
template <class T, class C>
struct NormSums {
  const C* lines;
  unsigned height;
  unsigned columns;
  unsigned count;
  T* target[2];
  bool adds[2];
};

namespace detail {
/// Chooses the threads of a row; returns the threads of a block.
WEFT_OUTLINED inline unsigned plan_norm(int64_t rows, int64_t columns, int lanes, int elements,
                                        int multiprocessors, unsigned& group,
                                        unsigned& rows_a_block, unsigned& blocks) {
  const auto vectors = static_cast<unsigned>((columns + lanes - 1) / lanes);
  const auto each = static_cast<unsigned>(elements / lanes);
  const unsigned wanted = (vectors + each - 1) / each;
  unsigned threads = (wanted + 31) / 32 * 32;
  group = threads;
  if (wanted <= 32) {
    group = std::bit_ceil(wanted);
    threads = 128;
  }
  rows_a_block = threads / group;
  const int64_t groups = (rows + rows_a_block - 1) / rows_a_block;
  // Threads that have little of a row each are more.
  const unsigned most = elements > norm_few_elements ? norm_threads : 3 * norm_threads;
  const int64_t resident = int64_t{multiprocessors} * (most / threads);
  blocks = static_cast<unsigned>(groups < resident ? groups : resident);
  return threads;
}
}  // namespace detail

#if defined(__CUDACC__)

namespace detail {

/// Prefetches into L2 what a row's threads read in their next turn, once this turn's row has
/// arrived: DRAM is not kept from what other blocks wait for.
template <class T, class C>
__device__ __forceinline__ void fetch_next_row([[maybe_unused]] const NormGrid<T, C>& grid,
                                               [[maybe_unused]] unsigned row) {
#if __CUDA_ARCH__ >= 900
  const unsigned next = row + gridDim.x * grid.rows_a_block;
  if (threadIdx.x % grid.group != 0 || next >= grid.rows) return;
  const auto begin = static_cast<std::size_t>(next) * grid.columns;
  const auto bytes = grid.columns * static_cast<unsigned>(sizeof(T));
  fetch_to_l2(grid.x + begin, bytes);
  fetch_to_l2(grid.gradient + begin, bytes);
#endif
}

/// Two sums over the threads that share a row, in each of them.
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

}  // namespace detail

/// The gradient of each row, and in each block's registers the sums for the weight and the bias; a
/// thread has E elements, in vectors of V.
/// With h = (x - centre) * scale and k = gradient * weight it is scale * (k - mean(k) - h mean(k
/// h)); without a centre its mean(k) is left out.
template <class T, class C, bool Centred, int V, int E>
__global__ void __launch_bounds__(norm_threads, 1)
    norm_gradients(const __grid_constant__ NormGrid<T, C> grid) {
  detail::admit_next_kernel();
  constexpr int K = E / V;
  using Words = Vector<T, V>;
  const unsigned lane = grid.rows_a_block == 1 ? threadIdx.x : threadIdx.x % grid.group;
  const unsigned place = grid.rows_a_block == 1 ? 0 : threadIdx.x / grid.group;
  bool inside[K];
  C weight[E];
#pragma unroll
  for (int k = 0; k < K; ++k) {
    inside[k] = (lane + k * grid.group) * V < grid.columns;
    Words w{};
    if (inside[k]) w = reinterpret_cast<const Words*>(grid.weight)[lane + k * grid.group];
#pragma unroll
    for (int j = 0; j < V; ++j) weight[k * V + j] = load_element(w.lane[j]);
  }
  const C share = C(1) / static_cast<C>(grid.columns);
  C to_weight[E]{};
  C to_bias[Centred ? E : 1]{};
  unsigned turn = 0;
#pragma unroll 1
  for (unsigned first = blockIdx.x * grid.rows_a_block; first < grid.rows;
       first += gridDim.x * grid.rows_a_block, ++turn) {
    const unsigned row = first + place;
    const bool there = row < grid.rows;
    const auto begin = static_cast<std::size_t>(there ? row : 0) * (grid.columns / V) + lane;
    Words x[K]{};
    Words g[K]{};
#pragma unroll
    for (int k = 0; k < K; ++k) {
      if (!inside[k] || !there) continue;
      x[k] = reinterpret_cast<const Words*>(grid.x)[begin + k * grid.group];
      g[k] = reinterpret_cast<const Words*>(grid.gradient)[begin + k * grid.group];
    }
    const C scale = there ? grid.scale[row] : C{};
    const C centre = Centred && there ? grid.centre[row] : C{};
    C along{};
    C mean{};
#pragma unroll
    for (int e = 0; e < E; ++e) {
      const C h = (load_element(x[e / V].lane[e % V]) - centre) * scale;
      const C upstream = load_element(g[e / V].lane[e % V]);
      to_weight[e] += upstream * h;
      if constexpr (Centred) to_bias[e] += upstream;
      const C weighted = upstream * weight[e];
      along += weighted * h;
      mean += weighted;
    }
    if constexpr (V > 1) detail::fetch_next_row(grid, row);
    detail::sum_of_row(along, mean, grid.group, turn);
    along *= share;
    mean = Centred ? mean * share : C{};
#pragma unroll
    for (int k = 0; k < K; ++k) {
      if (!inside[k] || !there) continue;
      auto* const to = reinterpret_cast<Words*>(grid.target) + begin + k * grid.group;
      Words before{};
      if (grid.adds) before = *to;
      Words out;
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const C h = (load_element(x[k].lane[j]) - centre) * scale;
        const C weighted = load_element(g[k].lane[j]) * weight[k * V + j];
        const C value = scale * (weighted - mean - h * along);
        out.lane[j] = store_element<T>(grid.adds ? load_element(before.lane[j]) + value : value);
      }
      *to = out;
    }
  }
  __shared__ C tile[E * 128];
  C* const line =
      grid.sums + static_cast<std::size_t>(blockIdx.x) * (Centred ? 2 : 1) * grid.columns;
  detail::store_line<V>(to_weight, line, grid.columns, grid.group, grid.rows_a_block, tile);
  if constexpr (Centred) {
    detail::store_line<V>(to_bias, line + grid.columns, grid.columns, grid.group, grid.rows_a_block,
                          tile);
  }
}

/// Adds up lines of sums, always in the same order: 32 columns by 32 threads each.
template <class T, class C>
__global__ void __launch_bounds__(1024) finish_norm(const __grid_constant__ NormSums<T, C> sums) {
  detail::wait_for_kernel_before();
  __shared__ C tile[32][33];
  const unsigned x = threadIdx.x % 32;
  const unsigned y = threadIdx.x / 32;
  const unsigned column = blockIdx.x * 32 + x;
  C total{};
  if (column < sums.count) {
#pragma unroll 4
    for (unsigned line = y; line < sums.height; line += 32) {
      total += sums.lines[static_cast<std::size_t>(line) * sums.count + column];
    }
  }
  tile[y][x] = total;
  __syncthreads();
  if (y != 0 || column >= sums.count) return;
  for (unsigned i = 1; i < 32; ++i) total += tile[i][x];
  const unsigned which = column / sums.columns;
  T* const to = sums.target[which] + column % sums.columns;
  *to = store_element<T>(sums.adds[which] ? load_element(*to) + total : total);
}

#endif

}  // namespace weft::on_cuda
