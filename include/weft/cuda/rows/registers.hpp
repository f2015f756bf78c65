// A thread's part of a row of full, aligned vectors, kept in registers, and its other operands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/rows/register_layout.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

template <class Layout, class Types, int V, int N>
class RowRegisters;

/// The leaves of types Ts of a thread: in a slot, one element for the row, or read where needed.
template <class Layout, class... Ts, int V, int N>
class RowRegisters<Layout, TypeList<Ts...>, V, N> {
 public:
  using Grid = RowGrid<N>;
  using Registers = Pack<RowWords<Ts, V>...>;
  static constexpr int outputs = Layout::outputs;
  static constexpr int leaves = sizeof...(Ts);
  static constexpr int vectors = Layout::vectors;

  __device__ __forceinline__ explicit RowRegisters(const Grid& grid)
      : grid_(grid), place_(place_in_block(grid)) {
    if (place_.active && grid.length > place_.lane) {
      all_mine_ = grid.stride.divide(grid.length - 1 - place_.lane) + 1;
    }
  }

  /// Loads this thread's vectors from number `begin` on, as many as it keeps.
  __device__ __forceinline__ void keep(unsigned begin) {
    begin_ = begin < all_mine_ ? begin : all_mine_;
    mine_ = all_mine_ - begin_ < vectors ? all_mine_ - begin_ : vectors;
    keep_slots(std::make_index_sequence<Layout::slots>{});
  }

