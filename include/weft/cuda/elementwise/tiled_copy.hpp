// Copies by tiles of several short axes, read in the order of the source and written in the
// target's. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/tiled_copy_plan.hpp"

namespace weft::on_cuda {

#if defined(__CUDACC__)

namespace detail {

/// What holds the bits of an element.
template <int Bytes>
struct WordOf {
  using type = unsigned;
};
template <>
struct WordOf<1> {
  using type = unsigned char;
};
template <>
struct WordOf<2> {
  using type = unsigned short;
};
template <>
struct WordOf<8> {
  using type = unsigned long long;
};

/// What a thread moves of any tile: where its elements are in the source and in shared memory as it
/// reads, and in shared memory and the target as it writes. Its place is -1 behind the last one.
template <int Size>
struct TiledThread {
  static constexpr int lanes = tiled_lanes(Size);
  int from[lanes];
  int to[lanes];
  int places[lanes];  // of both, 16 bits each

  __host__ __device__ __forceinline__ TiledThread(const TiledCopy& plan, unsigned thread) {
#pragma unroll
    for (int k = 0; k < lanes; ++k) {
      const unsigned element = thread + static_cast<unsigned>(k) * block_threads;
      from[k] = to[k] = 0;
      const unsigned read = find(plan.read, plan.rank, element, from[k]);
      const unsigned written = find(plan.written, plan.rank, element, to[k]);
      places[k] =
          static_cast<int>(element) < plan.elements ? static_cast<int>(read | written << 16) : -1;
    }
  }

 private:
  __host__ __device__ __forceinline__ static unsigned find(const TiledCopy::Axis* axes, int rank,
                                                           unsigned element, int& offset) {
    unsigned place = 0;
#pragma unroll 1
    for (int d = 0; d < rank; ++d) {
      const unsigned next = axes[d].size.divide(element);
      const unsigned at = element - next * axes[d].size.divisor;
      element = next;
      offset += static_cast<int>(at) * axes[d].stride;
      place += at * static_cast<unsigned>(axes[d].place);
    }
    return place;
  }
};

/// Where a tile begins in the source and the target.
__host__ __device__ __forceinline__ void find_tile(const TiledCopy& plan, unsigned tile, int& from,
                                                   int& to) {
  from = to = 0;
#pragma unroll 1
  for (int d = 0; d < plan.outer; ++d) {
    const TiledCopy::Outer& outer = plan.across[d];
    const unsigned next = outer.tiles.divide(tile);
    int at = static_cast<int>(tile - next * outer.tiles.divisor) * outer.part;
    at = at < outer.last ? at : outer.last;
    tile = next;
    from += at * outer.from_stride;
    to += at * outer.to_stride;
  }
}

template <int Size>
__host__ __device__ __forceinline__ void read_tile(const TiledThread<Size>& mine,
                                                   const typename WordOf<Size>::type* from,
                                                   typename WordOf<Size>::type* shared) {
  constexpr int lanes = tiled_lanes(Size);
  typename WordOf<Size>::type values[lanes];
#pragma unroll
  for (int k = 0; k < lanes; ++k) {
    if (mine.places[k] != -1) values[k] = from[mine.from[k]];
  }
#pragma unroll
  for (int k = 0; k < lanes; ++k) {
    if (mine.places[k] != -1) shared[mine.places[k] & 0xFFFF] = values[k];
  }
}
template <int Size>
__host__ __device__ __forceinline__ void write_tile(const TiledThread<Size>& mine,
                                                    typename WordOf<Size>::type* to,
                                                    const typename WordOf<Size>::type* shared) {
#pragma unroll
  for (int k = 0; k < tiled_lanes(Size); ++k) {
    if (mine.places[k] != -1) to[mine.to[k]] = shared[static_cast<unsigned>(mine.places[k]) >> 16];
  }
}

}  // namespace detail

/// A tiled copy of elements of Size bytes.
template <int Size>
__global__ void __launch_bounds__(block_threads, 3)
    copy_tiled(const __grid_constant__ TiledCopy plan) {
  using T = typename detail::WordOf<Size>::type;
  extern __shared__ __align__(16) char weft_copy_tile[];
  T* const shared = reinterpret_cast<T*>(weft_copy_tile);
  const detail::TiledThread<Size> mine(plan, threadIdx.x);
#pragma unroll 1
  for (unsigned tile = blockIdx.x; tile < plan.tiles; tile += gridDim.x) {
    int from = 0;
    int to = 0;
    detail::find_tile(plan, tile, from, to);
    detail::read_tile<Size>(mine, reinterpret_cast<const T*>(plan.from) + from, shared);
    __syncthreads();
    detail::write_tile<Size>(mine, reinterpret_cast<T*>(plan.to) + to, shared);
    __syncthreads();
  }
}

#endif

}  // namespace weft::on_cuda
