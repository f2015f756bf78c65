// Merging the states of all threads that share a row: of lanes, warps, and a cluster's blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/pack.hpp"
#include "weft/cuda/rows/exchange.hpp"
#include "weft/cuda/rows/threads.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

/// The threads that share a row, and where they exchange states.
struct RowTeam {
  unsigned group;  // threads of a block
  unsigned warps;  // of the group, rounded up to a power of two
  unsigned parts;  // blocks
  bool columns;    // neighbouring threads have neighbouring rows
  bool cluster;    // the blocks exchange states
  unsigned area;   // bytes of one of the two areas of shared memory that merges use in turn
  unsigned turn;
  unsigned rows = 32;   // columns: of a block
  unsigned column = 0;  // columns: the thread's row of those
};

/// The team of a thread of the kernel that loops.
__device__ __forceinline__ RowTeam row_team(const RowLoops& grid, unsigned turn) {
  return {grid.group,   grid.warps,        grid.parts.divisor,
          grid.columns, grid.cluster,      grid.scratch,
          turn,         grid.rows_a_block, grid.columns ? column_in_block(grid) : 0};
}

/// Bytes of a state where states lie behind each other.
template <class State>
inline constexpr unsigned state_size = (sizeof(State) + 3) / 4 * 4;

/// The offset of a state of `size` bytes behind `all` bytes of others; adds it to those.
constexpr unsigned place_state(unsigned& all, unsigned size) {
  if (size % 8 == 0) all = (all + 7) / 8 * 8;
  const unsigned before = all;
  all += size;
  return before;
}

/// One thread's part in merging several states.
template <class Reducers, class States>
class RowMerge;
template <class... Rs, class... Ss>
class RowMerge<Pack<Rs...>, Pack<Ss...>> {
 public:
  __device__ __forceinline__ RowMerge(const Pack<Rs...>& reducers, Pack<Ss...>& states,
                                      unsigned active, const RowTeam& team, char* shared)
      : reducers_(reducers),
        states_(states),
        active_(active),
        team_(team),
        bytes_(shared + team.turn % 2 * team.area) {}

  __device__ __forceinline__ void run() const {
    if (team_.columns) {
      merge_columns();
    } else {
      merge_lanes();
    }
  }

 private:
  static constexpr int count = sizeof...(Ss);
  struct Layout {
    unsigned before[count] = {};
    unsigned all = 0;
  };
  static constexpr Layout layout = [] {
    Layout out;
    constexpr unsigned size[] = {state_size<Ss>...};
    for (int k = 0; k < count; ++k) out.before[k] = place_state(out.all, size[k]);
    return out;
  }();
  static constexpr unsigned sent = (state_size<Ss> + ...);

  /// Calls f(reducer, state, bytes before it) for each state, or for those that are merged.
  template <bool All = false, class F>
  __device__ __forceinline__ void for_each(const F& f) const {
    for_each<All>(f, std::make_index_sequence<count>{});
  }
  template <bool All, class F, std::size_t... K>
  __device__ __forceinline__ void for_each(const F& f, std::index_sequence<K...>) const {
    ((All || count == 1 || (active_ >> K & 1U) != 0
          ? f(weft::get<static_cast<int>(K)>(reducers_), weft::get<static_cast<int>(K)>(states_),
              layout.before[K])
          : void()),
     ...);
  }

  /// Where the i-th state is of those that this block's threads or warps put, or of those that
  /// other blocks sent.
  template <class State>
  __device__ __forceinline__ State* here(unsigned before, unsigned i) const {
    return reinterpret_cast<State*>(bytes_ + before * places() + i * state_size<State>);
  }
  template <class State>
  __device__ __forceinline__ State* sent_here(unsigned before, unsigned i) const {
    const unsigned remote = team_.columns ? row_cluster * 32 : row_cluster;
    return reinterpret_cast<State*>(bytes_ + layout.all * places() + before * remote +
                                    i * state_size<State>);
  }
  __device__ __forceinline__ unsigned places() const { return team_.columns ? blockDim.x : 32; }
  __device__ __forceinline__ unsigned barrier() const {
    return static_cast<unsigned>(
        __cvta_generic_to_shared(bytes_ + team_.area - Exchange::barrier_bytes));
  }
  __device__ __forceinline__ void put(unsigned i) const {
    for_each([&](const auto&, auto& state, unsigned before) {
      *here<std::remove_cvref_t<decltype(state)>>(before, i) = state;
    });
  }
  /// Sends the states to place i of block `rank`.
  __device__ __forceinline__ void send(unsigned i, unsigned rank) const {
    for_each<true>([&](const auto&, auto& state, unsigned before) {
      auto* const place = sent_here<std::remove_cvref_t<decltype(state)>>(before, i);
      const auto to = static_cast<unsigned>(__cvta_generic_to_shared(place));
      Exchange::send(state, to, barrier(), rank);
    });
  }

