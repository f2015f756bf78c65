// A thread's part of a row, kept in registers, and its other operands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because all that a thread keeps and reads is one class.

#include "weft/cuda/rows/register_layout.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

template <class Layout, class Types, int V, int N>
class RowRegisters;

/// The leaves of types Ts of a thread: kept, one element for the row, or read where needed.
template <class Layout, class... Ts, int V, int N>
class RowRegisters<Layout, TypeList<Ts...>, V, N> {
 public:
  using Grid = RowGrid<N>;
  using Registers = Pack<RowWords<Ts, V>...>;
  static constexpr int outputs = Layout::outputs;
  static constexpr int leaves = sizeof...(Ts);
  static constexpr int vectors = Layout::vectors;
  static constexpr int slots = Layout::slots;

  __device__ __forceinline__ explicit RowRegisters(const Grid& grid)
      : grid_(grid), place_(place_in_block<true>(grid)) {
    unsigned length = grid.length;
    if (grid.ragged) length = edge_.find(grid, grid.operand[grid.origin], place_);
    if (place_.active && length > place_.lane) {
      all_ = grid.stride.divide(length - 1 - place_.lane) + 1;
    }
  }

  /// Loads this thread's vectors from number `begin` on, as many as it keeps.
  __device__ __forceinline__ void keep(unsigned begin) {
    choose(begin);
#pragma unroll
    for (int s = 0; s < slots; ++s) {
#pragma unroll
      for (int k = 0; k < vectors; ++k) kept_[s][k] = Words{};
    }
    if (!has(0)) return;
#pragma unroll
    for (int s = 0; s < slots; ++s) {
      if (s < grid_.sources) keep_operand(kept_[s], grid_.operand[grid_.source[s]]);
    }
  }

  /// Keeps what values(registers, x) fills in for a vector's lanes in place of an operand, for the
  /// same vectors. The operands that Uses names are read for several at a time, of rows of 16
  /// bits the first for all, into what will be kept: for others that takes more registers than it
  /// saves waits (docs/notes/measurements.md).
  template <std::uint64_t Uses, class F>
  __device__ __forceinline__ void keep_values(unsigned begin, const F& values) {
    choose(begin);
    constexpr int together = vectors < 2 ? 1 : 2;
    constexpr int first = V == 8 ? first_read<Uses> : -1;
    constexpr std::uint64_t others = first < 0 ? Uses : Uses & ~bit_of<(first < 0 ? 0 : first)>;
    const char* at[leaves];
    begin_needed<Uses>(at, Leaves{});
    const Accesses accesses(grid_, grid_.needed);
#pragma unroll
    for (int k = 0; k < vectors; ++k) kept_[0][k] = Words{};
    if constexpr (first >= 0) {
#pragma unroll
      for (int k = 0; k < vectors; ++k) {
        Registers registers;
        take_needed<bit_of<first>>(registers, at, k, accesses, Leaves{});
        const auto& x = weft::get<first>(registers);
#pragma unroll
        for (int w = 0; w < x.n; ++w) kept_[0][k].word[w] = x.word[w];
      }
    }
#pragma unroll
    for (int k = 0; k < vectors; k += together) {
      if (k >= static_cast<int>(grid_.chunk)) break;
      Registers registers[together];
#pragma unroll
      for (int i = 0; i < together; ++i) {
        if constexpr (first >= 0) {
          auto& x = weft::get<first>(registers[i]);
#pragma unroll
          for (int w = 0; w < x.n; ++w) x.word[w] = kept_[0][k + i].word[w];
        }
        take_needed<others>(registers[i], at, k + i, accesses, Leaves{});
      }
#pragma unroll
      for (int i = 0; i < together; ++i) {
        float x[V];
        values(registers[i], x);
#pragma unroll
        for (int j = 0; j < V; ++j) kept_[0][k + i].word[j] = __float_as_uint(x[j]);
      }
    }
  }
  __device__ __forceinline__ float kept_value(int k, int j) const {
    return __uint_as_float(kept_[0][k].word[j]);
  }

