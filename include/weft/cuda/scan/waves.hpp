// Scans of long rows in waves: a tile a multiprocessor at a time, moved by bulk copies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/tma.hpp"
#include "weft/cuda/scan/rows.hpp"

namespace weft::on_cuda {

/// Threads of a block that scans in waves, and vectors of 16 bytes each has of a tile.
inline constexpr int wave_threads = 512;
inline constexpr int wave_vectors = 4;
/// Elements of 4 bytes per tile.
inline constexpr int wave_tile = wave_threads * wave_vectors * 4;
/// A block's tiles in shared memory, and how many waves its totals are ahead of its scans.
inline constexpr unsigned wave_stages = 6;
inline constexpr unsigned wave_ahead = 2;
inline constexpr int wave_shared_bytes = static_cast<int>(wave_stages) * wave_tile * 4;
/// The most blocks: each lane of a warp reads the totals of 5 tiles of a wave.
inline constexpr unsigned wave_lane_totals = 5;
inline constexpr unsigned wave_blocks = 32 * wave_lane_totals;

/// Whether a scan has the types for waves: elements of 4 bytes in states of 4 or 8.
template <class S, class In, class Out>
constexpr bool has_wave_types() {
  using State = typename S::template State<compute_t<In>>;
  return sizeof(In) == 4 && sizeof(Out) == 4 && (sizeof(State) == 4 || sizeof(State) == 8);
}

/// Whether the rows are long, contiguous, and begin where bulk copies can: at 16 bytes.
WEFT_OUTLINED inline bool suits_waves(const ScanGrid& grid) {
  bool suits = grid.length >= 8 * wave_tile;
  for (int i = 0; i < 2; ++i) {
    suits = suits && grid.along[i] == 1 && reinterpret_cast<std::uintptr_t>(grid.data[i]) % 16 == 0;
    for (int d = 0; d < grid.rank; ++d) suits = suits && grid.stride[i][d] % 4 == 0;
  }
  return suits;
}

#if defined(__CUDACC__)

namespace detail {

/// The total of a tile in memory: each 4 bytes of it next to a mark, so that both become visible
/// together. Zeroed memory has no mark.
template <class State>
struct WaveTotal {
  static constexpr int parts = sizeof(State) / 4;
  unsigned long long part[parts];

  __device__ __forceinline__ void read(const unsigned long long* from) {
#pragma unroll
    for (int p = 0; p < parts; ++p) part[p] = load_relaxed(from + p);
  }
  /// Waits until all of it has arrived.
  __device__ __forceinline__ State wait(const unsigned long long* from) {
    unsigned bits[parts];
#pragma unroll
    for (int p = 0; p < parts; ++p) {
      while (part[p] >> 32 == 0) part[p] = load_relaxed(from + p);
      bits[p] = static_cast<unsigned>(part[p]);
    }
    State total;
    __builtin_memcpy(&total, bits, sizeof(State));
    return total;
  }
  __device__ __forceinline__ static void write(unsigned long long* to, const State& total) {
    unsigned bits[parts];
    __builtin_memcpy(bits, &total, sizeof(State));
#pragma unroll
    for (int p = 0; p < parts; ++p) store_relaxed(to + p, 1ULL << 32 | bits[p]);
  }
};

/// The states of a warp joined, for lane 0. The scans' joins commute.
template <class S, class State>
__device__ __forceinline__ State join_lanes(State state) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) {
    state = S::join(state, cub::ShuffleDown<32>(state, d, 31, 0xFFFFFFFFU));
  }
  return state;
}

/// The first `n` of at most 32 states joined, for lane 0 of a warp: five joins one after the other,
/// since logcumsumexp's take long.
template <class S, class State>
__device__ __forceinline__ State join_first(const State* states, unsigned n) {
  const unsigned lane = threadIdx.x % 32;
  State mine = S::template identity<State>();
  if (lane < n) mine = states[lane];
  return join_lanes<S>(mine);
}

/// Where a tile's elements are.
struct WaveTile {
  int64_t offset[2] = {};
  int count = 0;  // less than a tile's at the end of a row
  int moved = 0;  // by bulk copies, in 16 bytes; at most 3 are left over