  /// Keeps what values(registers, x) fills in for a vector's lanes in place of an operand, for the
  /// same vectors; the operands that Uses names are read for several at a time.
  template <std::uint64_t Uses, class F>
  __device__ __forceinline__ void keep_values(unsigned begin, const F& values) {
    begin_ = begin < all_mine_ ? begin : all_mine_;
    mine_ = all_mine_ - begin_ < vectors ? all_mine_ - begin_ : vectors;
    constexpr int together = vectors < 2 ? 1 : 2;
    const char* at[leaves];
    begin_needed<Uses>(at, Leaves{});
#pragma unroll
    for (int k = 0; k < vectors; ++k) kept_[0][k] = Slot{};
#pragma unroll
    for (int k = 0; k < vectors; k += together) {
      if (k >= static_cast<int>(grid_.chunk)) break;
      Registers registers[together];
#pragma unroll
      for (int i = 0; i < together; ++i) {
        take_needed<Uses>(registers[i], at, k + i, Leaves{});
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

  /// Calls f(registers, k, whole) for each vector k, with the leaves that Uses names; `whole` is
  /// false where the row has no such vector.
  template <std::uint64_t Uses, class F>
  __device__ __forceinline__ void for_each_vector(const F& f) {
    Registers others;
    const char* at[leaves];
    begin_all<Uses>(others, at, Leaves{});
#pragma unroll
    for (int k = 0; k < vectors; ++k) {
      if constexpr (!Layout::independent && vectors > 1) {  // fewer of them, where rows are short
        if (k >= vectors / 2 && k >= static_cast<int>(grid_.chunk)) break;
      }
      const bool whole = k < static_cast<int>(mine_);
      Registers registers;
      take_all<Uses>(registers, others, at, k, whole, Leaves{});
      f(registers, k, whole);
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

  __device__ __forceinline__ long long position(int k) const {
    return (place_.lane + static_cast<long long>(begin_ + k) * grid_.stride.divisor) * V;
  }

  /// Where this thread's first vector of operand K is.
  template <int K>
  __device__ __forceinline__ char* start() const {
    return vector_start(grid_.operand[K]);
  }

 protected:
  const Grid& grid_;
  RowPlace place_;
  unsigned mine_ = 0;  // vectors that are kept

 private:
  __device__ __forceinline__ char* vector_start(const RowOperand& x) const {
    const unsigned k = place_.lane + begin_ * grid_.stride.divisor;
    return row_start(grid_, x, place_.row) + k * (x.reduced_stride[0] * V);
  }

  using Slot = RowWords<typename Layout::Slot, V>;
  using Leaves = std::make_index_sequence<leaves>;
  template <int I, std::uint64_t Uses>
  static constexpr bool is_used = (Uses >> (outputs + I) & 1U) != 0;
  template <int I>
  static constexpr std::uint64_t bit_of = std::uint64_t{1} << (outputs + I);
  template <int I>
  static constexpr bool is_position = (Layout::positions >> (outputs + I) & 1U) != 0;
  template <int I>
  static constexpr bool is_kept = (Layout::always_kept >> (outputs + I) & 1U) != 0;
  template <int I>
  static constexpr bool may_be_kept = (Layout::slot_leaves >> (outputs + I) & 1U) != 0;

  template <std::size_t... S>
  __device__ __forceinline__ void keep_slots(std::index_sequence<S...>) {
    (keep_slot<static_cast<int>(S)>(), ...);
  }
  template <int S>
  __device__ __forceinline__ void keep_slot() {
#pragma unroll
    for (int k = 0; k < vectors; ++k) kept_[S][k] = Slot{};
    if (S >= grid_.slots) return;
    const RowOperand& x = grid_.operand[grid_.slot_operand[S]];
    const char* at = vector_start(x);
#pragma unroll
    for (int k = 0; k < vectors; ++k) {
      if (k < static_cast<int>(mine_)) kept_[S][k].load(at + k * x.step);
    }
  }

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
      if constexpr (is_position<I>) {
        at = start<outputs + I>();
        other.step = x.lane;
      } else if (x.access == RowOperand::one_element) {
        other.fill(*reinterpret_cast<const T*>(row_start(grid_, x, place_.row)));
      } else if (x.access == RowOperand::whole_vector) {
        at = start<outputs + I>();
      }
    }
  }

  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void take_all(Registers& registers, Registers& others,
                                           const char* const* at, int k, bool whole,
                                           std::index_sequence<I...>) const {
    (take<static_cast<int>(I), is_used<I, Uses>>(weft::get<static_cast<int>(I)>(registers),
                                                 weft::get<static_cast<int>(I)>(others), at[I], k,
                                                 whole),
     ...);
  }
  template <int I, bool Used, class T>
  __device__ __forceinline__ void take(RowWords<T, V>& out, RowWords<T, V>& other, const char* at,
                                       int k, bool whole) const {
    if constexpr (!Used) {
    } else if constexpr (is_position<I>) {
      const RowOperand& x = grid_.operand[outputs + I];
      other.first = reinterpret_cast<long long>(at + k * x.step) - IndexOperand::origin;
      out = other;
    } else if constexpr (is_kept<I>) {
      out = kept_[0][k];
    } else {
      const RowOperand& x = grid_.operand[outputs + I];
      if (x.access == RowOperand::whole_vector && whole) other.load(at + k * x.step);
      out = other;
      if constexpr (may_be_kept<I>) {
#pragma unroll
        for (int s = 0; s < Layout::slots; ++s) {
          const bool here = x.access == RowOperand::slot && static_cast<int>(x.slot_offset) == s;
#pragma unroll
          for (int w = 0; w < Slot::n; ++w) out.word[w] = here ? kept_[s][k].word[w] : out.word[w];
        }
      }
    }
  }

  /// Where the first vectors are of the operands that what is kept is computed from.
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void begin_needed(const char** at, std::index_sequence<I...>) const {
    (begin_one_needed<static_cast<int>(I), is_used<I, Uses>>(at[I]), ...);
  }
  template <int I, bool Used>
  __device__ __forceinline__ void begin_one_needed(const char*& at) const {
    if constexpr (Used) {
      const RowOperand& x = grid_.operand[outputs + I];
      at = x.access == RowOperand::one_element ? row_start(grid_, x, place_.row)
                                               : start<outputs + I>();
    }
  }
  template <std::uint64_t Uses, std::size_t... I>
  __device__ __forceinline__ void take_needed(Registers& registers, const char* const* at, int k,
                                              std::index_sequence<I...>) const {
    (take_one_needed<static_cast<int>(I), is_used<I, Uses>>(
         weft::get<static_cast<int>(I)>(registers), at[I], k),
     ...);
  }
  template <int I, bool Used, class T>
  __device__ __forceinline__ void take_one_needed(RowWords<T, V>& out, const char* at,
                                                  int k) const {
    if constexpr (Used) {
      const RowOperand& x = grid_.operand[outputs + I];
      if constexpr (is_position<I>) {
        out.first = reinterpret_cast<long long>(at + k * x.step) - IndexOperand::origin;
        out.step = x.lane;
      } else {
        out = RowWords<T, V>{};
        if (k >= static_cast<int>(mine_) || (grid_.needed & bit_of<I>) == 0) return;
        if (x.access == RowOperand::one_element) {
          out.fill(*reinterpret_cast<const T*>(at));
        } else {
          out.load(at + k * x.step);
        }
      }
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

  unsigned all_mine_ = 0;
  unsigned begin_ = 0;  // of them, the first that is kept
  Slot kept_[Layout::slots][vectors];
};

}  // namespace weft::on_cuda::detail

#endif