  /// Whether a pass may end before vector k: from half of them on, or where k is a power of two.
  WEFT_HD static constexpr bool ends_before(int k) {
    return k > 0 && (2 * k >= vectors || (k & (k - 1)) == 0);
  }
  /// Calls f(registers, k) for each vector k, with the leaves that Uses names.
  template <std::uint64_t Uses, class F>
  __device__ __forceinline__ void for_each_vector(const F& f) {
    Registers others;
    const char* at[leaves];
    begin_all<Uses>(others, at, Leaves{});
    const Accesses accesses(grid_, ~std::uint64_t{0});
#pragma unroll
    for (int k = 0; k < vectors; ++k) {
      if (ends_before(k) && k >= static_cast<int>(grid_.chunk)) break;  // where rows are short
      Registers registers;
      take_all<Uses>(registers, others, at, k, accesses, Leaves{});
      f(registers, k);
    }
  }

  /// The leaves that Uses names where they are the same along the row, or at its first element.
  template <std::uint64_t Uses>
  __device__ __forceinline__ Registers of_row() const {
    Registers registers;
    const char* at[leaves];
    begin_all<Uses>(registers, at, Leaves{});
    first_positions<Uses>(registers, at, Leaves{});
    return registers;
  }

  /// Whether the row has vector k: the thread has fewer vectors where rows are short.
  __device__ __forceinline__ bool has(int k) const { return k < count_; }
  /// Bytes from a thread's vector of elements of T to its next.
  template <class T>
  __device__ __forceinline__ int step() const {
    return V * static_cast<int>(sizeof(T) * grid_.stride.divisor);
  }
  /// Bytes that vector 0 of a ragged row is further on than start().
  template <class T>
  __device__ __forceinline__ int64_t wrapped() const {
    return static_cast<int64_t>(edge_.wrap) * (V * static_cast<int>(sizeof(T)));
  }
  /// Whether the row has only some of vector k's lanes: of vector 0, begin() to end() - 1.
  __device__ __forceinline__ bool is_edge(int k) const { return k == 0 && !edge_.is_whole(); }
  __device__ __forceinline__ int begin() const { return edge_.begin; }
  __device__ __forceinline__ int end() const { return edge_.end; }
  /// The position in the row of lane 0 of vector k.
  __device__ __forceinline__ long long position(int k) const {
    const unsigned before = (begin_ + k) * grid_.stride.divisor + (k == 0 ? edge_.wrap : 0);
    return (static_cast<long long>(before) + place_.lane) * V - edge_.back;
  }

  /// Of a vector that two of a warp's rows share, gives the thread of the later row the elements of
  /// both, to store whole, and the other one none.
  template <class T>
  __device__ __forceinline__ void join_rows(RowWords<T, V>& words, int& begin, int& end) const {
    const unsigned lane = threadIdx.x % 32;
    const unsigned apart = grid_.group + 1;
    const bool has_earlier = place_.lane == 1 && lane >= apart;
    const int bits = has_earlier ? begin * 8 * static_cast<int>(sizeof(T)) : 0;
#pragma unroll
    for (int w = 0; w < RowWords<T, V>::n; ++w) {
      const unsigned earlier = __shfl_up_sync(~0U, words.word[w], apart);
      const int more = bits - 32 * w;
      const unsigned mask = more <= 0 ? 0 : more < 32 ? (1U << more) - 1 : ~0U;
      words.word[w] = (earlier & mask) | (words.word[w] & ~mask);
    }
    if (has_earlier) begin = 0;
    const bool has_later = lane + apart < 32 && place_.row + 1 < grid_.rows;
    if (place_.lane == 0 && end < V && has_later) end = 0;
  }

  /// Where this thread's first vector of operand K, of elements of T, is, were its row not ragged.
  template <int K, class T>
  __device__ __forceinline__ char* start() const {
    return vector_start<T>(grid_.operand[K]);
  }

 protected:
  const Grid& grid_;
  RowPlace place_;
  int count_ = 0;  // vectors that are kept

