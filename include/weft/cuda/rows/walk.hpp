// A thread's walk along its row: vectors, single elements at the ends, or elements alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/rows/lane.hpp"
#include "weft/cuda/rows/threads.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

/// The elements of a row that a thread has at a time: n of them, at `position` and `apart` further
/// on each.
struct RowItem {
  unsigned position;
  unsigned apart;
  int n;
};

/// A walk whose items come one at a time.
struct NoPairs {};

template <int Outputs, class Types, int V, class Values>
class RowWalk;

/// The operands of types Ts, read V elements at a time, of a row whose reductions have the types
/// Vs.
template <int Outputs, class... Ts, int V, class... Vs>
class RowWalk<Outputs, TypeList<Ts...>, V, Pack<Vs...>> {
 public:
  static constexpr int outputs = Outputs;
  static constexpr int leaves = sizeof...(Ts);
  static constexpr int reductions = sizeof...(Vs);
  static constexpr int n = outputs + leaves + reductions;
  template <int W>
  using Registers = Pack<RowVector<Ts, W>...>;
  using Values = Pack<Vs...>;
  template <int W>
  using Lane = RowLane<outputs, Registers<W>, Values>;
  using Grid = RowGrid<n>;
  static constexpr bool tiled = false;

  __device__ __forceinline__ explicit RowWalk(const Grid& grid)
      : grid_(grid), place_(place_in_block(grid)) {}

  /// Where the row begins in operand K.
  template <int K>
  __device__ __forceinline__ char* start() const {
    return start(K);
  }
  __device__ __forceinline__ char* start(int operand) const {
    return row_start(grid_, grid_.operand[operand], place_);
  }

  /// Where output K is stored if a row has one element of it; `at`: see walk().
  template <int K>
  __device__ __forceinline__ char* place(char* at) const {
    return at;
  }

  /// Calls f(at, item) for what this thread has of the row, with the addresses of its first element
  /// in the operands that Uses names, which f moves on; and flush() after each few. Two full items
  /// are pair(at, first, step)'s, of which the second begins at first.position + step.
  template <std::uint64_t Uses, class F, class Flush, class Pair = NoPairs>
  __device__ __forceinline__ void walk(const F& f, const Flush& flush, bool one = false,
                                       const Pair& pair = {}) const {
    if (!place_.active || (one && place_.lane + place_.outer > 0)) return;
    const unsigned apart = grid_.apart;
    const unsigned first = grid_.blocked ? place_.lane * V : place_.lane;
    const unsigned each = grid_.blocked ? apart * V : apart;  // items, or elements
    unsigned mine = first < grid_.inner ? (grid_.inner - first + each - 1) / each : 0;
    if (grid_.blocked) mine *= V;
    if (one) mine = 1;
    const unsigned items = (mine + V - 1) / V;
    char* at[outputs + leaves];
    const unsigned hop = grid_.turned ? grid_.outer : 1;  // of positions
    RowItem item{0, grid_.blocked ? 1 : apart * hop, V};
    unsigned turn = 0;
    bool begins = true;
#pragma unroll 1
    for (unsigned outer = place_.outer; one || outer < grid_.outer;) {
      if (begins) begin<Uses>(at, outer, Both{});
      item.position = grid_.turned ? first * hop + outer : outer * grid_.inner + first;
#pragma unroll 1
      for (unsigned left = mine; left > 0;) {
        unsigned done = 1;
        if (!std::is_same_v<Pair, NoPairs> && left >= 2 * V) {
          if constexpr (!std::is_same_v<Pair, NoPairs>) pair(at, item, apart * hop * V);
          left -= 2 * V;
          done = 2;
        } else {
          item.n = left < V ? static_cast<int>(left) : V;
          f(at, item);
          left -= static_cast<unsigned>(item.n);
        }
        item.position += done * apart * hop * V;
        turn += done;
        if (turn % 32 < done) flush();
      }
      outer += grid_.outer_stride;
      if (one || outer >= grid_.outer) return;
      begins = grid_.reduced_rank > 2;
      if (!begins) next<Uses>(at, items, Both{});
    }
  }

