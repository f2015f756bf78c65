// Loops that reduce values in memory, compiled once for each reducer and type of value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/dtype.hpp"
#include "weft/cpu/elementwise/instruction_set.hpp"
#include "weft/cpu/reduce/lanes.hpp"
#include "weft/cpu/reduce/short_logsumexp.hpp"
#include "weft/eval/program/program.hpp"

namespace weft::cpu::detail {

/// The most values of a row computed at a time before they are reduced.
inline constexpr int run_size = 2048;
/// The most values reduced at once from memory.
inline constexpr int long_run_size = 4096;

/// Reduces rows of values of type V, however computed, by `reducer`.
struct RunLoops {
  int bytes;        // of a running reduction
  int state_bytes;  // of a state
  int value_bytes;
  int out_bytes;
  void (*begin)(const void* reducer, void* running);
  /// m values, the first at `position`.
  void (*add)(const void* reducer, const char* values, int64_t m, int64_t position, void* running);
  /// The state of a running reduction.
  void (*end)(void* running, char* state);
  /// Output = the result of the states of `count` values, n of them, `step` apart.
  void (*finish)(const void* reducer, int64_t count, const char* states, int64_t n, int64_t step,
                 char* out);
  /// The results of whole rows of m values, `pitch` bytes apart.
  void (*rows)(const void* reducer, const char* values, int64_t pitch, int64_t rows, int64_t m,
               char* out, int64_t out_pitch);
};

template <class Out, class R, class V>
struct Run {
  using Row = Reduction<R, V>;
  using State = typename R::template State<V>;

  static const R& reducer_of(const void* reducer) { return *static_cast<const R*>(reducer); }

  static void begin(const void* reducer, void* running) {
    ::new (running) Row(reducer_of(reducer));
  }
  static void add(const void*, const char* values, int64_t m, int64_t position, void* running) {
    run_loop([=]() WEFT_ALWAYS_INLINE {
      static_cast<Row*>(running)->add(reinterpret_cast<const V*>(values), static_cast<int>(m),
                                      position);
    });
  }
  static void end(void* running, char* state) {
    *reinterpret_cast<State*>(state) = static_cast<Row*>(running)->total();
  }
  static void finish(const void* reducer, int64_t count, const char* states, int64_t n,
                     int64_t step, char* out) {
    const auto* state = reinterpret_cast<const State*>(states);
    State total = state[0];
    if (n > 1) {
      Tree<R, State, 1> tree(reducer_of(reducer));
      for (int64_t i = 0; i < n; ++i) {
        State part = state[i * step];
        tree.push(&part, 1);
      }
      total = State{};
      tree.total(&total, 1);
    }
    *reinterpret_cast<Out*>(out) = store_element<Out>(reducer_of(reducer).finish(total, count));
  }
  static void rows(const void* reducer, const char* values, int64_t pitch, int64_t rows, int64_t m,
                   char* out, int64_t out_pitch) {
    if constexpr (std::is_same_v<R, reducer::logsumexp> && std::is_floating_point_v<V>) {
      if (m > 0 && m <= longest_short_logsumexp) {
        return short_logsumexps<Out, V>(values, pitch, rows, static_cast<int>(m), out, out_pitch);
      }
    }
    run_loop([=]() WEFT_ALWAYS_INLINE {
      const R mine = reducer_of(reducer);
      for (int64_t r = 0; r < rows; ++r) {
        const auto* row = reinterpret_cast<const V*>(values + r * pitch);
        *reinterpret_cast<Out*>(out + r * out_pitch) =
            store_element<Out>(mine.finish(Row::whole(mine, row, static_cast<int>(m)), m));
      }
    });
  }

  static constexpr RunLoops loops{sizeof(Row), sizeof(State), sizeof(V), sizeof(Out), begin,
                                  add,         end,           finish,    rows};
};

}  // namespace weft::cpu::detail
