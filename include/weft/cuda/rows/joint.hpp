// Merging the states of several reductions at once: one exchange for all threads that share a row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/rows/merge.hpp"
#include "weft/cuda/rows/threads.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

/// Bytes of a state where states lie behind each other.
template <class State>
inline constexpr unsigned state_size = (sizeof(State) + 3) / 4 * 4;

/// Where the threads of a row exchange the states of one pass, which they write into one of two
/// areas of shared memory in turn.
struct JointArea {
  const RowLoops& grid;
  char* bytes;
  unsigned turn;

  __device__ __forceinline__ char* begin() const { return bytes + turn % 2 * grid.scratch; }
  /// States that an area has room for: of warps or threads, then of a cluster's blocks.
  __device__ __forceinline__ unsigned places() const { return grid.columns ? blockDim.x : 32; }
  __device__ __forceinline__ unsigned remote_places() const {
    return grid.columns ? row_cluster * 32 : row_cluster;
  }
  __device__ __forceinline__ unsigned barrier() const {
    return static_cast<unsigned>(
        __cvta_generic_to_shared(begin() + grid.scratch - Exchange::barrier_bytes));
  }
};

/// A state among others, at place `i` of the area; `before` is the bytes of those of one thread
/// that come first, `all` those of all.
template <class State>
__device__ __forceinline__ State* joint_place(const JointArea& area, unsigned before, unsigned i) {
  return reinterpret_cast<State*>(area.begin() + before * area.places() + i * state_size<State>);
}
template <class State>
__device__ __forceinline__ State* remote_place(const JointArea& area, unsigned before, unsigned all,
                                               unsigned i) {
  return reinterpret_cast<State*>(area.begin() + all * area.places() +
                                  before * area.remote_places() + i * state_size<State>);
}

/// A reduction's part in the merging of a pass.
template <class Reducer, class State>
struct JointState {
  const Reducer& reducer;
  State& state;
  unsigned before;
  bool active = true;  // one of a value that another has is left out
  static constexpr unsigned bytes = state_size<State>;  // that a block sends another

  __device__ __forceinline__ void take_lane(unsigned distance) const {
    if (active) reducer.merge(state, shuffle<true>(state, distance));
  }
  __device__ __forceinline__ void from_lane(unsigned lane) const {
    if (active) state = shuffle<false>(state, lane);
  }
  __device__ __forceinline__ void put(const JointArea& area, unsigned i) const {
    if (active) *joint_place<State>(area, before, i) = state;
  }
  __device__ __forceinline__ void get(const JointArea& area, unsigned i, bool here) const {
    if (active) state = here ? *joint_place<State>(area, before, i) : State{};
  }
  /// The states of the threads that have column `column`, in order.
  __device__ __forceinline__ void take_column(const JointArea& area, unsigned column) const {
    if (!active) return;
    state = State{};
#pragma unroll 1
    for (unsigned w = 0; w < area.grid.group; ++w) {
      reducer.merge(state, *joint_place<State>(area, before, w * area.grid.rows_a_block + column));
    }
  }
  __device__ __forceinline__ void send(const JointArea& area, unsigned all, unsigned i,
                                       unsigned rank) const {
    const auto to =
        static_cast<unsigned>(__cvta_generic_to_shared(remote_place<State>(area, before, all, i)));
    Exchange::send(state, to, area.barrier(), rank);
  }
  __device__ __forceinline__ void get_remote(const JointArea& area, unsigned all, unsigned i,
                                             bool here) const {
    state = here ? *remote_place<State>(area, before, all, i) : State{};
  }
  __device__ __forceinline__ void take_remote_column(const JointArea& area, unsigned all,
                                                     unsigned column) const {
    state = State{};
#pragma unroll 1
    for (unsigned p = 0; p < area.grid.parts.divisor; ++p) {
      reducer.merge(state, *remote_place<State>(area, before, all, p * 32 + column));
    }
  }
};
template <class Reducer, class State>
JointState(const Reducer&, State&, unsigned) -> JointState<Reducer, State>;
template <class Reducer, class State>
JointState(const Reducer&, State&, unsigned, bool) -> JointState<Reducer, State>;

/// Merges the states of all threads that share a row, `all` bytes in a thread: each has the same
/// bits then. One barrier for all, or two with a cluster.
template <class... Joints>
__device__ __forceinline__ void merge_joint(const JointArea& area, unsigned all,
                                            const Joints&... joint) {
  const RowLoops& grid = area.grid;
  constexpr unsigned sent = (Joints::bytes + ...);  // `all` less the gaps between states
  const unsigned lane = threadIdx.x % 32;
  if (grid.columns) {
    const unsigned column = column_in_block(grid);
    if (grid.group > 1) {
      (joint.put(area, threadIdx.x), ...);
      __syncthreads();
      (joint.take_column(area, column), ...);
    }
    if (grid.cluster) {  // rows_a_block is 32
      const unsigned parts = grid.parts.divisor;
      if (threadIdx.x < 32) {
        if (lane == 0) Exchange::expect(area.barrier(), sent * parts * 32);
        __syncwarp();
        const unsigned mine = Exchange::rank() * 32 + lane;
#pragma unroll 1
        for (unsigned p = 0; p < parts; ++p) (joint.send(area, all, mine, p), ...);
      }
      Exchange::wait(area.barrier(), area.turn / 2 % 2);
      (joint.take_remote_column(area, all, column), ...);
    }
    return;
  }
  const unsigned width = grid.group < 32 ? grid.group : 32;
#pragma unroll 1
  for (unsigned w = width / 2; w > 0; w /= 2) (joint.take_lane(w), ...);
  unsigned first = lane & (32 - width);
  if (grid.group > 32) {
    if (lane == 0) (joint.put(area, threadIdx.x / 32), ...);
    __syncthreads();
    const bool here = lane < grid.group / 32;
    (joint.get(area, lane, here), ...);
#pragma unroll 1
    for (unsigned w = grid.warps / 2; w > 0; w /= 2) (joint.take_lane(w), ...);
    first = 0;
  }
  if (grid.cluster) {
    const unsigned parts = grid.parts.divisor;
    if (threadIdx.x < 32) {
      (joint.from_lane(0), ...);
      if (lane == 0) Exchange::expect(area.barrier(), sent * parts);
      if (lane < parts) (joint.send(area, all, Exchange::rank(), lane), ...);
    }
    Exchange::wait(area.barrier(), area.turn / 2 % 2);
    const bool here = lane < parts;
    (joint.get_remote(area, all, lane, here), ...);
#pragma unroll 1
    for (unsigned w = row_cluster / 2; w > 0; w /= 2) (joint.take_lane(w), ...);
    first = 0;
  }
  if (width > 1) (joint.from_lane(first), ...);
}

}  // namespace weft::on_cuda::detail

#endif