 private:
  template <class T>
  __device__ __forceinline__ char* vector_start(const RowOperand& x) const {
    return kept_row_start(grid_, x, place_) + vector_offset<T>();
  }
  /// Bytes from where the row begins to the thread's first vector of elements of T.
  template <class T>
  __device__ __forceinline__ int64_t vector_offset() const {
    const int first = static_cast<int>(place_.lane * V) - edge_.back;
    int64_t bytes = first * static_cast<int64_t>(sizeof(T));
    if constexpr (Layout::independent) bytes += int64_t{begin_} * step<T>();
    return bytes;
  }
  /// The position of lane 0 of vector k of an operand without memory, in bytes.
  __device__ __forceinline__ const char* position_at(const char* row, const RowOperand& x,
                                                     int k) const {
    const int64_t first = static_cast<int64_t>(place_.lane) * V - edge_.back;
    const int64_t further = k == 0 ? edge_.wrap * (V * x.hop) : k * x.step;
    return row + first * x.hop + begin_ * x.step + further;
  }
  /// Keeps the vectors from number `begin` on.
  __device__ __forceinline__ void choose(unsigned begin) {
    begin_ = begin < all_ ? begin : 0;
    const unsigned left = begin < all_ ? all_ - begin : 0;
    count_ = static_cast<int>(left < vectors ? left : vectors);
    if (begin > 0) edge_.pass();
  }
  /// Loads vector k of an operand whose vectors are whole; `at` is where it would be if vector 0
  /// were not wrapped.
  template <class T>
  __device__ __forceinline__ void load(RowWords<T, V>& out, const char* at, int k) const {
    out.load(k == 0 ? at + wrapped<T>() : at);
  }
  /// The same of an operand of a ragged row that is read by element.
  template <class T>
  __device__ __forceinline__ void load_elements(RowWords<T, V>& out, const char* at, int k) const {
    if (k == 0) return out.load_some(at + wrapped<T>(), begin(), end());
    out.load_elements(at);
  }

  /// How the leaves' vectors are read, in registers: what is in the grid is read again after each
  /// store. Those that `needed` does not name are not.
  struct Accesses {
    int of[leaves];
    bool ragged;
    __device__ __forceinline__ Accesses(const Grid& grid, std::uint64_t needed)
        : ragged(grid.ragged) {
#pragma unroll
      for (int i = 0; i < leaves; ++i) {
        const bool read = (needed >> (outputs + i) & 1U) != 0;
        of[i] = read ? grid.operand[outputs + i].access : RowOperand::kept;
      }
    }
  };

  using Element = typename Layout::Element;
  using Words = RowWords<Element, V>;
  using Leaves = std::make_index_sequence<leaves>;

  /// Loads this thread's vectors of an operand, of which it has the first.
  __device__ __forceinline__ void keep_operand(Words (&to)[vectors], const RowOperand& x) const {
    const char* at = vector_start<Element>(x);
    load(to[0], at, 0);
#pragma unroll
    for (int k = 1; k < vectors; ++k) {
      at += step<Element>();
      if (has(k)) to[k].load(at);
    }
  }

