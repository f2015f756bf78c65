// The scanning kernels: rows by warps, rows in tiles that look back, columns by blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/launch.hpp"
#include "weft/cuda/look_back.hpp"
#include "weft/cuda/vector.hpp"
#include "weft/ops/scanners.hpp"

#if defined(__CUDACC__)

namespace weft::cuda {

/// The rows of a scan: where each begins, and how its elements follow each other. The target is
/// operand 0, what is scanned operand 1.
struct ScanGrid {
  /// How a tile learns what is before it: by looking back at its neighbours while they run, or in
  /// a fixed order from the totals that an earlier launch has left.
  enum Pass { look_back, totals, from_totals };
  Pass pass = look_back;
  char* data[2];
  unsigned rows = 1;
  int64_t length = 1;
  int64_t along[2];  // strides along the axis
  int rank = 0;      // dimensions of the rows, innermost first
  Divider size[max_rank];
  int64_t stride[2][max_rank];
  Divider tiles{1};     // tiles a row, or blocks across the columns
  unsigned width = 1;   // columns: how many a block scans, a power of two
  unsigned pieces = 1;  // columns: pieces that the axis is cut into
  unsigned piece = 1;   // columns: tiles a piece

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
};

/// Threads a block of the tiled form and of the column form.
inline constexpr int tile_threads = 384;
inline constexpr int column_threads = 512;
/// Elements of a column that one thread scans at a time.
inline constexpr int scan_run = 8;

namespace detail {

/// What a warp scans at a time: R vectors of V neighbours a thread, each vector next to those of
/// the warp's other threads.
template <class S, class In, int V, int R>
struct WarpTile {
  using C = compute_t<In>;
  using State = typename S::template State<C>;
  static constexpr int items = 32 * V * R;

  State part[R][V];  // joined from its vector's start
  State before[R];   // what is before the vector in the warp's tile
  State total;       // of all the warp's elements

  /// Scans `count` elements (or all, if it is larger) from `data`, which the warp shares.
  __device__ __forceinline__ void scan(const In* data, int stride, int64_t count, unsigned lane) {
    Vector<In, V> in[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const int64_t start = (r * 32 + static_cast<int>(lane)) * V;
      const int64_t left = count - start;
      cuda::load(in[r], reinterpret_cast<const char*>(data + start * stride), 0, stride, 0,
                 left < V ? static_cast<int>(left) : V);
    }
    State whole[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const int64_t left = count - (r * 32 + static_cast<int>(lane)) * V;
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const State x =
            j < left ? S::enter(load_element(in[r].lane[j])) : S::template identity<State>();
        part[r][j] = j == 0 ? x : S::join(part[r][j > 0 ? j - 1 : 0], x);
      }
      whole[r] = part[r][V - 1];
    }
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
#pragma unroll
      for (int r = 0; r < R; ++r) {
        const State earlier = cub::ShuffleUp<32>(whole[r], d, 0, 0xFFFFFFFFU);
        if (lane >= static_cast<unsigned>(d)) whole[r] = S::join(earlier, whole[r]);
      }
    }
    total = S::template identity<State>();
#pragma unroll
    for (int r = 0; r < R; ++r) {
      State mine = cub::ShuffleUp<32>(whole[r], 1, 0, 0xFFFFFFFFU);
      if (lane == 0) mine = S::template identity<State>();
      before[r] = S::join(total, mine);
      total = S::join(total, cub::ShuffleIndex<32>(whole[r], 31, 0xFFFFFFFFU));
    }
  }

  /// Writes the elements behind `prefix` and, within the block, behind `earlier`.
  template <class Out, class Prefix>
  __device__ __forceinline__ void store(Out* out, int64_t count, unsigned lane,
                                        const Prefix& prefix, const State& earlier) const {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const int64_t start = (r * 32 + static_cast<int>(lane)) * V;
      const int64_t left = count - start;
      const State first = S::join(earlier, before[r]);
      Vector<Out, V> values;
#pragma unroll
      for (int j = 0; j < V; ++j) {
        values.lane[j] = store_element<Out>(
            S::finish(scanner::after<S>(prefix, S::join(first, part[r][j]))));
      }
      cuda::store(values, reinterpret_cast<char*>(out + start), 0, 1, 0,
                  left < V ? static_cast<int>(left) : V);
    }
  }
};

}  // namespace detail

/// A warp scans a row, a tile after the other.
template <class Out, class In, class S, int V, int R>
__global__ void __launch_bounds__(block_threads)
    scan_rows(const __grid_constant__ ScanGrid grid) {
  using Tile = detail::WarpTile<S, In, V, R>;
  using State = typename Tile::State;
  using Carry = typename S::template Carry<compute_t<In>>;
  const unsigned lane = threadIdx.x % 32;
  const unsigned row = blockIdx.x * (block_threads / 32) + threadIdx.x / 32;
  if (row >= grid.rows) return;
  int64_t offset[2] = {};
  grid.locate(row, offset);
  const In* in = reinterpret_cast<const In*>(grid.data[1]) + offset[1];
  Out* out = reinterpret_cast<Out*>(grid.data[0]) + offset[0];
  const int stride = static_cast<int>(grid.along[1]);
  Carry carry = S::template identity<Carry>();
  for (int64_t start = 0; start < grid.length; start += Tile::items) {
    Tile tile;
    tile.scan(in + start * stride, stride, grid.length - start, lane);
    tile.store(out + start, grid.length - start, lane, scanner::prefix_of<State>(carry),
               S::template identity<State>());
    carry = S::join(carry, static_cast<Carry>(tile.total));
  }
}

