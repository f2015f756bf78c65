// Scans of rows by warps, and the layout of the rows and columns of any scan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/runtime/tuner.hpp"
#include "weft/cuda/scan/warp_tile.hpp"

namespace weft::on_cuda {

/// The rows of a scan: where each begins, and how its elements follow each other. The target is
/// operand 0, what is scanned operand 1.
struct ScanGrid {
  /// How a tile gets its prefix: by looking back at its neighbours while they run, or in a fixed
  /// order from the totals of an earlier launch.
  enum Pass { look_back, totals, from_totals };
  Pass pass = look_back;
  char* data[2];
  unsigned rows = 1;
  int64_t length = 1;
  int64_t along[2];  // strides along the axis
  int rank = 0;      // dimensions of the rows, innermost first
  FastDivmod size[max_rank];
  int64_t stride[2][max_rank];
  FastDivmod tiles{1};  // tiles a row, or blocks across the columns
  unsigned width = 1;   // columns: how many a block scans, a power of two
  unsigned pieces = 1;  // columns: pieces that the axis is cut into
  unsigned piece = 1;   // columns: tiles a piece

#if defined(__CUDACC__)
  __device__ __forceinline__ void locate(unsigned row, int64_t (&offset)[2], int first = 0) const {
#pragma unroll 1
    for (int d = first; d < rank; ++d) {
      const unsigned next = size[d].divide(row);
      const auto at = static_cast<int64_t>(row - next * size[d].divisor);
      row = next;
      offset[0] += at * stride[0][d];
      offset[1] += at * stride[1][d];
    }
  }
#endif
};

namespace detail {
/// Launches a kernel of which `width` neighbouring threads scan a row.
inline void launch_row_scan(const Name& name, const Shape& shape, const void* kernel, unsigned rows,
                            int64_t length, unsigned width, int element_bytes, void** arguments,
                            const Stream& stream) {
  unsigned threads = block_threads;
  TunedLaunch tuned(name, stream.device().ordinal, stream.handle());
  if (tuned.by != nullptr) {
    tuned.mark = tuned.by->groups(tuned, {"scan", rows, length, width, element_bytes}, threads);
  }
  const unsigned rows_a_block = threads / width;
  launch(name, shape, kernel, (rows + rows_a_block - 1) / rows_a_block, threads, arguments, stream);
}
}  // namespace detail

#if defined(__CUDACC__)

/// A warp scans a row, a tile after the other.
template <class Out, class In, class S, int V, int R>
__global__ void __launch_bounds__(block_threads) scan_rows(const __grid_constant__ ScanGrid grid) {
  using Tile = detail::WarpTile<S, In, V, R>;
  using State = typename Tile::State;
  using Carry = typename S::template Carry<compute_t<In>>;
  const unsigned row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= grid.rows) return;
  int64_t offset[2] = {};
  grid.locate(row, offset);
  const In* in = reinterpret_cast<const In*>(grid.data[1]) + offset[1];
  Out* out = reinterpret_cast<Out*>(grid.data[0]) + offset[0];
  const int stride = static_cast<int>(grid.along[1]);
  Carry carry = S::template identity<Carry>();
  for (int64_t start = 0; start < grid.length; start += Tile::items) {
    Vector<In, V> loaded[R];
    Tile tile;
    tile.load(loaded, in + start * stride, stride, grid.length - start);
    tile.scan(loaded, grid.length - start);
    tile.store(out + start, grid.length - start, scanner::prefix_of<State>(carry),
               S::template identity<State>());
    carry = S::join(carry, static_cast<Carry>(tile.total));
  }
}

namespace detail {
/// The joined states of the lanes before lane `x` of `width` neighbouring ones.
template <class S, class State>
__device__ __forceinline__ State before_lanes(State sum, unsigned x, unsigned width) {
  for (unsigned d = 1; d < width; d *= 2) {
    const State other = cub::ShuffleUp<32>(sum, static_cast<int>(d), 0, 0xFFFFFFFFU);
    if (x >= d) sum = S::join(other, sum);
  }
  const State earlier = cub::ShuffleUp<32>(sum, 1, 0, 0xFFFFFFFFU);
  return x == 0 ? S::template identity<State>() : earlier;
}
}  // namespace detail

/// Rows of at most 32 vectors, a power of two of them a warp: grid.width lanes scan one.
template <class Out, class In, class S, int V>
__global__ void __launch_bounds__(block_threads)
    scan_short_rows(const __grid_constant__ ScanGrid grid) {
  using State = typename S::template State<compute_t<In>>;
  const unsigned row = blockIdx.x * (blockDim.x / grid.width) + threadIdx.x / grid.width;
  const unsigned x = threadIdx.x % grid.width;
  int64_t offset[2] = {};
  if (row < grid.rows) grid.locate(row, offset);
  const int64_t start = static_cast<int64_t>(x) * V;
  const int64_t left = row < grid.rows ? grid.length - start : 0;
  const int last = left < V ? static_cast<int>(left) : V;
  const int stride = static_cast<int>(grid.along[1]);
  const In* in = reinterpret_cast<const In*>(grid.data[1]) + offset[1] + start * stride;
  Vector<In, V> loaded;
  if (last > 0) on_cuda::load(loaded, reinterpret_cast<const char*>(in), 0, stride, 0, last);
  Out* out = reinterpret_cast<Out*>(grid.data[0]) + offset[0] + start;
  Vector<Out, V> values;
  using C = compute_t<In>;
  if constexpr (detail::is_relative<S, C>) {
    detail::Extremes extremes;
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (j < last) extremes.take(load_element(loaded.lane[j]));
    }
    if (extremes.join(grid.width)) {
      C sums[V];
      C sum = 0;
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (j < last) sum += math::exp_of_term(load_element(loaded.lane[j]) - extremes.most);
        sums[j] = sum;
      }
      for (unsigned d = 1; d < grid.width; d *= 2) {
        const C other = __shfl_up_sync(0xFFFFFFFFU, sum, d);
        if (x >= d) sum += other;
      }
      C earlier = __shfl_up_sync(0xFFFFFFFFU, sum, 1);
      if (x == 0) earlier = 0;
#pragma unroll
      for (int j = 0; j < V; ++j) {
        values.lane[j] = store_element<Out>(extremes.most + math::log(earlier + sums[j]));
      }
      if (last > 0) on_cuda::store(values, reinterpret_cast<char*>(out), 0, 1, 0, last);
      return;
    }
  }
  State part[V];
#pragma unroll
  for (int j = 0; j < V; ++j) {
    const State element =
        j < last ? S::enter(load_element(loaded.lane[j])) : S::template identity<State>();
    part[j] = j == 0 ? element : S::join(part[j > 0 ? j - 1 : 0], element);
  }
  const State earlier = detail::before_lanes<S>(part[V - 1], x, grid.width);
#pragma unroll
  for (int j = 0; j < V; ++j) {
    values.lane[j] = store_element<Out>(S::finish(S::join(earlier, part[j])));
  }
  if (last > 0) on_cuda::store(values, reinterpret_cast<char*>(out), 0, 1, 0, last);
}

#endif

}  // namespace weft::on_cuda
