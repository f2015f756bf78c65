// Scans of long rows in tiles that look back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/scan/formula_plan.hpp"
#include "weft/cuda/scan/rows.hpp"

#if defined(__CUDACC__)
#include <cub/agent/single_pass_scan_operators.cuh>
#endif

namespace weft::on_cuda {

#if defined(__CUDACC__)

/// Turns tiles' totals into prefixes; one warp per row.
template <class S, class Carry>
__global__ void __launch_bounds__(32) scan_totals(Carry* totals, unsigned tiles) {
  constexpr unsigned each = 16;
  Carry* mine = totals + static_cast<int64_t>(blockIdx.x) * tiles;
  Carry before = S::template identity<Carry>();
  for (unsigned start = 0; start < tiles; start += 32 * each) {
    Carry carry[each];
    const unsigned first = start + threadIdx.x * each;
#pragma unroll
    for (unsigned j = 0; j < each; ++j) {
      carry[j] = first + j < tiles ? mine[first + j] : S::template identity<Carry>();
    }
    Carry sum = carry[0];
#pragma unroll
    for (unsigned j = 1; j < each; ++j) sum = S::join(sum, carry[j]);
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      const Carry earlier = cub::ShuffleUp<32>(sum, d, 0, 0xFFFFFFFFU);
      if (threadIdx.x >= static_cast<unsigned>(d)) sum = S::join(earlier, sum);
    }
    Carry left = cub::ShuffleUp<32>(sum, 1, 0, 0xFFFFFFFFU);
    left = threadIdx.x == 0 ? before : S::join(before, left);
#pragma unroll
    for (unsigned j = 0; j < each; ++j) {
      if (first + j < tiles) mine[first + j] = left;
      left = S::join(left, carry[j]);
    }
    before = S::join(before, cub::ShuffleIndex<32>(sum, 31, 0xFFFFFFFFU));
  }
}

namespace detail {
template <class S>
struct Join {
  template <class State>
  __device__ __forceinline__ State operator()(const State& a, const State& b) const {
    return S::join(a, b);
  }
};
}  // namespace detail

template <class Tiles>
__global__ void __launch_bounds__(block_threads) start_tiles(Tiles tiles, int count) {
  tiles.InitializeStatus(count);
}

namespace detail {
/// The resident blocks that registers allow for scans of tiles with a state of this size.
template <class S, class C>
inline constexpr int tile_blocks_of = sizeof(typename S::template State<C>) <= 4 ? tile_blocks : 1;

/// Joins the warps' parts of a block's tile, number `chunk` of its row, with what is before it, and
/// stores the first `left` of each warp's elements at `out`, as `after` makes them of the scan's.
template <class S, class Out, class Tile, class Tiles, class Carry, class After = AsScanned>
__device__ __forceinline__ void finish_tile(const Tile& tile, Tiles& tiles, Carry* totals,
                                            ScanGrid::Pass pass, unsigned chunk, Out* out,
                                            int64_t left, After&& after = {}) {
  using State = typename Tile::State;
  using LookBack = cub::TilePrefixCallbackOp<Carry, Join<S>, Tiles>;
  constexpr int warps = tile_threads / 32;
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  __shared__ typename LookBack::TempStorage temporary;
  __shared__ alignas(16) char bytes[sizeof(State) * warps];
  __shared__ alignas(16) char last_bytes[sizeof(Carry)];
  auto* const sums = reinterpret_cast<State*>(bytes);
  auto* const known = reinterpret_cast<Carry*>(last_bytes);
  if (lane == 0) sums[warp] = tile.total;
  __syncthreads();
  State earlier = S::template identity<State>();
  State all = S::template identity<State>();
#pragma unroll
  for (unsigned w = 0; w < warps; ++w) {
    if (w == warp) earlier = all;
    all = S::join(all, sums[w]);
  }
  const auto carry = static_cast<Carry>(all);
  if (pass == ScanGrid::totals) {
    if (threadIdx.x == 0) totals[blockIdx.x] = carry;
    return;
  }
  if (warp == 0) {
    Carry before = S::template identity<Carry>();
    if (pass == ScanGrid::from_totals) {
      before = totals[blockIdx.x];
    } else if (chunk > 0) {
      LookBack look_back(tiles, temporary, Join<S>{}, static_cast<int>(blockIdx.x));
      before = look_back(carry);
    } else if (lane == 0) {
      tiles.SetInclusive(static_cast<int>(blockIdx.x), carry);
    }
    if (lane == 0) *known = before;
  }
  __syncthreads();
  tile.store(out, left, scanner::prefix_of<State>(*known), earlier, after);
}
}  // namespace detail

/// A block scans one tile of a row in one pass over memory: it publishes its tile's total and looks
/// back at its neighbours' for its prefix (Merrill and Garland 2016, as in CUB).
template <class Out, class In, class S, int V, int R, class Tiles>
__global__ void __launch_bounds__(tile_threads, detail::tile_blocks_of<S, compute_t<In>>)
    scan_tiles(const __grid_constant__ ScanGrid grid, Tiles tiles,
               typename S::template Carry<compute_t<In>>* totals) {
  using Tile = detail::WarpTile<S, In, V, R>;
  constexpr int warps = tile_threads / 32;
  const unsigned row = grid.tiles.divide(blockIdx.x);
  const unsigned chunk = blockIdx.x - row * grid.tiles.divisor;
  int64_t offset[2] = {};
  grid.locate(row, offset);
  const int64_t start = static_cast<int64_t>(chunk) * (warps * Tile::items) +
                        static_cast<int>(threadIdx.x / 32) * Tile::items;
  const int64_t left = grid.length - start;
  const int stride = static_cast<int>(grid.along[1]);
  const In* in = reinterpret_cast<const In*>(grid.data[1]) + offset[1] + start * stride;

  Vector<In, V> loaded[R];
  Tile tile;
  tile.load(loaded, in, stride, left);
  tile.scan(loaded, left);
  detail::finish_tile<S>(tile, tiles, totals, grid.pass, chunk,
                         reinterpret_cast<Out*>(grid.data[0]) + offset[0] + start, left);
}

#endif

}  // namespace weft::on_cuda