  /// The addresses of this thread's first element in the operands that Uses names, of rows along
  /// one axis.
  template <std::uint64_t Uses>
  __device__ __forceinline__ void begin(char** at) const {
    begin<Uses>(at, 0, Both{});
  }

  /// Loads an item of the operands that Uses names, and moves on; `all`: the task needs all of
  /// them; `most`: the most elements that any item has.
  template <std::uint64_t Uses>
  __device__ __forceinline__ void load(Registers<V>& registers, char** at, const RowItem& item,
                                       bool all, int most = V) const {
    load_leaves<Uses>(registers, at, item, all, most, Leaves{});
  }

  /// Loads this thread's first item of an operand whose elements have type T, of rows along one
  /// axis.
  template <class T>
  __device__ __forceinline__ void load_operand(Vector<T, V>& out, int operand, const RowItem& item,
                                               int most) const {
    const RowOperand& x = grid_.operand[operand];
    const char* const at =
        row_start(grid_, x, place_) + place_.lane * x.reduced_stride[0] * (grid_.blocked ? V : 1);
    load_vector(out, at, x, (grid_.vectors >> operand & 1U) != 0, item, most);
  }

  /// Calls one(registers, values, position) for each of this thread's elements, with the values of
  /// loaded reductions that are others at each.
  template <std::uint64_t Uses, class F>
  __device__ __forceinline__ void walk_single(const F& one) {
    if (!place_.active) return;
#pragma unroll 1
    for (unsigned outer = place_.outer; outer < grid_.outer; outer += grid_.outer_stride) {
#pragma unroll 1
      for (unsigned e = place_.lane; e < grid_.inner; e += grid_.apart) {
        const long long position = static_cast<long long>(outer) * grid_.inner + e;
        Registers<1> registers{};
        Values values = values_;
        load_singles<Uses>(registers, position, Leaves{});
        load_values(values, position, std::make_index_sequence<reductions>{});
        one(registers, values, position);
      }
    }
  }

 protected:
  const Grid& grid_;
  RowPlace place_;
  Values values_{};

 private:
  using Leaves = std::make_index_sequence<leaves>;
  using Both = std::make_index_sequence<outputs + leaves>;

  template <int K, std::uint64_t Uses>
  static constexpr bool is_used = (Uses >> K & 1U) != 0;
  template <int K>
  static constexpr std::uint64_t bit = std::uint64_t{1} << K;

  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void begin(char** at, unsigned outer,
                                        std::index_sequence<I...>) const {
    row_starts<Uses>(grid_, place_, outer, at, std::index_sequence<I...>{});
    const unsigned lane = grid_.blocked ? place_.lane * V : place_.lane;
    (begin_lane<static_cast<int>(I), is_used<I, Uses>>(at[I], lane), ...);
  }
  template <int K, bool Used>
  __device__ __forceinline__ void begin_lane(char*& at, unsigned lane) const {
    if constexpr (Used) at += lane * grid_.operand[K].reduced_stride[0];
  }