  __device__ __forceinline__ WaveTile(const ScanGrid& grid, unsigned tile) {
    const unsigned row = grid.tiles.divide(tile);
    const int64_t start = int64_t{tile - row * grid.tiles.divisor} * wave_tile;
    grid.locate(row, offset);
    offset[0] += start;
    offset[1] += start;
    const int64_t left = grid.length - start;
    count = left < wave_tile ? static_cast<int>(left) : wave_tile;
    moved = count & ~3;
  }
};

}  // namespace detail

/// Wave i is the tiles i * gridDim.x + blockIdx.x of all rows one after the other. Each block joins
/// the totals of all of them by itself, in a fixed order, and so needs no look-back. Values past
/// the end of a row do not matter, since nothing follows them.
///
/// Blocks wait for totals of blocks with higher numbers. The launch must be cooperative, which
/// starts all blocks or none: with an ordinary one, two such scans on different streams could each
/// hold multiprocessors until the other ends. All blocks fit, one a multiprocessor.
template <class Out, class In, class S>
__global__ void __launch_bounds__(wave_threads, 1)
    scan_waves(const __grid_constant__ ScanGrid grid, unsigned tiles, unsigned long long* totals) {
#if __CUDA_ARCH__ >= 900
  using Tile = detail::WarpTile<S, In, 4, wave_vectors>;
  using State = typename Tile::State;
  using Carry = typename S::template Carry<compute_t<In>>;
  using Total = detail::WaveTotal<State>;
  constexpr unsigned warps = wave_threads / 32;
  constexpr bool relative = detail::is_relative<S, compute_t<In>>;
  extern __shared__ __align__(128) char weft_wave_stages[];
  __shared__ unsigned long long full[wave_stages];
  __shared__ alignas(16) char sum_bytes[sizeof(State) * warps * wave_stages];
  __shared__ alignas(16) char known_bytes[sizeof(Carry)];
  auto* const sums = reinterpret_cast<State*>(sum_bytes);
  auto* const known = reinterpret_cast<Carry*>(known_bytes);
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const bool first = threadIdx.x == 0;
  const unsigned steps = (tiles - blockIdx.x + gridDim.x - 1) / gridDim.x;
  const auto stage = [&](unsigned step) {
    return weft_wave_stages + step % wave_stages * (wave_tile * 4);
  };
  const auto bring = [&](unsigned step) {  // by the first thread
    if (step >= steps) return;
    const detail::WaveTile tile(grid, step * gridDim.x + blockIdx.x);
    const In* in = reinterpret_cast<const In*>(grid.data[1]) + tile.offset[1];
    bulk_load(stage(step), in, tile.moved * 4, full + step % wave_stages);
    auto* rest = reinterpret_cast<In*>(stage(step));
    for (int i = tile.moved; i < tile.count; ++i) rest[i] = in[i];
  };
  if (first) {
    for (unsigned s = 0; s < wave_stages; ++s) start_barrier(full + s);
    publish_barriers();
    for (unsigned s = 0; s < wave_stages; ++s) bring(s);
  }
  __syncthreads();

  Carry carry = S::template identity<Carry>();
  for (unsigned step = 0; step < steps + wave_ahead; ++step) {
    const unsigned begin = (step - wave_ahead) * gridDim.x;  // of the wave to scan
    Total total[wave_lane_totals];
    if (warp == 0 && step >= wave_ahead) {  // on their way while the next tile is joined
#pragma unroll
      for (unsigned q = 0; q < wave_lane_totals; ++q) {
        const unsigned j = q * 32 + lane;
        if (j < gridDim.x && begin + j < tiles) {
          total[q].read(totals + int64_t{begin + j} * Total::parts);
        }
      }
    }
    if (step < steps) {
      const unsigned s = step % wave_stages;
      wait_barrier(full + s, step / wave_stages & 1);
      const auto* v =
          reinterpret_cast<const Vector<In, 4>*>(stage(step)) + warp * (Tile::items / 4);
      State sum = S::template identity<State>();
      if constexpr (relative) {
        compute_t<In> x[wave_vectors * 4];
#pragma unroll
        for (int k = 0; k < wave_vectors * 4; ++k)
          x[k] = load_element(v[k / 4 * 32 + lane].lane[k % 4]);
        S::join_all(sum, x);
      } else {
#pragma unroll
        for (int r = 0; r < wave_vectors; ++r) {
          const Vector<In, 4> x = v[r * 32 + lane];
          sum = S::join(sum, S::join(S::join(S::enter(x.lane[0]), S::enter(x.lane[1])),
                                     S::join(S::enter(x.lane[2]), S::enter(x.lane[3]))));
        }
      }
      sum = detail::join_lanes<S>(sum);
      if (lane == 0) sums[s * warps + warp] = sum;
      __syncthreads();
      State all = S::template identity<State>();
      if constexpr (relative) {
        if (warp == 0) all = detail::join_first<S>(sums + s * warps, warps);
      } else if (first) {
        all = sums[s * warps];
#pragma unroll
        for (unsigned w = 1; w < warps; ++w) all = S::join(all, sums[s * warps + w]);
      }
      if (first) {
        const int64_t tile = step * gridDim.x + blockIdx.x;
        Total::write(totals + tile * Total::parts, all);
      }
    }
    if (step < wave_ahead) continue;

    const unsigned mine = begin + blockIdx.x;
    if (warp == 0) {
      const unsigned end = begin + gridDim.x;
      const unsigned row = grid.tiles.divide(mine) * grid.tiles.divisor;
      // The row that continues in the next wave, if there is one.
      const unsigned next = end < tiles ? grid.tiles.divide(end) * grid.tiles.divisor : end;
      Carry below = S::template identity<Carry>();
      Carry whole = S::template identity<Carry>();
#pragma unroll
      for (unsigned q = 0; q < wave_lane_totals; ++q) {
        const unsigned tile = begin + q * 32 + lane;
        const bool is_below = tile >= row && tile < mine;
        const bool goes_on = tile >= next && tile < end;
        if (is_below || goes_on) {
          const auto x = static_cast<Carry>(total[q].wait(totals + int64_t{tile} * Total::parts));
          if (is_below) below = S::join(below, x);
          if (goes_on) whole = S::join(whole, x);
        }
      }
      below = detail::join_lanes<S>(below);
      whole = detail::join_lanes<S>(whole);
      if (first) {
        *known = row < begin ? S::join(carry, below) : below;
        carry = next < begin ? S::join(carry, whole) : whole;
      }
    }
    __syncthreads();

    const unsigned done = step - wave_ahead;
    auto* const values = stage(done) + warp * (Tile::items * 4);
    Vector<In, 4> loaded[wave_vectors];
#pragma unroll
    for (int r = 0; r < wave_vectors; ++r) {
      loaded[r] = reinterpret_cast<const Vector<In, 4>*>(values)[r * 32 + lane];
    }
    Tile tile;
    tile.template scan<true>(loaded, Tile::items);
    State earlier = S::template identity<State>();
    if constexpr (relative) {
      earlier = detail::join_first<S>(sums + done % wave_stages * warps, warp);
      earlier = cub::ShuffleIndex<32>(earlier, 0, 0xFFFFFFFFU);
    } else {
#pragma unroll
      for (unsigned w = 0; w < warps; ++w) {
        if (w < warp) earlier = S::join(earlier, sums[done % wave_stages * warps + w]);
      }
    }
    const auto prefix = scanner::prefix_of<State>(*known);
#pragma unroll
    for (int r = 0; r < wave_vectors; ++r) {
      reinterpret_cast<Vector<Out, 4>*>(values)[r * 32 + lane] =
          tile.template finish<Out>(r, prefix, earlier);
    }
    publish_to_bulk();
    __syncthreads();
    if (first) {
      const detail::WaveTile at(grid, mine);
      Out* out = reinterpret_cast<Out*>(grid.data[0]) + at.offset[0];
      bulk_store(out, stage(done), at.moved * 4);
      const auto* rest = reinterpret_cast<const Out*>(stage(done));
      for (int i = at.moved; i < at.count; ++i) out[i] = rest[i];
      if (done > 0) {
        wait_bulk_reads<1>();
        bring(done - 1 + wave_stages);
      }
    }
  }
  if (first) wait_bulk_reads<0>();
#endif
}

#endif

}  // namespace weft::on_cuda