/// Rows of at most 32 vectors, a power of two of them a warp: grid.width lanes scan one.
template <class Out, class In, class S, int V>
__global__ void __launch_bounds__(block_threads)
    scan_short_rows(const __grid_constant__ ScanGrid grid) {
  using State = typename S::template State<compute_t<In>>;
  const unsigned row = blockIdx.x * (block_threads / grid.width) + threadIdx.x / grid.width;
  const unsigned x = threadIdx.x % grid.width;
  int64_t offset[2] = {};
  if (row < grid.rows) grid.locate(row, offset);
  const int64_t start = static_cast<int64_t>(x) * V;
  const int64_t left = row < grid.rows ? grid.length - start : 0;
  const int last = left < V ? static_cast<int>(left) : V;
  const int stride = static_cast<int>(grid.along[1]);
  const In* in = reinterpret_cast<const In*>(grid.data[1]) + offset[1] + start * stride;
  Vector<In, V> loaded;
  if (last > 0) cuda::load(loaded, reinterpret_cast<const char*>(in), 0, stride, 0, last);
  State part[V];
#pragma unroll
  for (int j = 0; j < V; ++j) {
    const State element =
        j < last ? S::enter(load_element(loaded.lane[j])) : S::template identity<State>();
    part[j] = j == 0 ? element : S::join(part[j > 0 ? j - 1 : 0], element);
  }
  State sum = part[V - 1];
  for (unsigned d = 1; d < grid.width; d *= 2) {
    const State other = cub::ShuffleUp<32>(sum, static_cast<int>(d), 0, 0xFFFFFFFFU);
    if (x >= d) sum = S::join(other, sum);
  }
  State earlier = cub::ShuffleUp<32>(sum, 1, 0, 0xFFFFFFFFU);
  if (x == 0) earlier = S::template identity<State>();
  Vector<Out, V> values;
#pragma unroll
  for (int j = 0; j < V; ++j) {
    values.lane[j] = store_element<Out>(S::finish(S::join(earlier, part[j])));
  }
  Out* out = reinterpret_cast<Out*>(grid.data[0]) + offset[0] + start;
  if (last > 0) cuda::store(values, reinterpret_cast<char*>(out), 0, 1, 0, last);
}

/// Carries of tiles, one after the other, become what is before each; a warp a row.
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

/// A block scans one tile of a row in one pass over memory: it publishes the tile's total and
/// looks back at its neighbours' for what is before (Merrill and Garland 2016).
template <class Out, class In, class S, int V, int R>
__global__ void __launch_bounds__(tile_threads)
    scan_tiles(const __grid_constant__ ScanGrid grid,
               const TileStates<typename S::template Carry<compute_t<In>>> tiles,
               typename S::template Carry<compute_t<In>>* totals) {
  using Tile = detail::WarpTile<S, In, V, R>;
  using State = typename Tile::State;
  using Carry = typename S::template Carry<compute_t<In>>;
  constexpr int warps = tile_threads / 32;
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const unsigned row = grid.tiles.divide(blockIdx.x);
  const unsigned chunk = blockIdx.x - row * grid.tiles.divisor;
  int64_t offset[2] = {};
  grid.locate(row, offset);
  const int64_t start =
      static_cast<int64_t>(chunk) * (warps * Tile::items) + static_cast<int>(warp) * Tile::items;
  const int stride = static_cast<int>(grid.along[1]);

  Tile tile;
  tile.scan(reinterpret_cast<const In*>(grid.data[1]) + offset[1] + start * stride, stride,
            grid.length - start, lane);

  __shared__ alignas(16) char bytes[sizeof(State) * warps + sizeof(Carry)];
  auto* const sums = reinterpret_cast<State*>(bytes);
  auto* const known = reinterpret_cast<Carry*>(bytes + sizeof(State) * warps);
  if (lane == 0) sums[warp] = tile.total;
  __syncthreads();
  State earlier = S::template identity<State>();
  State all = S::template identity<State>();
#pragma unroll
  for (unsigned w = 0; w < warps; ++w) {
    if (w == warp) earlier = all;
    all = S::join(all, sums[w]);
  }
  if (grid.pass == ScanGrid::totals) {
    if (threadIdx.x == 0) totals[blockIdx.x] = static_cast<Carry>(all);
    return;
  }
  if (warp == 0) {
    const auto carry = static_cast<Carry>(all);
    if (grid.pass == ScanGrid::from_totals) {
      if (lane == 0) *known = totals[blockIdx.x];
    } else if (chunk == 0) {
      if (lane == 0) {
        tiles.tell(blockIdx.x, TileStates<Carry>::all, carry);
        *known = S::template identity<Carry>();
      }
    } else {
      const Carry before = look_back<S>(tiles, blockIdx.x, carry);
      if (lane == 0) *known = before;
    }
  }
  __syncthreads();
  tile.store(reinterpret_cast<Out*>(grid.data[0]) + offset[0] + start, grid.length - start, lane,
             scanner::prefix_of<State>(*known), earlier);
}

/// A block scans one piece of grid.width neighbouring columns, a tile after the other. The threads
/// beside each other have neighbouring columns, those behind them later runs of the same columns.
template <class Out, class In, class S>
__global__ void __launch_bounds__(column_threads)
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
  const unsigned group = grid.width < 32 ? threadIdx.x / 32 : y;  // whose totals go by memory
  const unsigned groups = grid.width < 32 ? column_threads / 32 : column_threads / grid.width;
  const unsigned beside = grid.width < 32 ? 32 : grid.width;
  const int64_t tile = static_cast<int64_t>(column_threads / grid.width) * scan_run;
  __shared__ alignas(16) char bytes[2 * sizeof(State) * column_threads];
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
    State* const sums = reinterpret_cast<State*>(bytes) + k % 2 * column_threads;
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

}  // namespace weft::cuda

#endif