  /// From the last of `items` items at one coordinate of the outer dimension to the first at the
  /// next, of rows along two axes.
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void next(char** at, unsigned items, std::index_sequence<I...>) const {
    (next_operand<static_cast<int>(I), is_used<I, Uses>>(at[I], items), ...);
  }
  template <int K, bool Used>
  __device__ __forceinline__ void next_operand(char*& at, unsigned items) const {
    if constexpr (Used) {
      const RowOperand& x = grid_.operand[K];
      at += grid_.outer_stride * x.reduced_stride[1] - items * x.step;
    }
  }

  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void load_leaves(Registers<V>& registers, char** at,
                                              const RowItem& item, bool all, int most,
                                              std::index_sequence<I...>) const {
    (load_leaf<outputs + static_cast<int>(I), is_used<outputs + I, Uses>>(
         weft::get<static_cast<int>(I)>(registers), at[outputs + I], item, all, most),
     ...);
  }
  template <int K, bool Used, class T>
  __device__ __forceinline__ void load_leaf(Vector<T, V>& out, char*& at, const RowItem& item,
                                            bool all, int most) const {
    if constexpr (Used) {
      if (!all && (grid_.needed & bit<K>) == 0) return;
      const RowOperand& x = grid_.operand[K];
      if ((grid_.constants & bit<K>) != 0) {
        const T value = *reinterpret_cast<const T*>(at);
#pragma unroll
        for (int j = 0; j < V; ++j) out.lane[j] = value;
        keep_words(out);
      } else {
        load_vector(out, at, x, (grid_.vectors & bit<K>) != 0, item, most);
      }
      at += x.step;
    }
  }
  template <class T>
  __device__ __forceinline__ static void load_vector(Vector<T, V>& out, const char* at,
                                                     const RowOperand& x, bool whole,
                                                     const RowItem& item, int most) {
    if (whole && item.n == V) {
      out = *reinterpret_cast<const Vector<T, V>*>(at);
      keep_words(out);
      return;
    }
    if (item.n == 0) return;
#pragma unroll
    for (int j = 0; j < V; ++j) {  // without branches: the last once more in place of others
      if (ends_at<V>(j, most)) break;
      out.lane[j] = *reinterpret_cast<const T*>(at);
      at += j + 1 < item.n ? x.hop : 0;
    }
    keep_words(out);
  }
  /// Elements of 2 bytes meet as words where paths do: taking a vector apart waits for it.
  template <class T>
  __device__ __forceinline__ static void keep_words(Vector<T, V>& out) {
    if constexpr (sizeof(T) == 2 && V % 2 == 0) {
      unsigned word[V / 2];
      __builtin_memcpy(word, &out, sizeof(out));
#pragma unroll
      for (unsigned& w : word) weft::detail::ptx::keep_whole(w);
      __builtin_memcpy(&out, word, sizeof(out));
    }
  }
  template <int K, bool Used>
  __device__ __forceinline__ void load_leaf(RowPositions& out, char*& at, const RowItem&, bool,
                                            int) const {
    if constexpr (Used) {
      const RowOperand& x = grid_.operand[K];
      out = {reinterpret_cast<long long>(at) - IndexOperand::origin, x.hop};
      at += x.step;
    }
  }

  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void load_singles(Registers<1>& registers, long long position,
                                               std::index_sequence<I...>) const {
    (load_single_leaf<outputs + static_cast<int>(I), is_used<outputs + I, Uses>>(
         weft::get<static_cast<int>(I)>(registers), position),
     ...);
  }
  template <int K, bool Used, class T>
  __device__ __forceinline__ void load_single_leaf(Vector<T, 1>& out, long long position) const {
    if constexpr (Used) {
      out.lane[0] =
          *reinterpret_cast<const T*>(element(grid_, grid_.operand[K], place_.row, position));
    }
  }
  template <int K, bool Used>
  __device__ __forceinline__ void load_single_leaf(RowPositions& out, long long position) const {
    if constexpr (Used) {
      const char* at = element(grid_, grid_.operand[K], place_.row, position);
      out = {reinterpret_cast<long long>(at) - IndexOperand::origin, 0};
    }
  }
  template <std::size_t... I>
  __device__ __forceinline__ void load_values(Values& values, long long position,
                                              std::index_sequence<I...>) const {
    (load_value<static_cast<int>(I)>(weft::get<static_cast<int>(I)>(values), position), ...);
  }
  template <int I, class T>
  __device__ __forceinline__ void load_value(T& out, long long position) const {
    if ((grid_.varies >> I & 1U) == 0) return;
    out = *reinterpret_cast<const T*>(
        element(grid_, grid_.operand[outputs + leaves + I], place_.row, position));
  }
};

}  // namespace weft::on_cuda::detail

#endif
