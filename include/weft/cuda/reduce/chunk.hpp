// What a reduction's thread reads at a time: several vectors of each operand, all in flight.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/alike.hpp"
#include "weft/cuda/primitive/registers.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

/// Items of V elements that a thread loads at a time: enough to keep memory busy and, for states of
/// several values, to merge states seldom. Large Small one at a time: several would spill to local
/// memory.
template <int N, int V, class State>
inline constexpr int row_ahead = V == 1  ? (sizeof(State) > 64 ? 1
                                            : N <= 2           ? 8
                                            : N <= 3           ? 4
                                                               : 2)
                                 : N > 6 ? 1
                                 : N > 3 ? 2
                                 : N > 2 ? (V > 4 ? 2 : 4)
                                 : V > 8 ? 2
                                 : V > 4 ? 4
                                         : 8;
/// The same for V columns, each with a state.
template <int N, int V, class State>
inline constexpr int column_ahead = V == 1 || N > 3                ? row_ahead<N, V, State>
                                    : V == 4 && sizeof(State) <= 4 ? 2
                                    : V < 4                        ? 8 / (N - 1)
                                                                   : 4 / (N - 1);
/// Resident blocks of a row kernel per multiprocessor: more would take registers that single
/// elements, states of several values, or lines need, and read two operands' memory more at random.
template <int N, int V, class State, bool Lines>
inline constexpr int row_blocks = V == 1 ? (N <= 3 && Lines && sizeof(State) <= 4 ? 4 : 2)
                                  : Lines || N == 3 || sizeof(State) > 4 ? 3
                                                                         : 4;

/// Bytes between the items of a thread.
template <int V>
using Hop = std::conditional_t<V == 1, int64_t, unsigned>;

/// A vector as words, which loads fill without unpacking.
template <class T, int V>
struct alignas(sizeof(T) * V) Words {
  using Word = std::conditional_t<sizeof(T) * V % 4 == 0, unsigned, unsigned short>;
  Word word[sizeof(T) * V / sizeof(Word)];
};

/// What a thread reads at a time: items of each operand, a hop apart.
template <class Types, int V, int Ahead>
struct Chunk {
  Registers<Types, V> item[Ahead]{};

  /// Loads the items k, k + distance ... before `last`; the addresses are item k's, `lane` is that
  /// of ReduceGrid.
  template <int I, class Step, int N>
  __device__ __forceinline__ void load(char* const (&at)[N], const Step (&hop)[N],
                                       const int (&lane)[N], unsigned k, unsigned distance,
                                       unsigned last) {
    load_operand<I, N, false>([&](int u) { return at[I] + u * hop[I]; }, lane[I], k, distance,
                              last);
    if constexpr (I + 1 < N) load<I + 1>(at, hop, lane, k, distance, last);
  }
  /// The same where the next item is one of two hops away; bit u of `far`: from item u it is the
  /// second. Leaves the addresses at the item after the last.
  template <int I, int N>
  __device__ __forceinline__ void load_lines(char* (&at)[N], const int64_t (&near_hop)[N],
                                             const int64_t (&far_hop)[N], unsigned far,
                                             const int (&lane)[N], unsigned k, unsigned distance,
                                             unsigned last) {
    const auto next = [&](int u) {
      char* const here = at[I];
      at[I] += (far >> u & 1U) != 0 ? far_hop[I] : near_hop[I];
      return here;
    };
    load_operand<I, N, true>(next, lane[I], k, distance, last);
    if constexpr (I + 1 < N) {
      load_lines<I + 1>(at, near_hop, far_hop, far, lane, k, distance, last);
    }
  }
  template <class Program>
  __device__ __forceinline__ auto value(const Program& program, int u, int j) const {
    return program(Lane<Registers<Types, V>>{item[u], j});
  }
  /// The program's values at item u, left as they are where it has effects and is not `inside`; bit
  /// i of `alike`: operand i is the same in all lanes.
  template <class Program, class C>
  __device__ __forceinline__ void values(const Program& program, int u, std::uint64_t alike,
                                         bool inside, C (&out)[V]) const {
    if constexpr (has_effects<Program>) {
      if (!inside) return;
    }
    const auto lane = [&](int j) { return Lane<Registers<Types, V>>{item[u], j}; };
    run_lanes<V>(program, lane, has_effects<Program> ? 0 : alike, V, out);
  }

 private:
  /// An address, of which the compiler then knows that it is one of global memory.
  __device__ __forceinline__ static const char* in_global(const char* p) {
    __builtin_assume(__isGlobal(p));
    return p;
  }
  /// Loads operand I; address(u) is called for each item, in order. No register is written twice
  /// between the loads, which would make the next load wait. `Chained`: each address takes the one
  /// before, so that those that are not read had better not be computed.
  template <int I, int N, bool Chained, class F>
  __device__ __forceinline__ void load_operand(const F& address, int lane, unsigned k,
                                               unsigned distance, unsigned last) {
    auto vector = [&](int u) -> auto& { return get<I - 1>(item[u].values); };
    using Vector = std::remove_reference_t<decltype(vector(0))>;
    using T = std::remove_reference_t<decltype(vector(0).lane[0])>;
    if constexpr (std::is_same_v<Vector, on_cuda::Vector<IndexOperand, V>>) {
#pragma unroll
      for (int u = 0; u < Ahead; ++u) {
        const auto first = reinterpret_cast<long long>(address(u)) - IndexOperand::origin;
#pragma unroll
        for (int j = 0; j < V; ++j) vector(u).lane[j] = first + (V == 1 || lane != 0 ? j : 0);
      }
    } else if constexpr (V > 1) {
      Words<T, V> words[Ahead]{};
      if (lane == 1) {
#pragma unroll
        for (int u = 0; u < Ahead; ++u) {
          const char* from = in_global(address(u));
          const bool inside = k + u * distance < last;
          if (Chained && !inside) break;
          if (inside) words[u] = *reinterpret_cast<const Words<T, V>*>(from);
        }
      } else if (N > 2 && lane != 0) {
#pragma unroll
        for (int u = 0; u < Ahead; ++u) {
          const auto* from = reinterpret_cast<const T*>(in_global(address(u)));
          if (k + u * distance >= last) break;
          Vector lanes;
#pragma unroll
          for (int j = 0; j < V; ++j) lanes.lane[j] = from[j];
          words[u] = __builtin_bit_cast(Words<T, V>, lanes);
        }
      } else {
#pragma unroll
        for (int u = 0; u < Ahead; ++u) {
          const auto* from = reinterpret_cast<const T*>(in_global(address(u)));
          if (k + u * distance >= last) break;
          Vector same;
#pragma unroll
          for (int j = 0; j < V; ++j) same.lane[j] = *from;
          words[u] = __builtin_bit_cast(Words<T, V>, same);
        }
      }
#pragma unroll
      for (int u = 0; u < Ahead; ++u) vector(u) = __builtin_bit_cast(Vector, words[u]);
    } else {
#pragma unroll
      for (int u = 0; u < Ahead; ++u) {
        const char* from = in_global(address(u));
        if (k + u * distance < last) vector(u).lane[0] = *reinterpret_cast<const T*>(from);
      }
    }
  }
};

}  // namespace weft::on_cuda::detail

#endif