  template <int I, std::uint64_t Uses>
  static constexpr bool is_used = (Uses >> (outputs + I) & 1U) != 0;
  template <int I>
  static constexpr std::uint64_t bit_of = std::uint64_t{1} << (outputs + I);
  template <int I>
  static constexpr bool is_position = (Layout::positions >> (outputs + I) & 1U) != 0;
  template <int I>
  static constexpr bool is_kept = (Layout::always_kept >> (outputs + I) & 1U) != 0;
  /// The leaf that the first slot always has.
  static constexpr int first_kept =
      Layout::always_kept == 0 ? -1 : std::countr_zero(Layout::always_kept) - outputs;
  /// The first leaf that Uses names whose vectors fit into what is kept; -1 if there is none.
  template <std::uint64_t Uses>
  static constexpr int first_read = [] {
    constexpr bool fits[] = {
        (sizeof(Ts) <= sizeof(Element) && !std::is_same_v<Ts, IndexOperand>)...};
    for (int i = 0; i < leaves; ++i) {
      if (fits[i] && (Uses >> (outputs + i) & 1U) != 0) return i;
    }
    return -1;
  }();
  template <int I>
  static constexpr bool may_be_kept = (Layout::may_keep >> (outputs + I) & 1U) != 0;

  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void begin_all(Registers& others, const char** at,
                                            std::index_sequence<I...>) const {
    (begin_leaf<static_cast<int>(I), is_used<I, Uses>>(weft::get<static_cast<int>(I)>(others),
                                                       at[I]),
     ...);
  }
  template <int I, bool Used, class T>
  __device__ __forceinline__ void begin_leaf(RowWords<T, V>& other, const char*& at) const {
    if constexpr (Used && !is_kept<I>) {
      const RowOperand& x = grid_.operand[outputs + I];
      if (x.access < RowOperand::one_element) return;
      at = kept_row_start(grid_, x, place_);
      if constexpr (is_position<I>) {
        other.step = static_cast<int>(x.hop);
      } else if (x.access == RowOperand::one_element) {
        other.fill(*reinterpret_cast<const T*>(at));
      } else {
        at += vector_offset<T>();
      }
    }
  }

  /// Whether a leaf that Uses names may be read from memory for each vector.
  template <int I, std::uint64_t Uses>
  static constexpr bool is_read = is_used<I, Uses> && !is_position<I> && !is_kept<I>;

  /// The leaves of vector k; `at` moves on to the next.
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void take_all(Registers& registers, Registers& others, const char** at,
                                           int k, const Accesses& accesses,
                                           std::index_sequence<I...>) const {
    load_all<Uses>(others, at, k, accesses, std::index_sequence<I...>{});
    (take<static_cast<int>(I), is_used<I, Uses>>(weft::get<static_cast<int>(I)>(registers),
                                                 weft::get<static_cast<int>(I)>(others), at[I], k),
     ...);
  }
  /// Loads vector k, if the thread has it, of the leaves that have vectors of their own.
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void load_all(Registers& registers, const char* const* at, int k,
                                           const Accesses& accesses,
                                           std::index_sequence<I...>) const {
    if constexpr ((is_read<static_cast<int>(I), Uses> || ...)) {
      // One branch for all: as conditions of single loads they would be as many instructions.
      if (!has(k)) return;
      (load_leaf<is_read<static_cast<int>(I), Uses>, RowOperand::whole_vector>(
           weft::get<static_cast<int>(I)>(registers), at[I], k, accesses.of[I]),
       ...);
      if (!accesses.ragged) return;
      (load_leaf<is_read<static_cast<int>(I), Uses>, RowOperand::by_element>(
           weft::get<static_cast<int>(I)>(registers), at[I], k, accesses.of[I]),
       ...);
    }
  }
  template <bool Read, RowOperand::Access Of, class T>
  __device__ __forceinline__ void load_leaf(RowWords<T, V>& out, const char* at, int k,
                                            int access) const {
    if constexpr (Read) {
      if (access != Of) return;
      if constexpr (Of == RowOperand::by_element) {
        load_elements(out, at, k);
      } else {
        load(out, at, k);
      }
    }
  }
  template <int I, bool Used, class T>
  __device__ __forceinline__ void take(RowWords<T, V>& out, RowWords<T, V>& other, const char*& at,
                                       int k) const {
    if constexpr (!Used) {
    } else if constexpr (is_position<I>) {
      const RowOperand& x = grid_.operand[outputs + I];
      other.first = reinterpret_cast<long long>(position_at(at, x, k)) - IndexOperand::origin;
      out = other;
    } else if constexpr (is_kept<I>) {
      take_kept<I>(out, k);
    } else {
      at += step<T>();
      out = other;
      if constexpr (may_be_kept<I>) {
        const bool here = grid_.operand[outputs + I].access < RowOperand::one_element;
        Words kept;
        take_kept<I>(kept, k);
#pragma unroll
        for (int w = 0; w < Words::n; ++w) out.word[w] = here ? kept.word[w] : out.word[w];
      }
    }
  }
  /// Vector k of leaf I, which is kept.
  template <int I>
  __device__ __forceinline__ void take_kept(Words& out, int k) const {
    out = kept_[0][k];
    if constexpr (slots > 1 && I != first_kept) {
      const bool second = grid_.operand[outputs + I].access == RowOperand::kept_second;
#pragma unroll
      for (int w = 0; w < Words::n; ++w) out.word[w] = second ? kept_[1][k].word[w] : out.word[w];
    }
  }