  /// Merges the states of lanes, then those of warps, then those of blocks.
  __device__ __forceinline__ void merge_lanes() const {
    const unsigned lane = threadIdx.x % 32;
    take_lanes(lane, team_.group < 32 ? team_.group : 32);
    if (team_.group > 32) {
      if (lane == 0) put(threadIdx.x / 32);
      __syncthreads();
      const unsigned warp = lane & (team_.warps - 1);
      const bool mine = warp < team_.group / 32;
      for_each([&](const auto&, auto& state, unsigned before) {
        using State = std::remove_cvref_t<decltype(state)>;
        state = mine ? *here<State>(before, warp) : State{};
      });
      take_lanes(lane, team_.warps);
    }
    if (team_.cluster) {
      exchange(lane);
      take_lanes(lane, team_.parts);
    }
  }
  /// Merges the states of `lanes` adjacent lanes, a power of two: each of them then has the result.
  __device__ __forceinline__ void take_lanes(unsigned lane, unsigned lanes) const {
    if (lanes == 1) return;
    for_each([&](const auto& reducer, auto& state, unsigned) {
      if constexpr (at_once<decltype(reducer), decltype(state)>) {
        merge_adjacent(reducer, state, lanes);
      }
    });
    if constexpr (!(merges_at_once<Rs, Ss> && ...)) {
#pragma unroll(count == 1 ? 5 : 1)
      for (unsigned w = 16; w > 0; w /= 2) {
        if (lanes > w) {
          for_each([&](const auto& reducer, auto& state, unsigned) {
            if constexpr (!at_once<decltype(reducer), decltype(state)>) {
              reducer.merge(state, shuffle<true>(state, w));
            }
          });
        }
      }
      for_each([&](const auto& reducer, auto& state, unsigned) {
        if constexpr (!at_once<decltype(reducer), decltype(state)>) {
          state = shuffle<false>(state, lane & ~(lanes - 1));
        }
      });
    }
  }
  template <class R, class State>
  static constexpr bool at_once =
      merges_at_once<std::remove_cvref_t<R>, std::remove_cvref_t<State>>;
  __device__ __forceinline__ void exchange(unsigned lane) const {
    if (threadIdx.x < 32) {
      if (lane == 0) Exchange::expect(barrier(), sent * team_.parts);
      if (lane < team_.parts) send(Exchange::rank(), lane);
    }
    Exchange::wait(barrier(), team_.turn / 2 % 2);
    const unsigned part = lane & (team_.parts - 1);
    for_each<true>([&](const auto&, auto& state, unsigned before) {
      state = *sent_here<std::remove_cvref_t<decltype(state)>>(before, part);
    });
  }

  /// Each thread merges its column's states in order: stage 0 those of the block's threads, stage 1
  /// those of the cluster's blocks.
  __device__ __forceinline__ void merge_columns() const {
#pragma unroll 1
    for (int stage = team_.group > 1 ? 0 : 1; stage < (team_.cluster ? 2 : 1); ++stage) {
      if (stage == 0) {
        put(threadIdx.x);
        __syncthreads();
      } else {
        exchange_columns();
      }
      const unsigned states = stage == 0 ? team_.group : team_.parts;
      const unsigned apart = stage == 0 ? team_.rows : 32;
      for_each([&](const auto& reducer, auto& state, unsigned before) {
        using State = std::remove_cvref_t<decltype(state)>;
        const State* at =
            stage == 0 ? here<State>(before, team_.column) : sent_here<State>(before, team_.column);
        constexpr unsigned bytes = state_size<State>;
        state = State{};
#pragma unroll 1
        for (unsigned i = 0; i < states; ++i) {
          reducer.merge(state, *at);
          at = reinterpret_cast<const State*>(reinterpret_cast<const char*>(at) + apart * bytes);
        }
      });
    }
  }
  /// A block then has 32 columns.
  __device__ __forceinline__ void exchange_columns() const {
    const unsigned lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
      if (lane == 0) Exchange::expect(barrier(), sent * team_.parts * 32);
      __syncwarp();
      const unsigned mine = Exchange::rank() * 32 + lane;
#pragma unroll 1
      for (unsigned p = 0; p < team_.parts; ++p) send(mine, p);
    }
    Exchange::wait(barrier(), team_.turn / 2 % 2);
  }

  const Pack<Rs...>& reducers_;
  Pack<Ss...>& states_;
  unsigned active_;
  const RowTeam& team_;
  char* bytes_;
};

/// Merges the states of all threads that share a row, of those that `active` names by bit, with the
/// same bits in each of them. Since merges use two areas in turn, each needs one barrier of the
/// block. A function of its own, which kernels with the same reductions share.
template <class... Rs, class... Ss>
__device__ __noinline__ Pack<Ss...> merge_team(const Pack<Rs...> reducers, Pack<Ss...> states,
                                               unsigned active, const RowTeam team, char* shared) {
  RowMerge<Pack<Rs...>, Pack<Ss...>>(reducers, states, active, team, shared).run();
  return states;
}

}  // namespace weft::on_cuda::detail

#endif
