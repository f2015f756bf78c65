// Scans of columns: blocks across neighbouring columns, down along them, or one thread per column.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/scan/rows.hpp"

namespace weft::on_cuda {

/// Threads a block of the column form, and elements of a column that one thread scans at a time.
inline constexpr int scan_threads = 512;
inline constexpr int scan_run = 8;
/// The longest column that one thread scans.
inline constexpr int64_t most_of_thread = 256;

#if defined(__CUDACC__)

/// A block scans one piece of grid.width neighbouring columns, one tile after the other. Adjacent
/// threads have neighbouring columns, the next rows of threads later runs of the same columns.
template <class Out, class In, class S>
__global__ void __launch_bounds__(scan_threads)
    scan_columns(const __grid_constant__ ScanGrid grid,
                 typename S::template Carry<compute_t<In>>* totals) {
  using C = compute_t<In>;
  using State = typename S::template State<C>;
  using Carry = typename S::template Carry<C>;
  const unsigned x = threadIdx.x % grid.width;
  const unsigned y = threadIdx.x / grid.width;
  const unsigned stack = blockIdx.x / grid.pieces;
  const unsigned piece = blockIdx.x - stack * grid.pieces;
  const unsigned row = grid.tiles.divide(stack);
  const unsigned column = (stack - row * grid.tiles.divisor) * grid.width + x;
  const bool inside = column < grid.size[0].divisor;
  int64_t offset[2] = {column * grid.stride[0][0], column * grid.stride[1][0]};
  grid.locate(row, offset, 1);
  const In* in = reinterpret_cast<const In*>(grid.data[1]) + offset[1];
  Out* out = reinterpret_cast<Out*>(grid.data[0]) + offset[0];

  Carry carry = S::template identity<Carry>();
  Carry* mine = totals + static_cast<int64_t>(stack) * grid.pieces * grid.width + x;
  if (grid.pass == ScanGrid::from_totals) {
    for (unsigned p = 0; p < piece; ++p) carry = S::join(carry, mine[p * grid.width]);
  }
  const unsigned lane = threadIdx.x % 32;
  const unsigned group =
      grid.width < 32 ? threadIdx.x / 32 : y;  // whose totals are exchanged in memory
  const unsigned groups = grid.width < 32 ? scan_threads / 32 : scan_threads / grid.width;
  const unsigned beside = grid.width < 32 ? 32 : grid.width;
  const int64_t tile = static_cast<int64_t>(scan_threads / grid.width) * scan_run;
  __shared__ alignas(16) char bytes[2 * sizeof(State) * scan_threads];
  int64_t at = static_cast<int64_t>(piece) * grid.piece * tile + y * scan_run;
  const int64_t end = ::min((static_cast<int64_t>(piece) + 1) * grid.piece * tile, grid.length);
  In loaded[scan_run];
  const auto load = [&] {
#pragma unroll
    for (int j = 0; j < scan_run; ++j) {
      if (inside && at + j < end) loaded[j] = in[(at + j) * grid.along[1]];
    }
  };
  load();
  for (unsigned k = 0; at - y * scan_run < end; ++k) {
    State part[scan_run];
#pragma unroll
    for (int j = 0; j < scan_run; ++j) {
      const State element = inside && at + j < end ? S::enter(load_element(loaded[j]))
                                                   : S::template identity<State>();
      part[j] = j == 0 ? element : S::join(part[j > 0 ? j - 1 : 0], element);
    }
    const int64_t now = at;
    at += tile;
    load();  // of the next tile, while this one's totals go round
    State sum = part[scan_run - 1];
    State earlier = S::template identity<State>();
    for (unsigned d = grid.width; d < 32; d *= 2) {
      const State other = cub::ShuffleUp<32>(sum, static_cast<int>(d), 0, 0xFFFFFFFFU);
      if (lane >= d) sum = S::join(other, sum);
    }
    if (grid.width < 32) {
      earlier = cub::ShuffleUp<32>(sum, static_cast<int>(grid.width), 0, 0xFFFFFFFFU);
      if (lane < grid.width) earlier = S::template identity<State>();
    }
    State* const sums = reinterpret_cast<State*>(bytes) + k % 2 * scan_threads;
    const unsigned place = grid.width < 32 ? lane : x;
    sums[group * beside + place] = sum;
    __syncthreads();
    State all = S::template identity<State>();
    State groups_before = S::template identity<State>();
    for (unsigned g = 0; g < groups; ++g) {
      if (g == group) groups_before = all;
      all = S::join(all, sums[g * beside + beside - grid.width + x]);
    }
    earlier = S::join(groups_before, earlier);
    if (grid.pass != ScanGrid::totals) {
      const auto prefix = scanner::prefix_of<State>(carry);
#pragma unroll
      for (int j = 0; j < scan_run; ++j) {
        if (inside && now + j < end) {
          out[(now + j) * grid.along[0]] =
              store_element<Out>(S::finish(scanner::after<S>(prefix, S::join(earlier, part[j]))));
        }
      }
    }
    carry = S::join(carry, static_cast<Carry>(all));
  }
  if (grid.pass == ScanGrid::totals && y == 0) mine[piece * grid.width] = carry;
}

/// A thread scans a whole column; there are enough of them to fill the GPU.
template <class Out, class In, class S>
__global__ void __launch_bounds__(block_threads)
    scan_many_columns(const __grid_constant__ ScanGrid grid) {
  using C = compute_t<In>;
  using State = typename S::template State<C>;
  using Carry = typename S::template Carry<C>;
  const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= grid.rows) return;
  int64_t offset[2] = {};
  grid.locate(row, offset);
  const In* in = reinterpret_cast<const In*>(grid.data[1]) + offset[1];
  Out* out = reinterpret_cast<Out*>(grid.data[0]) + offset[0];
  auto left = static_cast<int>(grid.length);
  In loaded[scan_run];
  const auto load = [&] {
#pragma unroll
    for (int j = 0; j < scan_run; ++j) {
      if (j < left) loaded[j] = in[j * grid.along[1]];
    }
    in += scan_run * grid.along[1];
  };
  load();
  Carry carry = S::template identity<Carry>();
#pragma unroll 1
  while (left > 0) {
    const int here = left < scan_run ? left : scan_run;
    State part[scan_run];
#pragma unroll
    for (int j = 0; j < scan_run; ++j) {
      const State element =
          j < here ? S::enter(load_element(loaded[j])) : S::template identity<State>();
      part[j] = j == 0 ? element : S::join(part[j > 0 ? j - 1 : 0], element);
    }
    left -= scan_run;
    load();  // of the next run, while this one is stored
    const auto prefix = scanner::prefix_of<State>(carry);
#pragma unroll
    for (int j = 0; j < scan_run; ++j) {
      if (j < here) {
        out[j * grid.along[0]] = store_element<Out>(S::finish(scanner::after<S>(prefix, part[j])));
      }
    }
    out += scan_run * grid.along[0];
    carry = S::join(carry, static_cast<Carry>(part[scan_run - 1]));
  }
}

#endif

}  // namespace weft::on_cuda
