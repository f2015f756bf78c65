// What a reduction's thread reads at a time: several vectors of each operand, all in flight.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/alike.hpp"

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
/// elements, or states of several values, need.
template <int V, class State>
inline constexpr int row_blocks = V == 1               ? 2
                                  : sizeof(State) <= 4 ? 4
                                                       : 3;

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

  /// Loads the items k, k + distance ... before `last`; the addresses are item k's. No register is
  /// written twice between the loads, which would make the next load wait.
  template <int I, class Step, int N>
  __device__ __forceinline__ void load(char* const (&at)[N], const Step (&hop)[N],
                                       const int (&lane)[N], unsigned k, unsigned distance,
                                       unsigned last) {
    auto vector = [&](int u) -> auto& { return get<I - 1>(item[u].values); };
    using Vector = std::remove_reference_t<decltype(vector(0))>;
    using T = std::remove_reference_t<decltype(vector(0).lane[0])>;
    const bool contiguous = V == 1 || lane[I] != 0;
    if constexpr (std::is_same_v<Vector, on_cuda::Vector<IndexOperand, V>>) {
#pragma unroll
      for (int u = 0; u < Ahead; ++u) {
        const auto first = reinterpret_cast<long long>(at[I] + u * hop[I]) - IndexOperand::origin;
#pragma unroll
        for (int j = 0; j < V; ++j) vector(u).lane[j] = first + (contiguous ? j : 0);
      }
    } else if constexpr (V > 1) {
      Words<T, V> words[Ahead]{};
      if (contiguous) {
#pragma unroll
        for (int u = 0; u < Ahead; ++u) {
          if (k + u * distance < last) {
            words[u] = *reinterpret_cast<const Words<T, V>*>(at[I] + u * hop[I]);
          }
        }
      } else {
#pragma unroll
        for (int u = 0; u < Ahead; ++u) {
          if (k + u * distance >= last) break;
          Vector same;
#pragma unroll
          for (int j = 0; j < V; ++j)
            same.lane[j] = *reinterpret_cast<const T*>(at[I] + u * hop[I]);
          words[u] = __builtin_bit_cast(Words<T, V>, same);
        }
      }
#pragma unroll
      for (int u = 0; u < Ahead; ++u) vector(u) = __builtin_bit_cast(Vector, words[u]);
    } else {
#pragma unroll
      for (int u = 0; u < Ahead; ++u) {
        if (k + u * distance < last) {
          vector(u).lane[0] = *reinterpret_cast<const T*>(at[I] + u * hop[I]);
        }
      }
    }
    if constexpr (I + 1 < N) load<I + 1>(at, hop, lane, k, distance, last);
  }
  /// The same where address(at, k) tells the addresses of item k.
  template <int N, class F>
  __device__ __forceinline__ void load_each(const int (&lane)[N], unsigned k, unsigned distance,
                                            unsigned last, const F& address) {
#pragma unroll
    for (int u = 0; u < Ahead; ++u) {
      if (k + u * distance >= last) break;
      char* at[N];
      address(at, k + u * distance);
      constexpr Hop<V> none[N] = {};
      Chunk<Types, V, 1> one;
      one.template load<1>(at, none, lane, 0, 0, 1);
      item[u] = one.item[0];
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
};

}  // namespace weft::on_cuda::detail

#endif
