// Multi-output programs: a block of values for every target, then stored or accumulated.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/block.hpp"
#include "weft/cpu/elementwise/elements.hpp"
#include "weft/cpu/elementwise/fetched.hpp"
#include "weft/cpu/elementwise/instruction_set.hpp"
#include "weft/eval/program/multi_output.hpp"

namespace weft::cpu {

/// A block of values, in the type in which they were computed.
template <class T>
struct BlockOf {
  alignas(64) T values[block_size];
};

namespace detail {

template <class Outs, class Types, class Program>
struct MultiOutputKernel;
template <class... Outs, class... Ts, MultiOutputProgram Program>
struct MultiOutputKernel<weft::detail::TypeList<Outs...>, weft::detail::TypeList<Ts...>, Program> {
  /// n elements per row of the targets, then of the operands, as in ElementLoop.
  static void run(const void* program, char* const* at, const int64_t* step, const int64_t* skip,
                  int64_t rows, int64_t n) {
    run_loop([=]() WEFT_ALWAYS_INLINE { loop(program, at, step, skip, rows, n); });
  }

 private:
  static constexpr int targets = sizeof...(Outs);
  using Operands = OperandElements<weft::detail::TypeList<Ts...>>;
  template <class Values>
  struct Blocks;
  template <class... Vs>
  struct Blocks<weft::detail::TypeList<Vs...>> {
    using type = Pack<BlockOf<Vs>...>;
  };

  WEFT_ALWAYS_INLINE static void loop(const void* program, char* const* at, const int64_t* step,
                                      const int64_t* skip, int64_t rows, int64_t n) {
    const Program mine = *static_cast<const Program*>(program);
    typename Blocks<typename Program::values>::type blocks;
    for (int64_t r = 0; r < rows; ++r) {
      const auto operands = Operands::moved(at + targets, step + targets, skip + targets, r);
      char* out[targets];
      for (int k = 0; k < targets; ++k) out[k] = at[k] + r * skip[k];
      for (int64_t start = 0; start < n; start += block_size) {
        const int64_t length = n - start < block_size ? n - start : block_size;
        using At = ElementAt<1, typename Operands::type>;
        if constexpr (fetched_bytes < Program >> 0) {
          alignas(64) char room[fetched_bytes<Program>];
          char* free = room;
          Program fetched = mine;
          fetch(
              fetched,
              [&](int64_t i) WEFT_ALWAYS_INLINE {
                return At{operands, i};
              },
              start, start + length, free);
#if !defined(__clang__)
#pragma GCC ivdep
#endif
          for (int64_t i = 0; i < length; ++i) {
            set(blocks, fetched(FetchedAt<At>{{operands, start + i}, start}), i);
          }
        } else {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
          for (int64_t i = 0; i < length; ++i) set(blocks, mine(At{operands, start + i}), i);
        }
        store(weft::detail::TypeList<Outs...>{}, blocks, mine.stores, out, start, length);
      }
    }
  }

  WEFT_ALWAYS_INLINE static void set(Pack<>&, const Pack<>&, int64_t) {}
  template <class T, class... Rest>
  WEFT_ALWAYS_INLINE static void set(Pack<BlockOf<T>, BlockOf<Rest>...>& blocks,
                                     const Pack<T, Rest...>& values, int64_t i) {
    blocks.head.values[i] = values.head;
    set(blocks.tail, values.tail, i);
  }

  WEFT_ALWAYS_INLINE static void store(weft::detail::TypeList<>, const Pack<>&, Stores,
                                       char* const*, int64_t, int64_t) {}
  template <class Out, class... More, class T, class... Rest>
  WEFT_ALWAYS_INLINE static void store(weft::detail::TypeList<Out, More...>,
                                       const Pack<BlockOf<T>, BlockOf<Rest>...>& blocks,
                                       Stores stores, char* const* at, int64_t start,
                                       int64_t length) {
    if ((stores.wanted & 1U) != 0) {
      Out* const out = reinterpret_cast<Out*>(at[0]) + start;
      const T* const values = blocks.head.values;
      if ((stores.adds & 1U) != 0) {
        for (int64_t i = 0; i < length; ++i) {
          out[i] = store_element<Out>(load_element(out[i]) + values[i]);
        }
      } else {
        for (int64_t i = 0; i < length; ++i) out[i] = store_element<Out>(values[i]);
      }
    }
    store(weft::detail::TypeList<More...>{}, blocks.tail, stores.next(), at + 1, start, length);
  }
};

}  // namespace detail
}  // namespace weft::cpu
