// Loops that reduce neighbouring columns of values side by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/vector.hpp"
#include "weft/cpu/reduce/run.hpp"

namespace weft::cpu::detail {

/// Reduces columns of values of type V, given in rows from low positions to high ones.
struct ColumnLoops {
  int columns;  // the most
  int bytes;    // of a running reduction
  void (*begin)(const void* reducer, void* running);
  /// Rows of m values, each `pitch` bytes behind the one before, the first at `position`.
  void (*add)(const void* reducer, const char* values, int64_t pitch, int64_t rows, int64_t m,
              int64_t position, void* running);
  /// The states of m columns.
  void (*end)(const void* reducer, void* running, int64_t m, char* states);
  /// The results of m columns of `count` values.
  void (*finish)(const void* reducer, void* running, int64_t m, int64_t count, char* out,
                 int64_t pitch);
};

template <class Out, class R, class V>
struct ColumnRun {
  using State = typename R::template State<V>;
  static constexpr int group = 64;                  // rows that are added to one state
  static constexpr int most = joins<R, V> ? 8 : 4;  // rows in one pass over the states
  static constexpr int columns = 16384 / static_cast<int>(sizeof(State));

  /// The running reduction: of the last rows, fewer than a group, and of the groups before.
  struct Running {
    explicit Running(const R& reducer) : tree(reducer) {}
    int64_t rows = 0;
    union {
      alignas(64) State part[columns];  // not initialised: begun with each group
    };
    Tree<R, State, columns, 20> tree;  // of 2^26 rows
  };

  static void begin(const void* reducer, void* running) {
    ::new (running) Running(*static_cast<const R*>(reducer));
  }
  static void add(const void* reducer, const char* values, int64_t pitch, int64_t rows, int64_t m,
                  int64_t position, void* memory) {
    run_loop([=]() WEFT_ALWAYS_INLINE {
      const R mine = *static_cast<const R*>(reducer);
      auto& running = *static_cast<Running*>(memory);
      State* const part = running.part;
      for (int64_t r = 0; r < rows;) {
        const int64_t in_group = running.rows % group;
        if (in_group == 0) {
          if (running.rows > 0) running.tree.push(part, static_cast<int>(m));
          for (int64_t c = 0; c < m; ++c) part[c] = State{};
        }
        const char* const first = values + r * pitch;
        const int64_t left = rows - r < group - in_group ? rows - r : group - in_group;
        const int64_t taken = left >= most ? most : left >= 4 ? 4 : 1;
        if (taken == most) {
          add_rows(mine, first, pitch, m, position + r, part, std::make_index_sequence<most>{});
        } else if (taken == 4) {
          add_rows(mine, first, pitch, m, position + r, part, std::make_index_sequence<4>{});
        } else {
          add_rows(mine, first, pitch, m, position + r, part, std::make_index_sequence<1>{});
        }
        r += taken;
        running.rows += taken;
      }
    });
  }
  static void end(const void*, void* memory, int64_t m, char* states) {
    auto& running = *static_cast<Running*>(memory);
    join(running, m);
    __builtin_memcpy(states, static_cast<const void*>(running.part),
                     static_cast<std::size_t>(m) * sizeof(State));
  }
  static void finish(const void* reducer, void* memory, int64_t m, int64_t count, char* out,
                     int64_t pitch) {
    auto& running = *static_cast<Running*>(memory);
    join(running, m);
    const R mine = *static_cast<const R*>(reducer);
    if (pitch == sizeof(Out)) {  // a loop that vectorises
      auto* const to = reinterpret_cast<Out*>(out);
      for (int64_t c = 0; c < m; ++c) {
        to[c] = store_element<Out>(mine.finish(running.part[c], count));
      }
      return;
    }
    for (int64_t c = 0; c < m; ++c) {
      *reinterpret_cast<Out*>(out + c * pitch) =
          store_element<Out>(mine.finish(running.part[c], count));
    }
  }

  static constexpr ColumnLoops loops{columns, sizeof(Running), begin, add, end, finish};