  /// Where the first vectors are of the operands that what is kept is computed from.
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void begin_needed(const char** at, std::index_sequence<I...>) const {
    (begin_one_needed<static_cast<int>(I), is_used<I, Uses>, Ts>(at[I]), ...);
  }
  template <int I, bool Used, class T>
  __device__ __forceinline__ void begin_one_needed(const char*& at) const {
    if constexpr (Used) {
      const RowOperand& x = grid_.operand[outputs + I];
      at = kept_row_start(grid_, x, place_);
      if constexpr (!is_position<I>) {
        if (x.access != RowOperand::one_element) at += vector_offset<T>();
      }
    }
  }
  /// Vector k of them.
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void take_needed(Registers& registers, const char* const* at, int k,
                                              const Accesses& accesses,
                                              std::index_sequence<I...>) const {
    (clear<static_cast<int>(I), is_used<I, Uses>>(weft::get<static_cast<int>(I)>(registers), at[I],
                                                  k),
     ...);
    if constexpr ((is_read<static_cast<int>(I), Uses> || ...)) {
      if (!has(k)) return;
      (load_leaf<is_read<static_cast<int>(I), Uses>, RowOperand::whole_vector>(
           weft::get<static_cast<int>(I)>(registers), vector_of<Ts>(at[I], k), k, accesses.of[I]),
       ...);
      if (!accesses.ragged && grid_.constants == 0) return;
      (load_other<is_read<static_cast<int>(I), Uses>>(weft::get<static_cast<int>(I)>(registers),
                                                      at[I], k, accesses.of[I]),
       ...);
    }
  }
  /// Where vector k is of an operand whose vector 0 is at `at`.
  template <class T>
  __device__ __forceinline__ const char* vector_of(const char* at, int k) const {
    return k == 0 ? at : at + k * step<T>();
  }
  /// The positions of vector k, or zeros for a leaf with memory.
  template <int I, bool Used, class T>
  __device__ __forceinline__ void clear(RowWords<T, V>& out, const char* at, int k) const {
    if constexpr (Used && is_position<I>) {
      const RowOperand& x = grid_.operand[outputs + I];
      out.first = reinterpret_cast<long long>(position_at(at, x, k)) - IndexOperand::origin;
      out.step = static_cast<int>(x.hop);
    } else if constexpr (Used) {
      out = RowWords<T, V>{};
    }
  }
  template <bool Read, class T>
  __device__ __forceinline__ void load_other(RowWords<T, V>& out, const char* at, int k,
                                             int access) const {
    if constexpr (Read) {
      if (access == RowOperand::one_element) out.fill(*reinterpret_cast<const T*>(at));
      load_leaf<true, RowOperand::by_element>(out, vector_of<T>(at, k), k, access);
    }
  }

  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void first_positions(Registers& registers, const char* const* at,
                                                  std::index_sequence<I...>) const {
    (first_position<static_cast<int>(I), is_used<I, Uses>>(
         weft::get<static_cast<int>(I)>(registers), at[I]),
     ...);
  }
  template <int I, bool Used, class T>
  __device__ __forceinline__ void first_position(RowWords<T, V>& out, const char* at) const {
    if constexpr (Used && is_position<I>) {
      out.first = reinterpret_cast<long long>(at) - IndexOperand::origin;
    }
  }

  unsigned all_ = 0;    // vectors that the thread has
  unsigned begin_ = 0;  // the first vector that is kept
  RowEdge<V> edge_;
  Words kept_[slots][vectors];
};

}  // namespace weft::on_cuda::detail

#endif