 private:
  /// Each column's next values, from low positions to high ones.
  template <std::size_t... K>
  WEFT_ALWAYS_INLINE static void add_rows(const R& mine, const char* first, int64_t pitch,
                                          int64_t m, int64_t position, State* part,
                                          std::index_sequence<K...>) {
    const V* const row[] = {reinterpret_cast<const V*>(first + static_cast<int64_t>(K) * pitch)...};
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (int64_t c = 0; c < m; ++c) {
      State state = part[c];
      (mine.add(state, row[K][c], position + static_cast<int64_t>(K)), ...);
      part[c] = state;
    }
  }
  /// All rows into one state a column.
  static void join(Running& running, int64_t m) {
    if (running.rows == 0) {
      for (int64_t c = 0; c < m; ++c) running.part[c] = State{};
    } else {
      running.tree.total(running.part, static_cast<int>(m));
    }
  }
};

/// The best of each column so far, and which row has it: two arrays, so that they vectorise.
template <class Out, class R, class V>
  requires requires { typename R::extreme; }
struct ColumnRun<Out, R, V> {
  using State = typename R::template State<V>;
  using Index = std::conditional_t<sizeof(V) == 8, std::int64_t, std::int32_t>;  // of 2^26 rows
  static constexpr int columns = 16384 / static_cast<int>(sizeof(V) + sizeof(Index));

  struct Running {
    int64_t rows;
    int64_t position;  // of the first
    alignas(64) V best[columns];
    alignas(64) Index at[columns];
    /// The state of column c.
    State state(int64_t c) const { return rows == 0 ? State{} : State{best[c], position + at[c]}; }
  };

  static void begin(const void*, void* running) { static_cast<Running*>(running)->rows = 0; }
  static void add(const void*, const char* values, int64_t pitch, int64_t rows, int64_t m,
                  int64_t position, void* memory) {
    run_loop([=]() WEFT_ALWAYS_INLINE {
      auto& running = *static_cast<Running*>(memory);
      int64_t r = 0;
      if (running.rows == 0 && rows > 0) {
        running.position = position;
        for (int64_t c = 0; c < m; ++c) {
          running.best[c] = reinterpret_cast<const V*>(values)[c];
          running.at[c] = 0;
        }
        r = 1;
      }
      const auto first = static_cast<Index>(running.rows);
      for (; r + 4 <= rows; r += 4) {
        add_rows(values + r * pitch, pitch, m, static_cast<Index>(first + r), running,
                 std::make_index_sequence<4>{});
      }
      for (; r < rows; ++r) {
        add_rows(values + r * pitch, pitch, m, static_cast<Index>(first + r), running,
                 std::make_index_sequence<1>{});
      }
      running.rows += rows;
    });
  }
  static void end(const void*, void* memory, int64_t m, char* states) {
    for (int64_t c = 0; c < m; ++c) {
      reinterpret_cast<State*>(states)[c] = static_cast<const Running*>(memory)->state(c);
    }
  }
  static void finish(const void* reducer, void* memory, int64_t m, int64_t count, char* out,
                     int64_t pitch) {
    for (int64_t c = 0; c < m; ++c) {
      *reinterpret_cast<Out*>(out + c * pitch) =
          store_element<Out>(static_cast<const R*>(reducer)->finish(
              static_cast<const Running*>(memory)->state(c), count));
    }
  }

  static constexpr ColumnLoops loops{columns, sizeof(Running), begin, add, end, finish};

 private:
  template <std::size_t... K>
  WEFT_ALWAYS_INLINE static void add_rows(const char* first, int64_t pitch, int64_t m, Index row,
                                          Running& running, std::index_sequence<K...>) {
    const V* const from[] = {
        reinterpret_cast<const V*>(first + static_cast<int64_t>(K) * pitch)...};
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (int64_t c = 0; c < m; ++c) {
      V best = running.best[c];
      Index at = running.at[c];
      const auto challenge = [&](V x, Index i) WEFT_ALWAYS_INLINE {
        const bool better = R::surpasses(x, best);
        best = better ? x : best;
        at = better ? i : at;
      };
      (challenge(from[K][c], static_cast<Index>(row + static_cast<Index>(K))), ...);
      running.best[c] = best;
      running.at[c] = at;
    }
  }
};

}  // namespace weft::cpu::detail
